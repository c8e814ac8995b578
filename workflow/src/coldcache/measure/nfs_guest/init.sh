#!/bin/bash
# The first process of the guest: serve a file system in memory by NFS to this guest itself, mount it, run the command.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
end() {
    busybox poweroff -f
}
trap end EXIT

mount -t proc proc /proc
mount -t sysfs sys /sys
mountpoint -q /dev || mount -t devtmpfs dev /dev
mount -t tmpfs run /run
mount -t tmpfs state /var/lib/nfs
mkdir -p /run/rpcbind /run/lab /run/export /var/lib/nfs/{rpc_pipefs,v4recovery,sm,sm.bak}
touch /var/lib/nfs/{etab,rmtab,state}
mount -t hostfs none /run/lab -o "$LAB"
. /run/lab/spec
out=/run/lab/out
exec 2>"$out/trace"
ip link set lo up

load() {
    modprobe -d /run/lab "$@"
}

# Each layer of the device mapper lies on the disk below it; a cache takes the second disk.
load brd rd_nr=2 rd_size=$((disk * 1024))
device=/dev/ram0
for number in "${!layers[@]}"; do
    case ${layers[number]} in
    delay=*) table="delay $device 0 ${layers[number]#*=}" ;;
    writecache) table="writecache s $device /dev/ram1 4096 0" ;;
    *) echo "unknown layer ${layers[number]}" >&2 && exit ;;
    esac
    load "dm-${table%% *}"
    dmsetup create --noudevsync "layer$number" --table "0 $((disk * 2048)) $table" || exit
    device=/dev/dm-$number
done
mkfs.ext4 -q -F -E lazy_itable_init=1,nodiscard -O ^has_journal "$device"
mount "$device" /run/export
chmod 777 /run/export
for ((i = 0; i < ${#inputs[@]}; i += 2)); do
    # Names as in t.0.{0..999}: the braces are bash's own.
    for name in $(eval "echo ${inputs[i]}"); do
        # Thousands of empty files would take long to make by a program each.
        : >"/run/export/$name"
        [ "${inputs[i + 1]}" = 0 ] || head -c "${inputs[i + 1]}" /dev/urandom >"/run/export/$name"
    done
done
for parameter in "${sysctls[@]}"; do
    sysctl -q -w "$parameter"
done

# Only what the mount speaks: version 4 would wait for a daemon that keeps its clients, version 3 needs rpcbind.
if [[ ,$mount, == *,vers=3,* ]]; then
    load -a nfsd nfsv3
    path=/run/export other=4
    rpcbind -w
else
    load -a nfsd nfsv4
    path=/ other=3
fi
serve() {
    rpc.nfsd -N "$other" 8
}
mount -t nfsd nfsd /proc/fs/nfsd
exportfs -o rw,sync,no_root_squash,no_subtree_check,fsid=0,insecure 127.0.0.1:/run/export
# Before the server starts: afterwards it is too late.
echo 1048576 >/proc/fs/nfsd/max_block_size
serve
rpc.mountd -N "$other"
sync
echo 3 >/proc/sys/vm/drop_caches
if [ -n "$network" ]; then
    load sch_netem
    # Unquoted: words of netem. More packets than can be under way, so that none is dropped.
    tc qdisc add dev lo root netem limit 100000 $network || exit
    tc qdisc show dev lo >"$out/network"
fi

mkdir -p "$at"
mount -t nfs -o "$mount" "127.0.0.1:$path" "$at" || exit
grep -E ' nfs4? ' /proc/mounts >"$out/negotiated-mount"
[ ${#layers[@]} = 0 ] || dmsetup table | sort >"$out/server-disk"
cat /proc/self/mountstats >"$out/mountstats-before"
if [ -n "$outage" ]; then
    (
        sleep 1
        rpc.nfsd 0
        sleep "$outage"
        serve
    ) &
fi
cd "$folder" || exit
"${command[@]}" >"$out/stdout" 2>"$out/stderr"
status=$?
cat /proc/self/mountstats >"$out/mountstats-after"
grep -c '^[[:space:]]xprt:' "$out/mountstats-after" >"$out/transports"
for parameter in "${sysctls[@]}"; do
    echo "${parameter%%=*}=$(sysctl -n "${parameter%%=*}" | xargs)" >>"$out/kernel-parameters"
done
echo "$status" >"$out/status"
