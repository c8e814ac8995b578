#!/usr/bin/env bash
# Pin every dependency again after a change in pyproject.toml; UPGRADE=1 takes the newest of each, UPGRADE="name name"
# of those alone.
#   requirements.lock   the user's: what measuring and the report need
#   test.lock, lab.lock what the extras of pyproject.toml add to it, with the same versions
#   fuzz, peers, rocrate, uv   what `make fuzz`, `make bench PEERS=1`, a test of archives and the set-up install
set -euo pipefail
cd "$(dirname "$0")/.."

uv=${1:?usage: bash envs/lock.sh UV_VERSION}
case ${UPGRADE-} in
'' | 0 | no) upgrade=() ;;
1 | yes) upgrade=(--upgrade) ;;
*) read -ra upgrade <<<"$(printf -- '--upgrade-package %s ' $UPGRADE)" ;;
esac

pin() {
    uv pip compile --quiet "${upgrade[@]}" --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header "$@"
}

# Print options that leave out what the user's lock installs everywhere. What it pins for some systems only may be
# needed on others, too.
user_pins() {
    sed -nE 's/^([a-z0-9._-]+)==[^ ;]+ \\$/--no-emit-package \1/p' envs/requirements.lock
}

pin --extra study pyproject.toml -o envs/requirements.lock
for extra in test lab; do
    pin --extra study --extra "$extra" --constraint envs/requirements.lock $(user_pins) pyproject.toml -o "envs/$extra.lock"
    # uv lists what it left out, below a blank line.
    sed -i '/^# /d; /^$/d' "envs/$extra.lock"
done
pin --no-annotate - -o envs/uv.lock <<<"uv==$uv"
printf '%s\n' iops-benchmark reframe-hpc | pin --no-annotate - -o envs/peers.lock
pin --no-annotate - -o envs/fuzz.lock <<<'atheris<3.1'
pin --no-annotate - -o envs/rocrate.lock <<<roc-validator
python envs/conda.py
