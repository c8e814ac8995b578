#!/usr/bin/env bash
# Chromium, in which the tests open the report: Debian's package, or Playwright's build if the distribution has only a
# snap (Ubuntu), which may not read the report's folder.
#   present   exit status 0 if one of the two is installed
#   install   install it
set -euo pipefail
cd "$(dirname "$0")/.."
. envs/apt.sh
export PLAYWRIGHT_BROWSERS_PATH=$PWD/.venv/browsers

case ${1-} in
present)
    case $(command -v chromium || true) in
    '' | /snap/*) compgen -G "$PLAYWRIGHT_BROWSERS_PATH/chromium*/INSTALLATION_COMPLETE" >/dev/null ;;
    esac
    ;;
install)
    mkdir -p "${log%/*}"
    apt_knows chromium || apt_update || true
    if apt_knows chromium; then
        apt_install chromium
    else
        bash envs/venv.sh install test
        say "installing Chromium into .venv/browsers (Playwright, log in $log)"
        as_root env DEBIAN_FRONTEND=noninteractive .venv/bin/playwright install-deps chromium >>"$log" 2>&1 </dev/null ||
            fail "Playwright cannot install the libraries of Chromium; see $log for all output"
        .venv/bin/playwright install chromium >>"$log" 2>&1 </dev/null ||
            fail "Playwright cannot fetch Chromium; see $log for all output"
    fi
    ;;
*)
    say "usage: bash envs/chromium.sh present|install"
    exit 2
    ;;
esac
