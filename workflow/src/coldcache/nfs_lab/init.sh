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
load brd rd_nr=1 rd_size=$((disk * 1024))
load -a nfsd nfsv3 nfsv4
mkfs.ext4 -q -F -E lazy_itable_init=1,nodiscard -O ^has_journal /dev/ram0
mount /dev/ram0 /run/export
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

mount -t nfsd nfsd /proc/fs/nfsd
rpcbind -w
exportfs -o rw,sync,no_root_squash,no_subtree_check,fsid=0,insecure 127.0.0.1:/run/export
# Before the server starts: afterwards it is too late.
echo 1048576 >/proc/fs/nfsd/max_block_size
rpc.nfsd 8
rpc.mountd
sync
echo 3 >/proc/sys/vm/drop_caches

path=/
[[ ,$mount, == *,vers=3,* ]] && path=/run/export
mkdir -p "$at"
mount -t nfs -o "$mount" "127.0.0.1:$path" "$at" || exit
grep -E ' nfs4? ' /proc/mounts >"$out/negotiated-mount"
cat /proc/self/mountstats >"$out/mountstats-before"
if [ -n "$outage" ]; then
    (
        sleep 1
        rpc.nfsd 0
        sleep "$outage"
        rpc.nfsd 8
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
