#!/bin/bash
# The first process of the guest: make a disk in memory, serve its file system by NFS to clients, each with a link of its
# own, and run the command on their mounts. Without mount options the command has the file system itself.
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
mkdir -p /run/rpcbind /run/lab /run/export /run/limits /var/lib/nfs/{rpc_pipefs,v4recovery,sm,sm.bak}
touch /var/lib/nfs/{etab,rmtab,state}
mount -t hostfs none /run/lab -o "$LAB"
. /run/lab/spec
out=/run/lab/out
exec 2>"$out/trace"
ip link set lo up

load() {
    modprobe -d /run/lab "$@"
}

# The driver of the disks counts nothing, the device mapper above it does.
load brd rd_nr=2 rd_size=$((disk * 1024))
devices=()
lay() {
    load "dm-${2%% *}" 2>/dev/null || load dm-mod
    dmsetup create --noudevsync "$1" --table "0 $((disk * 2048)) $2" || exit
    device=/dev/dm-${#devices[@]}
    devices+=("$1")
}
lay disk "linear /dev/ram0 0"
cache='' writecache='' rate='' cache_rate=''
# Each layer lies on the one before it; a cache takes the second disk.
for number in "${!layers[@]}"; do
    case ${layers[number]} in
    delay=*) lay "layer$number" "delay $device 0 ${layers[number]#*=}" ;;
    writecache)
        below=$device
        # A disk in memory writes in the time of the process that asks, which then goes on before all others; a loop
        # device takes them in turn.
        load loop
        losetup --direct-io=on /dev/loop0 /dev/ram1 || exit
        lay cache "linear /dev/loop0 0"
        cache=$device
        lay "layer$number" "writecache s $below $cache 4096 0"
        writecache=layer$number
        ;;
    rate=*) rate=${layers[number]#*=} ;;
    cache-rate=*) cache_rate=${layers[number]#*=} ;;
    *) echo "unknown layer ${layers[number]}" >&2 && exit ;;
    esac
done
# The tables of inodes are not initialized in the background, which would write a few megabytes beside the command's own.
ext4=noinit_itable
mkfs.ext4 -q -F -E lazy_itable_init=1,nodiscard -O ^has_journal "$device"
mount -o "$ext4" "$device" /run/export
chmod 777 /run/export
# IOzone verifies the first word of each page that it reads.
fill() {
    local left
    [ -s /run/pages ] || for page in {1..16}; do
        printf ________
        head -c 4088 /dev/urandom
    done >/run/pages
    for ((left = $1; left > 0; left -= 65536)); do
        head -c $((left < 65536 ? left : 65536)) /run/pages
    done
}
for ((i = 0; i < ${#inputs[@]}; i += 2)); do
    # Names as in t.0.{0..999}: the braces are bash's own.
    for name in $(eval "echo ${inputs[i]}"); do
        # Thousands of empty files would take long to make by a program each.
        : >"/run/export/$name"
        [ "${inputs[i + 1]}" = 0 ] || fill "${inputs[i + 1]}" >"/run/export/$name"
    done
done

# Version 1 of control groups can limit what the kernel itself writes, which is in the group at the root.
limit() {
    [ -n "$2" ] && [ -b "$3" ] || return
    mountpoint -q /run/limits || mount -t cgroup -o blkio limits /run/limits
    local file=/run/limits/blkio.throttle.write_bps_device number found bytes
    number=$(<"/sys/block/${3#/dev/}/dev")
    echo "$number $2" >"$file"
    while read -r found bytes; do
        [ "$found" != "$number" ] || echo "$1=$bytes"
    done <"$file" >>"$out/disk-limits"
}

# The bytes that each device read and wrote; the kernel counts in sectors.
count_devices() {
    local name read written
    while read -r _ _ name _ _ read _ _ _ written _; do
        [[ $name != dm-* ]] || echo "${devices[${name#dm-}]} $((read * 512)) $((written * 512))"
    done </proc/diskstats
}

# Parameters of the network belong to each client; those that its namespace does not have are the whole guest's.
with_client() {
    nsenter --net="/run/netns/c$1" "${@:2}"
}
set_parameter() {
    for ((n = 1; n <= clients; n++)); do
        with_client "$n" sysctl -q -w "$1" 2>/dev/null || sysctl -q -w "$1"
    done
}

# The server and the clients are links of a bridge, which has a namespace of its own: otherwise it would answer for the
# server, past the server's link.
start_network() {
    load -a bridge veth
    {
        echo "netns add bridge"
        echo "link add server type veth peer name server netns bridge"
        echo "addr add 10.0.0.254/24 dev server"
        echo "link set server up"
        for ((n = 1; n <= clients; n++)); do
            echo "netns add c$n"
            echo "link add name client netns c$n type veth peer name c$n netns bridge"
        done
    } | ip -batch -
    {
        echo "link add bridge type bridge"
        printf 'link set %s up\n' "bridge" "server master bridge"
        for ((n = 1; n <= clients; n++)); do
            echo "link set c$n master bridge up"
        done
    } | ip -n bridge -batch -
    for ((n = 1; n <= clients; n++)); do
        printf '%s\n' "link set lo up" "link set client up" "addr add 10.0.0.$n/24 dev client" | ip -n "c$n" -batch -
    done
}

delay_packets() {
    load sch_netem
    # Unquoted: words of netem. More packets than can be under way, so that none is dropped.
    if [ -n "$network" ]; then
        for ((n = 1; n <= clients; n++)); do
            tc -n "c$n" qdisc add dev client root netem limit 100000 $network || exit
            tc -n bridge qdisc add dev "c$n" root netem limit 100000 $network || exit
        done
        tc -n c1 qdisc show dev client >"$out/network"
    fi
    if [ -n "$server_network" ]; then
        tc qdisc add dev server root netem limit 100000 $server_network || exit
        tc -n bridge qdisc add dev server root netem limit 100000 $server_network || exit
        tc qdisc show dev server >"$out/server-network"
    fi
}

serve() {
    rpc.nfsd -N "$other" 8
}
start_server() {
    # Only what the mount speaks: version 4 would wait for a daemon that keeps its clients, version 3 needs rpcbind.
    if [[ ,$mount, == *,vers=3,* ]]; then
        load -a nfsd nfsv3
        path=/run/export other=4
        rpcbind -w
    else
        load -a nfsd nfsv4
        path=/ other=3
    fi
    mount -t nfsd nfsd /proc/fs/nfsd
    exportfs -o rw,sync,no_root_squash,no_subtree_check,fsid=0,insecure 10.0.0.0/24:/run/export
    # The server's buffers are so large that those of the clients decide.
    sysctl -q -w net.ipv4.tcp_rmem="4096 131072 67108864" net.ipv4.tcp_wmem="4096 16384 67108864"
    # The guest's uneven pace is no congestion.
    echo 0 >/sys/module/tcp_cubic/parameters/hystart
    # Before the server starts: afterwards it is too late.
    echo 1048576 >/proc/fs/nfsd/max_block_size
    serve
    rpc.mountd -N "$other"
}

mount_clients() {
    for ((n = 1; n <= clients; n++)); do
        place=$at
        [ "$clients" = 1 ] || place=$at/c$n
        mkdir -p "$place"
        with_client "$n" mount -t nfs -o "$mount" "10.0.0.254:$path" "$place" || exit
    done
    grep -E ' nfs4? ' /proc/mounts >"$out/negotiated-mount"
}

if [ -n "$mount" ]; then
    start_network
    start_server
    # At a tenth of this small memory the clients would begin to write in the middle of a piece, and at a fifth the
    # server, which is in the same kernel, would wait for them to write first. The memory of a real client is larger.
    sysctl -q -w vm.dirty_ratio=90 vm.dirty_background_ratio=80
    for parameter in "${sysctls[@]}"; do
        set_parameter "$parameter"
    done
    sync
    echo 3 >/proc/sys/vm/drop_caches
    mount_clients
    [ -z "$network$server_network" ] || delay_packets
else
    sync
    umount /run/export
    mkdir -p "$at"
    mount -o "$ext4" "$device" "$at"
    grep " $at " /proc/mounts >"$out/negotiated-mount"
fi
# What was laid out is on the disk, and the cache is empty.
[ -z "$writecache" ] || dmsetup message "$writecache" 0 flush
limit rate "$rate" /dev/dm-0
limit cache-rate "$cache_rate" "$cache"
[ ${#layers[@]} = 0 ] || dmsetup table | sort >"$out/server-disk"
count_devices >"$out/devices-before"
cat /proc/self/mountstats >"$out/mountstats-before"
if [ -n "$outage" ]; then
    # Not before the server has moved something for the command.
    (
        until grep -Eq '^io ([1-9]|0 [1-9])' /proc/net/rpc/nfsd; do
            sleep 0.1
        done
        rpc.nfsd 0
        sleep "$outage"
        serve
    ) &
fi
cd "$at" || exit
"${command[@]}" >"$out/stdout" 2>"$out/stderr"
status=$?
cat /proc/self/mountstats >"$out/mountstats-after"
count_devices >"$out/devices-after"
# The thirteenth word of a connection is the most slots that it has had in use.
transports=0 most=0
while read -r -a words; do
    [ "${words[0]}" != xprt: ] || transports=$((transports + 1)) most=$((most + words[12]))
done <"$out/mountstats-after"
echo "$transports" >"$out/transports"
echo "$most" >"$out/most-in-flight"
for parameter in "${sysctls[@]}"; do
    name=${parameter%%=*}
    value=$(with_client 1 sysctl -n "$name" 2>/dev/null || sysctl -n "$name")
    echo "$name=$(echo $value)" >>"$out/kernel-parameters"
done
echo "$status" >"$out/status"
