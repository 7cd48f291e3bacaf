#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel into build/wheel, installs it into an empty environment and tries what it promises there: the package without
# NumPy, the program it carries, and the typing information. The wheel needs the shared libraries it was built with.
# TENSTRIDE_WHEEL=dev builds it of what the preset dev compiled: for a test, in a minute.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/wheel
rm -rf "$out"
mkdir -p "$out"
python=.venv/bin/python3
options=()
if [ "${TENSTRIDE_WHEEL:-release}" = dev ]; then
  # With the tools of .venv and the flags of the preset dev, so that the compiler's cache knows every file.
  "$python" -c 'import nanobind, scikit_build_core'
  export CXX=${CXX:-c++}  # CMake's own choice; scikit-build-core's is the one that Python was built with
  options=(--no-build-isolation
           --config-settings=cmake.build-type=RelWithDebInfo
           --config-settings=cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -g1"
           --config-settings=cmake.define.TENSTRIDE_WERROR=ON)
fi
"$python" -m pip wheel . --quiet --disable-pip-version-check --no-deps --wheel-dir "$out" ${options[@]+"${options[@]}"}
wheel=("$out"/tenstride-*.whl)
printf 'wheel: %s, %s bytes\n' "${wheel[0]}" "$(stat -c %s "${wheel[0]}")"

"$python" -m venv --clear "$out/empty"
empty=$PWD/$out/empty/bin
"$empty/python3" -m pip install --quiet --disable-pip-version-check --no-index "$PWD/${wheel[0]}"
cd "$out"  # away from the sources
"$empty/python3" -m pip list --disable-pip-version-check --format=freeze | grep -q '^tenstride=='
if "$empty/python3" -c 'import numpy' 2>/dev/null; then
  echo "wheel: the environment was to be empty, but has NumPy" >&2
  exit 1
fi
"$empty/python3" - <<'PYTHON'
import pathlib
import tenstride as torch

x = torch.arange(6).view(2, 3)
assert x.T.stride() == (1, 3) and (x.T + 1).sum().item() == 21
with torch.CopyLedger() as ledger:
    x.T.contiguous()
assert ledger.copies == 1
folder = pathlib.Path(torch.__file__).parent
assert (folder / "py.typed").exists()
print("wheel: import tenstride", torch.__version__)
PYTHON
"$empty/python3" -m tenstride explain "torch.arange(6).view(2, 3).T.reshape(-1)"
"$empty/python3" -m tenstride explain - <<'PYTHON'
import torch, torch.nn as nn

x = nn.Linear(3, 4)(torch.zeros(2, 3)).t()
y = x.reshape(-1)
PYTHON
"$empty/tenstride" --version
echo "wheel: installs into an empty environment and runs there"
