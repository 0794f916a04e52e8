"""Tables and lists of which rows and slices are assigned, as textbooks write them."""

from tests.textbook.bank import bank

case, CASES = bank()


@case((0, 2), (1, 1), (2, -1), (0, 3))
def swap_rows(i, j):
    matrix = [[1, 2], [3, 4], [5, 6]]
    matrix[i], matrix[j] = matrix[j], matrix[i]
    matrix[0][1] += 10
    return matrix


@case((1, 5), (0, 7), (2, 1), (-4, 1))
def replace_row(k, value):
    table = [[0] * 3 for _ in range(3)]
    table[k] = [value, value + 1, value + 2]
    table[k][0] *= 2
    return table


@case((2, 9), (0, 9), (1, 9))
def rows_are_shared(k, value):
    table = [[1, 2], [3, 4], [5, 6]]
    table[0] = table[k]
    table[0][1] = value
    return sum(sum(row) for row in table)


@case(
    (2.0, 1.0, 1.0, 3.0, 5.0, 10.0), (0.0, 2.0, 1.0, 1.0, 4.0, 3.0), (1.0, 1.0, 1.0, 1.0, 2.0, 2.0)
)
def solve_two(a, b, c, d, e, f):
    rows = [[a, b, e], [c, d, f]]
    pivot = 0 if abs(a) >= abs(c) else 1
    rows[0], rows[pivot] = rows[pivot], rows[0]
    factor = rows[1][0] / rows[0][0]
    for j in range(3):
        rows[1][j] -= factor * rows[0][j]
    if rows[1][1] == 0:
        raise ArithmeticError("the system is singular")
    y = rows[1][2] / rows[1][1]
    x = (rows[0][2] - rows[0][1] * y) / rows[0][0]
    return x, y


@case((2, 7), (0, 7), (5, 7), (9, 7), (-2, 7))
def insert_by_slice(place, value):
    items = [1, 2, 3, 4, 5]
    items[place:place] = [value]
    return items


@case((1, 3), (0, 5), (3, 1), (-3, -1))
def replace_slice(start, stop):
    items = [10, 20, 30, 40, 50]
    items[start:stop] = [0]
    return items, len(items)


@case((1,), (4,), (0,), (7,))
def rotate_in_place(k):
    items = [1, 2, 3, 4, 5]
    items[:] = items[k:] + items[:k]
    return items


@case((1, 4), (0, 2), (4, 5))
def reverse_part(low, high):
    items = [3, 1, 4, 1, 5, 9]
    part = items[low:high]
    part.reverse()
    items[low:high] = part
    return items


@case((2,), (0,), (6,))
def cut_off(n):
    items = [k * k for k in range(6)]
    del items[n:]
    return items, sum(items)


@case((4, 2), (3, 0), (5, 5))
def binomial_table(n, k):
    table = [[0] * 6 for _ in range(6)]
    for i in range(6):
        table[i][0] = 1
        for j in range(1, i + 1):
            table[i][j] = table[i - 1][j - 1] + table[i - 1][j]
    return table[n][k]


@case((1, 2), (0, 0), (2, 1), (3, 0))
def knight_paths(row, column):
    board = [[0] * 4 for _ in range(4)]
    board[row][column] = 1
    for _ in range(2):
        after = [[0] * 4 for _ in range(4)]
        for i in range(4):
            for j in range(4):
                for di, dj in ((1, 2), (2, 1), (-1, 2), (-2, 1)):
                    if 0 <= i + di < 4 and 0 <= j + dj < 4:
                        after[i + di][j + dj] += board[i][j]
        board = after
    return sum(map(sum, board)), board[row][column]
