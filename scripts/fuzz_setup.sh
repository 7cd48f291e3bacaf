#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what `make fuzz-files` needs besides scripts/setup.sh: Clang with libFuzzer, 16 or newer, as older ones do not
# compile GCC 12's library. Prints the name of the compiler. A second run changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh >&2

say() { printf 'fuzz_setup: %s\n' "$*" >&2; }

versions=(19 18 17 16 20)

is_complete() {
  command -v "clang++-$1" >/dev/null &&
    [ -e "/usr/lib/llvm-$1/lib/clang/$1/lib/linux/libclang_rt.fuzzer-$(uname -m).a" ]
}

for version in "${versions[@]}"; do
  if is_complete "$version"; then
    say "clang++-$version is installed"
    echo "clang++-$version"
    exit
  fi
done
root=()
if [ "$(id -u)" -ne 0 ]; then root=(sudo); fi
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 update -q >&2
for version in "${versions[@]}"; do
  packages=("clang-$version" "libclang-rt-$version-dev")
  if apt-cache show "${packages[@]}" >/dev/null 2>&1; then
    say "installing ${packages[*]}"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 install -q -y \
      --no-install-recommends "${packages[@]}" >&2
    echo "clang++-$version"
    exit
  fi
done
say "this system has no package of Clang 16 or newer"
exit 1
