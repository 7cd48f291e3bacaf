#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the reordering of files that are larger than memory; bench/large_files.sh installs what this needs.

Every contender reads the same float32 elements from a file, in a memory control group of 512 MB, after the caches were
dropped. One source and one result are on the disk at a time. The results are written after each run, so that --continue
goes on where the program was stopped."""

import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

import large_files_cases
from large_files_contenders import CONTENDERS, Job, read_json
from large_files_run import MemoryGroup, measure

ROOT = pathlib.Path(__file__).resolve().parents[1]
TIMES = 10  # a peer is stopped after this many times the seconds of tenstride


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def number_of_bytes(text):
    units = {"K": 10, "M": 20, "G": 30}
    return int(text[:-1]) << units[text[-1]] if text[-1:] in units else int(float(text))


def names(known):
    def parse(text):
        chosen = [name for name in text.split(",") if name]
        wrong = [name for name in chosen if name not in known]
        if wrong:
            raise argparse.ArgumentTypeError(f"{wrong[0]!r} must be one of {', '.join(known)}")
        return chosen
    return parse


def options():
    all_cases = [case.name for case in large_files_cases.cases(1 << 20)]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=number_of_bytes, default=8_000_000_000, help="bytes of a source (8e9)")
    parser.add_argument("--memory", type=number_of_bytes, default=512_000_000,
                        help="limit of the control group (512e6; 512M is 512 MiB)")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/large_files", help="where the files go")
    parser.add_argument("--out", type=pathlib.Path, help="the results (results.json in the folder)")
    parser.add_argument("--cases", type=names(all_cases), default=all_cases, help=",".join(all_cases))
    parser.add_argument("--contenders", type=names(CONTENDERS), default=list(CONTENDERS), help=",".join(CONTENDERS))
    parser.add_argument("--repetitions", type=int, default=3, help="of cp and tenstride; peers run once (3)")
    parser.add_argument("--timeout", type=float, default=600,
                        help="seconds for tenstride, and for a peer where tenstride has no time (600)")
    parser.add_argument("--tenstride", type=pathlib.Path, default=ROOT / "build/release/bin/tenstride")
    parser.add_argument("--quick", action="store_true", help="64 MB with a limit of 64 MB, each once: does it work?")
    parser.add_argument("--continue", dest="go_on", action="store_true", help="keep the runs that the results have")
    parser.add_argument("--again", type=names(CONTENDERS), default=[],
                        help="with --continue: forget the runs of these, as after a new build of tenstride")
    parser.add_argument("--without-limit", action="store_true", help="no control group, warm caches: no result")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.size, chosen.memory, chosen.repetitions, chosen.timeout = 64_000_000, 64 << 20, 1, 5
    chosen.out = chosen.out or chosen.folder / "results.json"
    return chosen


def line_of(path, key):
    found = [line.split(":", 1)[1].strip() for line in open(path, encoding="utf-8") if line.startswith(key)]
    return found[0] if found else ""


def machine():
    return {"processor": line_of("/proc/cpuinfo", "model name"), "processors": os.cpu_count(),
            "memory": line_of("/proc/meminfo", "MemTotal"), "swap": line_of("/proc/meminfo", "SwapTotal"),
            "kernel": platform.release(), "system": platform.freedesktop_os_release().get("PRETTY_NAME", "")}


def disk(folder):
    keys = ("source", "fstype", "options", "size")
    found = subprocess.run(["findmnt", "-n", "-r", "-b", "-o", ",".join(keys).upper(), "-T", folder], text=True,
                           capture_output=True).stdout.split()
    facts = dict(zip(keys, found))
    queue = pathlib.Path("/sys/class/block") / pathlib.Path(facts.get("source", "")).name / "queue"
    for key in ("rotational", "scheduler", "read_ahead_kb"):
        if (queue / key).is_file():
            facts[key] = (queue / key).read_text().strip()
    return facts


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def require_room(folder, needed, uses):
    free = shutil.disk_usage(folder).free
    if free < needed:
        sys.exit(f"{folder} has {free / 1e9:.1f} GB free and must have {needed / 1e9:.1f} GB: {uses}")


def make_group(chosen):
    if chosen.without_limit:
        say("without a control group and with warm caches: what follows is no result")
        return None
    try:
        return MemoryGroup(chosen.memory)
    except OSError as error:
        sys.exit(f"large_files: no memory control group can be made ({error}); run it as root, "
                 f"or with --without-limit to see that it works")


def commit():
    """The commit that is measured; "unknown" outside a git repository."""
    try:
        said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, text=True, capture_output=True)
    except FileNotFoundError:
        return "unknown"
    return said.stdout.strip() or "unknown"


class Results:
    def __init__(self, chosen):
        self.path = chosen.out
        self.settings = {"size": chosen.size, "memory": chosen.memory, "limited": not chosen.without_limit,
                         "times": TIMES, "continued": chosen.go_on}
        self.kept = {"runs": [], "versions": {}}
        if chosen.go_on and self.path.is_file():
            self.kept = json.loads(self.path.read_text(encoding="utf-8"))
            for key in ("size", "memory", "limited"):
                if self.kept["settings"][key] != self.settings[key]:
                    sys.exit(f"large_files: {self.path} has the {key} {self.kept['settings'][key]}, which must be "
                             f"{self.settings[key]} to go on")
        self.kept["runs"] = [run for run in self.kept["runs"] if run["contender"] not in chosen.again]
        self.kept.update(settings=self.settings, machine=machine(), disk=disk(chosen.folder),
                         commit=commit(), date=time.strftime("%Y-%m-%d"))
        self.kept["cases"] = {case.name: {"title": case.title, "shape": case.shape, "spec": case.spec,
                                          "source_bytes": case.source_bytes, "result_bytes": case.result_bytes,
                                          "min_bytes": case.min_bytes}
                              for case in large_files_cases.cases(chosen.size)}

    def runs(self, case, contender):
        return [run for run in self.kept["runs"] if (run["case"], run["contender"]) == (case.name, contender)]

    def add(self, run):
        self.kept["runs"].append(run)
        self.write()

    def write(self):
        unfinished = self.path.with_suffix(".tmp")
        unfinished.write_text(json.dumps(self.kept, indent=1), encoding="utf-8")
        unfinished.replace(self.path)


def seconds_of(results, case, contender):
    """The median with the flush, or None where it never finished."""
    done = [run["seconds"] + run["flush_seconds"] for run in results.runs(case, contender) if run["status"] == "done"]
    return statistics.median(done) if done else None


def run_once(name, job, group, timeout, folder):
    contender = CONTENDERS[name]
    result, log = contender.result(job), folder / f"{job.case.name}-{name}.log"
    remove(result)
    remove(result.with_suffix(".shuffle"))
    run = {"case": job.case.name, "contender": name}
    run["forecast"] = contender.forecast(job)
    command = contender.command(job)
    run.update(measure(command, folder, log, group, timeout, contender.environment))
    run["command"] = " ".join(map(str, command))
    output = log.read_text(encoding="utf-8", errors="replace")
    run["reported"] = read_json(output) if name == "tenstride" else None
    if run["status"] == "done":
        wrong = contender.check(job)
        if wrong:
            run.update(status="wrong", output=wrong)
    else:
        run["output"] = output[-1500:]
    remove(result)
    remove(result.with_suffix(".shuffle"))
    # Results are published: without the paths of this machine.
    return json.loads(json.dumps(run).replace(f"{folder}/", "").replace(f"{ROOT}/", ""))


def summary(run):
    peak = run["group_peak"] or run["resident_peak"]
    return (f"{run['status']}, {run['seconds']:.1f} s and {run['flush_seconds']:.1f} s of flush, "
            f"{(run['anonymous_peak'] or run['resident_peak']) / 1e6:.0f} MB, {peak / 1e6:.0f} MB with page cache")


def main():
    chosen = options()
    folder = chosen.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    require_room(folder, int(3.3 * chosen.size), "a source, its netCDF twin and a result")
    results = Results(chosen)
    group = make_group(chosen)
    source, twin = folder / "source.npy", folder / "source.nc"
    try:
        for case in large_files_cases.cases(chosen.size):
            if case.name not in chosen.cases:
                continue
            job = Job(case, chosen.size, chosen.memory, source, twin, folder / "result", chosen.tenstride.resolve())
            measure_case(chosen, job, results, group, folder)
    finally:
        remove(source)
        remove(twin)
        if group:
            group.close()
    say(f"all runs are in {results.path}")


def measure_case(chosen, job, results, group, folder):
    case = job.case
    wanted = {name: chosen.repetitions if name in ("cp", "tenstride") else 1 for name in chosen.contenders}
    missing = {name: count - len(results.runs(case, name)) for name, count in wanted.items()}
    if not any(count > 0 for count in missing.values()):
        say(f"{case.name}: all runs are there")
        return
    say(f"{case.name}: {case.spec} of {case.shape}, {case.source_bytes} bytes")
    remove(job.twin)  # a killed run leaves that of another case
    large_files_cases.write_source(job.source, case.shape)
    for name, count in missing.items():
        if count <= 0:
            continue
        contender = CONTENDERS[name]
        if not contender.is_here(job):
            say(f"{case.name}: {name} is not installed and takes no part")
            continue
        if contender.needs_twin and not job.twin.exists():
            large_files_cases.write_twin(job.twin, job.source, case)
        contender.prepare(job)
        ours = seconds_of(results, case, "tenstride")
        timeout = TIMES * ours if ours and name not in ("cp", "tenstride") else chosen.timeout
        for _ in range(count):
            run = run_once(name, job, group, timeout, folder)
            results.kept["versions"][name] = contender.version(job)
            results.add({**run, "commit": results.kept["commit"]})
            say(f"{case.name}: {name} {summary(run)}")
    remove(job.twin)


if __name__ == "__main__":
    main()
