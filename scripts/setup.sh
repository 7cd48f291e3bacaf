#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing to build and test tenstride. A second run changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

# What the library, the program and the Python package are built with.
packages=(
  g++ make cmake ninja-build pkg-config
  libhwy-dev libtbb-dev liburing-dev libjpeg-dev libpng-dev librsvg2-2 libedit-dev libcli11-dev nlohmann-json3-dev
  libcpp-httplib-dev
  libisal-dev libminizip-dev libtiff-dev libdeflate-dev libzstd-dev libblosc-dev liblz4-dev liblzma-dev libbz2-dev
  libgif-dev libopenjp2-7-dev libhdf5-dev
  python3 python3-dev python3-venv
)
# What the tests, the benchmarks and the Debian packages need besides.
test_packages=(
  ccache binutils zlib1g-dev libgtest-dev libgmock-dev libbenchmark-dev dpkg-dev file openmpi-bin libopenmpi-dev
)

usage() {
  cat <<'TEXT'
usage: scripts/setup.sh [--build]

Installs what this machine lacks: Debian or Ubuntu packages (by sudo where you are not root), and the Python
packages of tests/requirements.txt into .venv (900 MB).

  --build   only the compiler and the libraries for `make demo`, `pip install .` and the program:
            no test libraries and no .venv
TEXT
}

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    fail "this machine is neither Debian nor Ubuntu; install these by hand, then build with cmake --preset dev:
       a C++20 compiler, CMake >= 3.25, Ninja, Highway, oneTBB, liburing, libjpeg-turbo, libpng, ISA-L, minizip, libtiff, libdeflate, zstd, c-blosc, lz4, liblzma, bzip2, giflib, OpenJPEG, HDF5, librsvg, libedit, GoogleTest, CLI11, cpp-httplib, nlohmann-json, Python 3"
  fi
  local missing=() package
  for package in "${packages[@]}"; do
    if ! dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q ' installed$'; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "all ${#packages[@]} packages are installed"
    return
  fi
  local -a root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "not root and no sudo; as root, run: apt-get install ${missing[*]}"
    root=(sudo)
  fi
  say "installing ${#missing[@]} packages of Debian or Ubuntu, one to two minutes: ${missing[*]}"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

check_cmake() {
  local found
  found=$(cmake --version | sed -n '1s/[^0-9]*//p')
  if [ "$(printf '3.25\n%s\n' "$found" | sort -V | head -n 1)" != 3.25 ]; then
    fail "CMake $found is too old; 3.25 is needed (Debian 12, Ubuntu 24.04 or newer have it)"
  fi
}

make_venv() {
  local wanted
  wanted=$(cat tests/requirements.txt)
  if [ -x .venv/bin/python3 ] && [ "$(cat .venv/installed-requirements.txt 2>/dev/null)" = "$wanted" ]; then
    say ".venv has the packages of tests/requirements.txt"
    return
  fi
  say "making .venv with the packages of tests/requirements.txt, about a minute"
  [ -x .venv/bin/python3 ] || python3 -m venv --clear .venv
  .venv/bin/python3 -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
  cp tests/requirements.txt .venv/installed-requirements.txt
}

# An environment that sees Debian's PyTorch, which belongs to the system's Python, for the tests that compare with it.
make_torch_venv() {
  if [ ! -x /usr/bin/python3 ] || ! /usr/bin/python3 -c 'import torch, numpy' 2>/dev/null; then
    say "the system's Python has no PyTorch; tests that compare with it will be skipped"
    return
  fi
  if [ -x .venv-torch/bin/python3 ] && .venv-torch/bin/python3 -c 'import torch, pytest, hypothesis' 2>/dev/null; then
    say ".venv-torch is there"
    return
  fi
  say "making .venv-torch, which sees the system's PyTorch"
  /usr/bin/python3 -m venv --clear --system-site-packages .venv-torch
  .venv-torch/bin/python3 -m pip install --quiet --disable-pip-version-check 'pytest>=8' 'hypothesis>=6.100'
}

only_build=no
for argument in "$@"; do
  case $argument in
    --build) only_build=yes ;;
    -h | --help) usage; exit ;;
    *) usage >&2; exit 2 ;;
  esac
done
if [ "$only_build" = no ]; then
  packages+=("${test_packages[@]}")
fi
install_packages
check_cmake
if [ "$only_build" = no ]; then
  # What the examples exchange memory with.
  . scripts/optional_packages.sh
  install_optional libeigen3-dev libxtensor-dev libopencv-core-dev
  make_venv
  make_torch_venv
fi
