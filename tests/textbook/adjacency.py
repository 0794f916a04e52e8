"""Graphs over adjacency matrices, backtracking, trees, stacks and queues of textbooks."""

from collections import deque

from tests.textbook.bank import bank

case, CASES = bank()

SQUARE = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
PARTS = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
WEIGHTS = [[0, 4, 1, 0], [4, 0, 2, 5], [1, 2, 0, 8], [0, 5, 8, 0]]


@case((SQUARE, 0), (PARTS, 2))
def bfs_order(matrix, start):
    visited = [False] * len(matrix)
    queue = deque([start])
    visited[start] = True
    order = []
    while queue:
        node = queue.popleft()
        order.append(node)
        for neighbour in range(len(matrix)):
            if matrix[node][neighbour] and not visited[neighbour]:
                visited[neighbour] = True
                queue.append(neighbour)
    return order


@case((0,), (2,))
def dfs_order(start):
    matrix = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    visited = set()
    order = []

    def visit(node):
        visited.add(node)
        order.append(node)
        for neighbour in range(len(matrix)):
            if matrix[node][neighbour] == 1 and neighbour not in visited:
                visit(neighbour)

    visit(start)
    return order


@case((SQUARE,), (PARTS,))
def count_components(matrix):
    n = len(matrix)
    seen = [False] * n
    count = 0
    for start in range(n):
        if seen[start]:
            continue
        count += 1
        stack = [start]
        while stack:
            node = stack.pop()
            if seen[node]:
                continue
            seen[node] = True
            for other in range(n):
                if matrix[node][other] and not seen[other]:
                    stack.append(other)
    return count


@case((SQUARE,), ([[0, 1, 1], [1, 0, 1], [1, 1, 0]],))
def is_bipartite(matrix):
    n = len(matrix)
    color = [-1] * n
    for start in range(n):
        if color[start] != -1:
            continue
        color[start] = 0
        queue = [start]
        while queue:
            u = queue.pop(0)
            for v in range(n):
                if not matrix[u][v]:
                    continue
                if color[v] == -1:
                    color[v] = 1 - color[u]
                    queue.append(v)
                elif color[v] == color[u]:
                    return False
    return True


@case((WEIGHTS,))
def prim_total(matrix):
    n = len(matrix)
    key = [float("inf")] * n
    parent = [-1] * n
    done = [False] * n
    key[0] = 0
    for _ in range(n):
        u = -1
        for v in range(n):
            if not done[v] and (u == -1 or key[v] < key[u]):
                u = v
        done[u] = True
        for v in range(n):
            if 0 < matrix[u][v] < key[v] and not done[v]:
                key[v] = matrix[u][v]
                parent[v] = u
    return sum(key), parent


@case((4, [[0, 1, 4], [0, 2, 1], [1, 2, 2], [2, 3, 8]]), (2, [[0, 1, 7]]))
def kruskal_total(n, edges):
    parent = list(range(n))

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    total = 0
    for u, v, weight in sorted(edges, key=lambda edge: edge[2]):
        root_u, root_v = find(u), find(v)
        if root_u != root_v:
            parent[root_u] = root_v
            total += weight
    return total


@case(([[0, 1, 1], [0, 0, 1], [0, 0, 0]],), ([[0, 1], [1, 0]],))
def kahn_order(matrix):
    n = len(matrix)
    indegree = [sum(matrix[i][j] for i in range(n)) for j in range(n)]
    queue = [i for i in range(n) if indegree[i] == 0]
    order = []
    while queue:
        node = queue.pop(0)
        order.append(node)
        for j in range(n):
            if matrix[node][j]:
                indegree[j] -= 1
                if indegree[j] == 0:
                    queue.append(j)
    if len(order) != n:
        raise ValueError("graph has a cycle")
    return order


@case((SQUARE, 2), ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], 2), (PARTS, 1))
def colour_graph(matrix, colours):
    n = len(matrix)
    chosen = [-1] * n

    def safe(node, colour):
        return all(not (matrix[node][j] and chosen[j] == colour) for j in range(n))

    def solve(node):
        if node == n:
            return True
        for colour in range(colours):
            if safe(node, colour):
                chosen[node] = colour
                if solve(node + 1):
                    return True
                chosen[node] = -1
        return False

    return chosen if solve(0) else []


@case((SQUARE,), ([[0, 1, 0], [1, 0, 0], [0, 0, 0]],))
def has_hamiltonian_cycle(matrix):
    n = len(matrix)
    path = [0] + [-1] * (n - 1)

    def extend(position):
        if position == n:
            return matrix[path[position - 1]][path[0]] == 1
        for candidate in range(1, n):
            if matrix[path[position - 1]][candidate] == 1 and candidate not in path[:position]:
                path[position] = candidate
                if extend(position + 1):
                    return True
                path[position] = -1
        return False

    return extend(0)


@case((WEIGHTS, 0, 3), (WEIGHTS, 2, 2))
def dijkstra_path(matrix, source, target):
    n = len(matrix)
    distance = [1_000_000] * n
    previous = [-1] * n
    distance[source] = 0
    unvisited = list(range(n))
    while unvisited:
        current = min(unvisited, key=lambda node: distance[node])
        unvisited.remove(current)
        for other in range(n):
            if matrix[current][other] > 0:
                candidate = distance[current] + matrix[current][other]
                if candidate < distance[other]:
                    distance[other] = candidate
                    previous[other] = current
    path, node = [], target
    while node != -1:
        path.append(node)
        node = previous[node]
    return distance[target], path[::-1]


@case(([[1, 1, 0], [0, 1, 0], [1, 1, 1]],), ([[1, 0], [0, 1]],))
def rat_in_maze(maze):
    n = len(maze)
    solution = [[0] * n for _ in range(n)]

    def step(i, j):
        if i == n - 1 and j == n - 1:
            solution[i][j] = 1
            return True
        if 0 <= i < n and 0 <= j < n and maze[i][j] == 1 and solution[i][j] == 0:
            solution[i][j] = 1
            if step(i + 1, j) or step(i, j + 1):
                return True
            solution[i][j] = 0
        return False

    return solution if step(0, 0) else None


@case(([[1, 0], [1, 1]],), ([[0, 0], [0, 1]],))
def largest_island(grid):
    rows, columns = len(grid), len(grid[0])
    seen = [[False] * columns for _ in range(rows)]
    best = 0
    for r in range(rows):
        for c in range(columns):
            if grid[r][c] != 1 or seen[r][c]:
                continue
            size, stack = 0, [(r, c)]
            seen[r][c] = True
            while stack:
                i, j = stack.pop()
                size += 1
                for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    a, b = i + di, j + dj
                    if 0 <= a < rows and 0 <= b < columns and grid[a][b] == 1 and not seen[a][b]:
                        seen[a][b] = True
                        stack.append((a, b))
            best = max(best, size)
    return best


@case(([[1, 1, 2], [1, 2, 2], [3, 3, 3]], 0, 0, 9), ([[1]], 0, 0, 1))
def flood_fill(image, row, column, new):
    old = image[row][column]
    if old == new:
        return image
    queue = deque([(row, column)])
    while queue:
        r, c = queue.popleft()
        if image[r][c] != old:
            continue
        image[r][c] = new
        if r > 0:
            queue.append((r - 1, c))
        if r < len(image) - 1:
            queue.append((r + 1, c))
        if c > 0:
            queue.append((r, c - 1))
        if c < len(image[0]) - 1:
            queue.append((r, c + 1))
    return image


@case(([3, 34, 4, 12, 5, 2], 9), ([1, 2], 5))
def subset_with_sum(numbers, target):
    def search(i, left):
        if left == 0:
            return True
        if i == len(numbers) or left < 0:
            return False
        return search(i + 1, left - numbers[i]) or search(i + 1, left)

    return search(0, target)


@case(([2, 3, 6, 7], 7), ([5], 3))
def combination_sums(candidates, target):
    found = []

    def extend(start, path, left):
        if left == 0:
            found.append(list(path))
            return
        for i in range(start, len(candidates)):
            if candidates[i] <= left:
                path.append(candidates[i])
                extend(i, path, left - candidates[i])
                path.pop()

    extend(0, [], target)
    return found


@case((2,), (0,))
def balanced_parentheses(n):
    result = []

    def build(text, opened, closed):
        if len(text) == 2 * n:
            result.append(text)
            return
        if opened < n:
            build(text + "(", opened + 1, closed)
        if closed < opened:
            build(text + ")", opened, closed + 1)

    build("", 0, 0)
    return result


@case(([4, 2, 6, 1, 3, 5, 7], 3), ([4], 9), ([2, 1], 1))
def heap_tree_paths(tree, wanted):
    path = []
    at = 0
    while at < len(tree):
        path.append(tree[at])
        if tree[at] == wanted:
            return path
        at = 2 * at + 1 if wanted < tree[at] else 2 * at + 2
    return []


@case(([1, 2, 3, -1, 5],), ([7],))
def level_sums(tree):
    sums, start, width = [], 0, 1
    while start < len(tree):
        level = tree[start : start + width]
        sums.append(sum(x for x in level if x >= 0))
        start += width
        width *= 2
    return sums


class Node:
    def __init__(self, value):
        self.value = value
        self.left = None
        self.right = None

    def insert(self, value):
        if value < self.value:
            if self.left is None:
                self.left = Node(value)
            else:
                self.left.insert(value)
        elif self.right is None:
            self.right = Node(value)
        else:
            self.right.insert(value)

    def walk(self):
        before = self.left.walk() if self.left else []
        after = self.right.walk() if self.right else []
        return [*before, self.value, *after]


@case((5, 3, 8), (1, 2, 3), (2, 2, 1))
def node_tree_walk(a, b, c):
    root = Node(a)
    root.insert(b)
    root.insert(c)
    return root.walk()


def mirrored(node):
    if node is None:
        return None
    node.left, node.right = mirrored(node.right), mirrored(node.left)
    return node


@case((4, 2, 6), (1, 1, 0))
def mirrored_tree(a, b, c):
    root = Node(a)
    root.left = Node(b)
    root.right = Node(c)
    mirrored(root)
    return root.walk()


def depth_of(node):
    return 0 if node is None else 1 + max(depth_of(node.left), depth_of(node.right))


def is_search_tree(node, low, high):
    if node is None:
        return True
    if not low < node.value < high:
        return False
    return is_search_tree(node.left, low, node.value) and is_search_tree(
        node.right, node.value, high
    )


@case((4, 2, 6), (4, 5, 6), (1, 0, 9))
def search_tree_checked(a, b, c):
    root = Node(a)
    root.left, root.right = Node(b), Node(c)
    return is_search_tree(root, float("-inf"), float("inf")), depth_of(root)


def inserted(root, value):
    if root is None:
        return Node(value)
    if value < root.value:
        root.left = inserted(root.left, value)
    else:
        root.right = inserted(root.right, value)
    return root


def size_of(root):
    return 0 if root is None else size_of(root.left) + 1 + size_of(root.right)


@case((5, 2, 8), (1, 2, 3), (3, 3, 1))
def tree_size(a, b, c):
    root = None
    for value in (a, b, c):
        root = inserted(root, value)
    return size_of(root)


class Stack:
    def __init__(self, limit=10):
        self.items = []
        self.limit = limit

    def push(self, item):
        if len(self.items) >= self.limit:
            raise OverflowError("stack is full")
        self.items.append(item)

    def pop(self):
        if not self.items:
            raise IndexError("pop from empty stack")
        return self.items.pop()

    def peek(self):
        return self.items[-1]

    def is_empty(self):
        return not self.items

    def __len__(self):
        return len(self.items)


@case(([1, 2, 3],), ([5],))
def stack_reversal(numbers):
    stack = Stack()
    for number in numbers:
        stack.push(number)
    reversed_numbers = []
    while not stack.is_empty():
        reversed_numbers.append(stack.pop())
    return reversed_numbers


@case((2,), (3,), (0,))
def stack_overflow(count):
    stack = Stack(2)
    for i in range(count):
        stack.push(i)
    return stack.peek()


class TwoStackQueue:
    def __init__(self):
        self.inbox = []
        self.outbox = []

    def put(self, item):
        self.inbox.append(item)

    def get(self):
        if not self.outbox:
            while self.inbox:
                self.outbox.append(self.inbox.pop())
        if not self.outbox:
            raise IndexError("queue is empty")
        return self.outbox.pop()


@case(([1, 2, 3], 2), ([4], 1), ([1], 2))
def two_stack_queue(numbers, count):
    queue = TwoStackQueue()
    for number in numbers:
        queue.put(number)
    out = []
    for _ in range(count):
        out.append(queue.get())
    return out


@case(([100, 80, 60, 70, 75],), ([1, 2],))
def stock_span(prices):
    spans = [1] * len(prices)
    stack = [0]
    for i in range(1, len(prices)):
        while stack and prices[stack[-1]] <= prices[i]:
            stack.pop()
        spans[i] = i + 1 if not stack else i - stack[-1]
        stack.append(i)
    return spans


@case(([2, 1, 5, 6, 2, 3],), ([4],))
def largest_rectangle(heights):
    stack, best = [], 0
    for i, height in enumerate(heights):
        start = i
        while stack and stack[-1][1] > height:
            index, tall = stack.pop()
            best = max(best, tall * (i - index))
            start = index
        stack.append((start, height))
    for index, height in stack:
        best = max(best, height * (len(heights) - index))
    return best


@case(([4, 5, 2, 25],), ([3, 2, 1],))
def next_greater_elements(numbers):
    result = [-1] * len(numbers)
    stack = []
    for i in reversed(range(len(numbers))):
        while stack and stack[-1] <= numbers[i]:
            stack.pop()
        if stack:
            result[i] = stack[-1]
        stack.append(numbers[i])
    return result


class LinkedList:
    def __init__(self):
        self.head = None
        self.size = 0

    def push_front(self, data):
        self.head = (data, self.head)
        self.size += 1

    def items(self):
        node = self.head
        while node is not None:
            yield node[0]
            node = node[1]


@case((1, 2, 3), (4, 4, 5))
def linked_pairs(a, b, c):
    numbers = LinkedList()
    for item in (a, b, c):
        numbers.push_front(item)
    return list(numbers.items()), numbers.size


class CircularBuffer:
    def __init__(self, size):
        self.data = [0] * size
        self.size = size
        self.at = 0
        self.filled = 0

    def push(self, value):
        self.data[self.at] = value
        self.at = (self.at + 1) % self.size
        self.filled = min(self.filled + 1, self.size)

    def mean(self):
        if self.filled == 0:
            return 0.0
        return sum(self.data[: self.filled]) / self.filled


@case(([1, 2, 3, 4], 3), ([5], 2))
def buffered_means(numbers, size):
    buffer = CircularBuffer(size)
    means = [buffer.mean()]
    for number in numbers:
        buffer.push(number)
        means.append(buffer.mean())
    return means
