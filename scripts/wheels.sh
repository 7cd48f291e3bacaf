#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tries the wheels for the Pythons that are there (python3.N on the PATH, or of pyenv): one for each of 3.9 to 3.11,
# and one by the stable ABI, which is then tried with every later Python. They lie in build/wheels.
set -euo pipefail
cd "$(dirname "$0")/.."

python_of() {
  local python
  python=$(command -v "python3.$1" || true)
  # pyenv has a command for versions that it has, whether they are chosen or not.
  if [ -n "$python" ] && "$python" -c '' 2>/dev/null; then echo "$python"; return; fi
  for python in "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$1".*/bin/python3; do
    if [ -x "$python" ]; then echo "$python"; return; fi
  done
}

rm -rf build/wheels
mkdir -p build/wheels
stable=''
for minor in 9 10 11 12 13 14 15; do
  python=$(python_of "$minor")
  if [ -z "$python" ]; then
    printf 'wheels: no Python 3.%s here\n' "$minor"
  elif [ "$minor" -lt 12 ] || [ -z "$stable" ]; then
    PYTHON=$python OUT=build/wheels/3.$minor scripts/wheel.sh
    wheel=$(echo build/wheels/3."$minor"/tenstride-*.whl)
    if [ "$minor" -ge 12 ]; then stable=$wheel; fi
    mv "$wheel" build/wheels/
    if [ -n "$stable" ]; then stable=build/wheels/${stable##*/}; fi
  else
    printf 'wheels: trying %s with Python 3.%s\n' "${stable##*/}" "$minor"
    "$python" -m venv --clear build/wheels/3."$minor"
    build/wheels/3."$minor"/bin/python3 -m pip install --quiet --disable-pip-version-check --no-index "$PWD/$stable"
    (cd build/wheels && 3."$minor"/bin/python3 -c \
      'import tenstride as torch; assert torch.arange(6).view(2, 3).T.contiguous().tolist()[2] == [2, 5]')
  fi
done
ls -l build/wheels/*.whl
