#!/usr/bin/env bash
# A Slurm cluster of four nodes on one machine, for tests: it proves that the pipeline runs, and says nothing of speed.
#   slurm_lab.sh begin FOLDER [accounting]   as root: start it and stay in the foreground; when this process ends, all ends
#   slurm_lab.sh node FOLDER N               inside: start node N (again)
#   slurm_lab.sh lose FOLDER N               inside: node N is gone from one moment to the next
#   slurm_lab.sh silence FOLDER SECONDS      inside: for so long nothing of Slurm answers to anybody
# FOLDER/up appears when all nodes are idle. The login node, and each node, has network, mounts, host name, IPC and
# processes of its own, and nothing of it reaches the machine's network; the files are the machine's.
# Its nodes answer to ssh, too, without a password. With accounting it has slurmdbd over MariaDB, forgets ended jobs in
# seconds, and runs none without an account. Needs what envs/cluster.txt lists.
set -euo pipefail
nodes=4 network=10.77.0

begin() {
    exec unshare --mount --net --uts --ipc --pid --fork --kill-child --mount-proc "$0" login "$@"
}

write_configuration() {
    local storage=none age=300
    if [ -n "$1" ]; then storage=slurmdbd age=2; fi
    mkdir -p etc state log spool
    {
        echo "127.0.0.1 localhost"
        echo "$network.1 login"
        for number in $(seq $nodes); do echo "$network.$((10 + number)) n$number"; done
    } >etc/hosts
    cat >etc/slurm.conf <<END
ClusterName=lab
SlurmctldHost=login($network.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool/%n
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.%n.pid
SlurmctldLogFile=$PWD/log/slurmctld.log
SlurmdLogFile=$PWD/log/slurmd.%n.log
TmpFS=$PWD/spool/%n
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/$storage
AccountingStorageHost=login
${1:+AccountingStorageEnforce=associations}
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_min_interval=100000,bf_interval=2
SlurmdParameters=config_overrides
# IOzone and fio listen from 8765 and 20000 on.
SrunPortRange=30000-31000
MinJobAge=$age
ReturnToService=2
SlurmdTimeout=10
KillWait=5
InactiveLimit=0
NodeName=n[1-$nodes] NodeAddr=$network.[11-$((10 + nodes))] CPUs=$(nproc) RealMemory=2000 State=UNKNOWN
PartitionName=lab Nodes=ALL Default=YES MaxTime=60 State=UP OverSubscribe=NO
END
}

login() {
    cd "$1"
    write_configuration "${2-}"
    hostname login
    mount --make-rprivate /
    mount -t tmpfs none /run
    mount -t tmpfs none /dev/shm
    mount --bind etc/hosts /etc/hosts
    mount --bind etc /etc/slurm
    ip link set lo up
    ip link add nodes type bridge
    ip address add $network.1/24 dev nodes
    ip link set nodes up
    mkdir -p /run/munge /run/munge.d
    dd if=/dev/urandom of=/run/munge.d/key bs=128 count=1 status=none
    chmod 400 /run/munge.d/key
    chown -R munge:munge /run/munge /run/munge.d
    start_munge
    if [ -n "${2-}" ]; then keep_accounts; fi
    let_in_by_ssh
    slurmctld
    for number in $(seq $nodes); do node "$1" "$number"; done
    until [ "$(sinfo --noheader --states=idle --format=%D 2>/dev/null)" = $nodes ]; do sleep 0.1; done
    touch up
    # The first process of a namespace takes over whatever loses its parent.
    while :; do wait || true; sleep 0.2; done
}

start_munge() {
    setpriv --reuid=munge --regid=munge --clear-groups munged --key-file=/run/munge.d/key \
        --pid-file=/run/munge.d/pid --log-file=/run/munge.d/log --seed-file=/run/munge.d/seed
}

keep_accounts() {
    mkdir -p /run/mysqld database
    local database=(mariadbd --no-defaults --user=root --datadir="$PWD/database" --innodb-buffer-pool-size=64M)
    { printf "create database mysql;\nuse mysql;\n"; cat /usr/share/mysql/mysql_system_tables.sql; } |
        "${database[@]}" --bootstrap >log/mariadb.log 2>&1
    # Nobody but the processes of this namespace reaches its socket.
    "${database[@]}" --skip-networking --skip-grant-tables --socket=/run/mysqld/mysqld.sock --pid-file=/run/mysqld/pid \
        --innodb-lock-wait-timeout=900 >>log/mariadb.log 2>&1 &
    cat >etc/slurmdbd.conf <<END
AuthType=auth/munge
DbdHost=login
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
LogFile=$PWD/log/slurmdbd.log
PidFile=/run/slurmdbd.pid
END
    chmod 600 etc/slurmdbd.conf
    until [ -S /run/mysqld/mysqld.sock ]; do sleep 0.1; done
    slurmdbd
    until sacctmgr --immediate --quiet add cluster lab >>log/sacctmgr.log 2>&1; do sleep 0.2; done
    sacctmgr --immediate --quiet add account storage >>log/sacctmgr.log
    sacctmgr --immediate --quiet add user root account=storage >>log/sacctmgr.log
}

let_in_by_ssh() {
    # ssh looks in the home of the user's entry, whatever HOME says.
    local keys
    keys=$(getent passwd "$(id -u)" | cut -d: -f6)/.ssh
    mkdir -p "$keys"
    mount -t tmpfs none "$keys"
    ssh-keygen -q -t ed25519 -N "" -f "$keys/id_ed25519"
    cp "$keys/id_ed25519.pub" "$keys/authorized_keys"
    echo "StrictHostKeyChecking accept-new" >"$keys/config"
    chmod 700 "$keys"
    chmod 600 "$keys"/*
    dropbearkey -t ed25519 -f /run/dropbear_key >/dev/null 2>&1
}

node() {
    cd "$1"
    local number=$2 name=n$2
    if ! [ -e "/run/netns/$name" ]; then
        ip netns add "$name"
        ip link add "to-$name" type veth peer name eth0 netns "$name"
        ip link set "to-$name" master nodes up
        ip -n "$name" address add "$network.$((10 + number))/24" dev eth0
        ip -n "$name" link set eth0 up
        ip -n "$name" link set lo up
    fi
    # A node that was lost leaves sockets of its last steps, which break steps of the same number.
    rm -rf "spool/$name"
    mkdir -p "spool/$name"
    # Not exec: the first process of a namespace takes over whatever loses its parent, which slurmd does not.
    nsenter --net="/run/netns/$name" unshare --mount --uts --ipc --pid --fork --kill-child --mount-proc \
        bash -c "hostname $name; mount -t tmpfs none /dev/shm; dropbear -r /run/dropbear_key -s; slurmd -D -N $name & wait" \
        >"log/$name.out" 2>&1 </dev/null &
    echo $! >"spool/$name.pid"
}

lose() {
    kill -9 "$(cat "$1/spool/n$2.pid")"
}

silence() {
    kill "$(cat /run/munge.d/pid)"
    sleep "$2"
    start_munge
}

"$@"
