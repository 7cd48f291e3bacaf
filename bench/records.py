# SPDX-License-Identifier: Apache-2.0
"""What tenstride-bench wrote, record by record."""

import collections
import math

US = "tenstride"
TORCH = "libtorch"
FIRST = "tenstride first touch"
TORCH_FIRST = "libtorch first touch"
LARGE = 16 << 20


def geometric_mean(values):
    values = [value for value in values if value > 0]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def share(record, name=US):
    found = record.get("contenders", {}).get(name)
    return found["share"] if found else None


def full_name(record):
    return f"{record['family']}/{record['name']}"


def families(records):
    grouped = collections.OrderedDict()
    for record in records:
        grouped.setdefault(record["family"], []).append(record)
    return grouped


def all_records(result):
    return [record for part in ("copies", "operations", "chains") for record in result.get(part, [])]


def is_large(record):
    return record["bytes_written"] >= LARGE
