"""Objects of the standard library and of NumPy in staged blocks: what a branch that is not taken
does to them is refused, and what changes nothing works.
"""

# The programs are written as users write them.

from __future__ import annotations

import abc
import argparse
import codecs
import concurrent.futures
import configparser
import contextlib
import copyreg
import csv
import decimal
import email.message
import functools
import gc
import graphlib
import hashlib
import html.parser
import http.cookies
import importlib
import inspect
import io
import json  # noqa: F401
import logging
import mmap
import operator  # noqa: F401
import os
import queue
import re
import sched
import shelve
import shlex
import signal
import sqlite3
import string
import sys
import threading
import time
import types
import unittest.mock as mock
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from runtime.core.state import state
from runtime.ops.random.seeds import global_seeds
from runtime.summary.settings import writer
from tests.runtime.staging.guarding import foreign_expressions

X = rt.constant(1.5)


def config() -> configparser.ConfigParser:
    made = configparser.ConfigParser()
    made.read_string("[a]\nb = 2\n")
    return made


def message() -> email.message.Message:
    made = email.message.Message()
    made["A"] = "b"
    return made


def closed_records() -> rt.io.TFRecordWriter:
    with rt.io.TFRecordWriter(os.devnull) as made:
        return made


def logger() -> logging.Logger:
    made = logging.getLogger("tests.foreign")
    made.setLevel(10)
    made.disabled = False
    return made


def divided() -> decimal.Context:
    made = decimal.Context(prec=5)
    made.divide(decimal.Decimal(1), decimal.Decimal(3))
    return made


def database() -> sqlite3.Connection:
    made = sqlite3.connect(":memory:")
    _databases.append(made)
    made.execute("create table t (a)")
    return made


_databases: list[sqlite3.Connection] = []


@pytest.fixture(autouse=True)
def _databases_closed() -> Iterator[None]:
    """Python 3.13 warns of those that are not."""
    yield
    while _databases:
        _databases.pop().close()


def cached() -> Any:
    made = functools.lru_cache(len)
    made((1,))
    return made


def attribute(name: str, value: Any) -> Callable[[Any], None]:
    return functools.partial(lambda item: setattr(item, name, value))


# What is made, what is done to it, and what is looked at afterwards.
CHANGES: dict[str, tuple[Callable[[], Any], str, Callable[[Any], Any]]] = {
    "mock, called": (mock.Mock, "o(1)", lambda o: o.call_count),
    "mock, its method": (mock.Mock, "o.method(1)", lambda o: len(o.mock_calls)),
    "mock, attribute": (mock.Mock, "o.held = 5", lambda o: o.held == 5),
    "magic mock, called": (mock.MagicMock, "o(1)", lambda o: o.call_count),
    "magic mock, its method": (mock.MagicMock, "o.method(1)", lambda o: len(o.mock_calls)),
    "magic mock, its items": (mock.MagicMock, "o[0]", lambda o: len(o.mock_calls)),
    "config, set": (config, "o.set('a', 'b', '3')", lambda o: o.get("a", "b")),
    "config, item": (config, "o['a']['b'] = '3'", lambda o: o.get("a", "b")),
    "config, section": (config, "o.add_section('z')", lambda o: o.sections()),
    "config, remove": (config, "o.remove_option('a', 'b')", lambda o: o.options("a")),
    "context, attribute": (decimal.Context, "o.prec = 3", lambda o: o.prec),
    "context, of the thread": (
        decimal.getcontext, "decimal.getcontext().prec = 3", lambda o: o.prec),
    "context, another": (
        decimal.getcontext, "decimal.setcontext(decimal.Context(prec=3))",
        lambda o: decimal.getcontext().prec),
    "context, flags": (divided, "o.clear_flags()", lambda o: dict(o.flags)),
    "logger, level": (logger, "o.setLevel(40)", lambda o: o.level),
    "logger, its level": (logger, "o.level = 30", lambda o: o.level),
    "logger, disabled": (logger, "o.disabled = True", lambda o: o.disabled),
    "logger, by setattr": (logger, "setattr(o, 'level', 30)", lambda o: o.level),
    "logger, by a method": (logger, "operator.methodcaller('setLevel', 5)(o)", lambda o: o.level),
    "logger, found": (
        logger, "logging.getLogger('tests.foreign').disabled = True", lambda o: o.disabled),
    "lock": (threading.Lock, "o.acquire()", lambda o: o.locked()),
    "lock, again": (threading.RLock, "o.acquire()", lambda o: o._is_owned()),
    "event": (threading.Event, "o.set()", lambda o: o.is_set()),
    "semaphore": (lambda: threading.Semaphore(2), "o.release()", lambda o: o._value),
    "text": (io.StringIO, "o.write('a')", lambda o: o.getvalue()),
    "text, cut": (lambda: io.StringIO("abc"), "o.truncate(1)", lambda o: o.getvalue()),
    "text, by a partial": (io.StringIO, "functools.partial(o.write, 'a')()",
                           lambda o: o.getvalue()),
    "text, by map": (io.StringIO, "list(map(o.write, ['a']))", lambda o: o.getvalue()),
    "text, by json": (io.StringIO, "json.dump([1], o)", lambda o: o.getvalue()),
    "text, by csv": (io.StringIO, "csv.writer(o).writerow([1])", lambda o: o.getvalue()),
    "bytes, read": (lambda: io.BytesIO(b"abc"), "o.read(2)", lambda o: o.tell()),
    "mail, item": (message, "o['B'] = 'c'", lambda o: o.items()),
    "mail, header": (message, "o.add_header('B', 'c')", lambda o: o.items()),
    "mail, text": (message, "o.set_payload('c')", lambda o: o.get_payload()),
    "mail, del": (message, "del o['A']", lambda o: o.items()),
    "thread": (list, "threading.Thread(target=o.append, args=(1,)).start()", list),
    "timer": (list, "threading.Timer(0, o.append, args=(1,)).start()", list),
    "pool": (list, "concurrent.futures.ThreadPoolExecutor(1).submit(o.append, 1)", list),
    "future": (concurrent.futures.Future, "o.set_result(1)", lambda o: o.done()),
    "element, text": (lambda: ET.Element("a"), "o.text = 'c'", ET.tostring),
    "element, append": (lambda: ET.Element("a"), "o.append(ET.Element('b'))", ET.tostring),
    "element, child": (lambda: ET.Element("a"), "ET.SubElement(o, 'b')", ET.tostring),
    "element, item": (lambda: ET.Element("a"), "o.attrib['q'] = '1'", ET.tostring),
    "mapped": (lambda: mmap.mmap(-1, 4), "o[0] = 65", lambda o: o[0]),
    "mapped, changed": (lambda: mmap.mmap(-1, 4), "o[0] += 65", lambda o: o[0]),
    "mapped, held": (lambda: types.SimpleNamespace(held=mmap.mmap(-1, 4)), "o.held[0:2] = b'ab'",
                     lambda o: o.held[:]),
    "shelf": (lambda: shelve.Shelf({}), "o['a'] = 1", lambda o: list(o)),
    "environment": (lambda: os.environ, "o['AUTOGRAPH_TESTS'] = '1'",
                    lambda o: o.get("AUTOGRAPH_TESTS")),
    "database": (database, "o.execute('insert into t values (1)')",
                 lambda o: o.execute("select count(*) from t").fetchall()),
    "digest": (hashlib.sha256, "o.update(b'a')", lambda o: o.hexdigest()),
    "compressor": (zlib.compressobj, "o.compress(b'abc')", lambda o: len(o.flush())),
    "decoder": (lambda: codecs.getincrementaldecoder("utf8")(), "o.decode(b'\\xc3')",
                lambda o: o.getstate()),
    "scheduler": (sched.scheduler, "o.enter(1, 1, print)", lambda o: len(o.queue)),
    "sorter": (lambda: graphlib.TopologicalSorter({1: [2]}), "o.prepare()",
               lambda o: o._ready_nodes),
    "cookie": (http.cookies.SimpleCookie, "o['a'] = '1'", lambda o: o.output()),
    "options": (argparse.ArgumentParser, "o.add_argument('--x')", lambda o: o.format_usage()),
    "stack": (contextlib.ExitStack, "o.callback(print)", lambda o: len(o._exit_callbacks)),
    "parser": (html.parser.HTMLParser, "o.feed('<a')", lambda o: o.rawdata),
    "lexer": (lambda: shlex.shlex("a b"), "o.get_token()", lambda o: o.get_token()),
    "rows": (lambda: csv.reader(["a", "b"]), "o.__next__()", lambda o: next(o)),
    "rows, listed": (lambda: csv.reader(["a", "b"]), "list(o)", lambda o: list(o)),
    "scanner": (lambda: re.compile("a").scanner("aa"), "o.match()", lambda o: o.match().span()),
    "queue": (queue.SimpleQueue, "o.put(1)", lambda o: o.qsize()),
    "cache": (cached, "o.cache_clear()", lambda o: o.cache_info().currsize),
    "partial": (lambda: functools.partial(len), "o.held = 1", lambda o: vars(o)),
    "polynomial": (lambda: np.poly1d([1, 2]), "o[0] = 7", lambda o: o.coeffs.tolist()),
    "array, locked": (
        lambda: np.zeros(2), "o.flags.writeable = False", lambda o: o.flags.writeable),
    "array, turned": (lambda: np.zeros(2), "o.shape = 2, 1", lambda o: o.shape),
    "array, grown": (
        lambda: np.zeros(2), "o.resize(3, refcheck=False)", lambda o: (o.shape, o.tolist())),
    "array, read otherwise": (lambda: np.ones(2), "o.dtype = 'i4'", lambda o: o.tolist()),
    "template": (lambda: string.Template("$a"), "o.template = '$b'", lambda o: o.template),
    "bound arguments": (
        lambda: inspect.signature(len).bind([1]), "o.arguments['obj'] = 2",
        lambda o: dict(o.arguments)),
    "NumPy's settings": (np.geterr, "np.seterr(all='ignore')", lambda o: np.geterr()),
    "executor": (
        rt.config.get_executor, "rt.config.set_executor('native')",
        lambda o: rt.config.get_executor()),
    "eager functions": (rt.config.functions_run_eagerly, "rt.config.run_functions_eagerly(True)",
                        lambda o: rt.config.functions_run_eagerly()),
    "global seed": (lambda: None, "rt.random.set_seed(3)", lambda o: global_seeds.seed),
    "step of summaries": (rt.summary.experimental.get_step, "rt.summary.experimental.set_step(3)",
                          lambda o: rt.summary.experimental.get_step()),
    "numbers that are checked": (lambda: None, "rt.debugging.enable_check_numerics()",
                                 lambda o: state.inspect),
    "writer of summaries": (rt.summary.create_noop_writer, "o.set_as_default()",
                            lambda o: writer.get().value),
    "threads": (
        lambda: None, "rt.config.threading.set_inter_op_parallelism_threads(3)",
        lambda o: rt.config.threading.get_inter_op_parallelism_threads()),
    "folder": (lambda: None, "rt.io.gfile.rmtree('a_folder_of_tests')", lambda o: None),
    "removed": (lambda: None, "rt.io.gfile.remove('a_file_of_tests')", lambda o: None),
    "opened": (lambda: None, "rt.io.gfile.GFile('a_file_of_tests', 'w')",
               lambda o: rt.io.gfile.exists("a_file_of_tests")),
    "saved": (rt.Module, "rt.saved_model.save(o, 'a_folder_of_tests')",
              lambda o: rt.io.gfile.exists("a_folder_of_tests")),
    "record": (closed_records, "o.write(b'a')", lambda o: o._file),
    "summaries, closed": (rt.summary.create_noop_writer, "o.close()",
                          lambda o: o._finish.alive),
    "collector": (lambda: None, "gc.disable()", lambda o: gc.isenabled()),
    "depth": (sys.getrecursionlimit, "sys.setrecursionlimit(5000)",
              lambda o: sys.getrecursionlimit()),
    "dispatch": (lambda: functools.singledispatch(repr), "o.register(int, str)",
                 lambda o: len(o.registry)),
    "dispatch of a method": (lambda: functools.singledispatchmethod(repr), "o.register(int, str)",
                             lambda o: len(o.dispatcher.registry)),
    "abstract class": (lambda: abc.ABCMeta("Abstract", (), {}), "o.register(int)",
                       lambda o: issubclass(int, o)),
    "dialect": (lambda: None, "csv.register_dialect('a_dialect', delimiter=';')",
                lambda o: csv.list_dialects()),
    "field size": (csv.field_size_limit, "csv.field_size_limit(3)",
                   lambda o: csv.field_size_limit()),
    "codec errors": (lambda: None, "codecs.register_error('an_error', str)",
                     lambda o: knows_error("an_error")),
    "reducer": (lambda: None, "copyreg.pickle(Held, str)",
                lambda o: Held in copyreg.dispatch_table),
    "signal": (lambda: None, "signal.signal(signal.SIGUSR1, signal.SIG_IGN)",
               lambda o: signal.getsignal(signal.SIGUSR1)),
}  # fmt: skip


class Held:
    pass


def knows_error(name):
    try:
        return bool(codecs.lookup_error(name))
    except LookupError:
        return False


FRAMES = {
    "a branch": "def program(x):\n    if x < 0.:\n        {}\n    return x\n",
    "a loop": "def program(x):\n    while x < 1.:\n        {}\n        x += 1.\n    return x\n",
    "a helper": (
        "def act():\n    {}\n\ndef program(x):\n    if x < 0.:\n        act()\n    return x\n"
    ),
}


def compiled(source: str, item: Any, path: Any) -> Callable[..., Any]:
    path.write_text(source)
    namespace: dict[str, Any] = {**globals(), "__name__": "a_program", "o": item}
    exec(compile(source, str(path), "exec"), namespace)
    found: Callable[..., Any] = namespace["program"]
    return found


@pytest.mark.filterwarnings("ignore:Setting the (shape|dtype):DeprecationWarning")  # NumPy 2.5
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("case", CHANGES)
def test_a_change_is_refused_and_put_back(case: str, frame: str, tmp_path: Any) -> None:
    make, statement, look = CHANGES[case]
    expected = look(make())
    item = make()
    program = compiled(FRAMES[frame].format(statement), item, tmp_path / "program.py")
    with pytest.raises(StagingError) as caught:
        rt.function(program)(X)
    assert caught.value.filename == str(tmp_path / "program.py")
    assert caught.value.lineno
    assert caught.value.hint
    assert look(item) == expected


@pytest.mark.parametrize("frame", list(FRAMES)[:2])
@pytest.mark.parametrize("expression", foreign_expressions.HARMLESS)
def test_what_changes_nothing_works(expression: str, frame: str, tmp_path: Any) -> None:
    source = FRAMES[frame].format(f"x = x + float({expression})").replace("x < 0.", "x > 0.")
    program = compiled(source, None, tmp_path / "program.py")
    program.__globals__.update(vars(foreign_expressions))
    value = rt.constant(0.25)
    assert float(rt.function(program)(value)) == float(program(value))


def local_text(x):
    if x > 0.0:
        out = io.StringIO()
        csv.writer(out).writerow([1, 2])
        x = x * len(out.getvalue())
    return x


def local_digest(x):
    if x > 0.0:
        made = hashlib.md5()
        made.update(b"a")
        x = x * len(made.hexdigest())
    return x


def local_config(x):
    if x > 0.0:
        made = configparser.ConfigParser()
        made["a"] = {"b": "4"}
        made.set("a", "c", "3")
        x = x * made.getfloat("a", "b") * made.getfloat("a", "c")
    return x


def local_mock(x):
    if x > 0.0:
        made = mock.Mock()
        made(1)
        made.method(2)
        x = x * len(made.mock_calls)
    return x


def local_element(x):
    for _ in rt.range(2):
        made = ET.Element("a")
        made.append(ET.Element("b"))
        made.set("q", "3")
        x = x * len(ET.tostring(made))
    return x


def local_context(x):
    if x > 0.0:
        with decimal.localcontext() as context:
            context.prec = 3
            x = x * float(decimal.Decimal(1) / 3)
    return x


def local_patch(x):
    held = types.SimpleNamespace(a=2.0)
    if x > 0.0:
        with mock.patch.object(held, "a", 3.0):
            x = x * held.a
    return x * held.a


def event_from_before(x):
    made = threading.Event()
    if x > 0.0:
        made.set()
    return x * 2.0 if made.is_set() else x


def guarded_by_a_lock(x):
    lock = threading.Lock()
    for _ in rt.range(3):
        with lock:
            x = x * 2.0
    return x


LOCAL = [
    local_text, local_digest, local_config, local_mock, local_element, local_context, local_patch,
    event_from_before, guarded_by_a_lock,
]  # fmt: skip


@pytest.mark.parametrize("program", LOCAL, ids=lambda program: program.__name__)
@pytest.mark.parametrize("value", [1.5, -1.5])
def test_what_a_block_makes_is_its_own(program: Callable[..., Any], value: float) -> None:
    x = rt.constant(value)
    assert float(rt.function(program)(x)) == float(program(x))


def local_map(x):
    made = mmap.mmap(-1, 1)
    if x < 0.0:
        made[0] = 65
    return x + float(made[0])


def captured_map(x):
    made = mmap.mmap(-1, 1)

    def change():
        made[0] = 65

    if x < 0.0:
        change()
    return x + float(made[0])


@pytest.mark.parametrize("program", [local_map, captured_map])
def test_items_of_what_a_variable_holds(program: Callable[..., Any]) -> None:
    with pytest.raises(StagingError, match="of a mmap inside a staged block may change it"):
        rt.function(program)(X)


def test_a_class_of_the_users_with_hidden_state() -> None:
    class Log(io.StringIO):
        pass

    class Worker(threading.Thread):
        def run(self) -> None:
            raise AssertionError

    log, worker = Log(), Worker()

    def writes(x):
        if x < 0.0:
            log.write("a")
        return x

    def starts(x):
        for _ in rt.range(2):
            worker.start()
        return x

    for program in (writes, starts):
        with pytest.raises(StagingError):
            rt.function(program)(X)
    assert log.getvalue() == ""
    assert not worker.is_alive()


def test_a_change_of_a_foreign_module_is_refused() -> None:
    before = logging.raiseExceptions

    def program(x):
        if x < 0.0:
            logging.raiseExceptions = not before
        return x

    with pytest.raises(StagingError, match="raiseExceptions is changed"):
        rt.function(program)(X)
    assert logging.raiseExceptions is before


def draws(x):
    if x > 0.0:
        x += np.random.rand()
    return x


def reads_the_clock(x):
    while x < 3.0:
        x += time.time()
    return x


def logs(x):
    if x > 0.0:
        logging.getLogger().info("now")
    return x


WAYS_OUT = {
    draws: "tf.random.uniform",
    reads_the_clock: "tf.py_function",
    logs: "tf.print(x, output_stream=log.info)",
}


@pytest.mark.parametrize("program", WAYS_OUT, ids=lambda program: program.__name__)
def test_a_refusal_names_the_op(program: Callable[..., Any]) -> None:
    with pytest.raises(StagingError) as caught:
        rt.function(program)(X)
    assert WAYS_OUT[program] in caught.value.hint


def test_the_graph_calls_what_it_is_given() -> None:
    made: list[int] = []

    @rt.function
    def program(x):
        if x < 0.0:
            rt.py_function(lambda: made.append(1), [], [])
        return x

    program(X)
    assert made == []
    program(-X)
    assert made == [1]


INSTALLED = """
class Settings:
    def __init__(self):
        self.__dict__["values"] = {"rate": 2}

    def __getitem__(self, name):
        return self.__dict__["values"][name]

class Chain:
    def __init__(self, length):
        self.scale = 3
        self.next = Chain(length - 1) if length else None
"""


def test_a_library_that_lists_its_attributes_lists_no_other_librarys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("settings_of_a_library", "chains_of_a_library"):
        path = tmp_path / "site-packages" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(INSTALLED, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    settings = importlib.import_module("settings_of_a_library").Settings()
    chain = importlib.import_module("chains_of_a_library").Chain(200)

    @rt.function
    def staged(x):
        first = chain
        return x * first.scale * settings["rate"]

    def guards() -> list[Any]:
        return list(staged.get_concrete_function(rt.TensorSpec([], rt.int32)).guards.seen())

    assert int(staged(rt.constant(1))) == 6
    assert len(guards()) < 30
    settings.__dict__["values"]["rate"] = 5
    assert int(staged(rt.constant(1))) == 15
    chain.scale = 1
    assert int(staged(rt.constant(1))) == 5
    assert staged.experimental_get_tracing_count() == 3
