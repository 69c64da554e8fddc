#!/bin/sh
# Installs the servers and tools that the tests and the lab use. Nothing is started by it, except
# where the distribution insists.
set -eu

packages="nginx-light redis-server iproute2 nftables procps util-linux strace cron openssl git libfaketime"

if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1; then
    as_root="sudo"
else
    echo "make services: root or sudo is needed to install $packages" >&2
    exit 1
fi

missing=""
for package in $packages; do
    if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        missing="$missing $package"
    fi
done
# Any nginx will do.
if [ -x /usr/sbin/nginx ]; then
    missing=$(printf '%s' "$missing" | sed 's/ nginx-light//')
fi
if [ -z "$missing" ]; then
    echo "make services: everything is there"
    exit 0
fi

# RUNLEVEL=1 keeps the packages' own scripts from starting what they install.
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -y -qq --no-install-recommends $missing
