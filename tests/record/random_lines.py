#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes lines for tests/record/record_answers.py by chance: operations by an index or a mask, on tensors of any layout.

Run by hand:  tests/record/random_lines.py SEED COUNT > random.txt
              tests/record/record_answers.py random.txt | gzip -9n > tests/data/answers/random.jsonl.gz

Left out is what PyTorch does in an order that it does not promise (`put` of two elements to one place through a strided
index) or with other roundings (products and means of complex numbers), and conversions out of a type's range.
"""

import random
import sys
from math import prod

DTYPES = ["int64", "float32", "int32", "uint8", "bool", "float64", "bfloat16", "float16", "complex64", "int16"]


class Lines:
    """Draws tensors, indexes and calls as Python code."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def numbers(self, shape, dtype):
        """Row-major, small numbers of both signs, not negative for uint8."""
        low = 0 if dtype == "uint8" else -3
        step = self.chance.choice([3, 5, 7])
        first = self.chance.randint(0, 5)
        text = f"((torch.arange({prod(shape)}) * {step} + {first}) % 11 + {low}).to(torch.{dtype}).view({tuple(shape)})"
        return text

    def tensor(self, shape, dtype):
        """Dense, permuted, with steps, expanded or a part; complex ones with or without the conjugate bit."""
        axis = self.chance.randrange(len(shape)) if shape else 0
        kind = self.chance.choice(["dense", "dense", "permuted", "stepped", "expanded", "part"]) if shape else "dense"
        stored = list(shape)
        view = ""
        if kind == "permuted":
            order = self.chance.sample(range(len(shape)), len(shape))
            stored = [shape[i] for i in order]
            view = f".permute({tuple(order.index(i) for i in range(len(shape)))})"
        elif kind == "stepped":
            stored[axis] *= 2
            view = f"[{':, ' * axis}{self.chance.choice(['', '1'])}::2]"
        elif kind == "expanded":
            stored[axis] = 1
            view = f".expand({tuple(shape)})"
        elif kind == "part":
            stored[axis] += 2
            view = f".narrow({axis}, 1, {shape[axis]})"
        text = self.numbers(stored, dtype) + view
        if dtype.startswith("complex"):
            text = f"({text} * (1 + 2j)){self.chance.choice(['', '.conj()'])}"
        return text

    def index(self, shape, low, size, dtype="int64"):
        """Numbers in [low, size), seldom one that is not, seldom int32."""
        chance = self.chance
        numbers = [chance.randint(low, max(size - 1, 0)) for _ in range(prod(shape))]
        if numbers and chance.random() < 0.04:
            numbers[chance.randrange(len(numbers))] = chance.choice([size, -size - 1, -1])
        if chance.random() < 0.05:
            dtype = "int32"
        text = f"torch.tensor({numbers}, dtype=torch.{dtype})"
        if len(shape) == 2 and chance.random() < 0.3:
            return f"{text}.view({tuple(reversed(shape))}).t()"
        return f"{text}.view({tuple(shape)})"

    def shape(self):
        rank = self.chance.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
        return [self.chance.choice([1, 2, 3, 4, 0 if self.chance.random() < 0.5 else 2]) for _ in range(rank)]

    def line(self):
        chance = self.chance
        dtype = chance.choice(DTYPES)
        shape = self.shape()
        axis = chance.randrange(max(len(shape), 1))
        dim = axis if chance.random() < 0.7 else axis - max(len(shape), 1)
        family = chance.choice([self.elements, self.elements, self.slices, self.numbered, self.masked, self.views])
        parts = family(shape, axis, dim, dtype)
        if parts is None:
            return self.line()
        return "; ".join([f"x = {self.tensor(shape, dtype)}", *parts])

    def elements(self, shape, axis, dim, dtype):
        chance = self.chance
        of_index = [chance.randint(0 if chance.random() < 0.1 else 1, max(size, 1)) for size in shape]
        if shape:
            of_index[axis] = chance.choice([0, 1, 2, 3, 5, shape[axis]])
        of_source = [size + chance.choice([0, 0, 1]) for size in of_index]
        index = f"i = {self.index(of_index, 0, shape[axis] if shape else 1)}"
        source = f"s = {self.tensor(of_source, dtype)}"
        mark = chance.choice(["", "_"])
        reductions = "sum amax amin" if dtype.startswith("complex") else "sum prod mean amax amin"
        reduction = chance.choice(reductions.split())
        combination = "add" if dtype.startswith("complex") else chance.choice(["add", "multiply"])
        calls = [
            f"x.gather({dim}, i)",
            f"x.take_along_dim(i, {dim})",
            f"x.scatter{mark}({dim}, i, s)",
            f"x.scatter{mark}({dim}, i, {chance.choice(['1', '0', 'True', '2'])})",
            f"x.scatter{mark}({dim}, i, s, reduce='{combination}')",
            f"x.scatter_add{mark}({dim}, i, s)",
            f"x.scatter_reduce{mark}({dim}, i, s, '{reduction}', include_self={chance.choice([True, False])})",
        ]
        return [index, source, chance.choice(calls)]

    def slices(self, shape, axis, dim, dtype):
        chance = self.chance
        count = chance.choice([0, 1, 2, 3, 5])
        of_source = list(shape)
        if shape:
            of_source[axis] = count
        size = shape[axis] if shape else 1
        mark = chance.choice(["", "_"])
        alpha = chance.choice(["", ", alpha=2", ", alpha=1"])
        name = chance.choice(["select", "copy", "fill", "add"])
        index = self.index([count], -size if name == "fill" else 0, size)
        calls = {
            "select": f"x.index_select({dim}, i)",
            "copy": f"x.index_copy{mark}({dim}, i, s)",
            "fill": f"x.index_fill{mark}({dim}, i, {chance.choice(['1', '0', '2', 'True'])})",
            "add": f"x.index_add{mark}({dim}, i, s{alpha})",
        }
        return [f"i = {index}", f"s = {self.tensor(of_source, dtype)}", calls[name]]

    def numbered(self, shape, axis, dim, dtype):
        count = prod(shape)
        of_index = self.shape()[:2]
        index = f"i = {self.index(of_index, -count, count)}"
        mark = self.chance.choice(["", "_"])
        return [
            index,
            f"s = {self.tensor(of_index, dtype)}",
            self.chance.choice(["x.take(i)", f"x.put{mark}(i, s, True)"]),
        ]

    def masked(self, shape, axis, dim, dtype):
        chance = self.chance
        of_mask = shape if chance.random() < 0.6 else [chance.choice([1, size]) for size in shape]
        mark = chance.choice(["", "_"])
        value = chance.choice(["1", "0", "True"])
        calls = ["x.masked_select(i)", f"x.masked_scatter{mark}(i, s)", f"x.masked_fill{mark}(i, {value})"]
        calls += ["x.nonzero()", "x.nonzero(as_tuple=True)", "torch.argwhere(x)"]
        source = self.tensor([chance.choice([2, 60, 300])], dtype)
        return [f"i = {self.tensor(of_mask, 'bool')}", f"s = {source}", chance.choice(calls)]

    def views(self, shape, axis, dim, dtype):
        chance = self.chance
        rank = len(shape)
        size = shape[axis] if shape else 1
        rest = [extent for d, extent in enumerate(shape) if d != axis]
        start = chance.randint(0, size)
        end = chance.randint(start, size)
        part = [end - start if d == axis else extent for d, extent in enumerate(shape)]
        axes = f"{chance.randint(-rank - 1, rank)}, {chance.randint(-rank - 1, rank)}"
        kind = chance.choice(["diag", "embed", "select", "slice", "out"])
        if kind == "select":
            call = f"x.select_scatter(s, {dim}, {chance.randint(-size, max(size - 1, 0))})"
            return [f"s = {self.tensor(rest, dtype)}", call]
        if kind == "slice":
            return [f"s = {self.tensor(part, dtype)}", f"x.slice_scatter(s, {dim}, {start}, {end})"]
        if kind == "out":
            joins = f"cat([x, x], {dim}, |stack([x, x], {dim}, |hstack([x, x], |vstack([x, x], |dstack([x, x], "
            others = "tril(x, |alias_copy(x, |where(x == 1, x, x, |masked_select(x, x == 1, |nonzero(x, |diag(x, "
            call = chance.choice(f"{joins}|column_stack([x, x], |{others}".split("|"))
            of_out = self.shape()
            return [f"s = {self.tensor(of_out, chance.choice([dtype, 'float32', 'int64']))}", f"torch.{call}out=s)"]
        if kind == "embed":
            return [f"x.diag_embed({chance.randint(-2, 2)}, {axes})"]
        return [chance.choice([f"x.diag({chance.randint(-3, 3)})", f"x.diagflat({chance.randint(-2, 2)})"])]


if __name__ == "__main__":
    lines = Lines(int(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        print(lines.line())
