#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the libraries that the benchmarks compare tenstride with: Debian or Ubuntu packages, and NumPy, einops and
# matplotlib in .venv. All are optional: the benchmarks leave out a library that is not installed. A second run changes
# nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh

packages=(
  libtorch-dev libopenblas-dev libeigen3-dev libxtensor-dev libdnnl-dev libopencv-core-dev libfftw3-dev
)

say() { printf 'bench_setup: %s\n' "$*"; }

missing=()
for package in "${packages[@]}"; do
  if ! dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q ' installed$'; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -eq 0 ]; then
  say "all ${#packages[@]} packages are installed"
else
  root=()
  if [ "$(id -u)" -ne 0 ]; then root=(sudo); fi
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 update -q
  # One by one, because a release may lack some of them.
  for package in "${missing[@]}"; do
    say "installing $package"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 install -q -y \
      --no-install-recommends "$package" || say "$package is not available here; the benchmarks leave it out"
  done
fi

wanted=$(cat bench/requirements.txt)
if [ "$(cat .venv/installed-bench-requirements.txt 2>/dev/null)" = "$wanted" ]; then
  say ".venv has the packages of bench/requirements.txt"
else
  say "installing the packages of bench/requirements.txt into .venv"
  .venv/bin/python3 -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
  cp bench/requirements.txt .venv/installed-bench-requirements.txt
fi
