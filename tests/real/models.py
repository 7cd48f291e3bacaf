#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Audits models that nobody here wrote, and follows the fixes.

    tests/real/models.py                 # makes its own environment in build/real/models, some 6 GB; then all models
    tests/real/models.py --models swin_t,bert --report    # these, with their reports

For each model of torchvision, timm and transformers (random weights): the copies of a forward pass, held against
an independent count; how many bytes the fixes say they save; how many they do when they are followed, and whether the
results are the same. Prints the table of docs/audit.md. Ends with 1 where a count differs, where bytes do not fall as
said, or where a result changes.
"""

from __future__ import annotations

import argparse
import collections
import sys

from environment import ROOT, run_in

sys.path.insert(0, str(ROOT / "tests" / "python"))


def _image(size=224):
    import torch

    return torch.randn(2, 3, size, size)


def _vision(name):
    import torchvision

    model, x = getattr(torchvision.models, name)().eval(), _image()
    return lambda: model(x), None


def _timm(name, size=224):
    import timm

    model, x = timm.create_model(name).eval(), _image(size)
    attentions = [module for module in model.modules() if hasattr(module, "fused_attn")]

    def run(is_fused=False):
        for module in attentions:
            module.fused_attn = is_fused
        return model(x)

    return run, (lambda: run(True)) if attentions else None


def _text(name, has_switch=True, **sizes):
    import torch
    import transformers

    model_class = getattr(transformers, f"{name}EncoderModel" if name == "T5" else f"{name}Model")

    def made(attention):
        return model_class(getattr(transformers, f"{name}Config")(**sizes, attn_implementation=attention)).eval()

    model, fused = made("eager"), made("sdpa") if has_switch else None
    ids = torch.randint(0, 99, (2, 64))
    if fused is not None:
        fused.load_state_dict(model.state_dict())
    return lambda: model(ids)[0], None if fused is None else lambda: fused(ids)[0]


def _bert():
    return _text(
        "Bert", hidden_size=128, num_attention_heads=4, num_hidden_layers=3, intermediate_size=256, vocab_size=100
    )


def _llama():
    sizes = {"hidden_size": 128, "num_attention_heads": 8, "num_key_value_heads": 2, "num_hidden_layers": 3}
    # Its switch also leaves the heads to enable_gqa, which is another fix.
    return _text("Llama", False, **sizes, intermediate_size=256, vocab_size=100)


def _gpt2():
    return _text("GPT2", n_embd=128, n_head=4, n_layer=3, vocab_size=100)


def _t5():
    return _text("T5", False, d_model=128, num_heads=4, num_layers=3, d_ff=256, d_kv=32, vocab_size=100)


# Name: a function that gives a forward pass, and the same with fused attention where the model has a switch for it.
MODELS = {
    "resnet18": lambda: _vision("resnet18"),
    "shufflenet_v2_x0_5": lambda: _vision("shufflenet_v2_x0_5"),
    "swin_t": lambda: _vision("swin_t"),
    "vit_b_16": lambda: _vision("vit_b_16"),
    "vit_tiny_patch16_224": lambda: _timm("vit_tiny_patch16_224"),
    "swinv2_cr_tiny_ns_224": lambda: _timm("swinv2_cr_tiny_ns_224"),
    "levit_128s": lambda: _timm("levit_128s"),
    "mixer_s32_224": lambda: _timm("mixer_s32_224"),
    "Bert": _bert,
    "GPT2": _gpt2,
    "Llama": _llama,
    "T5": _t5,
}


def independent_counts(run):
    """Copies by aten operation, counted by a mode that shares nothing with the audit."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    moving = frozenset(
        [
            "clone",
            "_to_copy",
            "copy_",
            "cat",
            "stack",
            "index",
            "index_select",
            "repeat",
            "roll",
            "flip",
            "constant_pad_nd",
            "gather",
        ]
    )

    class Counts(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.found = collections.Counter()

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            name = func._schema.name.partition("::")[2]
            if name in moving and result.numel():
                self.found[name] += 1
            return result

    with torch.no_grad(), Counts() as counts:
        run()
    return counts.found


def written(report):
    """Bytes that the listed copies wrote."""
    return report.bytes_written


def audited(run):
    """The report of a run, and its result."""
    import tenstride
    import torch

    with torch.no_grad(), tenstride.audit() as report:
        result = run()
    return report, result


def look_at(name, shows_report):
    """One row of the table, and whether all held."""
    import torch
    from following import followed

    torch.manual_seed(0)
    run, fused = MODELS[name]()
    with torch.no_grad():
        run()  # what a model keeps from its first run is not of each
    report, result = audited(run)
    problems = []
    counts = collections.Counter(copy.call for copy in report.copies)
    independent = independent_counts(run)
    if counts != independent:
        problems.append(f"counts differ: {dict(counts - independent)} more, {dict(independent - counts)} fewer")
    if shows_report:
        print(report)
    edits = [copy for copy in report.copies if copy.advice.edit]
    said = sum(copy.saves for copy in edits)
    with followed(edits) as done:
        after, again = audited(run)
    fell = written(report) - written(after)
    if done.done < len(edits):
        problems.append(f"{len(edits) - done.done} of {len(edits)} edits were not reached")
    if edits and fell < said:
        problems.append(f"the edits save {fell} B, {said} B were said")
    if not torch.equal(result, again):
        problems.append(f"the edits change the result by {float((result - again).abs().max()):.1e}")
    attention = [copy for copy in report.copies if "scaled_dot_product_attention(q, k, v" in copy.fix]
    fused_said, fused_fell = sum(copy.saves for copy in attention), 0
    if attention and fused is not None:
        after, again = audited(fused)
        fused_fell = written(report) - written(after)
        if fused_fell <= 0 or not torch.allclose(result, again, atol=1e-3):
            problems.append(
                f"fused attention saves {fused_fell} B, values within {float((result - again).abs().max()):.1e}"
            )
    row = (name, len(report.copies), written(report), len(edits), said, fell, len(attention), fused_said, fused_fell)
    return row, problems


def mega(size):
    """Megabytes with two digits behind the point, an empty cell for nothing."""
    return f"{size / 1e6:.2f}" if size else ""


def main():
    """Runs the models in the environment, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(MODELS), help="which, separated by commas")
    parser.add_argument("--report", action="store_true", help="print the whole reports, too")
    parser.add_argument("--here", action="store_true", help="use this Python, which has the models")
    options = parser.parse_args()
    if not options.here:
        arguments = ["--here", "--models", options.models] + ["--report"] * options.report
        return run_in("models", "PyTorch, torchvision, timm and transformers", __file__, arguments)
    failed = False
    print("| model | copies | MB written | edits | MB said | MB fell | of attention | MB said | MB fell |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in options.models.split(","):
        row, problems = look_at(name, options.report)
        name, copies, size, edits, said, fell, attention, fused_said, fused_fell = row
        cells = [name, copies, mega(size), edits, mega(said), mega(fell), attention, mega(fused_said), mega(fused_fell)]
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
        for problem in problems:
            failed = True
            print(f"    {name}: {problem}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
