"""Expressions over objects of the standard library and of NumPy that change nothing."""

from __future__ import annotations

import abc
import argparse
import array
import base64
import binascii
import bisect
import calendar
import cmath
import collections
import colorsys
import configparser
import contextvars
import copy
import csv
import dataclasses
import datetime
import decimal
import difflib
import email
import email.utils
import enum
import fnmatch
import fractions
import functools
import gc
import graphlib
import hashlib
import heapq
import html
import inspect
import io
import ipaddress
import itertools
import json
import keyword
import logging
import math
import numbers
import operator
import os
import pathlib
import platform
import pprint
import queue
import re
import reprlib
import shlex
import statistics
import string
import struct
import sys
import textwrap
import threading
import traceback
import types
import typing
import unicodedata
import unittest.mock as mock
import urllib.parse
import uuid
import weakref
import xml.etree.ElementTree as ET
import zlib
from typing import Any

import numpy as np

__all__ = [
    "array",
    "base64",
    "binascii",
    "bisect",
    "calendar",
    "cmath",
    "colorsys",
    "copy",
    "csv",
    "dataclasses",
    "difflib",
    "email",
    "fnmatch",
    "gc",
    "graphlib",
    "hashlib",
    "heapq",
    "html",
    "io",
    "itertools",
    "json",
    "keyword",
    "math",
    "numbers",
    "os",
    "platform",
    "pprint",
    "queue",
    "reprlib",
    "shlex",
    "statistics",
    "sys",
    "textwrap",
    "traceback",
    "typing",
    "unicodedata",
    "urllib",
    "weakref",
    "zlib",
]  # fmt: skip

DAY = datetime.date(2020, 1, 2)
MOMENT = datetime.datetime(2020, 1, 2, 3)
SPAN = datetime.timedelta(days=2)
DECIMAL = decimal.Decimal("1.5")
FRACTION = fractions.Fraction(3, 2)
UUID = uuid.UUID(int=5)
PATH = pathlib.Path("/a/b.txt")
PATTERN = re.compile(r"(\d+)")
MATCH: Any = PATTERN.match("12")
POINT = collections.namedtuple("POINT", "a b")(1.0, 2.0)
LOGGER = logging.getLogger("tests.expressions")
LOCK = threading.Lock()
EVENT = threading.Event()
CONFIG = configparser.ConfigParser()
CONFIG.read_string("[a]\nb=2\n")
OPTIONS = argparse.Namespace(k=2.0)
NAMES = types.SimpleNamespace(k=2.0)
ITEM = operator.itemgetter("k")
ATTRIBUTE = operator.attrgetter("k")
METHOD = operator.methodcaller("upper")
PARTIAL = functools.partial(max, 1.0)
TEMPLATE = string.Template("$a")
STRUCT = struct.Struct("<f")
ADDRESS = ipaddress.ip_address("1.2.3.4")
SIGNATURE = inspect.signature(lambda a, b=2: a)
ELEMENT: Any = ET.fromstring("<a q='2'><b>3</b></a>")
POLYNOMIAL = np.poly1d([1.0, 2.0])
ARRAY = np.ones(3)
DTYPE = np.dtype("f4")
VARIABLE = contextvars.ContextVar("VARIABLE", default=2.0)
MOCK = mock.Mock(return_value=2.0)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Flags(enum.IntFlag):
    A = 1
    B = 2


class Base(abc.ABC):
    @abc.abstractmethod
    def f(self) -> float: ...


class Holder(Base):
    def __init__(self) -> None:
        self.lock, self.logger, self.path = threading.Lock(), LOGGER, PATH

    def f(self) -> float:
        with self.lock:
            return 2.0 if self.path.suffix == ".txt" else 1.0

    @functools.cached_property
    def k(self) -> float:
        return 3.0

    @functools.lru_cache  # noqa: B019
    def m(self) -> float:
        return 4.0


HOLDER = Holder()


@functools.cache
def cached(n: float) -> float:
    return n * 2.0


HARMLESS = [
    "DAY.replace(year=2021).day",
    "MOMENT.timestamp() * 0. + (MOMENT + SPAN).day",
    'int(MOMENT.strftime("%d"))',
    'datetime.datetime.strptime("2020","%Y").year',
    "SPAN.total_seconds()",
    'float(DECIMAL.quantize(decimal.Decimal("0.1")))',
    'float(decimal.Decimal("3") / 2)',
    "float(FRACTION.limit_denominator(3))",
    "UUID.int",
    'len(PATH.with_suffix(".x").name)',
    'len(str(PATH / "q"))',
    "len(PATH.parts) + float(PATH.is_absolute())",
    'float(PATTERN.sub("3", "a"+"1").strip("a"))',
    "float(MATCH.group(1))",
    r'float(re.findall(r"\d", "a4")[0])',
    'len(list(PATTERN.finditer("1 2")))',
    'Color["RED"].value',
    "Color(2).value",
    "int(Flags.A | Flags.B)",
    "POINT._replace(a=3.).a",
    'POINT._asdict()["a"]',
    'ITEM({"k": 2.})',
    "ATTRIBUTE(NAMES)",
    'len(METHOD("abc"))',
    "PARTIAL(2.)",
    "math.floor(2.5) + math.comb(4,2)",
    "abs(cmath.sqrt(-1))",
    "operator.add(1., 2.)",
    "sum(itertools.chain([1.],[2.]))",
    "len(list(itertools.product([1,2],[3])))",
    "sum(itertools.accumulate([1,2,3]))",
    'copy.deepcopy({"a": [2.]})["a"][0]',
    'json.loads(json.dumps({"a": 2.}))["a"]',
    'len(TEMPLATE.substitute(a="bb"))',
    'len(textwrap.dedent("  a"))',
    "statistics.mean([1.,2.])",
    "STRUCT.unpack(STRUCT.pack(2.))[0]",
    'struct.unpack("<f", struct.pack("<f", 2.))[0]',
    '(len(hashlib.sha256(b"a").hexdigest()))',
    'len(base64.b64encode(b"abc"))',
    'len(zlib.decompress(zlib.compress(b"aaa")))',
    'len(io.StringIO("abc").read())',
    'float(list(csv.reader(["1,2"]))[0][1])',
    "float(LOGGER.isEnabledFor(50))",
    "float(LOGGER.getEffectiveLevel())",
    'float(logging.getLogger("h").level)',
    'CONFIG.getfloat("a", "b")',
    'float(CONFIG["a"]["b"])',
    "len(CONFIG.sections())",
    "OPTIONS.k + NAMES.k",
    'vars(NAMES)["k"]',
    "bisect.bisect([1,2,3], 2)",
    "heapq.nsmallest(1, [3.,2.])[0]",
    "calendar.monthrange(2020, 2)[1]",
    "int(ADDRESS) + float(ADDRESS.is_private)",
    'len(urllib.parse.quote("a b"))',
    'len(os.path.join("a","b"))',
    'len(os.environ.get("HOMEx", "12"))',
    "sys.version_info[0]",
    "sys.maxsize * 0.",
    "len(SIGNATURE.parameters)",
    "len(inspect.signature(cached).parameters)",
    "len(pprint.pformat([1]))",
    'len(html.escape("<"))',
    'difflib.SequenceMatcher(None, "ab", "ac").ratio()',
    'len(unicodedata.name("a"))',
    "MOCK.return_value",
    'float(ELEMENT.get("q"))',
    'float(ELEMENT.find("b").text)',
    "len(ELEMENT)",
    'float(ET.fromstring("<a>2</a>").text)',
    "POLYNOMIAL(2.)",
    "float(POLYNOMIAL.deriv()(2.))",
    "float(ARRAY.sum())",
    "float(np.dot(ARRAY, ARRAY))",
    "DTYPE.itemsize",
    "np.float32(2.).item()",
    "float(np.linalg.norm(ARRAY))",
    "float(np.vectorize(lambda v: v * 2)(ARRAY)[0])",
    "float(np.add.reduce(ARRAY))",
    "VARIABLE.get()",
    "HOLDER.f() + HOLDER.m()",
    "cached(2.)",
    "float(EVENT.is_set())",
    "float(LOCK.locked())",
    "len(reprlib.repr([1]))",
    'len(shlex.split("a b"))',
    "float(weakref.ref(HOLDER)() is HOLDER)",
    'array.array("d", [2.])[0]',
    'float(fnmatch.fnmatch("a.b", "*.b"))',
    "colorsys.rgb_to_hsv(1.,1.,0.)[1]",
    "float(gc.isenabled())",
    "len(platform.system()) ",
    'len(email.utils.parseaddr("a@b")[1])',
    r'len(email.message_from_string("A: b\n\nhello").get_payload())',
    'collections.Counter("aab").most_common(1)[0][1]',
    'collections.OrderedDict(a=2.)["a"]',
    'collections.defaultdict(list)["a"].__len__()',
    "collections.deque([1.,2.]).pop()",
    'collections.ChainMap({"a":2.})["a"]',
    'len(str(ValueError("abc")))',
    'float("{:.1f}".format(2.))',
    'float(f"{2.:.1f}")',
    'len("a,b".split(",")) * len("ab".join(["c","d"]))',
    'int.from_bytes(b"a", "big")',
    "mock.Mock(return_value=2.)()",
    'len(dataclasses.fields(dataclasses.make_dataclass("Q", ["a"])))',
    "float(isinstance(2., numbers.Number))",
    "float(issubclass(bool, int))",
    "functools.reduce(operator.add, [1.,2.])",
    "math.gcd(4, 6)",
    "len(threading.current_thread().name)",
    "float(threading.get_ident() > 0)",
    "float(queue.Queue().empty())",
    "len(repr(threading.Lock()))",
    "sorted([DECIMAL, decimal.Decimal(1)])[0].__float__()",
    "float(max(FRACTION, fractions.Fraction(1)))",
    "MOMENT.replace(tzinfo=datetime.timezone.utc).utcoffset().total_seconds()",
    "len({DECIMAL, FRACTION})",
    "{DAY: 2.}.get(DAY)",
    "(hash(DAY) * 0)",
    'len(ARRAY.shape) * ARRAY.astype("f8")[0]',
    "ARRAY.copy().tolist()[0]",
    "np.clip(3., 0., 2.)",
    "float(np.where(ARRAY > 0, 1., 2.)[0])",
    'len(traceback.format_exception(ValueError("a")))',
    'len(binascii.hexlify(b"a"))',
    'float(keyword.iskeyword("if"))',
    "argparse.ArgumentParser().parse_args([]).__dict__.__len__()",
    "len(list(graphlib.TopologicalSorter({1:[2]}).static_order()))",
    "len(list(contextvars.copy_context()))",
    'len(pathlib.PurePosixPath("a/b").parent.name)',
    "MOMENT.astimezone(datetime.timezone.utc).year",
]
