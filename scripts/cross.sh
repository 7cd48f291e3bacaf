#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts/cross.sh PRESET [TESTS]: builds a part of the library and its tests for another processor (presets arm
# and x86-32), or those tests whose sources the regular expression TESTS names, and runs them. Installs the
# compiler and the emulator where they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?usage: scripts/cross.sh PRESET [TESTS]}
say() { printf 'cross: %s\n' "$*"; }
. scripts/optional_packages.sh
case $preset in
  arm) install_optional g++-aarch64-linux-gnu qemu-user googletest ;;
  *) install_optional g++-i686-linux-gnu googletest ;;
esac

tests=()
if [ $# -gt 1 ]; then tests=(-DTENSTRIDE_TESTS="$2"); fi
cmake --preset "$preset" ${tests[@]+"${tests[@]}"}
cmake --build --preset "$preset"
program=build/$preset/bin/tenstride-tests
run=()
case $preset in
  arm) run=(qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu) ;;
esac
# Each processor runs a part: an emulator has no other use for a second one.
parts=$(nproc)
say "running the tests in $parts parts"
waiting=()
for part in $(seq 0 $((parts - 1))); do
  GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$part \
    ${run[@]+"${run[@]}"} "$program" --gtest_brief=1 &
  waiting+=($!)
done
for process in "${waiting[@]}"; do wait "$process"; done
