# SPDX-License-Identifier: Apache-2.0
"""Why an operation copied, and what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import layouts as ly
from .fixes import Fix
from .links import HOSTS
from .origins import Origin, made_not_contiguous, made_not_viewable
from .torch_names import EXPLICIT, ONLY_MOVES, words

if TYPE_CHECKING:
    from .copy_facts import CopyFacts
    from .links import Link
    from .places import Place

RESHAPES = frozenset({"reshape", "reshape_as", "flatten", "ravel", "unflatten", "view", "view_as", "resize"})
"""What copies only where no view is possible."""

ALWAYS = {
    **{
        name: f"{name} writes all its parts into a new one"
        for name in words("block cat column_stack concat concatenate dstack hstack stack vstack")
    },
    **{name: f"{name} writes every repetition out" for name in words("repeat repeat_interleave tile")},
    **{name: f"PyTorch has no negative strides, so {name} copies" for name in words("flip rot90")},
    **dict.fromkeys(words("index index_select take"), "indexing with tensors, lists or masks always copies"),
    **dict.fromkeys(words("im2col unfold"), "windows of an image are written out, shared elements several times"),
    "gather": "gather picks element by element",
    "pad": "padding writes a larger tensor",
    "pin_memory": "pin_memory copies into page-locked memory",
    "roll": "roll writes its result anew",
}
"""What copies whatever the layout, and why."""


def strides_reason(src: ly.Layout, dst: ly.Layout) -> str:
    """Why a tensor had to be rewritten in the strides of `dst`."""
    if ly.is_contiguous(dst) and not ly.is_contiguous(src):
        return f"strides {ly.sizes_text(src.strides)} are not the row-major {ly.sizes_text(dst.strides)}"
    if ly.is_channels_last(dst) and not ly.is_channels_last(src):
        return f"strides {ly.sizes_text(src.strides)} are not the channels_last {ly.sizes_text(dst.strides)}"
    return f"strides {ly.sizes_text(src.strides)} had to become {ly.sizes_text(dst.strides)}"


def obstacle_of(copy: CopyFacts) -> ly.Obstacle | None:
    """The obstacle of a copy that a reshape made."""
    if copy.target is None or copy.src is None:
        return None
    return ly.why_not_view(copy.src, copy.target)


def is_inner(copy: CopyFacts) -> bool:
    """Whether the line calls what computes, or what is not PyTorch's, which copied inside: it cannot be left out."""
    if copy.said is None or copy.kind not in ("silent", "explicit"):
        return False
    return copy.said != copy.operation or copy.operation not in ONLY_MOVES | EXPLICIT | RESHAPES


def _repeats(layout: ly.Layout) -> bool:
    return any(stride == 0 and size > 1 for stride, size in zip(layout.strides, layout.shape))


def why(copy: CopyFacts) -> str:
    """One clause: why the bytes moved."""
    if copy.note:
        return copy.note
    if copy.link is not None:
        return copy.link.why()
    obstacle = obstacle_of(copy)
    if obstacle is not None and copy.src is not None:
        inner = (
            "" if copy.operation in RESHAPES else f"{copy.operation} needs it as {ly.sizes_text(copy.target or ())}; "
        )
        repeats = _repeats(copy.src)
        return inner + str(obstacle) + (" (expanded: its elements are repeated)" if repeats else "")
    changes = []
    if copy.src_dtype != copy.dst_dtype:
        changes.append(f"{copy.src_dtype} to {copy.dst_dtype}")
    if copy.src_device != copy.dst_device:
        changes.append(f"{copy.src_device} to {copy.dst_device}")
    if changes:
        return ", ".join(changes)
    if copy.operation in ALWAYS:
        return ALWAYS[copy.operation]
    if copy.phase == "backward" and copy.call == "copy_":
        return "the gradient is kept in the strides of its parameter"
    if copy.kind == "explicit":
        return f"{copy.operation} copies by its name"
    src, dst = copy.src, copy.dst
    if src is not None and dst is not None and src.shape == dst.shape and src.strides != dst.strides:
        return strides_reason(src, dst)
    return f"{copy.operation} always writes a new result"


def since(copy: CopyFacts) -> Origin | None:
    """The step that made the copy necessary, where one in the scope did."""
    if copy.src is None or copy.origin is None:
        return None
    if copy.target is not None:
        return made_not_viewable(copy.origin, copy.target) if obstacle_of(copy) else None
    if copy.dst is not None and not ly.is_contiguous(copy.src) and copy.src.strides != copy.dst.strides:
        return made_not_contiguous(copy.origin)
    return None


def fix(copy: CopyFacts) -> Fix:
    """What to write instead, or why it stays. What PyTorch copied is tried first; the rest says that it was not."""
    if copy.remedy:
        return Fix(copy.remedy)
    if copy.link is not None:
        return Fix(_fix_transfer(copy, copy.link))
    if copy.phase == "backward":
        return Fix("autograd's own; it follows from the layouts of the forward pass")
    if copy.trial is not None:
        found: Fix | None = copy.trial.fix(copy)
        if found is not None:
            return found
    return Fix(_untried(copy))


def _untried(copy: CopyFacts) -> str:
    obstacle = obstacle_of(copy)
    if obstacle is not None:
        return _fix_reshape(obstacle)
    if copy.kind == "conversion":
        if copy.src_device != copy.dst_device:
            return f"make it on {copy.dst_device} (device=...), or move it once"
        return f"convert once and keep the result, or make it {copy.dst_dtype} from the start (dtype=...)"
    if is_inner(copy):
        return f"stays: {copy.said} copies inside"
    prefix = "untried: " if copy.trial is not None else ""
    if copy.operation in _FIXES:
        return prefix + _FIXES[copy.operation]
    is_move = copy.call in ("clone", "_to_copy") or copy.operation in ("contiguous", "to")
    if is_move and copy.src is not None and copy.dst is not None and copy.src.strides != copy.dst.strides:
        return _fix_strides(copy)
    if copy.call in _FIXES:
        return prefix + _FIXES[copy.call]
    return "needed as it is written, unless the result is not used"


def _fix_transfer(copy: CopyFacts, link: Link) -> str:
    advice = link.advice()
    if advice:
        return "; ".join(advice)
    if link.is_module:
        return "once for each parameter, which stays there"
    if copy.operation in ("tensor", "as_tensor", "asarray"):
        return f"{copy.operation} makes it on the cpu and sends it; full, arange and the like are made on {link.target}"
    if link.target in HOSTS:
        return "compute there what can be, and bring back less"
    return f"make it on {link.target} (device=...), or move it once"


def _fix_strides(copy: CopyFacts) -> str:
    if copy.inside is None:
        return "hand on the view: most operations take any strides"
    cause = since(copy)
    if cause is None or not cause.is_own:
        return f"{_library(copy.inside)} own line, whatever the layout it is given; another call may do without"
    return f"{_library(copy.inside)} own line; it copies because of {cause}, which is yours to move or drop"


def _library(inside: Place) -> str:
    """PyTorch's, NumPy's, or another's."""
    file = inside.file.replace("\\", "/")
    return "PyTorch's" if "/torch/" in file else "NumPy's" if "/numpy/" in file else "a library's"


def _fix_reshape(obstacle: ly.Obstacle) -> str:
    left, right = obstacle.left_axis, obstacle.right_axis
    return f"stays, unless axes {left} and {right} are kept apart and what follows runs over both (einsum does)"


_FIXES = {
    **dict.fromkeys(words("clone copy"), "drop it unless one of the two is written to afterwards"),
    **dict.fromkeys(
        words("cat concatenate stack"),
        "make the whole once (empty) and let the parts be written into it (out=, slices)",
    ),
    **dict.fromkeys(
        words("repeat tile"),
        "repeat along axes that broadcast costs nothing: expand (NumPy: broadcast_to) is a view",
    ),
    **dict.fromkeys(
        words("ascontiguousarray asfortranarray"), "hand on the view: ufuncs and reductions take any strides"
    ),
    **dict.fromkeys(words("copy_ index_put_ setitem"), "let the operation before write there itself (out=)"),
    "array": "np.asarray copies only where it must; or drop it unless one of the two is written to",
    "flip": "index backwards where it is read, or flip the smaller operand",
    "index": "a slice is a view; or index later, when less is left",
    "index_select": "narrow or a slice is a view; or select later, when less is left",
    "pin_memory": "pin a buffer that is sent again, or let the loader pin (DataLoader(pin_memory=True))",
    "repeat_interleave": "unsqueeze and expand are views where the next operation takes one axis more",
    "take": "a slice is a view; or take later, when less is left",
}
