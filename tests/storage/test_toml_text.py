"""Settings that others wrote end in the error of their reader, whatever they hold and whatever they are."""

from __future__ import annotations

import os

import pytest

from whatworked.catalog.manifest_files import decode
from whatworked.errors import WhatWorkedError
from whatworked.judging.cost import load_prices
from whatworked.judging.questions import load_question
from whatworked.process.records.mapped import mapped_reader
from whatworked.process.records.world import read_world
from whatworked.storage.toml_text import parse_toml

READERS = (load_prices, load_question, mapped_reader, read_world)
TEXTS = {
    "digits": b"a = " + b"9" * 5000,
    "arrays": b"a = " + b"[" * 5000,
    "tables": b"a = " + b"{a = " * 5000,
    "latin": b'a = "\xe9"',
    "null": b"\0",
    "mark": b"\xef\xbb\xbfa = 1",
    "twice": b"a = 1\na = 2",
    "empty": b"",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_of_any_kind(tmp_path, text):
    path = tmp_path / "settings.toml"
    path.write_bytes(text)
    for reader in READERS:
        with pytest.raises(WhatWorkedError, match="settings"):
            reader(path)
    if text != TEXTS["latin"]:
        with pytest.raises(WhatWorkedError):
            decode(text.decode())
    if text:
        with pytest.raises(ValueError):
            parse_toml(text, dict)


@pytest.mark.parametrize("kind", ["pipe", "device", "sparse", "folder", "loop"])
def test_what_is_no_file_of_settings(tmp_path, kind):
    path = tmp_path / "settings.toml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "sparse":
        with path.open("wb") as stream:
            stream.truncate(40 << 30)
    else:
        path.symlink_to("/dev/zero" if kind == "device" else path.name)
    for reader in READERS:
        with pytest.raises(WhatWorkedError, match="cannot read"):
            reader(path)
