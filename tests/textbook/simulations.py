"""Dynamic programming, searches, automata, games, texts and parsing of textbooks."""

from collections import Counter, defaultdict

from tests.textbook.bank import bank

case, CASES = bank()


@case((10,), (1,), (0,), (20,))
def fibonacci_memo(n):
    memo = {0: 0, 1: 1}

    def fib(k):
        if k in memo:
            return memo[k]
        memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n)


@case((3, 3), (1, 5), (2, 4))
def grid_paths_memo(m, n):
    memo = {}

    def paths(i, j):
        if i == 1 or j == 1:
            return 1
        if (i, j) not in memo:
            memo[(i, j)] = paths(i - 1, j) + paths(i, j - 1)
        return memo[(i, j)]

    return paths(m, n)


@case((11, [1, 2, 5]), (3, [2]), (0, [1]))
def minimum_coins(amount, coins):
    best = [float("inf")] * (amount + 1)
    best[0] = 0
    for value in range(1, amount + 1):
        for coin in coins:
            if coin <= value:
                best[value] = min(best[value], best[value - coin] + 1)
    return best[amount] if best[amount] != float("inf") else -1


@case(([60, 100, 120], [10, 20, 30], 50), ([10], [5], 4))
def fractional_knapsack(values, weights, capacity):
    ratios = sorted(((v / w, v, w) for v, w in zip(values, weights, strict=True)), reverse=True)
    total = 0.0
    for ratio, value, weight in ratios:
        if weight <= capacity:
            total += value
            capacity -= weight
        else:
            total += ratio * capacity
            break
    return total


@case(([1, 3, 0, 5, 8, 5], [2, 4, 6, 7, 9, 9]), ([1], [2]))
def activity_selection(start, finish):
    chosen = [0]
    last = 0
    for j in range(1, len(finish)):
        if start[j] >= finish[last]:
            chosen.append(j)
            last = j
    return chosen


@case(([10, 9, 2, 5, 3, 7],), ([3, 2, 1],))
def increasing_subsequence(numbers):
    tails = []
    for number in numbers:
        low, high = 0, len(tails)
        while low < high:
            middle = (low + high) // 2
            if tails[middle] < number:
                low = middle + 1
            else:
                high = middle
        if low == len(tails):
            tails.append(number)
        else:
            tails[low] = number
    return len(tails)


@case(([2, 7, 9, 3, 1],), ([5],), ([2, 1, 1, 2],))
def house_robber(money):
    robbed, passed = 0, 0
    for amount in money:
        robbed, passed = passed + amount, max(robbed, passed)
    return max(robbed, passed)


@case(([-2, 1, -3, 4, -1, 2, 1, -5],), ([-3, -1],))
def best_subarray(numbers):
    best, current, start, bounds = numbers[0], 0, 0, (0, 0)
    for i, number in enumerate(numbers):
        if current <= 0:
            current, start = number, i
        else:
            current += number
        if current > best:
            best, bounds = current, (start, i)
    return best, bounds


@case(([[1, 3, 1], [1, 5, 1], [4, 2, 1]],), ([[7]],))
def minimum_path_sum(grid):
    for i in range(1, len(grid[0])):
        grid[0][i] += grid[0][i - 1]
    for i in range(1, len(grid)):
        grid[i][0] += grid[i - 1][0]
        for j in range(1, len(grid[0])):
            grid[i][j] += min(grid[i - 1][j], grid[i][j - 1])
    return grid[-1][-1]


@case(([[1, 1, 0], [1, 1, 1], [0, 1, 1]],), ([[0]],))
def largest_square(matrix):
    rows, columns = len(matrix), len(matrix[0])
    table = [[0] * (columns + 1) for _ in range(rows + 1)]
    best = 0
    for r in range(rows - 1, -1, -1):
        for c in range(columns - 1, -1, -1):
            if matrix[r][c] == 1:
                table[r][c] = 1 + min(table[r + 1][c], table[r][c + 1], table[r + 1][c + 1])
                best = max(best, table[r][c])
    return best


@case((5,), (1,), (4,))
def integer_partitions(n):
    table = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(n + 1):
        table[i][0] = 1
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            table[i][j] = table[i - 1][j]
            if j >= i:
                table[i][j] += table[i][j - i]
    return table[n][n]


@case(([1, 5, 11, 5],), ([1, 2, 3, 5],), ([4],))
def can_partition(numbers):
    total = sum(numbers)
    if total % 2 == 1:
        return False
    reachable = {0}
    for number in numbers:
        reachable |= {value + number for value in reachable}
    return total // 2 in reachable


@case(("kitten", "sitting"), ("", "ab"), ("abc", "abc"))
def edit_distance_text(first, second):
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(second, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


@case(([1, 3, 5, 7, 9], 7), ([1, 3], 4), ([2], 2))
def interpolation_search(items, wanted):
    left, right = 0, len(items) - 1
    while left <= right:
        if items[left] == items[right]:
            return left if items[left] == wanted else None
        point = left + (wanted - items[left]) * (right - left) // (items[right] - items[left])
        if point < 0 or point >= len(items):
            return None
        if items[point] == wanted:
            return point
        if wanted < items[point]:
            right = point - 1
        else:
            left = point + 1
    return None


@case(([0, 5, 7, 10, 15], 15), ([1, 2], 3), ([5], 5))
def jump_search(items, wanted):
    from math import floor, sqrt

    n = len(items)
    step = floor(sqrt(n))
    previous = 0
    while items[min(step, n) - 1] < wanted:
        previous = step
        step += floor(sqrt(n))
        if previous >= n:
            return -1
    while items[previous] < wanted:
        previous += 1
        if previous == min(step, n):
            return -1
    return previous if items[previous] == wanted else -1


@case(([1, 2, 3, 5, 8], 5), ([1, 2], 9))
def ternary_search(items, wanted):
    left, right = 0, len(items) - 1
    while left <= right:
        third = (right - left) // 3
        one, two = left + third, right - third
        if items[one] == wanted:
            return one
        if items[two] == wanted:
            return two
        if wanted < items[one]:
            right = one - 1
        elif items[two] < wanted:
            left = two + 1
        else:
            left, right = one + 1, two - 1
    return -1


@case(([1, 4, 6, 4, 1],), ([1, 2, 3],), ([3, 2],))
def peak(numbers):
    if len(numbers) == 1:
        return numbers[0]
    middle = len(numbers) // 2
    left, right = numbers[middle - 1], numbers[middle]
    if left <= right:
        return peak(numbers[middle:])
    return peak(numbers[:middle])


@case(([5, 2, 9, 1],), ([1],), ([3, 3, 2],))
def odd_even_sort(numbers):
    done = False
    while not done:
        done = True
        for start in (0, 1):
            for i in range(start, len(numbers) - 1, 2):
                if numbers[i] > numbers[i + 1]:
                    numbers[i], numbers[i + 1] = numbers[i + 1], numbers[i]
                    done = False
    return numbers


@case(([5, 2, 9, 1],), ([2, 1],))
def cycle_sort(numbers):
    for start in range(len(numbers) - 1):
        item = numbers[start]
        place = start
        for i in range(start + 1, len(numbers)):
            if numbers[i] < item:
                place += 1
        if place == start:
            continue
        while item == numbers[place]:
            place += 1
        numbers[place], item = item, numbers[place]
        while place != start:
            place = start
            for i in range(start + 1, len(numbers)):
                if numbers[i] < item:
                    place += 1
            while item == numbers[place]:
                place += 1
            numbers[place], item = item, numbers[place]
    return numbers


@case(([0.4, 0.9, 0.1],), ([0.5],))
def bucket_sort(numbers):
    buckets = [[] for _ in range(len(numbers))]
    for number in numbers:
        buckets[int(number * len(numbers))].append(number)
    return [number for bucket in buckets for number in sorted(bucket)]


@case(([3, 1, 2],), ([1, 1],))
def strand_merge(numbers):
    result = []
    for number in numbers:
        i = 0
        while i < len(result) and result[i] < number:
            i += 1
        result.insert(i, number)
    return result


@case(([3, 6, 1, 5],), ([2],))
def quick_sort_pivot(numbers):
    if len(numbers) < 2:
        return list(numbers)
    pivot = numbers[0]
    lesser = [x for x in numbers[1:] if x <= pivot]
    greater = [x for x in numbers[1:] if x > pivot]
    return [*quick_sort_pivot(lesser), pivot, *quick_sort_pivot(greater)]


@case(([3, 1, 2, 3],), ([2],))
def pigeonhole_sort(numbers):
    low, high = min(numbers), max(numbers)
    holes = [0] * (high - low + 1)
    for number in numbers:
        holes[number - low] += 1
    index = 0
    for i in range(len(holes)):
        while holes[i] > 0:
            numbers[index] = i + low
            index += 1
            holes[i] -= 1
    return numbers


@case((30, [0, 0, 0, 1, 0, 0, 0], 3), (90, [1, 0, 1], 2))
def wolfram(rule, cells, generations):
    history = [list(cells)]
    for _ in range(generations):
        last = history[-1]
        row = []
        for i in range(len(last)):
            left = 0 if i == 0 else last[i - 1]
            right = 0 if i == len(last) - 1 else last[i + 1]
            row.append((rule >> (4 * left + 2 * last[i] + right)) & 1)
        history.append(row)
    return history


@case(([[0, 1, 0], [0, 1, 0], [0, 1, 0]],), ([[1]],))
def next_generation(cells):
    following = []
    for i in range(len(cells)):
        row = []
        for j in range(len(cells[i])):
            count = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if (di or dj) and 0 <= i + di < len(cells) and 0 <= j + dj < len(cells[i]):
                        count += cells[i + di][j + dj]
            alive = cells[i][j] == 1
            if (alive and 2 <= count <= 3) or (not alive and count == 3):
                row.append(1)
            else:
                row.append(0)
        following.append(row)
    return following


@case((5,), (12,))
def langton_ant(steps):
    grid = [[0] * 5 for _ in range(5)]
    x = y = 2
    direction = 0
    moves = [(0, -1), (1, 0), (0, 1), (-1, 0)]
    for _ in range(steps):
        direction = (direction + 1) % 4 if grid[y][x] == 0 else (direction - 1) % 4
        grid[y][x] ^= 1
        dx, dy = moves[direction]
        x, y = (x + dx) % 5, (y + dy) % 5
    return sum(map(sum, grid)), x, y


@case((7, 6), (3, 3), (4, 5), (10, 11))
def craps(first, second):
    total = first + second
    if total in (7, 11):
        return "win"
    if total in {2, 3, 12}:
        return "lose"
    return f"point {total}"


@case((3, 4, 5), (1, 1, 1), (0, 0, 0))
def nim_move(a, b, c):
    piles = [a, b, c]
    combined = 0
    for pile in piles:
        combined ^= pile
    if combined == 0:
        return None
    for i, pile in enumerate(piles):
        if pile ^ combined < pile:
            return i, pile - (pile ^ combined)
    return None


@case((2, [3, 5, 2, 9]), (1, [4, 1]))
def minimax_score(height, scores):
    def value(depth, node, is_max):
        if depth == height:
            return scores[node]
        left = value(depth + 1, node * 2, not is_max)
        right = value(depth + 1, node * 2 + 1, not is_max)
        return max(left, right) if is_max else min(left, right)

    return value(0, 0, True)


@case((42, 5), (7, 1))
def random_walk(seed, steps):
    x = y = 0
    state = seed
    visited = {(0, 0)}
    for _ in range(steps):
        state = (1103515245 * state + 12345) % 2**31
        turn = state % 4
        if turn == 0:
            x += 1
        elif turn == 1:
            x -= 1
        elif turn == 2:
            y += 1
        else:
            y -= 1
        visited.add((x, y))
    return x, y, len(visited)


@case(([1, 2, 2, 3],), ([4, 5, 6, 6],))
def frequency_summary(rolls):
    counts = Counter(rolls)
    most, times = counts.most_common(1)[0]
    return most, times, len(counts)


@case(([12, 5, 9, 22],), ([10],))
def bucketed_ages(ages):
    groups = defaultdict(list)
    for age in ages:
        groups["child" if age < 10 else "teen" if age < 20 else "adult"].append(age)
    return {name: len(members) for name, members in groups.items()}


@case((1234,), (7,), (90210,))
def digits_by_place(n):
    names = {0: "ones", 1: "tens", 2: "hundreds", 3: "thousands"}
    text = []
    for place, digit in enumerate(str(n)[::-1]):
        text.append(f"{names.get(place, 'more')}={digit}")
    return ", ".join(text)


@case((4539148803436467,), (1234567812345678,), (42,))
def luhn_valid(number):
    digits = [int(d) for d in str(number)]
    digits.reverse()
    total = 0
    for i, digit in enumerate(digits):
        if i % 2 == 1:
            digit *= 2
            if digit > 9:
                digit -= 9
        total += digit
    return total % 10 == 0


@case((123, 3), (5, 0), (100, 2))
def last_digits(number, count):
    if count == 0:
        return []
    return [int(c) for c in str(number)][-count:]


@case((17,), (342,), (90,), (8,))
def number_in_words(n):
    units = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    teens = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"]
    tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    if n < 10:
        return units[n]
    if n < 18:
        return teens[n - 10]
    if n < 100:
        rest = "" if n % 10 == 0 else "-" + units[n % 10]
        return tens[n // 10] + rest
    rest = "" if n % 100 == 0 else " and " + number_in_words(n % 100)
    return units[n // 100] + " hundred" + rest


@case(([1, 2, 3, 4, 5], 2), ([1], 1), ([1, 2], 0))
def chunked(items, size):
    if size <= 0:
        raise ValueError("size must be positive")
    return [items[i : i + size] for i in range(0, len(items), size)]


@case(([3, 1, 2], [9, 8, 7]), ([1], [1]))
def ranked_pairs(keys, values):
    pairs = sorted(zip(keys, values, strict=True))
    return [value for _, value in pairs], dict(pairs) if False else len(pairs)


@case(([1, 2, 3], 3), ([1, 5], 7))
def three_sum_exists(numbers, target):
    ordered = sorted(numbers)
    for i in range(len(ordered) - 1):
        low, high = i, len(ordered) - 1
        while low < high:
            total = ordered[low] + ordered[high]
            if total == target:
                return True
            if total < target:
                low += 1
            else:
                high -= 1
    return False


@case(([[2, 1], [1, 3]], [3, 5]), ([[4, 0], [0, 2]], [8, 2]))
def cramer(matrix, constants):
    (a, b), (c, d) = matrix
    e, f = constants
    determinant = a * d - b * c
    if determinant == 0:
        raise ValueError("No solution exists")
    return (e * d - b * f) / determinant, (a * f - e * c) / determinant


@case(([[4.0, 1.0], [1.0, 3.0]], [1.0, 2.0], 20), ([[2.0, 0.0], [0.0, 2.0]], [2.0, 4.0], 3))
def jacobi_iteration(matrix, constants, rounds):
    n = len(matrix)
    guess = [0.0] * n
    for _ in range(rounds):
        following = []
        for i in range(n):
            total = constants[i]
            for j in range(n):
                if i != j:
                    total -= matrix[i][j] * guess[j]
            following.append(total / matrix[i][i])
        guess = following
    return [round(x, 4) for x in guess]


@case(([[1, 2], [3, 4]], 3), ([[2, 0], [0, 1]], 0))
def matrix_power(matrix, exponent):
    def multiply(a, b):
        return [
            [sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))]
            for i in range(len(a))
        ]

    result = [[int(i == j) for j in range(len(matrix))] for i in range(len(matrix))]
    while exponent > 0:
        if exponent % 2 == 1:
            result = multiply(result, matrix)
        matrix = multiply(matrix, matrix)
        exponent //= 2
    return result


@case(([[1, 2, 3], [4, 5, 6]],), ([[1]],))
def spiral_order(matrix):
    result = []
    top, bottom, left, right = 0, len(matrix) - 1, 0, len(matrix[0]) - 1
    while top <= bottom and left <= right:
        for j in range(left, right + 1):
            result.append(matrix[top][j])
        top += 1
        for i in range(top, bottom + 1):
            result.append(matrix[i][right])
        right -= 1
        if top <= bottom:
            for j in range(right, left - 1, -1):
                result.append(matrix[bottom][j])
            bottom -= 1
        if left <= right:
            for i in range(bottom, top - 1, -1):
                result.append(matrix[i][left])
            left += 1
    return result


@case(([[1, 2], [2, 1]],), ([[1, 2], [3, 4]],))
def is_symmetric(matrix):
    n = len(matrix)
    return all(matrix[i][j] == matrix[j][i] for i in range(n) for j in range(i))


@case(([[1, 2, 3], [4, 5, 6], [7, 8, 9]],), ([[5]],))
def border_sum(matrix):
    n = len(matrix)
    total = 0
    for i in range(n):
        for j in range(n):
            if i in (0, n - 1) or j in (0, n - 1):
                total += matrix[i][j]
    return total
