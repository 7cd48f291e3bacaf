#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts/explorer_setup.sh [--test]: installs what `make explorer` needs beside the build, a compiler for WebAssembly in
# build/explorer/venv (440 MB), and with --test the browsers and Node.js. Run again, it changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'explorer_setup: %s\n' "$*"; }

if [ "${1:-}" = --test ]; then
  . scripts/optional_packages.sh
  install_optional nodejs chromium chromium-driver firefox-esr
fi

venv=build/explorer/venv
wanted=$(cat explorer/requirements.txt)
if [ -d $venv/lib ] && [ "$(cat $venv/installed-requirements.txt 2>/dev/null)" = "$wanted" ]; then
  say "$venv has what explorer/requirements.txt asks for"
else
  say "making $venv with what explorer/requirements.txt asks for"
  python3 -m venv --clear $venv
  $venv/bin/python3 -m pip install --quiet --disable-pip-version-check -r explorer/requirements.txt
  cp explorer/requirements.txt $venv/installed-requirements.txt
fi
# Libraries that are nothing but headers: these may be used, and no other header of this machine.
mkdir -p build/explorer/headers
for headers in hwy nlohmann; do
  for folder in /usr/include /usr/local/include; do
    if [ -d "$folder/$headers" ]; then ln -sfn "$folder/$headers" build/explorer/headers/$headers; fi
  done
done
