#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests where a measured time says nothing: several times beside stress-ng, then once on one processor without a
# terminal. As root the permissions of files mean nothing: run it as an ordinary user, too.
#
#   scripts/busy.sh [TIMES]     # after `make build`; 5 by default
set -euo pipefail
cd "$(dirname "$0")/.."

command -v stress-ng > /dev/null || { echo "busy: stress-ng is not installed (apt-get install stress-ng)" >&2; exit 1; }
stress-ng --quiet --cpu 4 --vm 2 --vm-bytes 256M &
load=$!
trap 'kill "$load" 2> /dev/null || true' EXIT
failed=()
for time in $(seq "${1:-5}"); do
  echo "busy: time $time beside stress-ng, as $(id -un)"
  ctest --preset dev || failed+=("time $time")
done
kill "$load"

echo "busy: on one processor, without a terminal"
env -u TERM taskset -c 0 setsid --wait ctest --preset dev < /dev/null || failed+=("on one processor")

if [ ${#failed[@]} -ne 0 ]; then
  printf 'busy: failed: %s\n' "${failed[*]}" >&2
  exit 1
fi
