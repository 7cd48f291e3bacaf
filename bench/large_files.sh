#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the reordering of files larger than memory: tenstride, cp and five peers, each in a memory control group of
# 512 MB with caches dropped. As root, for that and for the packages; 25 GB of disk; hours. `--quick` tries it in minutes.
#
#   bench/large_files.sh                        # all of it, into build/large_files/results.json
#   bench/large_files.sh --continue             # goes on where it was stopped
#   bench/large_files.sh --quick --contenders cp,tenstride,numpy
#   bench/large_files.sh --help
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'large_files: %s\n' "$*"; }

missing=()
for package in nco gdal-bin; do
  if ! dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q ' installed$'; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -ne 0 ] && [ "$(id -u)" -eq 0 ]; then
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o DPkg::Lock::Timeout=900 update -q
  apt-get -o DPkg::Lock::Timeout=900 install -q -y --no-install-recommends "${missing[@]}" ||
    say "${missing[*]} cannot be had here; they take no part"
fi

# The peers' Python packages are kept apart from .venv: some are large, and all are pinned.
venv=build/large_files/venv
wanted=$(cat bench/large_files_requirements.txt)
if [ "$(cat "$venv/installed-requirements.txt" 2>/dev/null)" != "$wanted" ]; then
  say "installing what bench/large_files_requirements.txt asks for into $venv"
  python3 -m venv "$venv"
  "$venv/bin/python3" -m pip install --quiet --disable-pip-version-check -r bench/large_files_requirements.txt
  cp bench/large_files_requirements.txt "$venv/installed-requirements.txt"
fi

exec "$venv/bin/python3" -B bench/large_files.py "$@"
