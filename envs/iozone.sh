#!/usr/bin/env bash
# IOzone: package iozone3, in Debian's component non-free and Ubuntu's multiverse.
#   present   exit status 0 if it is on PATH
#   source    print the machine's own package sources with that component instead of main
#   install   install it; if apt does not know it, add those sources first
set -euo pipefail
cd "$(dirname "$0")/.."
. envs/apt.sh

# Print where apt reads the component main: "FILE:N COMPONENT", N a line of a .list or a stanza of a .sources.
entries() {
    apt-get indextargets --format '$(SOURCESENTRY) $(ORIGIN)' 'Created-By: Packages' 'Component: main' |
        sed -n 's/ Debian$/ non-free/p; s/ Ubuntu$/ multiverse/p' | sort --unique
}

# Print one stanza for binary packages of one component, without comments and continuations of replaced fields.
stanza() {
    awk -v wanted="$2" -v component="$3" '
        BEGIN { RS = ""; FS = "\n" }
        {
            text = ""
            for (i = 1; i <= NF; i++) if ($i !~ /^#/) text = text $i "\n"
            if (text == "" || ++number != wanted) next
            lines = split(text, line, "\n")
            for (i = 1; i < lines; i++) {
                if (line[i] !~ /^[ \t]/) dropped = tolower(line[i]) ~ /^(types|components|enabled):/
                if (!dropped) print line[i]
            }
            printf "Types: deb\nComponents: %s\n\n", component
        }' "$1"
}

line() {
    sed -nE "$2s/^[[:space:]]*(deb[[:space:]]+(\[[^]]*\][[:space:]]*)?[^[:space:]]+[[:space:]]+[^[:space:]]+).*/\1 $3/p" "$1"
}

# Print the derived sources of one format, sources or list.
derived() {
    local entry component file
    entries | while read -r entry component; do
        file=${entry%:*}
        case $1:$file in
        sources:*.sources) stanza "$file" "${entry##*:}" "$component" ;;
        list:*.list) line "$file" "${entry##*:}" "$component" ;;
        esac
    done
}

add_sources() {
    local format parts text
    eval "$(apt-config shell parts Dir::Etc::sourceparts/d)"
    for format in sources list; do
        text=$(derived "$format")
        if [ -n "$text" ]; then
            say "adding ${parts%/}/coldcache-iozone.$format"
            printf '%s\n' "$text" | as_root tee "${parts%/}/coldcache-iozone.$format" >/dev/null
        fi
    done
}

case ${1-} in
present)
    command -v iozone >/dev/null
    ;;
source)
    derived sources
    derived list
    ;;
install)
    mkdir -p "${log%/*}"
    if ! apt_knows iozone3; then
        apt_update || true
        apt_knows iozone3 || add_sources
    fi
    apt_install iozone3
    ;;
*)
    say "usage: bash envs/iozone.sh present|source|install"
    exit 2
    ;;
esac
