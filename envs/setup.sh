#!/usr/bin/env bash
# Set up what is missing: setup.sh [test|lab] [packages] [cluster] [settings] [model] [TOOL...]
#   always     the .venv (envs/venv.sh); test or lab: with what that extra adds
#   packages   the packages in envs/apt.txt
#   cluster    the packages in envs/cluster.txt; settings, commands, model: those in envs/settings.txt, …
#   TOOL       whatever envs/TOOL.sh installs
# Installs as root or with passwordless sudo; otherwise prints what is missing and the command that installs it.
set -euo pipefail
cd "$(dirname "$0")/.."
. envs/apt.sh
export UNATTENDED=1

packages=()
tools=()
extra=''
for wanted in "$@"; do
    list=envs/${wanted/#packages/apt}.txt
    if [ "$wanted" = test ] || [ "$wanted" = lab ]; then
        extra=$wanted
    elif [ -e "$list" ]; then
        while read -r package command _; do
            case $package in '' | '#'*) continue ;; esac
            command -v "$command" >/dev/null || packages+=("$package")
        done <"$list"
    else
        bash "envs/$wanted.sh" present || tools+=("$wanted")
    fi
done

venv=''
if ! bash envs/venv.sh present $extra; then
    venv=missing
    python=$(bash envs/venv.sh python) || packages+=("$python")
fi

# Print one line for users who may not install: every missing name, and one command for all of them.
name_missing() {
    local missing command='' tool
    missing=$(xargs <<<"${packages[*]} ${tools[*]}")
    missing="missing: ${missing// /, }"
    if ! command -v apt-get >/dev/null; then
        say "$missing (Debian package names): install them with this system's package manager, then run the same make again"
        exit 1
    fi
    if [ ${#packages[@]} -gt 0 ]; then
        command="apt-get install --no-install-recommends ${packages[*]}"
    fi
    for tool in "${tools[@]}"; do
        command+="${command:+ && }bash envs/$tool.sh install"
    done
    if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then
        command=${command/#apt-get/sudo apt-get}
    elif [ "$(id -u)" != 0 ]; then
        command="su -c '$command'"
    fi
    say "$missing: run \"$command\", then the same make again"
    exit 1
}

if [ $((${#packages[@]} + ${#tools[@]})) -gt 0 ]; then
    rm -f "$log"
    may_install || name_missing
    if [ ${#packages[@]} -gt 0 ]; then
        apt_install "${packages[@]}"
    fi
fi
if [ -n "$venv" ]; then
    [ $((${#packages[@]} + ${#tools[@]})) -gt 0 ] || rm -f "$log"
    bash envs/venv.sh install $extra
fi
for tool in "${tools[@]}"; do
    bash "envs/$tool.sh" install
done
