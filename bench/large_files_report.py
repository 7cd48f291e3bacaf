#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables (Markdown) and a plot of what bench/large_files.sh measured.

    bench/large_files_report.py build/large_files/results.json --markdown table.md --plot docs/images/large_files.svg

The share of cp is bytes per second over those of cp, where bytes are what must cross between disk and memory: cp reads
and writes the whole source, a slice less. Seconds are medians and include the flush to the disk, of cp too."""

import argparse
import gzip
import json
import pathlib
import statistics

YARDSTICK, OURS = "cp", "tenstride"
ONE_PASS, TWO_PASSES, PEER, FORESEEN = 0.60, 0.30, 3, 0.25


def read(path):
    raw = pathlib.Path(path).read_bytes()
    return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)


def runs(results, case, contender, status="done"):
    return [run for run in results["runs"]
            if (run["case"], run["contender"]) == (case, contender) and status in (None, run["status"])]


def seconds(results, case, contender, flush=True):
    """The median of the runs that gave the right result, or None."""
    times = [run["seconds"] + (run["flush_seconds"] if flush else 0) for run in runs(results, case, contender)]
    return statistics.median(times) if times else None


def share(results, case, contender, flush=True):
    """The share of the bytes per second of cp, or None."""
    mine, copy = seconds(results, case, contender, flush), seconds(results, case, YARDSTICK, flush)
    facts = results["cases"][case]
    return facts["min_bytes"] / mine / (2 * facts["source_bytes"] / copy) if mine and copy else None


def contenders(results):
    found = list(dict.fromkeys(run["contender"] for run in results["runs"]))
    return sorted(found, key=lambda name: (name != YARDSTICK, name != OURS))


def measured_cases(results):
    found = {run["case"] for run in results["runs"]}
    return [case for case in results["cases"] if case in found]


def passes(run):
    """How often tenstride wrote the elements: the length of its list of passes, or the number of its copies."""
    told = run.get("reported") or {}
    found = told.get("passes", told.get("totals", {}).get("passes", told.get("totals", {}).get("copies")))
    return len(found) if isinstance(found, list) else found


def totals(told, key):
    for part in ("forecast", "totals"):
        found = ((told or {}).get(part) or {}).get(key)
        if found is not None:
            return found
    return None


def megabytes(value):
    return "" if value is None else f"{value / 1e6:.0f}"


def cell(results, case, name):
    mine, part = seconds(results, case, name), share(results, case, name)
    if mine is not None:
        return f"{mine:.1f} s" + (f" ({part:.2f})" if part and name != YARDSTICK else "")
    failed = runs(results, case, name, None)
    if not failed:
        return ""
    last = failed[-1]
    return {"timed out": f"> {last['timeout_seconds'] or 0:.0f} s", "killed": "out of memory"}.get(
        last["status"], last["status"])


def heading(results):
    machine, disk, settings = results["machine"], results["disk"], results["settings"]
    if not settings["limited"]:
        yield "**No result: measured without a memory control group and with warm caches.**"
        yield ""
    yield (f"{machine['processor']}, {machine['processors']} processors, {machine['memory']}; {machine['system']}, "
           f"Linux {machine['kernel']}. Disk {disk.get('source', '')}, {disk.get('fstype', '')} "
           f"({disk.get('options', '')}), readahead {disk.get('read_ahead_kb', '?')} KiB.")
    yield ""
    yield (f"Files of about {settings['size'] / 1e9:.3g} GB of float32, control group of {settings['memory'] / 1e6:g} MB; "
           f"commit {results['commit']}, {results['date']}.")
    yield ""
    yield "Contenders: " + ", ".join(filter(None, results["versions"].values())) + "."
    yield ""


def speed_table(results):
    names = contenders(results)
    yield "| order | shape | " + " | ".join(names) + " |"
    yield "|---|---|" + "--:|" * len(names)
    for case in measured_cases(results):
        facts = results["cases"][case]
        cells = [facts["title"], "×".join(map(str, facts["shape"]))] + [cell(results, case, name) for name in names]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    yield (f"Seconds with the flush to the disk, and in parentheses the share of cp's bytes per second; `> n s`: stopped "
           f"after {results['settings']['times']} times the seconds of tenstride.")
    yield ""


def memory_table(results):
    names = contenders(results)
    yield "| MB of memory without / with page cache | " + " | ".join(names) + " |"
    yield "|---|" + "--:|" * len(names)
    for case in measured_cases(results):
        cells = []
        for name in names:
            all_runs = runs(results, case, name, None)
            own = max((run["anonymous_peak"] or run["resident_peak"] for run in all_runs), default=None)
            group = max((run["group_peak"] or 0 for run in all_runs), default=None)
            cells.append(f"{megabytes(own)} / {megabytes(group)}" if all_runs else "")
        yield f"| {results['cases'][case]['title']} | " + " | ".join(cells) + " |"
    yield ""


def goal_table(results):
    """tenstride compared with its goals, a row for each order."""
    peers = [name for name in contenders(results) if name not in (YARDSTICK, OURS)]
    yield ("| order | passes | share of cp | without the flush | fastest peer | times as fast | bytes forecast "
           "| bytes by the system | seconds forecast | measured | missed |")
    yield "|---|--:|--:|--:|---|--:|--:|--:|--:|--:|---|"
    for case in measured_cases(results):
        done = runs(results, case, OURS)
        if not done:
            if runs(results, case, OURS, None):
                yield f"| {results['cases'][case]['title']} | " + "| " * 9 + f"| {cell(results, case, OURS)} |"
            continue
        run, ours = done[-1], seconds(results, case, OURS)
        finished = {name: seconds(results, case, name) for name in peers if seconds(results, case, name)}
        best = min(finished, key=finished.get, default=None)
        ratio = finished[best] / ours if best else None
        part = share(results, case, OURS)
        bare = share(results, case, OURS, flush=False)
        forecast = [totals(run["forecast"], key) for key in ("bytes_read", "bytes_written")]
        reported = [totals({"totals": (run["reported"] or {}).get("totals")}, key) for key in ("bytes_read", "bytes_written")]
        expected = totals(run["forecast"], "seconds")
        wanted = TWO_PASSES if (passes(run) or 1) > 1 else ONE_PASS
        memory = max(one["group_peak"] or one["resident_peak"] for one in done)
        missed = [text for text, is_missed in (
            (f"share < {wanted:.2f}", part is not None and part < wanted),
            (f"< {PEER} times {best}", ratio is not None and ratio < PEER),
            ("bytes", forecast != reported),
            ("seconds", expected is None or abs(expected - ours) > FORESEEN * ours),
            ("memory", memory > results["settings"]["memory"])) if is_missed]
        system = run["io"].get("read_bytes", 0) + run["io"].get("write_bytes", 0)
        cells = [results["cases"][case]["title"], str(passes(run) or ""), number(part), number(bare), best or "none",
                 number(ratio, 1), megabytes(sum(forecast)) if None not in forecast else "", megabytes(system),
                 number(expected, 1), number(ours, 1), ", ".join(missed)]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    yield "Bytes in MB, read and written together."
    yield ""


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def plot(results, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "tenstride", "svg.fonttype": "none"})
    from matplotlib import pyplot

    names = [name for name in contenders(results) if name != YARDSTICK]
    cases = measured_cases(results)
    figure, axes = pyplot.subplots(figsize=(8.5, 0.16 * len(cases) * (len(names) + 1) + 1.2))
    colours = pyplot.get_cmap("tab10")
    for i, name in enumerate(names):
        places = [k * (len(names) + 1) + i for k in range(len(cases))]
        values = [share(results, case, name) for case in cases]
        axes.barh(places, [value or 0 for value in values], label=name, color="black" if name == OURS else colours(i))
        for place, value, case in zip(places, values, cases):
            text = f"{value:.2f}" if value else cell(results, case, name)
            axes.text((value or 0) + 0.005, place, text, va="center", fontsize=6)
    axes.set_yticks([k * (len(names) + 1) + (len(names) - 1) / 2 for k in range(len(cases))],
                    [results["cases"][case]["title"] for case in cases], fontsize=8)
    axes.invert_yaxis()
    for value in (ONE_PASS, TWO_PASSES, 1):
        axes.axvline(value, color="grey", linewidth=0.6, linestyle="-" if value == 1 else ":")
    settings = results["settings"]
    axes.set_xlabel(f"share of cp: {settings['size'] / 1e9:.3g} GB in a control group of {settings['memory'] / 1e6:g} MB "
                    f"(1: as fast as cp)")
    axes.legend(fontsize=7, loc="lower right")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path, help="where the tables go (printed without)")
    parser.add_argument("--plot", type=pathlib.Path, help="an SVG")
    chosen = parser.parse_args()
    results = read(chosen.results)
    text = "\n".join(line for part in (heading, speed_table, goal_table, memory_table) for line in part(results))
    if chosen.markdown:
        chosen.markdown.write_text(text, encoding="utf-8")
    else:
        print(text)
    if chosen.plot:
        plot(results, chosen.plot)


if __name__ == "__main__":
    main()
