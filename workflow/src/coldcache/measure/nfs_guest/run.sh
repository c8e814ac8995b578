#!/usr/bin/env bash
# Run a command on an NFS mount of a User-Mode-Linux guest, whose server and client are those of its kernel:
#   run.sh --at=FOLDER [--mount=OPTIONS] [--clients=NUMBER] [--sysctl=NAME=VALUE]... [--input=NAMES --size=BYTES]...
#          [--outage=SECONDS] [--network=NETEM] [--server-network=NETEM] [--layer=LAYER]... [--memory=MIB] [--disk=MIB]
#          -- COMMAND...
# FOLDER is the mount point inside the guest, where the command starts; several clients mount FOLDER/c1, FOLDER/c2, …
# Without mount options there is no NFS: the file system of the disk is mounted there. The guest sees all files of this
# machine read-only. Standard output is the command's, then sections that begin with "== ": the mount as negotiated,
# mountstats and bytes of each device before and after, kernel parameters, and the networks and the disk where they are
# asked for. NETEM is of tc-netem(8), for each way of a client's link or of the server's. Layers of the disk, the first
# one next to it: delay=MILLISECONDS, writecache, and the bounds rate=BYTES and cache-rate=BYTES of a second's writes.
# Exit status: the command's; 125 when the guest did not come so far.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
at='' mount='' clients=1 memory=1024 disk=256 outage='' network='' server_network=''
sysctls=() inputs=() layers=()
while [ $# -gt 0 ]; do
    case $1 in
    --at=*) at=${1#*=} ;;
    --mount=*) mount=${1#*=} ;;
    --clients=*) clients=${1#*=} ;;
    --sysctl=*) sysctls+=("${1#*=}") ;;
    --input=* | --size=*) inputs+=("${1#*=}") ;;
    --outage=*) outage=${1#*=} ;;
    --network=*) network=${1#*=} ;;
    --server-network=*) server_network=${1#*=} ;;
    --layer=*) layers+=("${1#*=}") ;;
    --memory=*) memory=${1#*=} ;;
    --disk=*) disk=${1#*=} ;;
    --) shift && break ;;
    *) echo "run.sh: unknown option $1" >&2 && exit 125 ;;
    esac
    shift
done
command=("$@")

# What guests left whose run.sh was killed.
for left in /dev/shm/coldcache-nfs.*.??????; do
    process=${left#*-nfs.}
    [ ! -O "$left" ] || kill -0 "${process%.*}" 2>/dev/null || rm -rf "$left"
done
lab=$(mktemp -d "/dev/shm/coldcache-nfs.$$.XXXXXX")
guest=''
# The guest leads a process group of its own.
trap '[ -z "$guest" ] || kill -KILL -- "-$guest" 2>/dev/null || true; rm -rf "$lab"' EXIT
mkdir -p "$lab/out" "$lab/lib"
ln -s /usr/lib/uml/modules "$lab/lib/modules"
declare -p at mount clients sysctls inputs outage network server_network layers disk command >"$lab/spec"

# The guest has one processor, on which two processes of this machine take turns: several times as fast on one core as
# on two that go idle in between.
cores=()
IFS=, read -r -a ranges < <(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)
for range in "${ranges[@]}"; do
    for ((core = ${range%-*}; core <= ${range#*-}; core++)); do
        cores+=("$core")
    done
done

# In the background, so that a signal ends this script, and with it the guest and its memory, at once. The kernel would
# spend a second on measuring its variants of RAID 6.
TMPDIR=$lab taskset --cpu-list "${cores[$$ % ${#cores[@]}]}" \
    linux.uml "mem=${memory}M" root=/dev/root rootfstype=hostfs rootflags=/ ro "init=$here/init.sh" \
    "LAB=$lab" con=null con0=null,fd:1 con1=null quiet initcall_blacklist=raid6_select_algo </dev/null >"$lab/console" 2>&1 &
guest=$!
wait "$guest" || true
guest=''

for section in stdout 'negotiated mount' 'mountstats before' 'mountstats after' transports 'most in flight' \
    'devices before' 'devices after' 'kernel parameters' network 'server network' 'server disk' 'disk limits'; do
    file=$lab/out/${section// /-}
    [ -e "$file" ] || continue
    [ "$section" = stdout ] || echo "== $section"
    cat "$file"
done
[ ! -e "$lab/out/stderr" ] || cat "$lab/out/stderr" >&2
if [ ! -e "$lab/out/status" ]; then
    echo "the guest ended before the command did:" >&2
    tail -q -n 3 "$lab/console" "$lab/out/trace" >&2 || true
    exit 125
fi
exit "$(cat "$lab/out/status")"
