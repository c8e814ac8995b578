#!/usr/bin/env bash
# The .venv: the packages of envs/requirements.lock, installed by uv (see envs/uv.lock), and this project, editable.
#   present [EXTRA]   exit status 0 if .venv is here and matches the lock files
#   python            print the interpreter to build it with; if there is none, print the missing package, exit status 3
#   install [EXTRA]   build or update it
# EXTRA is test or lab: the packages of envs/EXTRA.lock are there, too.
set -euo pipefail
cd "$(dirname "$0")/.."
. envs/apt.sh

unset PYTHONHOME PYTHONPATH UV_SYSTEM_PYTHON
stamp=.venv/.coldcache

# A .venv holds absolute paths: after moving or copying the folder, it must be rebuilt.
signature() {
    echo "$PWD"
    cat envs/uv.lock envs/requirements.lock pyproject.toml | sha256sum
}

present() {
    [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$(signature)" ]
}

extra_signature() {
    cat "$stamp" "envs/$1.lock"
}

extra_present() {
    present && [ "$(cat "$stamp-$1" 2>/dev/null)" = "$(extra_signature "$1" | sha256sum)" ]
}

whole() {
    if [ -n "$extra" ]; then
        extra_present "$extra"
    else
        present
    fi
}

# Debian and Ubuntu ship Python without ensurepip; the package python3.N-venv brings it.
find_python() {
    local name found='' version
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        command -v "$name" >/dev/null || continue
        "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        if "$name" -c 'import ensurepip, venv' 2>/dev/null; then
            command -v "$name"
            return
        fi
        found=${found:-$name}
    done
    if [ -n "$found" ]; then
        version=$("$found" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        echo "python$version-venv"
    else
        echo python3-venv
    fi
    return 3
}

# uv does not read pip's settings, so pass it the index and certificate that the machine's pip uses.
follow_pip() {
    local index
    index=${PIP_INDEX_URL:-$(.venv/bin/python -m pip config list |
        sed -n "s/^\(global\|install\)\.index-url='\(.*\)'$/\2/p" | tail -n 1)}
    if [ -n "$index" ]; then
        export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$index}
    fi
    # pip trusts the machine's own certificates, and uv must, too.
    export UV_SYSTEM_CERTS=${UV_SYSTEM_CERTS:-true}
    if [ -n "${PIP_CERT-}" ]; then
        export SSL_CERT_FILE=${SSL_CERT_FILE:-$PIP_CERT}
    fi
}

build() {
    if [ "$(head -n 1 "$stamp" 2>/dev/null)" != "$PWD" ] || ! .venv/bin/python -m pip --version; then
        "$1" -m venv --clear .venv
    fi
    rm -f "$stamp" "$stamp"-*
    .venv/bin/python -m pip install --require-hashes -r envs/uv.lock
    follow_pip
    .venv/bin/uv pip sync --python .venv/bin/python --require-hashes envs/requirements.lock
    .venv/bin/uv pip install --no-deps --no-build-isolation --python .venv/bin/python --editable .
    finish
    signature >"$stamp"
}

# Leave out what nothing here uses: the packages' own tests, sources of compiled modules, languages but English, type
# stubs of packages that are not installed, solvers of other systems. Then compile what a study imports, and no more:
# every start of Snakemake and of a kernel would take three times as long. See docs/dependencies.md.
finish() {
    local packages solver=i64
    packages=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
    [ "$(uname -m)" != aarch64 ] || solver=arm64
    (
        cd "$packages"
        find . -type d '(' -name __pycache__ -o -name tests ')' -prune -exec rm -r {} +
        find . -type f '(' -name '*.c' -o -name '*.cpp' -o -name '*.pyx' ')' -delete
        find pulp/solverdir/cbc -mindepth 2 -maxdepth 2 -type d ! -path "*/linux/$solver" -exec rm -r {} +
        find babel/locale-data -name '*.dat' ! -name root.dat ! -name 'en*.dat' -delete
        find sphinx/locale sphinxcontrib/*/locales -mindepth 1 -maxdepth 1 -type d -exec rm -r {} +
        rm -rf jedi/third_party/{django-stubs,typeshed/stubs}
    )
    env -u PYTHONDONTWRITEBYTECODE .venv/bin/python -c '
from coldcache.workflow.fork_server import import_libraries
import_libraries()
import snakemake.cli'
    # Sphinx and kernels load these by name.
    .venv/bin/python -m compileall -q "$packages"/{a11y_pygments,debugpy,markdown_it,mdit_py_plugins,myst_*,sphinx}
}

add_extra() {
    follow_pip
    .venv/bin/uv pip install --python .venv/bin/python --no-deps --require-hashes -r "envs/$1.lock"
    finish
    extra_signature "$1" | sha256sum >"$stamp-$1"
}

install() {
    local began=$SECONDS python status
    python=$(find_python) || fail "missing: $python"
    mkdir -p "${log%/*}"
    exec 9>"$log.lock"
    flock 9
    whole && return
    say "setting up .venv${extra:+ with what $extra adds} (log in $log)"
    # Not "build || fail": in such a list the shell does not stop at the first error.
    set +e
    (
        set -e
        present || build "$python"
        [ -z "$extra" ] || add_extra "$extra"
    ) >>"$log" 2>&1 9>&-
    status=$?
    set -e
    [ "$status" = 0 ] || fail "cannot set up .venv (is the network up?); see $log for all output, fix the cause and run the same make again"
    say ".venv set up in $((SECONDS - began)) s"
}

extra=${2-}

case $extra in '' | test | lab) ;; *) set -- unknown ;; esac
case ${1-} in
present) whole ;;
python) find_python ;;
install) install ;;
*)
    say "usage: bash envs/venv.sh present|python|install [test|lab]"
    exit 2
    ;;
esac
