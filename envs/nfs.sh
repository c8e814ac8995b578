#!/usr/bin/env bash
# The guest in which NFS sweeps run: User-Mode Linux, with the NFS client and server of this system.
#   present   exit status 0 if all of it is installed
#   install   install it
set -euo pipefail
cd "$(dirname "$0")/.."
. envs/apt.sh

packages=(user-mode-linux nfs-common nfs-kernel-server rpcbind kmod iproute2 dmsetup e2fsprogs procps busybox-static)
programs=(linux.uml mount.nfs rpc.nfsd rpcbind modprobe ip tc dmsetup mkfs.ext4 sysctl busybox)

case ${1-} in
present)
    # An ordinary user's PATH lacks the sbin folders.
    PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
    for program in "${programs[@]}"; do
        command -v "$program" >/dev/null || exit 1
    done
    ;;
install)
    mkdir -p "${log%/*}"
    apt_install "${packages[@]}"
    ;;
*)
    say "usage: bash envs/nfs.sh present|install"
    exit 2
    ;;
esac
