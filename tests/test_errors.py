"""Bad input: a file of `fixtures/errors` fails with the class, place and words that it names."""

import inspect

import pytest

import autograph
import runtime as rt
from tests.support import harness, staging
from tests.support.harness import BadInput

BAD_INPUTS = harness.bad_inputs()


def provoke(bad: BadInput) -> None:
    """Do what the file does wrong."""
    if "trigger" in bad.names:
        bad.names["trigger"]()
        return
    function = bad.names[bad.path.stem]
    values = inspect.signature(function).bind(*bad.names["INPUTS"][0]).arguments
    rt.function(function)(**staging.staged_arguments(bad.names["STAGED"].split(), values))


@pytest.mark.parametrize("bad", BAD_INPUTS, ids=lambda bad: bad.path.stem)
def test_bad_input(bad: BadInput) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each file names its class
        provoke(bad)
    error = caught.value
    assert bad.names["ERROR"] in [kind.__name__ for kind in type(error).__mro__], repr(error)
    missing = [part for part in bad.names["SAYS"] if part not in str(error)]
    assert not missing, str(error)
    place = bad.expected_place
    assert place is None or place in places(error), f"{place} is not in\n{places(error)}"


def places(error: Exception) -> str:
    """What an error says of its place: in its message, or by its last frame, the user's."""
    if isinstance(error, autograph.AutographError):
        return str(error)
    frames = [f"{place.filename}:{place.line}" for place in harness.places(error)]
    return "\n".join([str(error), *frames[-1:]])
