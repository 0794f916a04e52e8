"""Physics, geometry, statistics and finance of textbooks."""

import cmath
import math

from tests.textbook.bank import bank

case, CASES = bank()


@case((0.0, 2.0, 4.0), (10.0, 0.0, 5.0), (3.0, 2.0, 0.0), (1.0, 1.0, 1.0))
def ohms_law_dict(voltage, current, resistance):
    if (voltage, current, resistance).count(0) != 1:
        raise ValueError("One and only one argument must be 0")
    if resistance < 0:
        raise ValueError("Resistance cannot be negative")
    if voltage == 0:
        return {"voltage": current * resistance}
    elif current == 0:
        return {"current": voltage / resistance}
    else:
        return {"resistance": voltage / current}


@case((2.0, 3.0), (0.0, 1.0), (-1.0, 2.0))
def potential_energy(mass, height):
    if mass < 0:
        raise ValueError("The mass of a body cannot be negative")
    if height < 0:
        raise ValueError("The height above the ground cannot be negative")
    if 0 in (mass, height):
        return 0.0
    return mass * 9.80665 * height


@case((25.0, 1.2, 6.5), (-1.0, 1.0, 1.0))
def terminal_velocity(mass, density, area):
    if mass <= 0 or density <= 0 or area <= 0:
        raise ValueError("mass, density, area and the drag coefficient all need to be positive")
    return ((2 * mass * 9.8) / (density * area * 0.47)) ** 0.5


@case((20.0, 45.0), (0.0, 30.0), (10.0, 91.0))
def projectile(speed, angle):
    if not 0 <= angle <= 90:
        raise ValueError("Invalid angle. Range is 0-90 degrees.")
    radians = math.radians(angle)
    reach = round(speed**2 * math.sin(2 * radians) / 9.8, 2)
    height = round(speed**2 * math.sin(radians) ** 2 / (2 * 9.8), 2)
    return reach, height


@case((3.0, 4.0, 0.0), (0.0, 4.0, 5.0), (3.0, 0.0, 5.0))
def electrical_impedance(resistance, reactance, impedance):
    if (resistance, reactance, impedance).count(0) != 1:
        raise ValueError("One and only one argument must be 0")
    if resistance == 0:
        return {"resistance": math.sqrt(pow(impedance, 2) - pow(reactance, 2))}
    if reactance == 0:
        return {"reactance": math.sqrt(pow(impedance, 2) - pow(resistance, 2))}
    return {"impedance": math.sqrt(pow(resistance, 2) + pow(reactance, 2))}


@case(([2.0, 4.0, 4.0],), ([1.0, 0.0],), ([5.0],))
def resistors_in_parallel(resistors):
    total = 0.0
    for index, resistor in enumerate(resistors):
        if resistor <= 0:
            raise ValueError(f"Resistor at index {index} has a negative or zero value!")
        total += 1 / resistor
    return 1 / total


@case(([1, 2, 3, 4],), ([5],), ([3, 3, 9],))
def mean_and_spread(numbers):
    n = len(numbers)
    mean = sum(numbers) / n
    deviations = [abs(x - mean) for x in numbers]
    return mean, sum(deviations) / n, max(numbers) - min(numbers)


@case(([1, 5, 2, 9, 3],), ([4, 1],), ([6],))
def interquartile_range(numbers):
    numbers = sorted(numbers)

    def middle(values):
        half, odd = divmod(len(values), 2)
        return values[half] if odd else (values[half - 1] + values[half]) / 2

    half = len(numbers) // 2
    low = middle(numbers[:half]) if half else numbers[0]
    high = middle(numbers[-half:]) if half else numbers[0]
    return high - low


@case(([2, 2, 3, 1],), ([1],), ([4, 4, 5, 5],))
def all_modes(numbers):
    counts = {}
    for number in numbers:
        counts[number] = counts.get(number, 0) + 1
    top = max(counts.values())
    return sorted(number for number, count in counts.items() if count == top)


@case(([10.0, 12.0, 14.0], 2), ([1.0, 2.0], 3), ([4.0, 5.0], 0))
def simple_moving_average(data, window):
    if window < 1:
        raise ValueError("Window size must be a positive integer")
    averages = []
    for i in range(len(data)):
        if i < window - 1:
            averages.append(None)
        else:
            averages.append(sum(data[i - window + 1 : i + 1]) / window)
    return averages


@case(([10.0, 12.0, 14.0], 0.5), ([7.0], 0.1))
def exponential_moving_average(prices, alpha):
    average = prices[0]
    averages = [average]
    for price in prices[1:]:
        average = alpha * price + (1 - alpha) * average
        averages.append(round(average, 4))
    return averages


@case((1000.0, 0.05, 3), (500.0, -1.0, 2), (100.0, 0.1, 0))
def compound_interest_checked(principal, rate, years):
    if years <= 0:
        raise ValueError("number_of_compounding_periods must be > 0")
    if rate < 0:
        raise ValueError("nominal_annual_interest_rate_percentage must be >= 0")
    if principal <= 0:
        raise ValueError("principal must be > 0")
    return principal * ((1 + rate) ** years - 1)


@case((25000.0, 0.12, 3), (1000.0, 0.0, 2), (0.0, 0.1, 1))
def monthly_installment(principal, rate, years):
    if principal <= 0:
        raise Exception("Principal borrowed must be > 0")
    if rate < 0:
        raise Exception("Rate of interest must be >= 0")
    monthly = rate / 12
    count = years * 12
    if monthly == 0:
        return principal / count
    return principal * monthly * (1 + monthly) ** count / ((1 + monthly) ** count - 1)


@case(([-1000.0, 500.0, 700.0], 0.1), ([1.0], -0.2))
def present_value_of(cash_flows, rate):
    if rate < 0:
        raise ValueError("Discount rate cannot be negative")
    if not len(cash_flows):
        raise ValueError("Cash flows list cannot be empty")
    total = sum(flow / (1 + rate) ** i for i, flow in enumerate(cash_flows))
    return round(total, ndigits=2)


@case((100, 3), (50, 0), (1, 1))
def depreciation(cost, years):
    if years < 1:
        raise ValueError("The useful life cannot be less than 1 year")
    expense = cost / years
    values, left = [], cost
    for year in range(years):
        if year != years - 1:
            left -= expense
            values.append(expense)
        else:
            values.append(left)
    return values


@case((50000.0,), (9000.0,), (200000.0,))
def bracket_tax(income):
    brackets = [(10000, 0.1), (40000, 0.2), (100000, 0.3), (float("inf"), 0.4)]
    tax, lower = 0.0, 0
    for upper, rate in brackets:
        if income > lower:
            tax += (min(income, upper) - lower) * rate
        lower = upper
    return tax


@case((0.0, 0.0, 3.0, 4.0), (1.0, 1.0, 1.0, 1.0))
def line_of(x1, y1, x2, y2):
    if x1 == x2:
        return "vertical" if y1 != y2 else "point"
    slope = (y2 - y1) / (x2 - x1)
    return slope, y1 - slope * x1


@case(([[0, 0], [4, 0], [4, 3]],), ([[0, 0], [1, 0], [1, 1], [0, 1]],))
def polygon_area(points):
    area = 0
    for i in range(len(points)):
        x1, y1 = points[i]
        x2, y2 = points[(i + 1) % len(points)]
        area += x1 * y2 - x2 * y1
    return abs(area) / 2


@case(([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2]],), ([[0, 0], [1, 0], [0, 1]],))
def convex_hull_gift(points):
    n = len(points)
    left = 0
    for i in range(1, n):
        if (points[i][0], points[i][1]) < (points[left][0], points[left][1]):
            left = i
    hull, p = [], left
    while True:
        hull.append(p)
        q = (p + 1) % n
        for r in range(n):
            turn = (points[q][0] - points[p][0]) * (points[r][1] - points[p][1])
            turn -= (points[q][1] - points[p][1]) * (points[r][0] - points[p][0])
            if turn < 0:
                q = r
        p = q
        if p == left:
            break
    return hull


@case(([[1, 1], [4, 5], [2, 2], [9, 9]],), ([[0, 0], [3, 4]],))
def closest_points(points):
    best = float("inf")
    for i in range(len(points) - 1):
        for j in range(i + 1, len(points)):
            dx = points[i][0] - points[j][0]
            dy = points[i][1] - points[j][1]
            best = min(best, dx * dx + dy * dy)
    return best**0.5


@case((7, 24, 25), (1, 2, 3), (3, 3, 3), (2, 2, 3))
def triangle_by_sides(a, b, c):
    sides = sorted([a, b, c])
    if sides[0] + sides[1] <= sides[2]:
        raise ValueError("Given three sides do not form a triangle")
    half = (a + b + c) / 2
    area = math.sqrt(half * (half - a) * (half - b) * (half - c))
    right = sides[0] ** 2 + sides[1] ** 2 == sides[2] ** 2
    return area, right


@case((100.0, 0.25), (50.0, 0.0))
def half_life(amount, rate):
    steps = 0
    left = amount
    while left > amount / 2 and steps < 100:
        left *= 1 - rate
        steps += 1
    return steps, left


@case((300.0, "celsius"), (0.0, "fahrenheit"), (1.0, "rankine"), (1.0, "foo"))
def from_kelvin(kelvin, unit):
    if unit == "celsius":
        return round(kelvin - 273.15, 2)
    if unit == "fahrenheit":
        return round((kelvin - 273.15) * 9 / 5 + 32, 2)
    if unit == "rankine":
        return round(kelvin * 9 / 5, 2)
    raise ValueError(f"Invalid unit: {unit}")


@case((3661,), (59,), (0,), (-1,))
def clock_text(seconds):
    if seconds < 0:
        raise ValueError("negative time")
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}"


@case((1.0, 10), (0.5, 3))
def newton_cooling(start, steps):
    temperature = start
    history = [temperature]
    for _ in range(steps):
        temperature += -0.1 * (temperature - 0.2)
        history.append(temperature)
    return history


@case((1.0, 0.0, 20), (0.5, 0.5, 5))
def spring(position, velocity, steps):
    dt, energy = 0.05, []
    for _ in range(steps):
        velocity -= position * dt
        position += velocity * dt
        energy.append(0.5 * velocity**2 + 0.5 * position**2)
    return position, velocity, max(energy) - min(energy)


@case(([3.0, 1.0, 2.0],), ([0.0, 0.0],))
def unit_vector(vector):
    length = math.sqrt(sum(x * x for x in vector))
    if length == 0:
        return [0.0 for _ in vector]
    return [x / length for x in vector]


@case(([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
def cross_product(a, b):
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


@case((3, [1, 2, 3, 4]), (0, [5]), (2, [1, 0]))
def polynomial_derivative(x, coefficients):
    derived = [i * c for i, c in enumerate(coefficients)][1:]
    return sum(c * x**i for i, c in enumerate(derived))


@case(([1.0, 2.0, 3.0], [2.0, 4.0, 6.5]), ([0.0, 1.0], [1.0, 1.0]))
def fitted_line(xs, ys):
    n = len(xs)
    mean_x, mean_y = sum(xs) / n, sum(ys) / n
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    below = sum((x - mean_x) ** 2 for x in xs)
    slope = above / below
    errors = [(y - (slope * x + mean_y - slope * mean_x)) ** 2 for x, y in zip(xs, ys, strict=True)]
    return slope, mean_y - slope * mean_x, sum(errors) / n


@case((100.0, 5.0, 0.0, 0.0), (100.0, 5.0, 90.0, 0.0), (100, 5, -45, -60))
def apparent_power(voltage, current, voltage_angle, current_angle):
    u = cmath.rect(voltage, math.radians(voltage_angle))
    i = cmath.rect(current, math.radians(current_angle))
    return abs(u * i)


@case((4.0, 3.0), (0.0, 2.0))
def resultant(east, north):
    return abs(complex(east, north)), cmath.phase(complex(east, north))


@case(([2.0, 3.0, 4.0],), ([0.5, -0.5],))
def dilution(factors):
    return math.prod(factors), math.prod(f for f in factors if f > 1)


@case((1, 3, -4), (1, -6, 25), (0, 1, 1))
def roots(a, b, c):
    if a == 0:
        raise ValueError("no quadratic equation")
    root = cmath.sqrt(b * b - 4 * a * c)
    return (-b + root) / (2 * a) + 0j, (-b - root) / (2 * a) + 0j
