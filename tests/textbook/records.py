"""Records as dicts: people, stock and rows of results, chosen, sorted, grouped and changed."""

from collections import defaultdict

from tests.textbook.bank import bank

case, CASES = bank()

PEOPLE = [
    {"name": "ann", "age": 30, "salary": 900, "dept": "x"},
    {"name": "bob", "age": 17, "salary": 2000, "dept": "y"},
    {"name": "cy", "age": 45, "salary": 500, "dept": "x"},
]


@case((PEOPLE, 18), (PEOPLE, 50))
def adults(people, limit):
    return [person for person in people if person["age"] >= limit]


@case((PEOPLE,))
def oldest_first(people):
    return sorted(people, key=lambda person: person["age"], reverse=True)


@case((PEOPLE,))
def names_in_order(people):
    by_dept = sorted(people, key=lambda person: (person["dept"], -person["age"]))
    return [person["name"] for person in by_dept]


@case((PEOPLE,))
def youngest(people):
    best = people[0]
    for person in people[1:]:
        if person["age"] < best["age"]:
            best = person
    return best


@case((PEOPLE, 10), (PEOPLE, 0))
def raised_salaries(people, percent):
    for person in people:
        if person["salary"] < 1000:
            person["salary"] = round(person["salary"] * (1 + percent / 100), 2)
    return people


@case((PEOPLE,))
def mean_by_group(people):
    groups = defaultdict(list)
    for person in people:
        groups[person["dept"]].append(person["salary"])
    return {dept: sum(salaries) / len(salaries) for dept, salaries in groups.items()}


@case(([10, 30, 25], 20), ([1], 20))
def rows_above(ages, limit):
    rows = []
    for name, age in zip("abc", ages, strict=False):
        if age > limit:
            rows.append({"name": name, "age": age})
    return rows


@case((12,), (3,))
def table_of_primes(n):
    rows = []
    for k in range(2, n):
        if all(k % d for d in range(2, int(k**0.5) + 1)):
            rows.append({"prime": k, "square": k * k})
    return rows, sum(row["square"] for row in rows)


@case(([[9, 8, 7], [5, 3, 2], [6, 6, 7]],), ([[1, 2], [3, 4]],))
def saddle_points(matrix):
    points = []
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            if value == max(row) and value == min(other[j] for other in matrix):
                points.append({"row": i + 1, "column": j + 1})
    return points


@case(({"pen": 3}, "pen", 2), ({"pen": 3}, "pen", 5), ({"pen": 3}, "cup", 5))
def sold(stock, name, count):
    if name not in stock:
        raise KeyError(name)
    if stock[name] < count:
        raise ValueError(f"not enough {name}: {stock[name]}")
    stock[name] -= count
    return stock


@case(({"pen": 3, "ink": 9}, 5), ({"pen": 7}, 5))
def ordered_again(stock, minimum):
    ordered = []
    for name in stock:
        if stock[name] < minimum:
            ordered.append(name)
            stock[name] = minimum
    return ordered, stock


@case(({"a": 100, "b": 50}, 30), ({"a": 100, "b": 50}, 300))
def transferred(accounts, amount):
    if accounts["a"] < amount:
        accounts["failed"] = amount
    else:
        accounts["a"] -= amount
        accounts["b"] += amount
    return sorted(accounts.items())


@case((5, 2), (3, 1))
def jobs_done(n, width):
    queue, done = [{"job": n, "depth": 0}], 0
    while queue:
        job = queue.pop(0)
        done += job["job"]
        if job["depth"] < width:
            queue.append({"job": job["job"] * 2, "depth": job["depth"] + 1})
            queue.append({"job": job["job"] + 1, "depth": job["depth"] + 1})
    return done


@case((PEOPLE, 2))
def longest_names(people, count):
    found = sorted(people, key=lambda person: (-len(person["name"]), person["age"]))[:count]
    return [f"{person['name']} ({person['age']})" for person in found]


@case((3, 9), (9, 3), (-1, -1))
def cheapest_offers(price, other):
    offers = [
        {"shop": "ann", "price": price, "stars": 3},
        {"shop": "bob", "price": other, "stars": 5},
        {"shop": "cy", "price": 6, "stars": 4},
    ]
    ordered = sorted(offers, key=lambda offer: (offer["price"], -offer["stars"]))
    offers.sort(key=lambda offer: offer["price"] * offer["stars"], reverse=True)
    return [offer["shop"] for offer in ordered], offers[0], offers[-1]["shop"].upper()


@case((3, 9), (9, 3), (2, 2))
def by_stock(pens, inks):
    stock = {"pen": {"count": pens, "box": 1}, "ink": {"count": inks, "box": 2}}
    ordered = sorted(stock.items(), key=lambda pair: pair[1]["count"])
    return [name for name, _ in ordered], ordered[0][1]["box"], ordered


@case((4,), (-3,), (0,))
def nearest_first(x):
    places, named = [], []
    for place in (1, 8, 3, 9):
        places.append(place)
        named.append({"place": place, "size": place % 3})
    near = sorted(places, key=lambda place: abs(place - x))
    return near, sorted(named, key=lambda each: (each["size"] * x, each["place"]))


@case((3,), (0,))
def rows_before_and_of_rounds(n):
    rows = [{"id": 1, "size": 2}, {"id": 7, "size": 1}]
    for i in range(n):
        rows.append({"id": i, "size": i * i})
    first, largest = rows[0], rows[0]
    for row in rows:
        if row["size"] > largest["size"]:
            largest = row
    return first["id"], largest["id"], rows[n]["size"], len(rows)
