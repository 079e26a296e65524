#!/bin/sh
# Runs pytest as root of a Linux in user mode, where cgroups (version 2) have the memory controller:
#     tests/hosts/in_user_mode_linux.sh tests/hosts/test_memory.py
# It needs Debian's package user-mode-linux, and shows the file system of this machine.
if [ $$ -ne 1 ]; then
    status=$(mktemp)
    linux rootfstype=hostfs rw mem=1536M quiet loglevel=1 con=null con0=null,fd:1 "init=$(realpath "$0")" \
        "PROJECT=$(realpath "$(dirname "$0")/../..")" "STATUS=$status" "ARGUMENTS=\"$*\"" </dev/null
    read -r code <"$status"
    rm "$status"
    exit "${code:-1}"
fi
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/run TMPDIR=/run/tests PYTHONDONTWRITEBYTECODE=1
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t cgroup2 cgroups /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mkdir -m 1777 /dev/shm /run/tests
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
cd "$PROJECT" || exit
# shellcheck disable=SC2086 - the words are arguments
.venv/bin/pytest -p no:cacheprovider $ARGUMENTS
echo $? >"$STATUS"
sync
halt -f
