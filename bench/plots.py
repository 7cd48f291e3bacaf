# SPDX-License-Identifier: Apache-2.0
"""Plots of the figures of tenstride-bench, a PNG for each family."""

import collections
import sys

from records import LARGE, TORCH, US, all_records, families, share

SIZE_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def plain_name(family):
    return "".join(c if c.isalnum() else "_" for c in family).strip("_").replace("__", "_")


def plot_family(plt, family, records, path):
    records = [r for r in records if r["destination"] == "warm" and r["threads"] == 1] or records
    names = []
    for record in records:
        names += [name for name in record.get("contenders", {}) if name not in names]
    height = max(2.0, 0.16 * len(records) * (len(names) + 1) + 1.2)
    figure, axes = plt.subplots(figsize=(9, height))
    colours = plt.get_cmap("tab10")
    for i, name in enumerate(names):
        places = [k * (len(names) + 1) + i for k, r in enumerate(records) if share(r, name)]
        values = [share(r, name) for r in records if share(r, name)]
        axes.barh(places, values, color="black" if name == US else colours(i % 10), label=name)
    axes.set_yticks([k * (len(names) + 1) + (len(names) - 1) / 2 for k in range(len(records))],
                    [r["name"] for r in records], fontsize=7)
    axes.invert_yaxis()
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xlabel(f"share of the best plain copy of the same bytes ({records[0]['destination']}, 1 thread)")
    axes.set_title(family)
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def plot_operations(plt, records, path):
    """The ratio to PyTorch: a panel for large tensors and one for those in the cache."""
    records = [r for r in records if share(r) and share(r, TORCH)]
    panels = [("large", [r for r in records if r["bytes"] >= LARGE]),
              ("in the cache", [r for r in records if r["bytes"] < LARGE])]
    panels = [(title, chosen) for title, chosen in panels if chosen]
    if not panels:
        return
    rows = max(len({r["name"] for r in members}) for _, members in panels)
    figure, axes = plt.subplots(1, len(panels), figsize=(7.5 * len(panels), 0.17 * rows + 1.4), squeeze=False)
    for place, (title, members) in zip(axes[0], panels):
        names = list(collections.OrderedDict.fromkeys(r["name"] for r in members))
        for threads, colour in ((1, "black"), (2, "tab:orange")):
            chosen = [r for r in members if r["threads"] == threads]
            place.plot([share(r) / share(r, TORCH) for r in chosen], [names.index(r["name"]) for r in chosen], "o",
                       color=colour, markersize=4, label=f"{threads} thread{'s' if threads > 1 else ''}") \
                if chosen else None
        place.set_yticks(range(len(names)), names, fontsize=6)
        place.set_ylim(len(names) - 0.5, -0.5)
        place.set_xscale("log")
        place.axvline(1, color="grey", linewidth=0.8)
        place.grid(axis="x", which="both", linewidth=0.3)
        place.set_title(f"operations, {title}", fontsize=9)
        place.set_xlabel("times as fast as PyTorch")
        place.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def size_in_bytes(name):
    number, unit = name.split()
    return int(number) * SIZE_UNITS[unit]


def plot_sizes(plt, grouped, path, threads):
    figure, axes = plt.subplots(1, len(grouped), figsize=(5 * len(grouped), 4), squeeze=False, sharey=True)
    for place, (family, records) in zip(axes[0], grouped.items()):
        records = [r for r in records if r["threads"] == threads]
        curves = collections.OrderedDict({"best plain copy": []})
        for record in records:
            size = size_in_bytes(record["name"])
            curves["best plain copy"].append((size, record["best_plain_gb_per_s"]))
            for name in record.get("contenders", {}):
                rate = record["bytes"] * 1e-9 / record["contenders"][name]["seconds"]
                curves.setdefault(name, []).append((size, rate))
        for name, points in curves.items():
            style = {US: {"color": "black", "linewidth": 2}, "best plain copy": {"color": "grey", "linestyle": "--"}}
            place.plot(*zip(*points), marker=".", label=name, **style.get(name, {})) if points else None
        place.set_xscale("log", base=2)
        place.set_yscale("log")
        place.set_title(f"{family.partition(', ')[2]}, {threads} thread{'s' if threads > 1 else ''}", fontsize=9)
        place.set_xlabel("bytes of the source")
        place.legend(fontsize=6)
    axes[0][0].set_ylabel("GB/s, read and written")
    figure.tight_layout()
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def plot_tiny(plt, records, path):
    process = records[-1]["process"]
    rows = collections.OrderedDict()
    for record in records:
        if record["process"] == process:
            rows.setdefault(record["name"], {})[record["contender"]] = record["nanoseconds"]
    rows = collections.OrderedDict((name, row) for name, row in rows.items() if len(row) > 1)
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(9, 0.32 * len(rows) + 1.5))
    for place, row in enumerate(rows.values()):
        for name, value in row.items():
            axes.plot(value, place, "o", color={US: "black", TORCH: "tab:orange"}.get(name, "tab:blue"), label=name)
    axes.set_yticks(range(len(rows)), list(rows), fontsize=7)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel(f"nanoseconds a call ({process})")
    handles = dict(zip(*reversed(axes.get_legend_handles_labels())))
    axes.legend(handles.values(), handles.keys(), fontsize=7)
    axes.grid(axis="x", which="both", linewidth=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def plots(result, folder):
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        sys.exit("report: no matplotlib; scripts/bench_setup.sh installs it into .venv")
    folder.mkdir(parents=True, exist_ok=True)
    grouped = families(all_records(result))
    sizes = collections.OrderedDict((f, r) for f, r in grouped.items() if f.startswith("sizes"))
    for family, records in grouped.items():
        if family == "operations":
            plot_operations(plt, records, folder / "operations.png")
        elif family not in sizes:
            plot_family(plt, family, records, folder / f"{plain_name(family)}.png")
    for threads in sorted({r["threads"] for records in sizes.values() for r in records}):
        plot_sizes(plt, sizes, folder / f"sizes_{threads}.png", threads)
    if result.get("tiny"):
        plot_tiny(plt, result["tiny"], folder / "small.png")
