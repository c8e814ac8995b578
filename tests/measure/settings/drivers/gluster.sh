#!/bin/sh
# A GlusterFS volume of one brick, served and mounted in namespaces of its own: gluster.sh FOLDER COMMAND...
# The volume is called fast and mounted on FOLDER/mounted; all of it ends with the command.
set -e
folder=$1
shift
if [ -z "$COLDCACHE_GLUSTER" ]; then
    export COLDCACHE_GLUSTER=1
    exec unshare --mount --net --pid --fork --kill-child --mount-proc "$0" "$folder" "$@"
fi
# glusterd refuses addresses of the loopback network, not those of the loopback device.
address=192.0.2.1
ip link set lo up
ip address add $address/32 dev lo
for place in /var/lib/glusterd /var/log/glusterfs /run; do
    mkdir -p $place
    mount -t tmpfs none $place
done
mkdir -p "$folder/brick" "$folder/mounted" /run/gluster
# A brick needs attributes that only root may set.
mount -t tmpfs -o size=256m none "$folder/brick"
mkdir "$folder/brick/fast"
glusterd >&2
until gluster --mode=script pool list >/dev/null 2>&1; do sleep 0.05; done
gluster --mode=script volume create fast "$address:$folder/brick/fast" force >&2
gluster --mode=script volume start fast >&2
mount -t glusterfs "$address:/fast" "$folder/mounted"
status=0
"$@" || status=$?
umount --lazy "$folder/mounted"
exit $status
