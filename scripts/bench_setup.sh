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

# shellcheck source=scripts/optional_packages.sh
source scripts/optional_packages.sh
install_optional "${packages[@]}"

wanted=$(cat bench/requirements.txt)
if [ "$(cat .venv/installed-bench-requirements.txt 2>/dev/null)" = "$wanted" ]; then
  say ".venv has the packages of bench/requirements.txt"
else
  say "installing the packages of bench/requirements.txt into .venv"
  .venv/bin/python3 -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
  cp bench/requirements.txt .venv/installed-bench-requirements.txt
fi
