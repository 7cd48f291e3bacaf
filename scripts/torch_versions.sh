#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests that need PyTorch with the oldest version that is supported (1.13), with 2.6, and with the newest of PyPI.
#
#   scripts/torch_versions.sh            # after `make build`; environments in build/torch, 14 GB together
#   scripts/torch_versions.sh 2.6.0      # this version alone; `newest` is a version, too
#   scripts/torch_versions.sh --install  # only installs them
#
# A version that cannot be installed is skipped, and a line says so. The script fails if a test fails.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

python=.venv/bin/python3
package=$PWD/build/dev/python
only_installs=
[ "${1-}" != --install ] || { only_installs=yes; shift; }
versions=("$@")
[ ${#versions[@]} -ne 0 ] || versions=(1.13.1 2.6.0 newest)

[ -n "$only_installs" ] || [ -d "$package" ] || { echo "torch: $package is not built; run make build first" >&2; exit 1; }

tests=()
for file in tests/python/test_*torch*.py tests/python/test_audit*.py; do
  case "$file" in *test_replay_torch*) continue ;; esac
  [[ " ${tests[*]-} " == *" $file "* ]] || tests+=("$file")
done

install() {  # install VERSION ENVIRONMENT
  local wanted=torch numpy=numpy
  [ "$1" = newest ] || wanted="torch==$1"
  case "$1" in 1.*) numpy='numpy<2' ;; esac
  [ -x "$2/bin/python3" ] || "$python" -m venv "$2" || return
  [ "$1" != newest ] && [ -f "$2/installed" ] && return
  "$2/bin/python3" -m pip install --quiet --disable-pip-version-check --upgrade "$wanted" "$numpy" 'pytest>=8' 'hypothesis>=6.100' \
    && touch "$2/installed"
}

failed=()
for version in "${versions[@]}"; do
  environment=build/torch/$version
  if ! install "$version" "$environment"; then
    echo "torch: PyTorch $version skipped, as it cannot be installed here (pip's words stand above)"
    continue
  fi
  [ -z "$only_installs" ] || continue
  printf '\ntorch: '
  "$environment/bin/python3" -c 'import torch; print("PyTorch", torch.__version__)' || { failed+=("$version"); continue; }
  PYTHONPATH=$package "$environment/bin/python3" -B -m pytest -p no:cacheprovider "${tests[@]}" || failed+=("$version")
done

if [ ${#failed[@]} -ne 0 ]; then
  printf '\ntorch: failed with PyTorch %s\n' "${failed[*]}" >&2
  exit 1
fi
