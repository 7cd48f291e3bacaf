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

. scripts/install_venv.sh
install_venv build/explorer/venv explorer/requirements.txt
# Libraries that are nothing but headers: these may be used, and no other header of this machine.
mkdir -p build/explorer/headers
for headers in hwy nlohmann; do
  for folder in /usr/include /usr/local/include; do
    if [ -d "$folder/$headers" ]; then ln -sfn "$folder/$headers" build/explorer/headers/$headers; fi
  done
done
