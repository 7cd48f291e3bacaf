#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An image, or a batch, on its way to a model: `tenstride.convert` beside the usual chains of NumPy, OpenCV and torchvision.

    PYTHONPATH=build/release/python python3 bench/image_chains.py          # what is not installed is left out

Every contender makes the same float32 numbers from bytes: (h, w, c) to (c, h, w), with scale and shift for each channel. The
results are compared. Times are medians of rounds, each of which runs every contender once. `copyto` is the time of
`numpy.copyto` for as many float32 bytes.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
import tenstride

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
SCALE = (1 / (255 * STD)).tolist()
SHIFT = (-MEAN / STD).tolist()

CASES = {
    "224 x 224": (1, 224, 224),
    "1080 x 1920": (1, 1080, 1920),
    "32 of 224 x 224": (32, 224, 224),
    "8 of 1080 x 1920": (8, 1080, 1920),
}


def by_tenstride(images):
    """One pass."""
    return tenstride.convert(images, "b h w c -> b c h w", dtype="float32", scale=SCALE, shift=SHIFT, axis=1)


def into_tenstride(images, out):
    """One pass into an existing array."""
    return tenstride.convert(
        images, "b h w c -> b c h w", dtype="float32", scale=SCALE, shift=SHIFT, axis=1, out=out
    )


def by_numpy(images):
    """The usual code: three passes that compute, and one that permutes."""
    return np.ascontiguousarray(((images.astype(np.float32) / 255 - MEAN) / STD).transpose(0, 3, 1, 2))


def opencv():
    """blobFromImages subtracts a mean and multiplies by one number; the division by three deviations follows."""
    import cv2

    mean = tuple(float(255 * one) for one in MEAN)
    std = STD.reshape(1, 3, 1, 1)

    def run(images):
        return cv2.dnn.blobFromImages(list(images), scalefactor=1 / 255, mean=mean) / std

    return cv2, run


def torchvision():
    """Tensors, permuted, to float, normalized."""
    import torch
    from torchvision.transforms.v2 import functional

    def run(images):
        x = torch.from_numpy(images).permute(0, 3, 1, 2).contiguous()
        return functional.normalize(functional.to_dtype(x, torch.float32, scale=True), MEAN.tolist(), STD.tolist()).numpy()

    return torch, run


def contenders(threads):
    """The function of each contender, by its name."""
    found = {"tenstride": by_tenstride, "NumPy": by_numpy}
    for name, make in (("OpenCV", opencv), ("torchvision", torchvision)):
        try:
            module, run = make()
        except ImportError:
            print(f"{name} is not installed")
            continue
        (module.setNumThreads if name == "OpenCV" else module.set_num_threads)(threads)
        found[name] = run
    return found


def medians(runs, rounds):
    """The median seconds of each, over rounds that run each once."""
    times = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(spent) for name, spent in times.items()}


def main():
    """Prints a table of milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    tenstride.set_num_threads(options.threads)
    rng = np.random.default_rng(1)
    for case, shape in CASES.items():
        images = rng.integers(0, 256, (*shape, 3), np.uint8)
        expected = by_numpy(images)
        out, again = np.empty_like(expected), np.empty_like(expected)
        runs = {}
        for name, run in contenders(options.threads).items():
            assert np.allclose(run(images), expected, atol=1e-5), name
            runs[name] = lambda run=run: run(images)
        runs["tenstride, out="] = lambda: into_tenstride(images, out)
        runs["copyto"] = lambda: np.copyto(again, expected)
        found = medians(runs, options.rounds)
        own = found["tenstride"]
        cells = ", ".join(f"{name} {1e3 * spent:.2f} ms ({spent / own:.1f})" for name, spent in found.items())
        print(f"{case}: {cells}")


if __name__ == "__main__":
    main()
