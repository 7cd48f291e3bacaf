#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the sorted shares of a plain copy that randomly drawn copies reach: a line for each class, and for each library.

    tenstride-bench --random 200 --threads 1 --peers tenstride,NumPy --out drawn.json
    bench/drawn_plot.py drawn.json docs/images/bench/drawn.png
"""

import argparse
import gzip
import json
import pathlib
import sys

from records import US, families, geometric_mean, share

TICKS = (0.02, 0.05, 0.1, 0.2, 0.5, 1)


def curve(records, name=US):
    """Places from 0 to 1 and the shares of a contender from the least to the best. Example: 2 cases stand at .25 and .75."""
    shares = sorted(found for record in records if (found := share(record, name)))
    return [(i + 0.5) / len(shares) for i in range(len(shares))], shares


def label(name, shares):
    return f"{name} ({len(shares)} cases, mean {geometric_mean(shares):.2f})"


def plot(plt, result, threads, path):
    records = [r for r in result["drawn"]["records"] if r["threads"] == threads and share(r)]
    if not records:
        sys.exit(f"drawn_plot: no drawn copies of {threads} threads")
    figure, axes = plt.subplots(figsize=(8, 4.5))
    axes.axhline(1, color="grey", linewidth=0.8)
    places, shares = curve(records)
    axes.plot(places, shares, color="black", linewidth=2, label=label(f"{US}, all", shares))
    for family, members in sorted(families(records).items()):
        places, shares = curve(members)
        axes.plot(places, shares, linewidth=1, marker=".", label=label(f"{US}, {family.removeprefix('drawn ')}", shares))
    peers = sorted({name for record in records for name in record["contenders"] if not name.startswith(US)})
    for name, style in zip(peers, ("--", ":", "-.") * len(peers)):
        places, shares = curve(records, name)
        axes.plot(places, shares, color="dimgrey", linewidth=2, linestyle=style, label=label(f"{name}, all", shares))
    axes.set_yscale("log")
    axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.minorticks_off()
    axes.grid(axis="y", linewidth=0.3)
    axes.set_xlim(0, 1)
    axes.set_xlabel("drawn copies from the least share to the best, as a fraction of their number")
    axes.set_ylabel("share of the best plain copy")
    axes.set_title(f"Copies drawn with seed {result['drawn']['seed']}, {threads} thread{'s' if threads > 1 else ''}",
                   fontsize=10)
    axes.legend(fontsize=7, loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=pathlib.Path, help="what tenstride-bench --random --out wrote")
    parser.add_argument("picture", type=pathlib.Path, help="the picture to write, .png or .svg")
    parser.add_argument("--threads", type=int, default=1, help="the copies of this number of threads (1)")
    arguments = parser.parse_args()
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        sys.exit("drawn_plot: no matplotlib; scripts/bench_setup.sh installs it into .venv")
    stored = arguments.result.read_bytes()
    result = json.loads(gzip.decompress(stored) if arguments.result.suffix == ".gz" else stored)
    plot(plt, result, arguments.threads, arguments.picture)


if __name__ == "__main__":
    main()
