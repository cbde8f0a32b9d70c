#!/bin/sh
# interpreters.sh: the interpreters of Python 3.11 or newer found here that can make an environment, newest first, a path
# each: those on the search path by name, and those that pyenv keeps.
{
    for name in python3.14 python3.13 python3.12 python3.11 python3; do
        command -v "$name" || true
    done
    if command -v pyenv >/dev/null 2>&1; then
        ls -d "$(pyenv root)"/versions/3.*/bin/python3 || true
    fi
} 2>/dev/null | while read -r path; do
    "$path" -c 'import sys, ensurepip, venv
if sys.version_info >= (3, 11):
    print("%03d.%03d.%03d" % sys.version_info[:3], sys.executable)' 2>/dev/null || true
done | sort -r | awk '!seen[$2]++ { print $2 }'
