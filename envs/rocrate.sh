#!/usr/bin/env bash
# The RO-Crate validator, with which a test checks an archive. It has its own environment, .venv/rocrate, because it
# needs an older version of rich than the program does. Without it, that test is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
. envs/apt.sh

folder=.venv/rocrate
stamp=$folder/.coldcache
signature() {
    echo "$PWD"
    sha256sum <envs/rocrate.lock
}
if [ "$(cat "$stamp" 2>/dev/null)" = "$(signature)" ]; then
    exit
fi
mkdir -p "${log%/*}"
say "setting up the RO-Crate validator (log in $log)"
if .venv/bin/python -m venv --clear "$folder" >>"$log" 2>&1 &&
    "$folder/bin/python" -m pip install --require-hashes -r envs/rocrate.lock >>"$log" 2>&1; then
    signature >"$stamp"
else
    rm -rf "$folder"
    say "cannot set up the RO-Crate validator (is the network up?): its test is skipped; see $log for all output"
fi
