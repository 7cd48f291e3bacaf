#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs MPI and the libraries that tenstride-mpi-bench compares tenstride with: Debian or Ubuntu packages, COSTA into
# build/mpi-bench/costa, and mpi4py-fft into build/mpi-bench/venv. All but MPI are optional: the benchmarks leave out a
# library that is not installed. A second run changes nothing. `make bench-mpi` calls it.
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=(
  libopenmpi-dev openmpi-bin libcli11-dev libscalapack-openmpi-dev libfftw3-dev libfftw3-mpi-dev
  cmake git g++ python3-dev python3-venv
)
costa_version=v2.3.2
folder=build/mpi-bench

say() { printf 'mpi_bench_setup: %s\n' "$*"; }

# shellcheck source=scripts/optional_packages.sh
source scripts/optional_packages.sh
install_optional "${packages[@]}"

build_costa() {
  local source=$folder/costa-source
  if [ ! -d "$source" ]; then
    git clone --quiet --depth 1 --branch "$costa_version" https://github.com/eth-cscs/COSTA.git "$source" || return 1
  fi
  # MPI's classes of C++ are skipped, because tenstride-mpi-bench is linked with MPI's library of C.
  cmake -S "$source" -B "$source/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PWD/$folder/costa" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCOSTA_SCALAPACK=OFF \
    -DCMAKE_CXX_FLAGS="-march=native -DOMPI_SKIP_MPICXX=1 -DMPICH_SKIP_MPICXX=1" >"$folder/costa.log" || return 1
  cmake --build "$source/build" >>"$folder/costa.log" && cmake --install "$source/build" >>"$folder/costa.log"
}

mkdir -p "$folder"
if [ -f "$folder/costa/lib/libcosta.a" ]; then
  say "COSTA is installed in $folder/costa"
else
  say "building COSTA $costa_version"
  build_costa || say "COSTA is not built (see $folder/costa.log); the benchmarks leave it out"
fi

wanted=$(cat bench/mpi/requirements.txt)
if [ "$(cat "$folder/venv/installed-requirements.txt" 2>/dev/null)" = "$wanted" ]; then
  say "$folder/venv has the packages of bench/mpi/requirements.txt"
else
  say "installing the packages of bench/mpi/requirements.txt into $folder/venv"
  python3 -m venv "$folder/venv"
  if "$folder/venv/bin/python3" -m pip install --quiet --disable-pip-version-check -r bench/mpi/requirements.txt; then
    cp bench/mpi/requirements.txt "$folder/venv/installed-requirements.txt"
  else
    say "mpi4py-fft is not installed; bench/mpi/mpi4py_fft_peer.py cannot be run"
  fi
fi
