#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of tenstride-bench as tables (Markdown), as plots (PNG) and compared with the goals.

    bench/report.py bench/results/MACHINE.json.gz --markdown table.md --plots figures
    bench/report.py bench/results/MACHINE.json.gz --into bench/notes/fixed-cases.md bench/notes/operations.md
"""

import argparse
import collections
import gzip
import json
import pathlib
import sys

from plots import plots
from records import FIRST, TORCH, TORCH_FIRST, US, all_records, families, full_name, geometric_mean, is_large, share

NOISE = 0.97  # differences of up to 3 % are noise

ITEM_SIZES = {"bool": 1, "uint8": 1, "int8": 1, "float8_e4m3fn": 1, "float8_e5m2": 1, "uint16": 2, "int16": 2,
              "float16": 2, "bfloat16": 2, "complex128": 16}


def text(value):
    return "" if value is None else f"{value:.2f}"


def wanted_share(record):
    """The goal for a large copy into warm memory."""
    if record["family"] in ("contiguous", "conversions", "expand"):
        return 0.95
    sizes = [ITEM_SIZES.get(record[key], 4) for key in ("src_type", "dst_type")]
    return 0.75 if min(sizes) <= 2 else 0.90


# Tables.

def heading(result):
    machine = result["machine"]
    yield f"{machine['processor']}, {machine['processors']} processors, {machine['memory']}; " \
          f"{'; '.join(machine['caches'])}."
    yield ""
    yield f"{machine['system']}, {machine['kernel']}, transparent huge pages {machine['huge_pages']}; " \
          f"{machine['compiler']}, `{machine['flags'].strip()}`; commit {result['commit']}, scope {result['scope']}."
    yield ""
    peers = [f"{name} {version}" for name, version in result.get("peers", {}).items() if name not in (FIRST, TORCH_FIRST)]
    yield "Contenders: " + ", ".join(peers) + "."
    yield ""


def table(records):
    """Shares of the best plain copy, a column for each contender of the family."""
    names = []
    for record in records:
        names += [name for name in record.get("contenders", {}) if name not in names]
    names.sort(key=lambda name: (not name.startswith(US), name != TORCH, name))
    yield "| case | threads | to | best plain copy | " + " | ".join(names) + " | to PyTorch |"
    yield "|---|---|---|---|" + "---|" * (len(names) + 1)
    for record in records:
        ours, torch = share(record), share(record, TORCH)
        ratio = f"{ours / torch:.1f}x" if ours and torch else ""
        cells = [record["name"], str(record["threads"]), record["destination"],
                 f"{record['best_plain_gb_per_s']:.1f} GB/s, {record['best_plain']}"]
        cells += [text(share(record, name)) for name in names] + [ratio]
        yield "| " + " | ".join(cells) + " |"
    shares = [share(record) for record in records if share(record) and record["destination"] == "warm"]
    if len(shares) > 1:
        yield ""
        yield f"Warm: geometric mean {geometric_mean(shares):.2f}, lowest {min(shares):.2f}."
    yield ""


def overview(result):
    """A row for each family, memory and number of threads: shares of the plain copy, ratios to the peers."""
    yield "| family | memory | threads | cases | share of the plain copy | lowest | to PyTorch | to the best other |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    groups = collections.OrderedDict()
    for record in all_records(result):
        if share(record):
            groups.setdefault((record["family"], record["destination"], record["threads"]), []).append(record)
    for (family, memory, threads), records in groups.items():
        shares = [share(record) for record in records]
        torch = [share(record) / share(record, TORCH) for record in records if share(record, TORCH)]
        others = [share(record) / max(rest) for record in records
                  if (rest := [entry["share"] for name, entry in record["contenders"].items() if is_other(name)])]
        yield f"| {family} | {memory} | {threads} | {len(records)} | {geometric_mean(shares):.2f} | " \
              f"{min(shares):.2f} | " + " | ".join(f"{geometric_mean(ratios):.1f}x" if ratios else ""
                                                    for ratios in (torch, others)) + " |"
    yield ""
    yield "Shares and ratios are geometric means; *the best other* is the fastest of the other contenders of each case."
    yield ""


def is_other(name):
    return not name.startswith(US) and name not in (TORCH, TORCH_FIRST, "malloc, memcpy, free")


def microseconds(seconds):
    return f"{seconds * 1e6:,.0f}" if seconds >= 1e-4 else f"{seconds * 1e6:.1f}"


def operations_table(records):
    """One row for each operation: the time of a call, the ratio to PyTorch beside it for each number of threads."""
    threads = sorted({record["threads"] for record in records})
    rows = collections.OrderedDict()
    for record in records:
        rows.setdefault((record["name"], record["destination"]), {})[record["threads"]] = record
    cells = ["operation", "memory"]
    for count in threads:
        cells += [f"µs, {count} thread{'s' if count > 1 else ''}", "share of the plain copy", "PyTorch, µs",
                  "to PyTorch"]
    yield "| " + " | ".join(cells) + " |"
    yield "|---|---|" + "--:|" * (len(cells) - 2)
    for (name, memory), row in rows.items():
        cells = [name, memory]
        for count in threads:
            found = row.get(count, {}).get("contenders", {})
            ours, torch = found.get(US), found.get(TORCH)
            cells += [microseconds(ours["seconds"]) if ours else "", text(ours and ours["share"]),
                      microseconds(torch["seconds"]) if torch else "",
                      f"{torch['seconds'] / ours['seconds']:.2f}x" if ours and torch else ""]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    for count in threads:
        ratios = [share(r) / share(r, TORCH) for r in records
                  if r["threads"] == count and share(r) and share(r, TORCH)]
        if ratios:
            yield f"{count} thread{'s' if count > 1 else ''}: {geometric_mean(ratios):.2f}x PyTorch in the geometric " \
                  f"mean of {len(ratios)} operations, {min(ratios):.2f}x at least."
            yield ""


def tiny_table(records):
    names, rows = [], collections.OrderedDict()
    for record in records:
        if record["contender"] not in names:
            names.append(record["contender"])
        rows.setdefault((record["name"], record["process"]), {})[record["contender"]] = record["nanoseconds"]
    yield "| nanoseconds a call | while there are | " + " | ".join(names) + " |"
    yield "|---|---|" + "---|" * len(names)
    for (name, process), row in rows.items():
        cells = [f"{row[one]:.1f}" if one in row else "" for one in names]
        yield f"| {name} | {process.removesuffix(' in the process')} | " + " | ".join(cells) + " |"
    yield ""


def reductions_table(records):
    """Shares of a plain read: a row for each pattern, a column for each type and reduction."""
    for threads in sorted({record["threads"] for record in records}):
        columns, rows = [], collections.OrderedDict()
        for record in records:
            if record["threads"] != threads:
                continue
            what, pattern, shape = record["name"].split(", ")
            pattern = (pattern, shape.replace("x", " "))
            if what not in columns:
                columns.append(what)
            rows.setdefault(pattern, {})[what] = text(share(record))
        yield f"{threads} thread{'s' if threads > 1 else ''}:"
        yield ""
        yield "| pattern | shape | " + " | ".join(columns) + " |"
        yield "|---|---|" + "--:|" * len(columns)
        for (pattern, shape), row in rows.items():
            yield f"| `{pattern}` | {shape} | " + " | ".join(row.get(what, "") for what in columns) + " |"
        yield ""


def markdown(result):
    lines = list(heading(result)) + ["## Overview", ""] + list(overview(result))
    for family, records in families(all_records(result)).items():
        rows = operations_table(records) if family == "operations" else table(records)
        lines += [f"## {family[0].upper()}{family[1:]}", ""] + list(rows)
    if result.get("reductions"):
        lines += ["## Reductions", ""] + list(reductions_table(result["reductions"]))
    if result.get("tiny"):
        lines += ["## Small things", ""] + list(tiny_table(result["tiny"]))
    return "\n".join(lines)


def sections(result):
    """What a document may have between the marks `<!-- NAME -->` and `<!-- end of NAME -->`."""
    found = {"overview": list(heading(result)) + list(overview(result))}
    if result.get("operations"):
        found["operations"] = list(operations_table(result["operations"]))
    if result.get("tiny"):
        found["small things"] = list(tiny_table(result["tiny"]))
    if result.get("reductions"):
        found["reductions"] = list(reductions_table(result["reductions"]))
    return found


def write_into(document, result):
    """Replaces the marked sections of a document. A section that was not measured stays as it is."""
    text_of_document = document.read_text(encoding="utf-8")
    is_marked = False
    for name, lines in sections(result).items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        if begin not in text_of_document:
            continue
        is_marked = True
        before, rest = text_of_document.split(begin)
        after = rest.split(end)[1]
        text_of_document = f"{before}{begin}\n" + "\n".join(lines) + f"{end}{after}"
    if not is_marked:
        sys.exit(f"report: {document} has no mark of a measured section, as <!-- overview -->")
    document.write_text(text_of_document, encoding="utf-8")


# Goals.

def below_target(copies):
    for record in copies:
        ours = share(record)
        if ours is None or record["destination"] != "warm" or not is_large(record):
            continue
        if record["family"] == "ttc":
            continue
        if ours < wanted_share(record):
            yield f"{ours:.2f} of {wanted_share(record):.2f}: {full_name(record)}, {record['threads']} threads"


def behind_a_peer(records):
    for record in records:
        ours = share(record)
        if ours is None:
            continue
        for name, entry in record["contenders"].items():
            if not name.startswith(US) and name not in ("malloc, memcpy, free",) and ours < entry["share"] * NOISE:
                yield f"{ours / entry['share']:.2f} of {name}: {full_name(record)}, {record['destination']}, " \
                      f"{record['threads']} threads"


def quartiles(samples):
    samples = sorted(samples)
    last = len(samples) - 1
    return samples[last // 4], samples[last - last // 4]


def slower_than_torch(result):
    """By more than noise: by 5 % in the median, and the middle halves of the samples do not meet."""
    timed = []
    for record in result.get("operations", []):
        found = record.get("contenders", {})
        if US in found and TORCH in found:
            timed.append((f"{full_name(record)}, {record['threads']} threads",
                          [(found[name]["seconds"], found[name]["samples"]) for name in (US, TORCH)]))
    small = collections.OrderedDict()
    for record in result.get("tiny", []):
        small.setdefault((record["name"], record["process"]), {})[record["contender"]] = \
            (record["nanoseconds"], record["samples"])
    timed += [(", ".join(key), [row[US], row[TORCH]]) for key, row in small.items() if US in row and TORCH in row]
    for name, ((ours, our_samples), (torch, torch_samples)) in timed:
        if ours > 1.05 * torch and quartiles(our_samples)[0] > quartiles(torch_samples)[1]:
            yield f"{torch / ours:.2f}x PyTorch: {name}"


def slow_fresh(copies):
    for record in copies:
        ours, torch = share(record, FIRST), share(record, TORCH_FIRST) or share(record, TORCH)
        if record["destination"] == "fresh" and ours and torch and is_large(record) and ours < 2 * torch:
            yield f"{ours / torch:.2f}x PyTorch: {full_name(record)}, {record['threads']} threads"


def fresh_far_from_warm(copies):
    """A loop of fresh results has to come within 80 % of the same copy into warm memory."""
    warm = {(full_name(r), r["threads"]): r["contenders"][US]["seconds"] for r in copies
            if r["destination"] == "warm" and share(r)}
    for record in copies:
        key = (full_name(record), record["threads"])
        if record["destination"] == "fresh" and share(record) and key in warm and is_large(record):
            ratio = warm[key] / record["contenders"][US]["seconds"]
            if ratio < 0.8:
                yield f"{ratio:.2f} of warm: {key[0]}, {key[1]} threads"


def gain_of_threads(copies):
    alone = {}
    for record in copies:
        if record["destination"] != "warm" or not share(record) or not is_large(record):
            continue
        seconds = record["contenders"][US]["seconds"]
        if record["threads"] == 1:
            alone[full_name(record)] = (seconds, record["best_plain_gb_per_s"])
        elif record["threads"] == 2 and full_name(record) in alone:
            before, plain_before = alone[full_name(record)]
            gain, plain_gain = before / seconds, record["best_plain_gb_per_s"] / plain_before
            if gain < 1.8:
                yield f"{gain:.2f}x (the plain copy {plain_gain:.2f}x): {full_name(record)}"


def goals(result):
    copies, operations = result.get("copies", []), result.get("operations", [])
    ttc = [share(r) for r in copies if r["family"] == "ttc" and r["destination"] == "warm" and share(r)]
    if ttc:
        yield f"ttc: geometric mean {geometric_mean(ttc):.3f} (0.85), lowest {min(ttc):.3f} (0.65), {len(ttc)} cases"
    ratios = [share(r) / share(r, TORCH) for r in copies + operations if share(r) and share(r, TORCH)]
    if ratios:
        yield f"to PyTorch, geometric mean {geometric_mean(ratios):.2f}x (4x), lowest {min(ratios):.2f}x, " \
              f"{len(ratios)} cases"
    for title, found in (("large cases below their target", below_target(copies)),
                         ("behind a peer", behind_a_peer(copies)),
                         ("operations slower than PyTorch", slower_than_torch(result)),
                         ("first touch below 2x PyTorch", slow_fresh(copies)),
                         ("reused memory below 0.80 of warm", fresh_far_from_warm(copies)),
                         ("two threads below 1.8x one", gain_of_threads(copies))):
        found = sorted(found)
        yield f"{title}: {len(found)}"
        yield from ("  " + line for line in found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=pathlib.Path, help="what tenstride-bench --out wrote")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the tables to this file")
    parser.add_argument("--into", type=pathlib.Path, nargs="+", default=[],
                        help="write the tables between the marks of these documents: <!-- overview -->, "
                             "<!-- operations -->, <!-- small things -->, <!-- reductions -->")
    parser.add_argument("--plots", type=pathlib.Path, help="write the plots into this folder")
    arguments = parser.parse_args()
    stored = arguments.result.read_bytes()
    result = json.loads(gzip.decompress(stored) if arguments.result.suffix == ".gz" else stored)
    if arguments.markdown:
        arguments.markdown.write_text(markdown(result), encoding="utf-8")
    for document in arguments.into:
        write_into(document, result)
    if arguments.plots:
        plots(result, arguments.plots)
    try:
        print("\n".join(goals(result)), flush=True)
    except BrokenPipeError:  # `| head`
        sys.stdout = None


if __name__ == "__main__":
    main()
