#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Converts a photograph from (h,w,c) bytes to (c,h,w) float32, the input of a neural network, and reads the result back
# with NumPy. Then explains a view that is impossible.
#
# The photograph is china.jpg, (c) danielbuechele, CC BY 2.0, https://www.flickr.com/photos/danielbuechele/6061409035/,
# as in the PyPI package scikit-learn. It is downloaded once, into demo/, which git ignores.
set -euo pipefail
cd "$(dirname "$0")/.."

photo=demo/photo.jpg
photo_sha256=8378025ad2519d649d02e32bd98990db4ab572357d9f09841c2fbfbb4fefad29
output=demo/photo_chw.npy
tool=build/quick/bin/tenstride

say() { printf '\ndemo: %s\n' "$*"; }
run() {
  local argument
  printf '\n$ tenstride'
  for argument in "$@"; do
    case $argument in
      *[!A-Za-z0-9_./=-]*) printf " '%s'" "$argument" ;;
      *) printf ' %s' "$argument" ;;
    esac
  done
  printf '\n'
  "$tool" "$@"
}

# NumPy and Pillow: those of .venv where scripts/setup.sh made it, else in an environment of the demo's own (120 MB).
python=.venv/bin/python3
if ! "$python" -c 'import numpy, PIL' 2>/dev/null; then
  python=demo/venv/bin/python3
  if ! "$python" -c 'import numpy, PIL' 2>/dev/null; then
    say "installing NumPy and Pillow into demo/venv (about 15 s)"
    python3 -m venv --clear demo/venv
    "$python" -m pip install --quiet --disable-pip-version-check 'numpy>=1.24' 'pillow>=9.4'
  fi
fi

if ! echo "$photo_sha256  $photo" | sha256sum --check --status 2>/dev/null; then
  say "fetching the photograph from the PyPI package scikit-learn (9 MB)"
  wheels=$(mktemp -d)
  trap 'rm -rf "$wheels"' EXIT
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest "$wheels" "scikit-learn>=1.3"
  mkdir -p demo
  "$python" - "$wheels" "$photo" <<'PYTHON'
import pathlib, sys, zipfile
[wheel] = pathlib.Path(sys.argv[1]).glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    pathlib.Path(sys.argv[2]).write_bytes(archive.read("sklearn/datasets/images/china.jpg"))
PYTHON
  echo "$photo_sha256  $photo" | sha256sum --check --quiet
fi
say "the photograph is $photo: china.jpg by danielbuechele, CC BY 2.0"

say "compiling the program for this processor (preset quick; 3 to 7 minutes on two cores, nothing where it is built)"
cmake --preset quick >/dev/null
cmake --build --preset quick

say "1. (h,w,c) bytes to (c,h,w) float32 between 0 and 1, every element checked"
run convert "$photo" 'x.permute(2,0,1).to(float32).contiguous()' --scale 1/255 -o "$output" --verify --force

say "2. what was written"
run info "$output"

say "3. NumPy reads it, and Pillow the photograph"
"$python" - "$photo" "$output" <<'PYTHON'
import sys
import numpy as np
from PIL import Image

photo = np.asarray(Image.open(sys.argv[1]).convert("RGB"))
wanted = photo.transpose(2, 0, 1).astype(np.float32) * np.float32(1 / 255)
found = np.load(sys.argv[2], mmap_mode="r")
if found.dtype != wanted.dtype or found.shape != wanted.shape or not np.array_equal(found, wanted):
    sys.exit(f"not equal: {found.dtype} {found.shape} read, {wanted.dtype} {wanted.shape} wanted")
print(f"equal: {found.size} elements, {found.dtype} {found.shape}, from {found.min()} to {found.max()}")
PYTHON

say "4. why a view is impossible (the program exits with 1)"
status=0
run explain 'torch.randn(2,3,2).permute(0,2,1).view(-1)' || status=$?
if [ "$status" -ne 1 ]; then
  echo "demo: explain was to exit with 1 and exited with $status" >&2
  exit 1
fi
say "done. With a file of your own (npy, npz, PNG, JPEG, TIFF, NIfTI, safetensors, zarr, HDF5):

  $tool info FILE                                   # its shape, strides and type
  $tool convert FILE 'x.permute(1,0)' -o out.npy    # the same elements in another order of axes
  $tool explain 'torch.zeros(2,3).T.view(6)'        # why something copies, or is refused
  $tool --help"
