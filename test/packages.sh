#!/bin/sh
# Installs the Debian packages that are missing: as root or with sudo by itself, otherwise it prints the one command to run.
missing=
for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
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
