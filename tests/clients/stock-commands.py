#!/usr/bin/env python3
"""Prints the table of all commands of the stock client that crates/cli is tested against.

Needs python-ironicclient, whose commands it asks for their arguments:

    tests/clients/stock-commands.py > crates/cli/src/stock_commands.tsv

A line is a command: its words, what it prints (show, list or nothing), its words without an
option, its options. Behind an option or word: nothing if it takes no value, `=` for one value,
`=?` for one or none, `=+` for several.
"""

import argparse
import importlib.metadata
from unittest import mock

from cliff import lister
from cliff import show

SHAPES = {None: "=", 0: "", "?": "=?", "+": "=+", "*": "=+"}


def shape(action):
    if isinstance(action, argparse._AppendAction) and action.nargs is None:
        return "=+"
    return SHAPES[action.nargs]


def arguments(parser):
    """The words and the options people are told of."""
    words, options = [], []
    for action in parser._actions:
        if action.help == argparse.SUPPRESS or action.dest == "help":
            continue
        if action.option_strings:
            options += [name + shape(action) for name in action.option_strings]
        else:
            words.append(action.dest + shape(action))
    return words, sorted(options)


def main():
    client = importlib.metadata.distribution("python-ironicclient")
    print(f"# python-ironicclient {client.version}")
    entries = client.entry_points.select(group="openstack.baremetal.v1")
    for entry in sorted(entries, key=lambda entry: entry.name):
        kind = entry.load()
        prints = {show.ShowOne: "show", lister.Lister: "list"}
        prints = [word for base, word in prints.items() if issubclass(kind, base)]
        parser = kind(mock.MagicMock(), None).get_parser("baremetal")
        words, options = arguments(parser)
        name = entry.name.removeprefix("baremetal_").replace("_", " ")
        print(name, *prints or ["-"], " ".join(words), " ".join(options), sep="\t")


if __name__ == "__main__":
    main()
