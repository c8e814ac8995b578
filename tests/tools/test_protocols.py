"""Every tool and every reader has the names and the arguments of its protocol, as mypy checks, at run time too."""

import inspect

import pytest

from coldcache.core.errors import ToolError
from coldcache.tools import READERS, TOOLS, find_tool
from coldcache.tools.protocols import LogReader, NamedLogReader, Tool, Traits


def functions_of(protocol):
    return {
        name: list(inspect.signature(function).parameters)[1:]
        for name, function in vars(protocol).items() if inspect.isfunction(function) and not name.startswith("_")
    }  # fmt: skip


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_a_tool_has_the_functions_of_the_protocol(tool):
    assert isinstance(tool.TRAITS, Traits)
    for name, parameters in functions_of(Tool).items():
        assert list(inspect.signature(getattr(tool, name)).parameters) == parameters, name


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.TOOL)
def test_a_reader_has_the_functions_of_the_protocol(reader):
    for name, parameters in functions_of(LogReader).items():
        assert list(inspect.signature(getattr(reader, name)).parameters) == parameters, name


def test_only_series_need_the_name_of_their_file():
    assert [reader.TOOL for reader in READERS if isinstance(reader, NamedLogReader)] == ["fio_series"]


def test_an_unknown_tool_is_refused_with_the_nearest_name():
    with pytest.raises(ToolError, match=r'^unknown tool "iozon"; did you mean "iozone"[?]$'):
        find_tool("iozon")
