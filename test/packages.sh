#!/bin/sh
# Installs the Debian packages that are missing: as root or with sudo by itself, otherwise it prints the one command to run.
# --wanted: it is no failure, and nothing is said, when they cannot be installed.
wanted=
[ "$1" = --wanted ] && wanted=1 && shift
missing=
for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if [ -n "$wanted" ]; then # tried once
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && [ ! -e build/packages-tried ] || exit 0
    mkdir -p build && touch build/packages-tried
    DEBIAN_FRONTEND=noninteractive timeout 60 apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 && echo "installed:$missing"
    exit 0
fi
command -v apt-get >/dev/null || { echo "please install:$missing" >&2; exit 1; }
as=
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as=sudo
    else
        echo "these packages are missing; run:  sudo apt-get install -y$missing" >&2
        exit 1
    fi
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 && exit 0
$as apt-get update >/dev/null 2>&1
$as apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 || { echo "could not install:$missing" >&2; exit 1; }
