#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call costs from Python: tenstride beside NumPy and, where a Python has it, PyTorch, in one run.

    PYTHONPATH=build/release/python bench/python_calls.py [--torch-python /usr/bin/python3]

Medians of 7 rounds of 20,000 calls on a float32 tensor of (2,3,4,5), in nanoseconds, with each peer's ratio to
tenstride. Every round runs all libraries, so that a slow moment of the machine affects all of them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import timeit
from pathlib import Path

ROUNDS, CALLS = 7, 20_000

# By operation: the call in PyTorch's notation, and in NumPy's where that has one.
CASES = {
    "view": ("x.view(6, 20)", "x.reshape(6, 20)"),
    "reshape": ("x.reshape(6, 20)", "x.reshape(6, 20)"),
    "permute": ("x.permute(0, 2, 3, 1)", "x.transpose(0, 2, 3, 1)"),
    "transpose": ("x.transpose(1, 2)", "x.swapaxes(1, 2)"),
    "unsqueeze": ("x.unsqueeze(0)", "x[None]"),
    "squeeze": ("x.squeeze(0)", None),
    "flatten": ("x.flatten(1)", "x.reshape(2, -1)"),
    "expand": ("x.expand(2, 3, 4, 5)", None),
    "select": ("x[0]", "x[0]"),
    "slice": ("x[:, 1:]", "x[:, 1:]"),
    "mT": ("x.mT", "x.mT"),
    "shape": ("x.shape", "x.shape"),
    "stride": ("x.stride()", "x.strides"),
    "is_contiguous": ("x.is_contiguous()", "x.flags.c_contiguous"),
    "contiguous": ("x.contiguous()", "numpy.ascontiguousarray(x)"),
    "permute + contiguous": ("x.permute(3, 2, 1, 0).contiguous()", "x.transpose(3, 2, 1, 0).copy()"),
    "add": ("x + 1", "x + 1"),
    "zeros": ("torch.zeros(2, 3)", "numpy.zeros((2, 3))"),
}


def measure(library: str) -> dict[str, float]:
    """Nanoseconds of one call by operation, from one round."""
    if library == "numpy":
        import numpy

        names = {"numpy": numpy, "x": numpy.zeros((2, 3, 4, 5), numpy.float32)}
        calls = {name: numpys for name, (_, numpys) in CASES.items() if numpys}
    else:
        module = __import__(library)
        names = {"torch": module, "x": module.zeros(2, 3, 4, 5)}
        calls = {name: torchs for name, (torchs, _) in CASES.items()}
    found = {}
    for name, call in calls.items():
        try:
            found[name] = timeit.timeit(call, globals=names, number=CALLS) / CALLS * 1e9
        except AttributeError:  # an older version has not got it
            continue
    return found


def main() -> None:
    """Takes the rounds, each library in a process of its own, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--round", metavar="LIBRARY", help="one round of one library, as JSON")
    parser.add_argument("--torch-python", default="/usr/bin/python3", help="a Python that has PyTorch")
    options = parser.parse_args()
    if options.round:
        print(json.dumps(measure(options.round)))
        return
    pythons = {"tenstride": sys.executable, "numpy": sys.executable, "torch": options.torch_python}
    rounds: dict[str, list[dict[str, float]]] = {library: [] for library in pythons}
    for _ in range(ROUNDS):
        for library, python in pythons.items():
            command = [python, str(Path(__file__).resolve()), "--round", library]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode == 0:
                rounds[library].append(json.loads(run.stdout))
    print("| call | tenstride | NumPy | PyTorch | NumPy / tenstride | PyTorch / tenstride |")
    print("|---|---|---|---|---|---|")
    for name, (call, _) in CASES.items():
        medians = {
            library: statistics.median(one[name] for one in found)
            for library, found in rounds.items()
            if found and name in found[0]
        }
        own = medians["tenstride"]
        cells = [f"{medians[peer]:.0f} ns" if peer in medians else "" for peer in ("tenstride", "numpy", "torch")]
        ratios = [f"{medians[peer] / own:.1f}" if peer in medians else "" for peer in ("numpy", "torch")]
        print(f"| `{call}` | {' | '.join(cells + ratios)} |")


if __name__ == "__main__":
    main()
