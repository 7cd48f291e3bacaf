#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel, makes it portable by scripts/wheel_repair.py (build/wheel/tenstride-*.whl), installs it into an empty
# environment and tries what it promises there: the package without NumPy, the program it carries, the typing information, and
# no library of the system but those that every Linux has.
# TENSTRIDE_WHEEL=dev reuses what the preset dev compiled and takes a minute; it is for a test. PYTHON is the Python to build
# for, by default that of .venv; up to 3.11 each version needs a wheel of its own, from 3.12 on one is for all. OUT is the
# folder for the wheel.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${OUT:-build/wheel}
rm -rf "$out"
mkdir -p "$out/built"
python=${PYTHON:-.venv/bin/python3}
options=()
limit=(--max-bytes 8500000)  # the libraries of file formats take 2 MB of it, the explorer's page as much
if [ ! -f build/explorer/page/index.html ]; then
  echo "wheel: build/explorer/page has no page, and so the wheel would have no explorer; make explorer builds it" >&2
  [ "${TENSTRIDE_WHEEL:-release}" = dev ] || exit 1
fi
if [ "${TENSTRIDE_WHEEL:-release}" = dev ]; then
  # With the tools of .venv and the flags of the preset dev, so that the compiler's cache knows every file.
  "$python" -c 'import nanobind, scikit_build_core'
  export CXX=${CXX:-c++}  # CMake's own choice; scikit-build-core's is the one that Python was built with
  # Beside build/dev, so that paths relative to the build folder are the same, too.
  options+=(--quiet --no-build-isolation --config-settings=build-dir=build/wheel-dev
            --config-settings=cmake.build-type=RelWithDebInfo
            --config-settings=cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -g1"
            --config-settings=cmake.define.TENSTRIDE_WERROR=ON)
  limit=()
else
  echo "wheel: building; on two cores this takes five to ten minutes"
  # Two folders below the sources, as every build, so that the compiler's cache serves the next Python's.
  build=build/wheel-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  rm -rf "$build"
  options+=(--verbose --config-settings=build-dir="$build")
fi
"$python" -m pip wheel . --disable-pip-version-check --no-deps --wheel-dir "$out/built" ${options[@]+"${options[@]}"}
built=$(echo "$out"/built/*.whl)
if .venv/bin/python3 -B scripts/wheel_repair.py "$built" 2>/dev/null; then
  echo "wheel: $built needs libraries of this system, and the check does not refuse it" >&2
  exit 1
fi
wheel=$(.venv/bin/python3 -B scripts/wheel_repair.py "$built" "$out" ${limit[@]+"${limit[@]}"})
printf 'wheel: %s, %s bytes\n' "$wheel" "$(stat -c %s "$wheel")"

"$python" -m venv --clear "$out/empty"
empty=$PWD/$out/empty/bin
"$empty/python3" -m pip install --quiet --disable-pip-version-check --no-index "$PWD/$wheel"
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
if [ -f "$OLDPWD/build/explorer/page/index.html" ]; then
  "$empty/python3" - <<'PYTHON'
import subprocess
import sys
import urllib.request

command = [sys.executable, "-m", "tenstride", "explore", "--no-browser"]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
    try:
        with urllib.request.urlopen(server.stdout.readline().strip() + "tenstride.wasm") as library:
            assert library.read(4) == b"\0asm"
    finally:
        server.kill()
print("wheel: has the explorer")
PYTHON
fi
version=$("$empty/tenstride" --version)
printf '%s\n' "$version"
if [[ $version == *HDF5* ]]; then
  echo "wheel: says that it reads or writes HDF5, which it is built without" >&2
  exit 1
fi

package=$("$empty/python3" -c 'import pathlib, tenstride; print(pathlib.Path(tenstride.__file__).parent)')
outside=$(ldd "$package/bin/tenstride" "$package"/_tenstride*.so "$package"/lib/*.so |
  grep -E '=> (/|not found)' | grep -vF "=> ${package%/*}/" |
  grep -vE '^\s*(libc|libm|libz|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so' || true)
if [ -n "$outside" ]; then
  printf 'wheel: loads libraries of the system\n%s\n' "$outside" >&2
  exit 1
fi
echo "wheel: installs into an empty environment and runs there"
