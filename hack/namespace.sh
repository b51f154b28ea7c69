#!/bin/sh
# Runs a command in a network, mount and PID namespace of its own, where the addresses of the test cluster are local
# and nothing outside can be reached. When the command ends, whatever it left running ends with it.
#
#   hack/namespace.sh COMMAND...
#
# CLUSTER_WORK names a folder in memory for the command, empty at its start. NAMESPACE_PID_FILE, when set, is where the
# process id is written whose child is the first process inside (hack/demo-shell.ts enters by it).
set -eu

missing() {
  echo "$1" >&2
  exit 69
}

enter() {
  [ "$(uname)" = Linux ] || missing 'the test cluster needs Linux and its network namespaces'
  command -v unshare >/dev/null || missing 'the test cluster needs unshare: install util-linux'
  command -v ip >/dev/null || missing 'the test cluster needs ip: install iproute2'

  set -- -n -m -p --fork --kill-child --mount-proc "$0" --inside "$@"
  [ "$(id -u)" = 0 ] || set -- -r "$@"
  unshare $([ "$(id -u)" = 0 ] || echo -r) -n -m -p --fork --mount-proc true 2>/dev/null ||
    missing 'the test cluster needs namespaces, and unshare may not make them here: run as root, or allow unprivileged user namespaces'

  if [ -n "${NAMESPACE_PID_FILE:-}" ]; then echo $$ >"$NAMESPACE_PID_FILE"; fi
  CLUSTER_WORK="${XDG_CACHE_HOME:-$HOME/.cache}/ramjet/work"
  mkdir -p "$CLUSTER_WORK"
  export CLUSTER_WORK
  # unshare blocks SIGTERM, so a parent that is killed would leave it waiting: it asks the kernel to be killed as well.
  if command -v setpriv >/dev/null; then set -- setpriv --pdeathsig KILL unshare "$@"; else set -- unshare "$@"; fi
  exec "$@"
}

inside() {
  ip link set lo up
  # A pod is an address (AnyIP): each one of these ranges can be bound and reached.
  ip route add local 10.244.0.0/16 dev lo # pods
  ip route add local 10.245.0.0/24 dev lo # Gateways, published addresses
  ip route add local 10.96.0.0/16 dev lo  # Services
  ip -6 route add local fd00:10:244::/64 dev lo 2>/dev/null || true
  # The second one is what config's tcp-migrate component sets; the kernels that lack one of them do without.
  set_sysctl net/ipv4/ip_unprivileged_port_start 0
  set_sysctl net/ipv4/tcp_migrate_req 1
  set_sysctl net/ipv6/ip_nonlocal_bind 1
  mount -t tmpfs tmpfs "$CLUSTER_WORK"
  # The name server of a pod: nobody else's can be reached from here, and a test may stand there.
  echo 'nameserver 10.96.0.10' >"$CLUSTER_WORK/resolv.conf"
  mount --bind "$CLUSTER_WORK/resolv.conf" /etc/resolv.conf

  # This shell stays as the first process: without its trap the kernel would keep Ctrl-C from ending anything here.
  trap : INT TERM
  "$@"
}

set_sysctl() {
  echo "$2" >"/proc/sys/$1" 2>/dev/null || true
}

case ${1:-} in
--inside)
  shift
  inside "$@"
  ;;
'')
  echo 'usage: hack/namespace.sh COMMAND...' >&2
  exit 64
  ;;
*) enter "$@" ;;
esac
