#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what `make docs` needs beside the build: Doxygen and Chromium with its driver (Debian or Ubuntu packages), and Sphinx
# with its theme in build/docs/venv. Run again, it changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'docs_setup: %s\n' "$*"; }
fail() { printf 'docs_setup: %s\n' "$*" >&2; exit 1; }

# The programs, and the Debian packages that have them. Ubuntu's package chromium-driver is an empty one that fetches a snap.
declare -A package_of=([doxygen]=doxygen [chromium]=chromium [chromedriver]=chromium-driver)
missing=()
for program in doxygen chromium chromedriver; do
  command -v "$program" >/dev/null || missing+=("${package_of[$program]}")
done
if [ ${#missing[@]} -eq 0 ]; then
  say "Doxygen, Chromium and its driver are installed"
else
  command -v apt-get >/dev/null || fail "install these by hand: Doxygen, Chromium, chromedriver"
  root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "not root and no sudo; as root, run: apt-get install ${missing[*]}"
    root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 install -q -y \
    --no-install-recommends "${missing[@]}"
fi

. scripts/install_venv.sh
install_venv build/docs/venv docs/requirements.txt
