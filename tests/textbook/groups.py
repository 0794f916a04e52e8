"""Groups, graphs and tables under keys that only the run knows."""

from collections import Counter, defaultdict, deque


def groups_by_digit_sum(numbers):
    groups = {}
    for number in numbers:
        key, rest = 0, number
        while rest:
            key += rest % 10
            rest //= 10
        groups.setdefault(key, []).append(number)
    return list(groups.values())


def same_digits(numbers):
    groups = defaultdict(list)
    for number in numbers:
        key = tuple(sorted([number // 100, number // 10 % 10, number % 10]))
        groups[key].append(number)
    return [group for group in groups.values() if len(group) > 1]


def bucket_sort(numbers, size):
    buckets = [[] for _ in range(size)]
    top = max(numbers) + 1
    for number in numbers:
        buckets[number * size // top].append(number)
    ordered = []
    for bucket in buckets:
        for number in sorted(bucket):
            ordered.append(number)
    return ordered


def reachable(edges, start):
    neighbours = {}
    for a, b in edges:
        if a not in neighbours:
            neighbours[a] = []
        neighbours[a].append(b)
    seen = {start}
    stack = [start]
    while stack:
        node = stack.pop()
        for other in neighbours.get(node, []):
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return sorted(seen)


def distances(edges, start):
    graph = defaultdict(list)
    for a, b in edges:
        graph[a].append(b)
        graph[b].append(a)
    found = {start: 0}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in graph[node]:
            if other not in found:
                found[other] = found[node] + 1
                queue.append(other)
    return found


def topological_order(count, edges):
    following = {node: [] for node in range(count)}
    waiting = {node: 0 for node in range(count)}
    for before, after in edges:
        following[before].append(after)
        waiting[after] += 1
    ready = [node for node in range(count) if waiting[node] == 0]
    order = []
    while ready:
        node = ready.pop(0)
        order.append(node)
        for other in following[node]:
            waiting[other] -= 1
            if waiting[other] == 0:
                ready.append(other)
    if len(order) < count:
        raise ValueError("there is a cycle")
    return order


def places_of(numbers):
    places = {}
    for at, number in enumerate(numbers):
        if number in places:
            places[number].append(at)
        else:
            places[number] = [at]
    return sorted(places.items())


def largest_group(numbers, divisor):
    groups = {}
    for number in numbers:
        remainder = number % divisor
        groups[remainder] = groups.get(remainder, []) + [number]  # noqa: RUF005
    best = max(groups, key=lambda key: len(groups[key]))
    return best, groups[best], max(groups.values(), key=len)


def sums_of_groups(pairs):
    groups = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return {key: sum(values) for key, values in groups.items()}


def means_of_groups(keys, values):
    groups = {}
    for key, value in zip(keys, values, strict=True):
        groups.setdefault(key, []).append(value)
    return sorted((key, sum(found) / len(found)) for key, found in groups.items())


def two_sum(numbers, target):
    seen = {}
    for at, number in enumerate(numbers):
        if target - number in seen:
            return [seen[target - number], at]
        seen[number] = at
    return []


def common(first, second):
    return sorted(set(first) & set(second)), len(set(first) | set(second))


def jaccard(first, second):
    a, b = set(first), set(second)
    if not a and not b:
        return 1.0
    return len(a & b) / len(a | b)


def missing_numbers(numbers):
    return sorted(set(range(1, len(numbers) + 1)) - set(numbers))


def longest_run(numbers):
    present = set(numbers)
    longest = 0
    for number in numbers:
        if number - 1 not in present:
            end = number
            while end in present:
                end += 1
            longest = max(longest, end - number)
    return longest


def happy(number):
    seen = {number}
    while number != 1:
        total = 0
        while number:
            total += (number % 10) ** 2
            number //= 10
        number = total
        if number in seen:
            return False
        seen.add(number)
    return True


def collatz_memo(limit):
    steps = {1: 0}
    for start in range(2, limit):
        n, count = start, 0
        while n not in steps:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[start] = steps[n] + count
    return max(steps, key=steps.get)


def sequence_with_memory(first, second, count):
    last = {first: 1, second: 2}
    spoken = second
    for turn in range(3, count + 1):
        before = last.get(spoken, turn - 1)
        last[spoken] = turn - 1
        spoken = turn - 1 - before
    return spoken


def top_frequent(numbers, count):
    counts = Counter(numbers)
    buckets = [[] for _ in range(len(numbers) + 1)]
    for number, times in counts.items():
        buckets[times].append(number)
    found = []
    for times in range(len(numbers), 0, -1):
        for number in sorted(buckets[times]):
            if len(found) < count:
                found.append(number)
    return found


def degrees(edges):
    graph = {}
    for a, b in edges:
        graph.setdefault(a, set())
        graph[a].add(b)
    return {node: len(others) for node, others in graph.items()}


def merge_counts(first, second):
    merged = {key: 1 for key in first}
    for key in second:
        merged[key] = merged.get(key, 0) + 1
    return merged


def grouped_by_row(cells):
    rows = defaultdict(list)
    for row, column in cells:
        rows[row].append((column, row * column))
    for row in rows:
        rows[row].sort(reverse=True)
    return rows


def list_changed_beside_a_new_key(x):
    groups = {"all": [x]}
    if x > 0:
        groups["all"].append(-x)
        groups["positive"] = [x]
    elif x < -5:
        groups["low"] = [9]
        groups["all"][0] = 9
    groups["all"].append(len(groups))
    return groups


def list_changed_beside_a_lost_key(x):
    groups = {"all": [x], "rest": [1]}
    if x > 0:
        groups["all"] += [-x]
        del groups["rest"]
    return groups


def list_of_a_group_by_its_name(x):
    every, late = [x], [x]
    groups = {"all": every}
    if x > 0:
        groups["late"] = late
        late.append(1)
    every.append(5)
    late.append(6)
    return groups, every, late


def list_under_two_keys(x):
    every = [x]
    groups = {"all": every, "first": every}
    if x > 0:
        groups["late"] = [x]
    groups["all"].append(5)
    return groups


def list_in_two_dicts(x):
    every = [x]
    groups, others = {"all": every}, {"all": every}
    if x > 0:
        groups["late"] = [1]
    others["all"].append(4)
    return groups, others


def sets_of_a_growing_dict(x):
    near = defaultdict(set)
    near["a"].add(x)
    if x > 0:
        near["b"].add(2)
    near["a"].add(1)
    return sorted(near["a"]), len(near)


def list_in_a_tuple_changed_beside(x):
    every = [x]
    rows = [(1, every)]
    if x > 0:
        every.append(4)
        rows.append((2, [x]))
    every.append(len(rows))
    return rows


def list_in_a_tuple_of_a_grown_list(x):
    every, late = [x], [x]
    rows, others = [(1, every)], [(1, late), (2, [3])]
    for i in range(x):
        rows.append((i, [i]))
        every.append(i)
    others[x % 2] = (5, [x])
    late.append(1)
    return rows, others


def paths_kept(n):
    found, queue = [], [[0]]
    while queue:
        path = queue.pop(0)
        if path[-1] == n:
            found.append(path)
        elif path[-1] < n:
            queue.append([*path, path[-1] + 1])
            queue.append([*path, path[-1] + 2])
    return len(found), found


def copy_kept(n):
    found, path = [], [0, n]
    if n > 2:
        found.append(path[:])
    return found


def sets_of_a_dict_grown_within(x):
    near, pairs = {"a": {x}}, [(1, {x})]
    for i in range(x):
        if i > 1:
            near["b"] = {i}
            if i > 2:
                pairs.append((i, {3}))
    return sorted(near["a"]), len(near), [sorted(each) for _, each in pairs]


def length_by_an_older_name(x):
    every, total = [x], 0
    groups = {"all": every}
    for i in range(x):
        if i == 2:
            groups["late"] = [1]
        groups["all"].append(i)
        total += len(every)
    return total


def set_of_a_dict_grown_before_a_failure(x):
    near = {"a": {x}}
    if x > 5:
        if x > 6:
            near["b"] = {1}
        raise ValueError
    near["a"].add(1)
    return sorted(near["a"])


EDGES = [[0, 1], [1, 2], [0, 2], [2, 3], [4, 3]]
CASES = [
    (groups_by_digit_sum, [([12, 21, 30, 5, 50],), ([7],), ([],)]),
    (same_digits, [([123, 321, 456, 213, 645, 111],), ([100],)]),
    (bucket_sort, [([29, 3, 11, 7, 30], 4), ([5], 1)]),
    (reachable, [(EDGES, 0), (EDGES, 4), (EDGES, 9)]),
    (distances, [(EDGES, 0), (EDGES, 4), (EDGES, 9)]),
    (topological_order, [(5, EDGES), (3, [[0, 1], [1, 2], [2, 0]]), (2, [[1, 0]])]),
    (places_of, [([3, 1, 3, 3, 2],), ([1],)]),
    (largest_group, [([3, 1, 3, 3, 2, 8], 3), ([1], 2)]),
    (sums_of_groups, [([[1, 5], [2, 6], [1, 7]],), ([[1, 1]],)]),
    (means_of_groups, [([1, 2, 1], [5, 6, 8]), ([], [])]),
    (two_sum, [([2, 7, 11, 15], 9), ([3, 2, 4], 6), ([1, 2], 9)]),
    (common, [([1, 2, 3, 2], [2, 3, 9]), ([1], [2])]),
    (jaccard, [([1, 2, 3, 2], [2, 3, 9]), ([1], [2])]),
    (missing_numbers, [([4, 3, 2, 7, 8, 2, 3, 1],), ([1],)]),
    (longest_run, [([100, 4, 200, 1, 3, 2],), ([5],)]),
    (happy, [(19,), (4,), (1,)]),
    (collatz_memo, [(10,), (3,)]),
    (sequence_with_memory, [(0, 3, 8), (1, 2, 3)]),
    (top_frequent, [([1, 1, 1, 2, 2, 3], 2), ([5], 1)]),
    (degrees, [(EDGES,), ([[1, 1]],)]),
    (merge_counts, [([1, 2], [2, 3, 2]), ([1], [1])]),
    (grouped_by_row, [([[1, 2], [0, 4], [1, 5]],), ([[3, 3]],)]),
    (list_changed_beside_a_new_key, [(3,), (-2,), (-7,)]),
    (list_changed_beside_a_lost_key, [(3,), (-2,)]),
    (list_of_a_group_by_its_name, [(3,), (-2,)]),
    (list_under_two_keys, [(3,), (-2,)]),
    (list_in_two_dicts, [(3,), (-2,)]),
    (list_in_a_tuple_changed_beside, [(3,), (-2,)]),
    (list_in_a_tuple_of_a_grown_list, [(3,), (2,), (0,)]),
    (paths_kept, [(3,), (0,)]),
    (copy_kept, [(3,), (1,)]),
    (sets_of_a_dict_grown_within, [(4,), (2,), (0,)]),
    (set_of_a_dict_grown_before_a_failure, [(4,), (6,), (7,)]),
    (length_by_an_older_name, [(5,), (1,)]),
    (sets_of_a_growing_dict, [(3,), (-2,)]),
]
