#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages libtenstride0.1, libtenstride-dev and tenstride into build/deb/packages, for the Debian or Ubuntu
# that this is.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -f build/explorer/page/index.html ]; then
  echo "deb: the package tenstride must have the explorer's page, and build/explorer/page has none; run make explorer first" >&2
  exit 1
fi
build=build/deb
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_SKIP_INSTALL_RPATH=ON \
  -DBUILD_SHARED_LIBS=ON -DTENSTRIDE_BUILD_BOTH=ON -DTENSTRIDE_BUILD_TESTS=OFF
cmake --build "$build"
rm -rf "$build/packages"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$build/packages"
rm -rf "$build/packages/_CPack_Packages"
for package in "$build"/packages/*.deb; do
  printf 'deb: %s, %s bytes; needs %s\n' "$package" "$(stat -c %s "$package")" "$(dpkg-deb -f "$package" Depends)"
done
