"""Searches of textbooks that try, go deeper and take back, by functions that call themselves."""

from tests.textbook.bank import bank

case, CASES = bank()

BOX = [
    [0, 2, 0, 4, 5, 6],
    [4, 5, 6, 0, 2, 3],
    [2, 0, 1, 5, 6, 4],
    [5, 6, 4, 2, 0, 1],
    [3, 1, 2, 6, 4, 0],
    [6, 4, 0, 3, 1, 2],
]
LETTERS = [[1, 2, 1, 0], [0, 1, 2, 1], [2, 0, 0, 1]]
MAP = [[1, 1, 0, 0, 1], [0, 1, 0, 1, 1], [1, 0, 0, 0, 0], [1, 1, 0, 1, 1]]


@case((BOX,), ([[1] * 6 for _ in range(6)],))
def sudoku(given):
    grid = [list(row) for row in given]

    def fits(r, c, v):
        for k in range(6):
            if grid[r][k] == v or grid[k][c] == v:
                return False
        top, left = r // 2 * 2, c // 3 * 3
        for i in range(2):
            for j in range(3):
                if grid[top + i][left + j] == v:
                    return False
        return True

    def solve():
        for r in range(6):
            for c in range(6):
                if grid[r][c] == 0:
                    for v in range(1, 7):
                        if fits(r, c, v):
                            grid[r][c] = v
                            if solve():
                                return True
                            grid[r][c] = 0
                    return False
        return True

    return solve(), grid


@case((LETTERS, [1, 2, 1, 1, 0]), (LETTERS, [2, 2, 1, 1, 1]))
def word_in_grid(grid, word):
    rows, columns = len(grid), len(grid[0])

    def found(i, j, k):
        if k == len(word):
            return True
        if i < 0 or j < 0 or i >= rows or j >= columns or grid[i][j] != word[k]:
            return False
        kept = grid[i][j]
        grid[i][j] = -1
        there = (
            found(i + 1, j, k + 1)
            or found(i - 1, j, k + 1)
            or found(i, j + 1, k + 1)
            or found(i, j - 1, k + 1)
        )
        grid[i][j] = kept
        return there

    for i in range(rows):
        for j in range(columns):
            if found(i, j, 0):
                return True
    return False


def paint(grid, r, c, old, new):
    if r < 0 or r >= len(grid) or c < 0 or c >= len(grid[0]):
        return
    if grid[r][c] != old:
        return
    grid[r][c] = new
    paint(grid, r + 1, c, old, new)
    paint(grid, r - 1, c, old, new)
    paint(grid, r, c + 1, old, new)
    paint(grid, r, c - 1, old, new)


@case((MAP,), ([[2]],))
def painted(given):
    grid = [list(row) for row in given]
    paint(grid, 0, 0, grid[0][0], 9)
    return grid


@case((MAP,), ([[0]],))
def sizes_of_islands(grid):
    rows, columns = len(grid), len(grid[0])
    seen = [[False] * columns for _ in range(rows)]

    def size(i, j):
        if i < 0 or j < 0 or i >= rows or j >= columns or seen[i][j] or grid[i][j] == 0:
            return 0
        seen[i][j] = True
        return 1 + size(i + 1, j) + size(i - 1, j) + size(i, j + 1) + size(i, j - 1)

    sizes = []
    for i in range(rows):
        for j in range(columns):
            found = size(i, j)
            if found > 0:
                sizes.append(found)
    return sizes
