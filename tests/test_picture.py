#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The picture at the head of README.md is what the example draws today, and is XML."""

import argparse
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--bin", required=True, type=pathlib.Path)
arguments = parser.parse_args()

drawn = subprocess.run([arguments.bin / "example-picture"], check=True, capture_output=True, text=True).stdout
kept = pathlib.Path(__file__).parent.parent / "docs" / "images" / "layout.svg"
xml.etree.ElementTree.fromstring(drawn)
if drawn != kept.read_text():
    sys.exit(f"{kept} is not what the example draws; run example-picture > docs/images/layout.svg and look at it")
