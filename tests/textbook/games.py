"""Games, simulations, grids and automata of textbooks."""

# ruff: noqa: RUF005

from collections import Counter, deque

from tests.textbook.bank import bank

case, CASES = bank()


@case((15,), (3,), (5,), (7,))
def fizz_buzz(n):
    if n % 15 == 0:
        return "FizzBuzz"
    if n % 3 == 0:
        return "Fizz"
    if n % 5 == 0:
        return "Buzz"
    return str(n)


@case((15,), (1,))
def fizz_buzz_list(n):
    result = []
    for i in range(1, n + 1):
        word = ""
        if i % 3 == 0:
            word += "Fizz"
        if i % 5 == 0:
            word += "Buzz"
        result.append(word or str(i))
    return result


@case((0, 0), (1, 2), (2, 1), (0, 1))
def rock_paper_scissors(a, b):
    if a == b:
        return "draw"
    return "first" if (a - b) % 3 == 1 else "second"


@case(([1, 1, 1, 2, 2, 0, 0, 0, 0],), ([2, 1, 2, 1, 1, 2, 1, 2, 1],))
def tic_tac_toe_winner(board):
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    for a, b, c in lines:
        if board[a] != 0 and board[a] == board[b] == board[c]:
            return board[a]
    if 0 in board:
        return None
    return 0


@case((3,), (1,), (5,))
def hanoi_moves(n):
    moves = []

    def move(k, source, target, spare):
        if k == 0:
            return
        move(k - 1, source, spare, target)
        moves.append((source, target))
        move(k - 1, spare, target, source)

    move(n, 0, 2, 1)
    return len(moves)


@case((4,), (1,), (6,))
def n_queens(n):
    def safe(queens, column):
        row = len(queens)
        return all(c != column and abs(c - column) != row - r for r, c in enumerate(queens))

    def place(queens):
        if len(queens) == n:
            return 1
        return sum(place(queens + [column]) for column in range(n) if safe(queens, column))

    return place([])


@case((7, 3), (1, 1), (10, 2))
def josephus(n, k):
    people = list(range(1, n + 1))
    index = 0
    while len(people) > 1:
        index = (index + k - 1) % len(people)
        people.pop(index)
    return people[0]


@case((7, 3), (5, 2))
def josephus_queue(n, k):
    circle = deque(range(1, n + 1))
    while len(circle) > 1:
        circle.rotate(-(k - 1))
        circle.popleft()
    return circle[0]


@case((30, 5), (110, 4))
def rule_automaton(rule, steps):
    cells = [0, 0, 0, 0, 1, 0, 0, 0, 0]
    for _ in range(steps):
        cells = [
            (rule >> (4 * cells[i - 1] + 2 * cells[i] + cells[(i + 1) % len(cells)])) & 1
            for i in range(len(cells))
        ]
    return cells


@case(([[0, 1, 0], [0, 1, 0], [0, 1, 0]],), ([[1, 1], [1, 1]],))
def life_step(grid):
    rows, cols = len(grid), len(grid[0])
    new = [[0] * cols for _ in range(rows)]
    for r in range(rows):
        for c in range(cols):
            alive = sum(
                grid[i][j]
                for i in range(max(0, r - 1), min(rows, r + 2))
                for j in range(max(0, c - 1), min(cols, c + 2))
                if (i, j) != (r, c)
            )
            if alive == 3 or (grid[r][c] and alive == 2):
                new[r][c] = 1
    return new


@case((1, 2, 10), (7, 11, 5), (42, 3, 0))
def linear_congruential(seed, draws, modulus):
    values = []
    for _ in range(draws):
        seed = (1103515245 * seed + 12345) % 2147483648
        values.append(seed % (modulus + 1))
    return values


@case(([5, 5, 5, 2, 2],), ([1, 2, 3, 4, 5],), ([6, 6, 1, 1, 2],))
def yahtzee(dice):
    counts = sorted(Counter(dice).values(), reverse=True)
    if counts == [5]:
        return 50
    if counts == [3, 2]:
        return 25
    if counts[0] >= 3:
        return sum(dice)
    return 0


@case(([10, 11, 1],), ([5, 5],), ([11, 11, 3],))
def blackjack(cards):
    total = sum(cards)
    aces = sum(1 for card in cards if card == 11)
    while total > 21 and aces:
        total -= 10
        aces -= 1
    if total > 21:
        return "bust"
    return "blackjack" if total == 21 and len(cards) == 2 else total


@case((50, 37), (50, 50), (10, 3))
def guess_number(limit, secret):
    low, high, guesses = 1, limit, 0
    while True:
        guess = (low + high) // 2
        guesses += 1
        if guess == secret:
            return guesses
        elif guess < secret:
            low = guess + 1
        else:
            high = guess - 1


@case((3, 4), (0, 0), (10, 2))
def nim_winner(a, b):
    return "first" if a ^ b else "second"


@case(([[0, 0, 1], [1, 0, 1], [1, 0, 0]], 3), ([[0, 1], [1, 0]], 2))
def maze_distance(maze, n):
    queue, seen = deque([(0, 0, 0)]), {(0, 0)}
    while queue:
        r, c, d = queue.popleft()
        if r == n - 1 and c == n - 1:
            return d
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            i, j = r + dr, c + dc
            if 0 <= i < n and 0 <= j < n and maze[i][j] == 0 and (i, j) not in seen:
                seen.add((i, j))
                queue.append((i, j, d + 1))
    return -1


@case((3,), (12,), (20,))
def elevator(target):
    floor, steps = 1, []
    while floor != target:
        direction = "up" if floor < target else "down"
        floor += 1 if direction == "up" else -1
        steps.append(floor)
    return steps


@case(([2, 3, 5], 8), ([4], 3))
def can_make_sum(numbers, target):
    if target == 0:
        return True
    if target < 0:
        return False
    return any(can_make_sum(numbers, target - n) for n in numbers)


class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("deposit must be positive")
        self.balance += amount
        self.history.append(amount)

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError(f"insufficient funds: {self.balance} < {amount}")
        self.balance -= amount
        self.history.append(-amount)


@case((100, 30), (10, 50), (-5, 1))
def bank_account(first, second):
    account = Account("Ada")
    account.deposit(first)
    account.withdraw(second)
    return account.balance, account.history


class Stack:
    def __init__(self):
        self._items = []

    def push(self, item):
        self._items.append(item)

    def pop(self):
        if self.is_empty():
            raise IndexError("pop from empty stack")
        return self._items.pop()

    def is_empty(self):
        return len(self._items) == 0

    def __len__(self):
        return len(self._items)


@case((10,), (1,), (37,))
def binary_by_stack(n):
    stack = Stack()
    while n > 0:
        stack.push(n % 2)
        n //= 2
    result = 0
    while not stack.is_empty():
        result = result * 10 + stack.pop()
    return result


class Turtle:
    def __init__(self):
        self.x = self.y = 0
        self.heading = 0

    def forward(self, distance):
        dx, dy = [(0, 1), (1, 0), (0, -1), (-1, 0)][self.heading]
        self.x += dx * distance
        self.y += dy * distance

    def right(self):
        self.heading = (self.heading + 1) % 4


@case((5, 3), (0, 2))
def turtle_path(a, turns):
    turtle = Turtle()
    for _ in range(turns):
        turtle.forward(a)
        turtle.right()
    return turtle.x, turtle.y, turtle.heading


class Shape:
    def area(self):
        raise NotImplementedError


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Circle(Shape):
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3.14159 * self.radius**2


@case((2.0, 1.0), (1.0, 3.0))
def total_area(side, radius):
    shapes = [Square(side), Circle(radius), Square(1.0)]
    return sum(shape.area() for shape in shapes), max(shapes, key=lambda s: s.area()).area()


@case(([[1, 0, 0], [0, 0, 1], [0, 1, 0]],), ([[2, 0, 0], [0, 0, 0], [0, 2, 2]],))
def latin_square(given):
    board = [list(row) for row in given]

    def fits(row, column, number):
        in_row = any(board[row][other] == number for other in range(3))
        return not in_row and all(board[other][column] != number for other in range(3))

    def solve():
        for row in range(3):
            for column in range(3):
                if board[row][column] == 0:
                    for number in range(1, 4):
                        if fits(row, column, number):
                            board[row][column] = number
                            if solve():
                                return True
                            board[row][column] = 0
                    return False
        return True

    return solve(), board
