"""Tables of dynamic programming, matrices and grids of textbooks."""

# ruff: noqa: B905

from tests.textbook.bank import bank

case, CASES = bank()


@case((50, [10, 20, 30], [60, 100, 120]), (5, [6], [10]), (0, [1], [1]))
def knapsack_table(capacity, weights, values):
    n = len(values)
    best = [[0] * (capacity + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for w in range(1, capacity + 1):
            if weights[i - 1] <= w:
                best[i][w] = max(best[i - 1][w], values[i - 1] + best[i - 1][w - weights[i - 1]])
            else:
                best[i][w] = best[i - 1][w]
    return best[n][capacity]


@case(([1, 2, 3, 4], [2, 4, 3]), ([1], [2]), ([3, 1, 2], [3, 1, 2]))
def longest_common_subsequence(a, b):
    m, n = len(a), len(b)
    length = [[0 for _ in range(n + 1)] for _ in range(m + 1)]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if a[i - 1] == b[j - 1]:
                length[i][j] = length[i - 1][j - 1] + 1
            else:
                length[i][j] = max(length[i - 1][j], length[i][j - 1])
    found, i, j = [], m, n
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            found.append(a[i - 1])
            i, j = i - 1, j - 1
        elif length[i - 1][j] >= length[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return length[m][n], found[::-1]


@case((3,), (7,), (0,))
def floyd_warshall(w):
    inf = 10**6
    distance = [[0, w, inf, 9], [inf, 0, 2, inf], [inf, inf, 0, 1], [4, inf, inf, 0]]
    for k in range(4):
        for i in range(4):
            for j in range(4):
                if distance[i][k] + distance[k][j] < distance[i][j]:
                    distance[i][j] = distance[i][k] + distance[k][j]
    return distance


@case((4,), (1,), (2,))
def floyd_warshall_sized(n):
    distance = [[abs(i - j) * abs(i - j) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                distance[i][j] = min(distance[i][j], distance[i][k] + distance[k][j])
    return distance[0][n - 1]


@case(([10, 20, 30, 40],), ([1, 2],), ([5, 10, 3, 12, 5],))
def matrix_chain(dims):
    n = len(dims) - 1
    cost = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i][j] = 10**12
            for k in range(i, j):
                c = cost[i][k] + cost[k + 1][j] + dims[i] * dims[k + 1] * dims[j + 1]
                if c < cost[i][j]:
                    cost[i][j] = c
    return cost[0][n - 1]


@case(([[1, 2], [3, 4]], [[5, 6], [7, 8]]), ([[2]], [[3]]))
def matrix_product(a, b):
    if len(a[0]) != len(b):
        raise ValueError("sizes differ")
    result = [[0] * len(b[0]) for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                result[i][j] += a[i][k] * b[k][j]
    return result


@case(([[1, 2, 3], [4, 5, 6]],), ([[7]],))
def transpose(a):
    return [[row[i] for row in a] for i in range(len(a[0]))]


@case(([[2, 1], [5, 3]],), ([[3]],), ([[2, 0, 1], [1, 3, 2], [1, 1, 1]],))
def determinant(a):
    if len(a) == 1:
        return a[0][0]
    total = 0
    for column in range(len(a)):
        minor = [row[:column] + row[column + 1 :] for row in a[1:]]
        total += (-1) ** column * a[0][column] * determinant(minor)
    return total


@case(([[2.0, 1.0, 3.0], [1.0, 3.0, 5.0]],), ([[4.0, 2.0]],))
def gaussian_elimination(m):
    n = len(m)
    for i in range(n):
        pivot = m[i][i]
        if pivot == 0:
            raise ZeroDivisionError("singular")
        for j in range(i, n + 1):
            m[i][j] = m[i][j] / pivot
        for k in range(n):
            if k != i:
                factor = m[k][i]
                for j in range(i, n + 1):
                    m[k][j] -= factor * m[i][j]
    return [m[i][n] for i in range(n)]


@case(([[1, 2, 3], [4, 5, 6], [7, 8, 9]],), ([[1]],), ([[1, 2], [3, 4]],))
def spiral(matrix):
    found = []
    top, bottom, left, right = 0, len(matrix) - 1, 0, len(matrix[0]) - 1
    while top <= bottom and left <= right:
        for j in range(left, right + 1):
            found.append(matrix[top][j])
        top += 1
        for i in range(top, bottom + 1):
            found.append(matrix[i][right])
        right -= 1
        if top <= bottom:
            for j in range(right, left - 1, -1):
                found.append(matrix[bottom][j])
            bottom -= 1
        if left <= right:
            for i in range(bottom, top - 1, -1):
                found.append(matrix[i][left])
            left += 1
    return found


@case(([[1, 2], [3, 4]],), ([[1]],))
def rotate_matrix(m):
    n = len(m)
    for i in range(n):
        for j in range(i + 1, n):
            m[i][j], m[j][i] = m[j][i], m[i][j]
    for row in m:
        row.reverse()
    return m


@case((5,), (1,), (0,))
def pascal_triangle(n):
    triangle = []
    for i in range(n):
        row = [1] * (i + 1)
        for j in range(1, i):
            row[j] = triangle[i - 1][j - 1] + triangle[i - 1][j]
        triangle.append(row)
    return triangle


@case((5,), (1,), (0,))
def pascal_row(n):
    row = [1]
    for _ in range(n):
        row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 1)] + [1]
    return row


@case((4,), (1,), (6,))
def catalan(n):
    table = [0] * (n + 1)
    table[0] = 1
    for i in range(1, n + 1):
        table[i] = sum(table[j] * table[i - 1 - j] for j in range(i))
    return table[n]


@case((4,), (1,), (6,))
def bell_number(n):
    bell = [[0 for _ in range(n + 1)] for _ in range(n + 1)]
    bell[0][0] = 1
    for i in range(1, n + 1):
        bell[i][0] = bell[i - 1][i - 1]
        for j in range(1, i + 1):
            bell[i][j] = bell[i - 1][j - 1] + bell[i][j - 1]
    return bell[n][0]


@case((3, 4), (1, 1), (3, 0))
def stirling(n, k):
    table = [[0] * (k + 1) for _ in range(n + 1)]
    table[0][0] = 1
    for i in range(1, n + 1):
        for j in range(1, k + 1):
            table[i][j] = j * table[i - 1][j] + table[i - 1][j - 1]
    return table[n][k]


@case(([-2, 1, -3, 4, -1, 2, 1, -5, 4],), ([-1],), ([2, 3],))
def kadane_with_bounds(a):
    best = current = a[0]
    start = end = begin = 0
    for i in range(1, len(a)):
        if current < 0:
            current, begin = a[i], i
        else:
            current += a[i]
        if current > best:
            best, start, end = current, begin, i
    return best, a[start : end + 1]


@case(([0, 1, 0, 0, 1, 1, 1, 0, 1],), ([0, 0, 0, 0, 0, 0, 0, 0, 0],))
def game_of_life(cells):
    grid = [cells[0:3], cells[3:6], cells[6:9]]
    result = []
    for i in range(3):
        row = []
        for j in range(3):
            neighbours = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if (di, dj) != (0, 0) and 0 <= i + di < 3 and 0 <= j + dj < 3:
                        neighbours += grid[i + di][j + dj]
            alive = grid[i][j] == 1
            row.append(1 if neighbours == 3 or (alive and neighbours == 2) else 0)
        result.append(row)
    return result


@case((3,), (2,), (1,))
def magic_square(k):
    n = 2 * k + 1
    square = [[0] * n for _ in range(n)]
    i, j = 0, n // 2
    for number in range(1, n * n + 1):
        square[i][j] = number
        up, right = (i - 1) % n, (j + 1) % n
        if square[up][right]:
            i = (i + 1) % n
        else:
            i, j = up, right
    return sum(square[0]), square[0][0]


@case(([2, 3, 1, 1, 4],), ([3, 2, 1, 0, 4],), ([0],))
def jump_game(nums):
    reach = 0
    for i, jump in enumerate(nums):
        if i > reach:
            return False
        reach = max(reach, i + jump)
    return True


@case(([3, 0, 0, 2, 0, 4],), ([1, 2],), ([5, 0, 5],))
def trapped_rain(heights):
    left_max, right_max = [0] * len(heights), [0] * len(heights)
    for i in range(1, len(heights)):
        left_max[i] = max(left_max[i - 1], heights[i - 1])
    for i in range(len(heights) - 2, -1, -1):
        right_max[i] = max(right_max[i + 1], heights[i + 1])
    return sum(max(0, min(a, b) - h) for a, b, h in zip(left_max, right_max, heights))


@case((12,), (1,), (7,))
def perfect_squares(n):
    best = [0] + [n] * n
    for i in range(1, n + 1):
        j = 1
        while j * j <= i:
            best[i] = min(best[i], best[i - j * j] + 1)
            j += 1
    return best[n]


@case((7,), (1,), (10,))
def ugly_number(n):
    ugly = [1]
    i2 = i3 = i5 = 0
    while len(ugly) < n:
        following = min(ugly[i2] * 2, ugly[i3] * 3, ugly[i5] * 5)
        ugly.append(following)
        if following == ugly[i2] * 2:
            i2 += 1
        if following == ugly[i3] * 3:
            i3 += 1
        if following == ugly[i5] * 5:
            i5 += 1
    return ugly[-1]


@case((5,), (0,), (3,))
def triangle_rows_reversed(n):
    rows = [[j + i for j in range(i)] for i in range(n)]
    return sum(rows[-1]) if rows else 0
