#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the libFuzzer targets of a build, two at a time, and prints what they did.

    tests/fuzz/run.py --build build/fuzz [--seconds 3600] [TARGET …]

The corpus of a target grows in BUILD/corpus/TARGET from run to run. Inputs that are findings are kept in
BUILD/findings/TARGET beside the log. Exits with 1 if there is one.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of one allocation and of the process in MiB, and seconds of one input. No input needs a tenth of them.
LIMITS = ("-malloc_limit_mb=256", "-rss_limit_mb=2048", "-timeout=120", "-max_len=65536")


def last_number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def run(target, build, seconds):
    corpus, findings = build / "corpus" / target, build / "findings" / target
    regressions = ROOT / "tests/fuzz/regressions" / target
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    flags = [*LIMITS, f"-max_total_time={seconds}", "-print_final_stats=1", f"-artifact_prefix={findings}/"]
    folders = [corpus, build / "seeds" / target, *([regressions] if regressions.exists() else [])]
    environment = dict(os.environ)
    environment.setdefault("TMPDIR", "/dev/shm" if os.access("/dev/shm", os.W_OK) else "/tmp")
    # What a reader leaves unwritten shall differ from load to load: AddressSanitizer would fill it alike.
    environment.setdefault("ASAN_OPTIONS", "max_malloc_fill_size=0:quarantine_size_mb=4")
    log = build / f"{target}.log"
    began = time.monotonic()
    with log.open("w") as output:
        command = [build / "bin" / f"fuzz-{target}", *flags, *folders]
        status = subprocess.run(
            command, stdout=output, stderr=subprocess.STDOUT, env=environment, check=False
        ).returncode
    text = log.read_text(errors="replace")
    return {
        "target": target,
        "seconds": round(time.monotonic() - began),
        "runs": last_number(r"stat::number_of_executed_units: (\d+)", text) or last_number(r"(?m)^#(\d+)\s", text),
        "coverage": last_number(r"\bcov: (\d+)", text),
        "peak MiB": last_number(r"stat::peak_rss_mb:\s+(\d+)", text) or last_number(r"rss: (\d+)Mb", text),
        "findings": sorted(set(findings.iterdir()) - before) or ([log] if status != 0 else []),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=3600, help="for each target")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time")
    parser.add_argument("targets", nargs="*", help="by default all")
    options = parser.parse_args()
    build = options.build.resolve()
    targets = options.targets or sorted(path.stem[5:] for path in (ROOT / "tests/fuzz").glob("fuzz_*.cpp"))
    seeds = [sys.executable, "-B", ROOT / "tests/fuzz/seeds.py", "--out", build / "seeds"]
    subprocess.run(seeds, stdout=subprocess.DEVNULL, check=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda target: run(target, build, options.seconds), targets))
    print(f"{'target':20}{'seconds':>9}{'runs':>12}{'coverage':>10}{'peak MiB':>10}{'findings':>10}")
    for result in results:
        numbers = f"{result['seconds']:>9}{result['runs']:>12}{result['coverage']:>10}{result['peak MiB']:>10}"
        print(f"{result['target']:20}{numbers}{len(result['findings']):>10}")
    found = [path for result in results for path in result["findings"]]
    for path in found:
        print(path)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
