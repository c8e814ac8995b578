# Sourced by the set-up scripts: messages, the log, and apt packages. Working directory: the project's root.

log=logs/setup.log

say() {
    printf 'coldcache: setup: %s\n' "$*" >&2
}

# Print the last output of the failing program, then the cause as the last line.
fail() {
    if [ -s "$log" ]; then
        tail -n 12 "$log" | sed 's/^/    | /' >&2
    fi
    say "$*"
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo ${UNATTENDED:+--non-interactive} "$@"
    fi
}

may_install() {
    command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo --non-interactive true 2>/dev/null; }
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 LC_ALL=C \
        apt-get --quiet --option DPkg::Lock::Timeout=120 --option Acquire::http::Timeout=30 "$@" </dev/null
}

# Not grep --quiet: it ends at the first match, and apt-cache, still writing, fails.
apt_knows() {
    LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep 'Candidate: [0-9]' >/dev/null
}

# An unreachable third-party source must not stop the set-up: only the installation decides.
apt_update() {
    apt_get update >>"$log" 2>&1 && ! tail -n 3 "$log" | grep --quiet 'Some index files failed to download'
}

apt_install() {
    local updated='' said
    mkdir -p "${log%/*}"
    say "installing $* (apt-get, log in $log)"
    apt_update || updated=', and apt-get update failed (is the network up?)'
    said=$(wc -l <"$log")
    apt_get install --yes --no-install-recommends "$@" >>"$log" 2>&1 ||
        fail "apt-get cannot install $*: $(tail -n +$((said + 1)) "$log" | sed -n 's/^E: //p' | head -n 1)$updated;" \
            "see $log for all output; fix the cause and run the same make again"
}
