#!/bin/sh
# environment.sh PYTHON FOLDER [CONSTRAINTS]: make the environment in FOLDER with that interpreter, unless it is there.
#
# The interpreter is looked at before anything is installed: with one that is too old pip would search for minutes. The
# mark FOLDER/bin/.installed is written last and says what the environment was made by and from, so that one that was
# left half made, or was made by another interpreter or from other requirements, is made again.
set -eu
python=$1 folder=$2 constraints=${3:-}
oldest=3.11

fail() {
    echo "error: $1" >&2
    exit 1
}

# Another interpreter that would do, or where to get one.
advice() {
    other=$(sh "$(dirname "$0")/interpreters.sh" | head -n 1)
    [ -z "$other" ] || printf '%s' "take the one that is here: make PYTHON=$other rebuild; or "
    echo "install Python $oldest or newer with its venv module (Debian, Ubuntu: apt install python3 python3-venv) and name it: make PYTHON=/path/to/python3 rebuild"
}

"$python" -c '' >/dev/null 2>&1 || fail "'$python' is no Python interpreter that runs here; $(advice)"
version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
"$python" -c 'import sys; sys.exit(sys.version_info[:2] < (3, 11))' ||
    fail "'$python' is Python $version; WhatWorked needs $oldest or newer; $(advice)"
"$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
    fail "'$python' (Python $version) lacks the module venv or ensurepip (Debian, Ubuntu: apt install python${version%.*}-venv); $(advice)"
[ -z "$constraints" ] || [ -r "$constraints" ] || fail "the file of constraints '$constraints' cannot be read"

mark=$folder/bin/.installed
wanted="$("$python" -c 'import sys; print(sys.version.replace("\n", " ")); print(sys.base_prefix)')
$(pwd)
$(cat pyproject.toml ${constraints:+"$constraints"} | cksum)"
if [ -x "$folder/bin/python" ] && [ -r "$mark" ] && [ "$(cat "$mark")" = "$wanted" ]; then
    exit 0
fi
if [ -e "$folder" ] && [ ! -e "$folder/pyvenv.cfg" ] && [ -n "$(ls -A "$folder")" ]; then
    fail "'$folder' is not empty and is no Python environment; name another one: make VENV=/path/to/folder"
fi
echo "installing into $folder with Python $version (a minute or two)"
rm -f "$mark"
"$python" -m venv --clear "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check ${constraints:+--constraint "$constraints"} --editable ".[dev,report]"
printf '%s\n' "$wanted" >"$mark"
