"""Dynamic programming, matrices, graphs, physics and finance, as textbooks write them."""

import math

from tests.textbook.bank import bank

# The programs are written as textbooks write them.
# ruff: noqa: B905, SIM109

case, CASES = bank()


@case((10,), (1,), (2,))
def sieve(n):
    prime = [True] * (n + 1)
    count = 0
    for p in range(2, n + 1):
        if prime[p]:
            count += 1
            for m in range(p * p, n + 1, p):
                prime[m] = False
    return count


@case((10,), (1,), (0,))
def fibonacci_table(n):
    table = [0] * (n + 2)
    table[1] = 1
    for i in range(2, n + 1):
        table[i] = table[i - 1] + table[i - 2]
    return table[n]


@case((10,), (4,), (0,))
def climb_stairs(n):
    one, two = 1, 1
    for _ in range(n - 1):
        one, two = one + two, one
    return one


@case(([1, 2, 5], 11), ([2], 3))
def coin_change(coins, amount):
    big = 10**6
    table = [0] + [big] * 20
    for a in range(1, 21):
        for c in coins:
            if c <= a and table[a - c] + 1 < table[a]:
                table[a] = table[a - c] + 1
    return table[amount] if table[amount] < big else -1


@case(([1, 3, 4], [15, 20, 30], 4), ([2, 2], [3, 4], 3))
def knapsack(weights, values, capacity):
    best = [0] * 10
    for w, v in zip(weights, values):
        for c in range(9, 0, -1):
            if w <= c:
                best[c] = max(best[c], best[c - w] + v)
    return best[capacity]


@case(([1, 3, 2, 4],), ([4, 3, 2],))
def longest_increasing(a):
    n = len(a)
    length = [1] * n
    for i in range(n):
        for j in range(i):
            if a[j] < a[i]:
                length[i] = max(length[i], length[j] + 1)
    return max(length)


@case(([1, 2, 3], [2, 3, 4]), ([1], [2]))
def common_subsequence(a, b):
    m, n = len(a), len(b)
    table = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table[m][n]


@case(([1, 2, 3], [2, 3]), ([1], [2]))
def edit_distance(a, b):
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a):
        current = [i + 1]
        for j, y in enumerate(b):
            cost = 0 if x == y else 1
            current.append(min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost))
        previous = current
    return previous[-1]


@case(([[1, 3, 1], [1, 5, 1], [4, 2, 1]],))
def min_path(grid):
    rows, cols = len(grid), len(grid[0])
    for i in range(rows):
        for j in range(cols):
            if i == 0 and j == 0:
                continue
            if i == 0:
                grid[i][j] += grid[i][j - 1]
            elif j == 0:
                grid[i][j] += grid[i - 1][j]
            else:
                grid[i][j] += min(grid[i - 1][j], grid[i][j - 1])
    return grid[rows - 1][cols - 1]


@case((3, 3), (1, 5))
def grid_paths(m, n):
    row = [1] * 8
    for _ in range(m - 1):
        for j in range(1, 8):
            row[j] += row[j - 1]
    return row[n - 1]


@case((4,), (0,), (1,))
def pascal_row(n):
    row = [1]
    for k in range(n):
        row.append(row[k] * (n - k) // (k + 1))
    return row


@case(([[1, 2], [3, 4]], [[5, 6], [7, 8]]))
def matrix_product(a, b):
    n, m, p = len(a), len(b), len(b[0])
    out = [[0] * p for _ in range(n)]
    for i in range(n):
        for j in range(p):
            for k in range(m):
                out[i][j] += a[i][k] * b[k][j]
    return out


@case(([[1, 2], [3, 4]],))
def transpose_in_place(a):
    n = len(a)
    for i in range(n):
        for j in range(i + 1, n):
            a[i][j], a[j][i] = a[j][i], a[i][j]
    return a


@case(([[1, 2], [3, 4]],))
def trace(a):
    total = 0
    for i in range(len(a)):
        total += a[i][i]
    return total


@case(([[2.0, 1.0], [1.0, 3.0]], [3.0, 5.0]), ([[0.0, 1.0], [1.0, 0.0]], [2.0, 4.0]))
def gauss(a, b):
    n = len(a)
    for i in range(n):
        pivot = i
        for r in range(i + 1, n):
            if abs(a[r][i]) > abs(a[pivot][i]):
                pivot = r
        if pivot != i:
            for c in range(n):
                a[i][c], a[pivot][c] = a[pivot][c], a[i][c]
            b[i], b[pivot] = b[pivot], b[i]
        if a[i][i] == 0:
            raise ValueError("singular")
        for r in range(i + 1, n):
            factor = a[r][i] / a[i][i]
            for c in range(i, n):
                a[r][c] -= factor * a[i][c]
            b[r] -= factor * b[i]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = b[i]
        for c in range(i + 1, n):
            s -= a[i][c] * x[c]
        x[i] = s / a[i][i]
    return x


@case(([[1, 2], [3, 4]],), ([[2, 0], [0, 3]],))
def determinant2(m):
    return m[0][0] * m[1][1] - m[0][1] * m[1][0]


@case(([[0, 3, 9], [3, 0, 1], [9, 1, 0]],))
def floyd_warshall(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d


@case(([[0, 4, 1], [4, 0, 2], [1, 2, 0]], 0))
def dijkstra(graph, source):
    n = len(graph)
    distance = [10**6] * n
    done = [False] * n
    distance[source] = 0
    for _ in range(n):
        u = -1
        for v in range(n):
            if not done[v] and (u == -1 or distance[v] < distance[u]):
                u = v
        done[u] = True
        for v in range(n):
            if graph[u][v] > 0 and distance[u] + graph[u][v] < distance[v]:
                distance[v] = distance[u] + graph[u][v]
    return distance


@case(([[1, 1, 0], [0, 1, 0], [1, 0, 1]],))
def life_neighbours(board):
    n = len(board)
    out = []
    for i in range(n):
        for j in range(n):
            alive = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if (di != 0 or dj != 0) and 0 <= i + di < n and 0 <= j + dj < n:
                        alive += board[i + di][j + dj]
            out.append(alive)
    return out


@case(([[1, 2, 3], [4, 5, 6]],))
def row_sums(m):
    out = []
    for row in m:
        s = 0
        for x in row:
            s += x
        out.append(s)
    return out


@case(([[1, 2], [3, 4]],))
def clear_first_column(m):
    for row in m:
        row[0] = 0
    return m


@case(([[1, 2], [3, 4]], 9))
def row_alias(m, v):
    r = m[0]
    r[0] = v
    return m[0][0] + r[0]


@case(([[1, 5], [7, 3]], 7), ([[1, 5], [7, 3]], 6))
def find_in_matrix(m, target):
    for i in range(len(m)):
        for j in range(len(m[0])):
            if m[i][j] == target:
                return i, j
    return -1, -1


@case(([[1, 2], [1, 3]], [5.0, 7.0]))
def least_squares_slope(points, weights):
    sx = sy = sxy = sxx = 0.0
    for p, w in zip(points, weights):
        sx += p[0] * w
        sy += p[1] * w
        sxy += p[0] * p[1] * w
        sxx += p[0] * p[0] * w
    return sx, sy, sxy, sxx


@case((10.0, 2.0), (3.0, 0.0), (-1.0, 4.0))
def kinetic_energy(mass, velocity):
    if mass < 0:
        raise ValueError("the mass of a body cannot be negative")
    return 0.5 * mass * abs(velocity) * abs(velocity)


@case((5.0, 10.0, 0.0), (0.0, 10.0, 2.0), (0.0, 0.0, 1.0))
def ohms_law(voltage, current, resistance):
    if (voltage, current, resistance).count(0) != 1:
        raise ValueError("exactly one argument must be 0")
    if resistance < 0:
        raise ValueError("resistance cannot be negative")
    if voltage == 0:
        return current * resistance
    elif current == 0:
        return voltage / resistance
    else:
        return voltage / current


@case((1000.0, 0.05, 3), (100.0, 0.0, 1), (1.0, -2.0, 3))
def compound_interest(principal, rate, years):
    if rate < 0:
        raise ValueError("rate must not be negative")
    for _ in range(years):
        principal += principal * rate
    return principal


@case((25000.0, 0.12, 3), (1.0, 0.0, 3))
def equal_installments(principal, rate_per_year, years):
    if principal <= 0:
        raise Exception("Principal borrowed must be > 0")
    if rate_per_year < 0:
        raise Exception("Rate of interest must be >= 0")
    rate = rate_per_year / 12
    payments = years * 12
    if rate == 0:
        return principal / payments
    return principal * rate * (1 + rate) ** payments / ((1 + rate) ** payments - 1)


@case(([1.0, 2.0, 3.0], 2), ([1.0, 2.0], 2), ([1.0], 0))
def moving_average(data, window):
    if window <= 0:
        raise ValueError("Window size must be a positive integer")
    out = []
    for i in range(len(data) - window + 1):
        out.append(sum(data[i : i + window]) / window)
    return out


@case((0.0, 2.0), (1.0, 3.0))
def bisection(low, high):
    def f(x):
        return x * x - 2.0

    if f(low) * f(high) > 0:
        raise ValueError("no sign change")
    while high - low > 1e-9:
        mid = (low + high) / 2
        if f(mid) == 0:
            return mid
        if f(low) * f(mid) < 0:
            high = mid
        else:
            low = mid
    return (low + high) / 2


@case((1.0, 1e-8, 50), (0.1, 1e-8, 3))
def newton_cos(x, tolerance, limit):
    steps = 0
    while True:
        step = (math.cos(x) - x) / (-math.sin(x) - 1)
        x = x - step
        steps += 1
        if abs(step) < tolerance:
            return x, steps
        if steps >= limit:
            raise RuntimeError("no convergence")


@case((0.0, 1.0, 10), (1.0, 2.0, 1))
def trapezoid(a, b, n):
    h = (b - a) / n
    total = (a * a + b * b) / 2
    for i in range(1, n):
        x = a + i * h
        total += x * x
    return total * h


@case((1.0, 0.1, 10), (2.0, 0.5, 2))
def euler_decay(y, h, steps):
    t = 0.0
    for _ in range(steps):
        y = y + h * (-y)
        t += h
    return y, t


@case((1.0, 0.1, 5))
def runge_kutta(y, h, steps):
    def f(y):
        return -2.0 * y

    for _ in range(steps):
        k1 = f(y)
        k2 = f(y + h * k1 / 2)
        k3 = f(y + h * k2 / 2)
        k4 = f(y + h * k3)
        y += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
    return y


@case((3.0, 4.0), (0.0, 0.0))
def polar(x, y):
    r = math.sqrt(x * x + y * y)
    if r == 0.0:
        return 0.0, 0.0
    return r, math.atan2(y, x)


@case((1.0, -3.0, 2.0), (1.0, 2.0, 1.0), (1.0, 0.0, 1.0), (0.0, 1.0, 1.0))
def quadratic(a, b, c):
    if a == 0:
        raise ValueError("Coefficient 'a' must not be zero.")
    d = b * b - 4 * a * c
    if d < 0:
        return None
    root = math.sqrt(d)
    return (-b + root) / (2 * a), (-b - root) / (2 * a)


@case((50.0,), (15.0,), (200.0,), (-1.0,))
def tax(income):
    if income < 0:
        raise ValueError("negative income")
    brackets = [(10.0, 0.1), (40.0, 0.2), (100.0, 0.3)]
    owed = 0.0
    lower = 0.0
    for upper, rate in brackets:
        if income > upper:
            owed += (upper - lower) * rate
            lower = upper
        else:
            owed += (income - lower) * rate
            return owed
    return owed + (income - lower) * 0.4


@case((98.6, 1), (37.0, 2), (5.0, 3))
def convert_temperature(value, kind):
    if kind == 1:
        return (value - 32) * 5 / 9
    if kind == 2:
        return value * 9 / 5 + 32
    raise ValueError(f"unknown kind {kind}")


@case((3, [0, 0, 0]), (5, [1, 1, 1]))
def increment_all(n, counts):
    for i in range(len(counts)):
        counts[i] += n
    return counts


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.operations = 0

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("insufficient funds")
        self.balance -= amount
        self.operations += 1


@case((100, 30), (10, 30))
def account(balance, amount):
    a = Account(balance)
    while a.balance > 20:
        a.withdraw(amount)
    return a.balance, a.operations


@case((100, 30), (10, 30))
def account_caught(balance, amount):
    a = Account(balance)
    try:
        a.withdraw(amount)
    except ValueError:
        return -1
    return a.balance


@case((2, 3, 4), (1, 2, 3), (-1, 2, 3), (1, 1, 1))
def triangle_kind(a, b, c):
    if a <= 0 or b <= 0 or c <= 0:
        raise ValueError("sides must be positive")
    if a + b <= c or b + c <= a or a + c <= b:
        return 0
    if a == b == c:
        return 3
    if a == b or b == c or a == c:
        return 2
    return 1


@case((5, 3), (2, 9))
def memo_grid(m, n):
    memo = {}

    def go(i, j):
        if i == 0 or j == 0:
            return 1
        if (i, j) in memo:
            return memo[i, j]
        memo[i, j] = go(i - 1, j) + go(i, j - 1)
        return memo[i, j]

    return go(m, n)


@case((1, 0), (1, 1), (0, 0))
def xor_gate(a, b):
    return (a and not b) or (b and not a)


@case((1, 0), (1, 1))
def nand_gate(a, b):
    return int(not (a and b))


@case((3,), (8,), (12,))
def season(month):
    match month:
        case 12 | 1 | 2:
            return 0
        case 3 | 4 | 5:
            return 1
        case 6 | 7 | 8:
            return 2
        case _:
            return 3


@case(([1.0, 2.0, 3.0],), ([0.0, 0.0],))
def softmax_list(xs):
    top = max(xs)
    exps = [math.exp(x - top) for x in xs]
    total = sum(exps)
    return [e / total for e in exps]


@case(([1.0, 2.0], [2.0, 4.0]), ([1.0], [1.0]))
def euclidean(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += (x - y) ** 2
    return math.sqrt(total)


@case(([1, 0, 1], [1, 1, 1]), ([1], [0]))
def hamming(a, b):
    if len(a) != len(b):
        raise ValueError("lengths differ")
    count = 0
    for i in range(len(a)):
        if a[i] != b[i]:
            count += 1
    return count


@case((0.5, 100), (3.0, 5))
def logistic_map(r, n):
    x = 0.3
    for _ in range(n):
        x = r * x * (1 - x)
    return x


@case((0.0, 0.0, 50), (1.0, 1.0, 50))
def mandelbrot(cx, cy, limit):
    x = y = 0.0
    for step in range(limit):
        if x * x + y * y > 4.0:
            return step
        x, y = x * x - y * y + cx, 2 * x * y + cy
    return limit


class Painter:
    def paint(self, walls, colours):
        for place, colour in colours.items():
            walls[place] = colour

    def painted(self, k):
        walls = [1, 2, 3, 4]
        self.paint(walls, {k: 5, k + 1: 9})
        return walls


@case((0,), (1,), (2,))
def a_list_is_assigned_by_a_method(k):
    return Painter().painted(k)
