#!/usr/bin/env bash
# The validator of RO-Crates, which a test holds an archive against, in .venv/rocrate: it asks for an older rich than
# the program's own packages do. Without it that test is skipped.
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
say "setting up the validator of RO-Crates (log in $log)"
if .venv/bin/python -m venv --clear "$folder" >>"$log" 2>&1 &&
    "$folder/bin/python" -m pip install --require-hashes -r envs/rocrate.lock >>"$log" 2>&1; then
    signature >"$stamp"
else
    rm -rf "$folder"
    say "the validator of RO-Crates cannot be set up (is the network there?): its test is skipped; all that was said is in $log"
fi
