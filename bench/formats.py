#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what goes from chunks to chunks, checkpoints and archives; bench/formats.sh installs what this needs.

Every contender reads the same file in a memory control group of 512 MB after the caches were dropped; seconds are until
the result is on the disk. A peer is stopped after ten times the seconds of tenstride."""

import argparse
import json
import pathlib
import shutil
import statistics

from formats_cases import CASES
from large_files import ROOT, TIMES, commit, disk, machine, make_group, names, number_of_bytes, remove, require_room, say
from large_files_run import measure


def options():
    known = [case.name for case in CASES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=number_of_bytes, default=8_000_000_000,
                        help="bytes of the arrays in chunks; a checkpoint has half, an archive a quarter (8e9)")
    parser.add_argument("--memory", type=number_of_bytes, default=512_000_000, help="limit of the group (512e6)")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/formats", help="where the files go")
    parser.add_argument("--out", type=pathlib.Path, help="the results (results.json in the folder)")
    parser.add_argument("--cases", type=names(known), default=known, help=",".join(known))
    parser.add_argument("--contenders", type=lambda text: text.split(","), help="only these; tenstride is the first")
    parser.add_argument("--repetitions", type=int, default=3, help="of tenstride and cp; peers run once (3)")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for tenstride (600)")
    parser.add_argument("--tenstride", type=pathlib.Path, default=ROOT / "build/release/bin/tenstride")
    parser.add_argument("--quick", action="store_true", help="64 MB, each once: does it work?")
    parser.add_argument("--without-limit", action="store_true", help="no control group, warm caches: no result")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.size, chosen.repetitions, chosen.timeout = 64_000_000, 1, 60
    chosen.out = chosen.out or chosen.folder / "results.json"
    return chosen


def run_once(case, contender, command, group, timeout):
    result, log = case.result(contender), case.folder / f"{case.name}-{contender}.log"
    leftovers = [result, result.with_suffix(".shuffle")]
    for path in leftovers:
        remove(path)
    run = measure(command, case.folder, log, group, timeout, {"MALLOC_ARENA_MAX": "2"})
    if run["status"] == "done" and (wrong := case.check(contender)):
        run.update(status="wrong", output=wrong)
    elif run["status"] != "done":
        run["output"] = log.read_text(encoding="utf-8", errors="replace")[-1500:]
    run.update(case=case.name, contender=contender, command=" ".join(map(str, command)))
    for path in leftovers:
        remove(path)
    # Results are published: without the paths of this machine.
    return json.loads(json.dumps(run).replace(f"{case.folder}/", "").replace(f"{ROOT}/", ""))


def seconds(run):
    return run["seconds"] + run["flush_seconds"]


def measure_case(chosen, case, group, runs):
    say(f"{case.name}: {case.nbytes} bytes, writing the source")
    remove(case.source)
    case.write_source()
    ours = None
    for contender, command in case.commands().items():
        if chosen.contenders and contender not in chosen.contenders:
            continue
        if not shutil.which(str(command[0])):
            say(f"{case.name}: {contender} is not installed and takes no part")
            continue
        times = chosen.repetitions if contender in ("tenstride", "cp") else 1
        timeout = TIMES * ours if ours and contender != "cp" else chosen.timeout
        for _ in range(times):
            run = run_once(case, contender, command, group, timeout)
            runs.append(run)
            say(f"{case.name}: {contender} {run['status']} {seconds(run):.1f} s, {(run['anonymous_peak'] or 0) / 1e6:.0f} MB"
                + (f": {run['output'].strip()[-300:]}" if "output" in run else ""))
        if contender == "tenstride":
            ours = statistics.median(seconds(run) for run in runs[-times:])
    for path in (case.source, case.source.with_suffix(".gz")):
        remove(path)


def table(runs):
    """Markdown: the median of each, and how many times as long as tenstride it took."""
    lines = ["| case | program | seconds | times tenstride's |", "|---|---|---|---|"]
    titles = {case.name: case.title for case in CASES}
    groups = {}
    for run in runs:
        groups.setdefault((run["case"], run["contender"]), []).append(run)
    medians = {key: statistics.median(map(seconds, group)) for key, group in groups.items()}
    for (case, contender), group in groups.items():
        bad = [run["status"] for run in group if run["status"] != "done"]
        median, ours = medians[case, contender], medians.get((case, "tenstride"))
        more = "more than " if bad == ["timed out"] else ""
        took = f"{more}{median:.1f}" if not bad or more else bad[0]
        times = f"{more}{median / ours:.2f}" if ours and (not bad or more) else "–"
        lines.append(f"| {titles[case]} | {contender} | {took} | {times} |")
    return "\n".join(lines)


def main():
    chosen = options()
    folder = chosen.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    require_room(folder, int(3.2 * chosen.size), "a source, a result and temporary files")
    group = make_group(chosen)
    runs = []
    try:
        for kind in CASES:
            if kind.name in chosen.cases:
                measure_case(chosen, kind(chosen.size, chosen.memory, folder, chosen.tenstride.resolve()), group, runs)
                told = {"settings": {"size": chosen.size, "memory": chosen.memory, "limited": group is not None},
                        "machine": machine(), "disk": disk(folder), "commit": commit(), "runs": runs}
                chosen.out.write_text(json.dumps(told, indent=1), encoding="utf-8")
    finally:
        if group:
            group.close()
    print(table(runs))
    say(f"all runs are in {chosen.out}")


if __name__ == "__main__":
    main()
