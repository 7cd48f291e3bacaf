#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures chunks to chunks (Zarr, HDF5), checkpoints and archives beside the programs that people use for them, each in a
# memory control group of 512 MB with caches dropped. As root, for that and for the packages; 25 GB of disk; an hour.
#
#   bench/formats.sh                            # all of it, into build/formats/results.json
#   bench/formats.sh --quick --without-limit    # does it work?
#   bench/formats.sh --cases zarr-tiles --contenders tenstride,tensorstore
#   bench/formats.sh --help
set -euo pipefail
cd "$(dirname "$0")/.."

bench/large_files.sh --help >/dev/null # makes the virtual environment of the peers
missing=()
for package in hdf5-tools netcdf-bin isal unzip; do
  if ! dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q ' installed$'; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -ne 0 ] && [ "$(id -u)" -eq 0 ]; then
  printf 'formats: installing %s\n' "${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o DPkg::Lock::Timeout=900 install -q -y --no-install-recommends "${missing[@]}" ||
    printf 'formats: %s cannot be had here; they take no part\n' "${missing[*]}"
fi

exec build/large_files/venv/bin/python3 -B bench/formats.py "$@"
