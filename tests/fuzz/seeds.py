#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the inputs that the fuzz targets begin with: small files of each version, codec and element type.

    tests/fuzz/seeds.py --out FOLDER

FOLDER/TARGET/ gets the inputs of a target. Files are written by each format's own library where it is installed, and by
their definition otherwise; malformed ones are those of tests/malformed; texts are those of the documents and the
other tests.
"""

import argparse
import gzip
import importlib
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "malformed"))

import seed_chunks
import seed_files
import seed_parts

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The modules of tests/malformed whose files a target takes: so they are read under the sanitizers, too.
MALFORMED = {
    "npy": ["npy"],
    "npz": ["npz"],
    "safetensors": ["safetensors"],
    "tiff": ["tiff"],
    "nifti": ["nifti"],
    "netcdf": ["netcdf"],
    "images": ["image", "animation", "jpeg2000"],
    "zarr_chunks": ["zarr2", "zarr3"],
}
MAX_BYTES = 1 << 16

LAYOUTS = ("()", "(3,)", "(2,3)", "( 2, 3 )", "():()+0", "(2,3):(3,1)+0", "(2,3):(1,2)+4", "(4):(-1)+3", "(0,2):(2,1)")
INDEX = {
    "metadata": {"total_size": 10},
    "weight_map": {"a": "m-00001-of-00002.safetensors", "b": "m-00002-of-00002.safetensors"},
}
ATTRIBUTES = (
    {},
    {"units": "K", "list": [1, 2.5, None], "nested": {"a": {"b": True}}},
    {"descrip": "text", "aux_file": "", "xyzt_units": 10, "qform_code": 1, "sform_code": 1, "quatern_b": 0.5}
    | {"srow_x": [1, 0, 0, 5], "srow_y": [0, 1, 0, 0], "srow_z": [0, 0, 1, 0], "pixdim": [1, 2], "qfac": -1}
    | {"scl_slope": 2.0, "scl_inter": None, "datatype": "RGB24"},
    {"_ARRAY_DIMENSIONS": ["y", "x"], "tenstride": 1, "format": "pt", "__metadata__": "text"},
    {"shape": [2, 3], "axes": "YX", "ImageDescription": "text"},
)


def texts_of_documents():
    """Calls of `tenstride explain`, and fenced or prompted code, of the documents and of recorded sessions."""
    for path in (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"):
        text = path.read_text(encoding="utf-8")
        yield from re.findall(r"tenstride (?:explain|show)[^'\n]*'([^']+)'", text)
        for block in re.findall(r"```(?:python|pycon)\n(.*?)```", text, re.DOTALL):
            lines = [line[4:] if line.startswith((">>> ", "... ")) else line for line in block.splitlines()]
            yield "\n".join(lines)
            yield from (line for line in lines if "torch." in line)
    for path in sorted((ROOT / "tests/data/sessions").glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield "\n".join(line[4:] for line in lines if line.startswith(">>> "))


def texts_of_answers():
    """The calls that answers are recorded for, with the first of their alternatives, behind what they begin with."""
    for path in sorted((ROOT / "tests/data/answers").glob("*.txt")):
        begin = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            line = re.sub(r"\{([^{}|]*)\|[^{}]*\}", r"\1", line)
            if line.startswith("@ "):
                begin = line[2:] + "; "
            elif line and not line.startswith("#"):
                yield begin + line


def patterns():
    yield "time lat lon -> lat lon time\n(2,3,4)\n"
    yield "(b1 b2) ... -> b2 ... b1\n(6,2,5)\nb1=2"
    with gzip.open(ROOT / "tests/data/conformance/einops.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in list(lines)[:400]:
            step = json.loads(line)
            if isinstance(step.get("pattern"), str) and isinstance(step.get("in"), dict):
                shape = ",".join(map(str, step["in"]["shape"]))
                sizes = " ".join(f"{name}={size}" for name, size in step.get("axes", {}).items())
                yield f"{step['pattern']}\n({shape})\n{sizes}"


def texts():
    return {
        "layout": LAYOUTS,
        "safetensors_index": (json.dumps(INDEX), json.dumps(INDEX, indent=2), json.dumps(INDEX | {"metadata": {}})),
        "attributes": map(json.dumps, ATTRIBUTES),
        "patterns": patterns(),
        "expression": [text for text in (*texts_of_documents(), *texts_of_answers()) if len(text) <= 1024],
    }


def malformed(modules):
    for module in modules:
        for file in importlib.import_module(f"{module}_files").files():
            content = file.content
            if not isinstance(content, bytes):
                content = seed_parts.join_files(content)
            if len(content) <= MAX_BYTES:
                yield content


def files(folder):
    """The inputs of each target of files, as far as the libraries are installed."""
    makers = {
        "npy": seed_files.npy,
        "npz": seed_files.npz,
        "nifti": seed_files.nifti,
        "netcdf": lambda: seed_files.netcdf(folder),
        "tiff": seed_files.tiff,
        "images": seed_files.images,
        "zarr_chunks": lambda: seed_chunks.zarr(folder),
        "hdf5_filters": seed_chunks.hdf5_filters,
    }
    inputs = {"safetensors": list(seed_files.safetensors())}
    for target, make in makers.items():
        try:
            if seed_parts.numpy is None:
                raise ImportError("numpy")
            inputs[target] = list(make())
        except ImportError as error:
            print(f"{target}: no inputs without {error.name or error}")
            inputs[target] = [b""]
    inputs["zarr_metadata"] = list(seed_chunks.zarr_metadata(inputs["zarr_chunks"]))
    return inputs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as folder:
        inputs = files(pathlib.Path(folder))
    for target, found in texts().items():
        inputs[target] = [text.encode() for text in found]
    for target, modules in MALFORMED.items():
        inputs[target] += malformed(modules)
    for target, seeds in inputs.items():
        (out / target).mkdir(parents=True, exist_ok=True)
        seeds = list(dict.fromkeys(seeds))
        for number, seed in enumerate(seeds):
            (out / target / f"seed-{number:04}").write_bytes(seed)
        print(f"{target}: {len(seeds)} inputs, {sum(map(len, seeds))} bytes")


if __name__ == "__main__":
    main()
