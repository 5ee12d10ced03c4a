"""The command line of the commands that are written in Python. Options come from the rows that their functions have;
words and layout of help and errors are those of the commands that are written in C++ (cli/program.cc)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from haichi import _core
from haichi.base.options import Flag, Option, Rows
from haichi.cli.program_log import VERBOSITY, log_level, logged
from haichi.errors import OptionError

_FILES_BELOW = Option(
    "where the files must be that another file names: a machine's graph, the traces of an index, the programs of a log;"
    " default: HAICHI_FILES_BELOW, else the directory of that other file",
    "DIR",
)

Given = dict[str, Any]
"""Values by the names of parameters; only of options that were typed."""

_HELP_COLUMN = 30


@dataclass(frozen=True)
class Command:
    """A row of the program's commands."""

    name: str
    summary: str
    example: str
    options: Rows
    run: Callable[[Given], int]
    positional: tuple[str, str] | None = None
    """Stands for a word without option in the help, and what it is; it is given under its name in lower case."""
    takes_several: bool = False
    """Of such words, at least one: they are given as a list."""

    @property
    def all_options(self) -> dict[str, Option]:
        return {**self.options, **VERBOSITY, "files_below": _FILES_BELOW}


def run_command(commands: Sequence[Command], words: Sequence[str]) -> int:
    """Runs the command that the first word names; returns the exit code. Raises OptionError for wrong options."""
    names = [command.name for command in commands]
    if words and words[0] in ("-h", "--help"):
        rows = [(command.name, command.summary) for command in commands]
        sys.stdout.write("\n".join(["Usage: haichi COMMAND [OPTIONS]", "", "Commands:", *_help_rows(rows), ""]))
        return 0
    if not words:
        raise OptionError("a command is missing", f"commands are {', '.join(names)}")
    if words[0] not in names:
        raise OptionError(
            f"unknown command {_shown(words[0])}", _did_you_mean(words[0], names) or f"commands are {', '.join(names)}"
        )
    command = commands[names.index(words[0])]
    typed, others = _typed(command, words[1:])
    if typed.pop("help"):
        sys.stdout.write(help_text(command))
        return 0
    given = _positional(command, others)
    for parameter, values in typed.items():
        option = command.all_options[parameter]
        if "" in values:
            raise OptionError(f"{option.long_name(parameter)}: the value is empty")
    for parameter, option in command.all_options.items():
        if parameter in typed:
            given[parameter] = option.kind.read(option.long_name(parameter), *typed[parameter])
        elif option.is_required:
            raise OptionError(f"{option.long_name(parameter)} is missing", "--help shows an example")
    if "files_below" in given:
        os.environ["HAICHI_FILES_BELOW"] = given.pop("files_below")  # of processes that compute, too
    with logged(log_level(given), quiet=bool(given.get("quiet"))):
        return command.run(given)


def _typed(command: Command, words: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """The words behind each option that was typed, and what belongs to none."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("-h", "--help", action="store_true")
    long_names = {}
    for parameter, option in command.all_options.items():
        names = [*([option.short] if option.short else []), option.long_name(parameter)]
        long_names["/".join(names)] = names[-1]
        if isinstance(option.kind, Flag):
            parser.add_argument(*names, dest=parameter, action="append_const", const="yes")
        else:
            several = "+" if option.kind.takes_several else 1
            parser.add_argument(*names, dest=parameter, action="extend", nargs=several)
    for word in words:
        if word.endswith("=") and word[:-1] in long_names.values():
            raise _takes_one(word[:-1])
    try:
        found, others = parser.parse_known_args(list(words))
    except argparse.ArgumentError as error:
        name = long_names[str(error.argument_name)]
        if "ignored explicit argument" in str(error):
            raise OptionError(f"{name} takes no value", "--help lists the options") from None
        raise _takes_one(name) from None
    typed = {parameter: values for parameter, values in vars(found).items() if values is not None}
    for parameter, option in command.all_options.items():
        is_single = not option.kind.takes_several and not isinstance(option.kind, Flag)
        if is_single and len(typed.get(parameter, [])) > 1:
            raise _takes_one(option.long_name(parameter))
    return typed, [word for word in others if word != "--"]


def _takes_one(name: str) -> OptionError:
    return OptionError(f"{name} takes one value and is given once", "--help lists the options")


def _positional(command: Command, others: Sequence[str]) -> Given:
    """The words that no option takes; refuses what is too much."""
    for word in others:
        if word.startswith("-"):
            name = word.split("=", 1)[0]
            known = [option.long_name(parameter) for parameter, option in command.all_options.items()]
            hint = _did_you_mean(name, ["--help", *known]) or "--help lists the options"
            raise OptionError(f"unknown option {_shown(name)}", hint)
    taken = 0 if command.positional is None else 1
    if len(others) > taken and not command.takes_several:
        raise OptionError(f"unexpected argument {_shown(others[taken])}", f"{command.name} --help shows what it takes")
    if command.positional is None:
        return {}
    name = command.positional[0]
    if not others:
        raise OptionError(f"{name} missing", f"an example is {command.example}")
    if "" in others:
        raise OptionError(f"{name}: the value is empty")
    return {name.lower(): others if command.takes_several else others[0]}


def help_text(command: Command) -> str:
    """What ``--help`` prints."""
    usage = f"Usage: haichi {command.name} [OPTIONS]"
    if command.positional is not None:
        usage += f" {command.positional[0]}" + ("..." if command.takes_several else "")
    lines = [command.summary, usage, ""]
    if command.positional is not None:
        lines += ["Positionals:", *_help_rows([command.positional]), ""]
    rows = [("-h,--help", "Print this help message and exit")]
    for parameter, option in command.all_options.items():
        name = ",".join(filter(None, (option.short, option.long_name(parameter))))
        several = " ..." if option.kind.takes_several else ""
        rows.append((f"{name} {option.value}{several}" if option.value else name, option.help))
    return "\n".join([*lines, "Options:", *_help_rows(rows), "", "Example:", f"  {command.example}", ""])


def _help_rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    lines = []
    for name, text in rows:
        start = f"  {name}"
        lines.append(f"{start:{_HELP_COLUMN}}{text}" if len(start) < _HELP_COLUMN else f"{start}\n{'':30}{text}")
    return lines


def _shown(word: str) -> str:
    return _core.shown(os.fsencode(word))


def _did_you_mean(word: str, names: Sequence[str]) -> str:
    return _core.did_you_mean(os.fsencode(word), list(names))


def parameters_of(options: Rows, given: Given) -> Given:
    """The part of `given` that goes to the function with these rows."""
    return {name: value for name, value in given.items() if name in options}


def print_error(message: str, hint: str) -> None:
    """On standard error, coloured on terminals; control characters, which a terminal would obey, are written out."""
    is_coloured = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb" and not os.environ.get("NO_COLOR")
    for label, colour, text in (("error", "1;31", message), ("hint", "36", hint)):
        if text:
            start = f"\x1b[{colour}m{label}:\x1b[0m" if is_coloured else f"{label}:"
            print(start, _without_control_characters(text), file=sys.stderr)


def _without_control_characters(text: str) -> str:
    return "".join(c if c in "\n\t" or not (ord(c) < 0x20 or ord(c) == 0x7F) else f"\\x{ord(c):02x}" for c in text)
