# SPDX-License-Identifier: Apache-2.0
"""Fixes of the audit of PyTorch: each saves what it says and changes no value; what saves nothing is not listed."""

from __future__ import annotations

import random

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed for this Python")

from following import followed  # noqa: E402
from tenstride.audit import audit  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

HAS_ATTENTION = hasattr(F, "scaled_dot_product_attention")


def fixes(program, *operands):
    with torch.no_grad(), audit() as report:
        program(*operands)
    return {copy.operation: copy for copy in report.copies}


def check_followed(program, *operands):
    """Follows all edits of a program: bytes fall as said, and values hold. Gives how many edits there were."""
    with torch.no_grad():
        with audit() as before:
            expected = program(*operands)
        edits = [copy for copy in before.copies if copy.advice.edit]
        with followed(edits), audit() as after:
            found = program(*operands)
    # Sums go in another order: terms of about one leave a rest of about 1e-6 where they cancel.
    assert torch.allclose(expected, found, rtol=1e-4, atol=1e-5, equal_nan=True)
    # Edits that share memory can spare more together than one by one, never less than the largest.
    fell = before.bytes_written - after.bytes_written
    assert not edits or fell >= max(copy.saves for copy in edits), str(before) + "\n\n" + str(after)
    return len(edits), fell, sum(copy.saves for copy in edits)


def test_contiguous_before_an_elementwise_operation_is_dropped():
    x = torch.randn(4, 32, 64)
    copy = fixes(lambda: x.transpose(1, 2).contiguous() + 1)["contiguous"]
    assert copy.fix == "drop .contiguous(): what follows takes (4,64,32):(2048,1,64)+0 as it is"
    assert (copy.saves, copy.advice.edit) == (copy.bytes_written, "drop")


def test_what_a_kernel_would_copy_instead_is_said_and_not_listed():
    x = torch.randn(4, 32, 64)
    copy = fixes(lambda: F.layer_norm(x.transpose(1, 2).contiguous(), (32,)))["contiguous"]
    assert copy.fix.startswith("stays: without it the kernel of layer_norm (")
    assert copy.fix.endswith("copies the same 32.8 kB") and copy.saves == 0


def test_what_the_next_reshape_would_copy_instead_is_said():
    x = torch.randn(4, 8, 16, 32)
    copy = fixes(lambda: x.transpose(1, 2).contiguous().reshape(4, 16, 256))["contiguous"]
    assert copy.fix.startswith("stays: without it reshape (") and copy.fix.endswith("copies the same 65.5 kB")


def test_a_part_that_is_still_copied_is_named():
    x = torch.randn(4, 32, 64)

    def program():
        y = x.transpose(1, 2).contiguous()
        return (y + 1).sum() + y[:2].reshape(-1).sum()

    copy = fixes(program)["contiguous"]
    assert "; saves 16.4 kB, 16.4 kB is copied by reshape (" in copy.fix
    assert copy.saves == copy.bytes_written // 2
    assert check_followed(program) == (1, copy.saves, copy.saves)


def test_a_clone_that_is_written_to_stays():
    x = torch.randn(8, 8)

    def program():
        y = x.clone()
        y.add_(1)
        return y + x

    copy = fixes(program)["clone"]
    assert copy.fix.startswith("stays: add_ (") and copy.fix.endswith("writes to what would be shared")


def test_a_clone_whose_source_is_written_to_later_stays():
    def program():
        x = torch.ones(8, 8) * 2
        y = x.clone()
        x.add_(1)
        return y * x

    assert fixes(program)["clone"].fix.startswith("stays: add_ (")


def test_a_clone_that_nobody_writes_to_is_dropped():
    x = torch.randn(8, 8)
    assert fixes(lambda: x.clone() * 2)["clone"].advice.edit == "drop"


def test_a_repeat_whose_expansion_the_next_operation_writes_out_is_no_fix():
    x, w = torch.randn(1, 6, 8), torch.randn(4, 8, 5)
    repeated = fixes(lambda: x.repeat(4, 1, 1).reshape(-1) * 2)["repeat"]
    assert repeated.fix.startswith("stays: as a view reshape (")
    assert fixes(lambda: torch.bmm(x.repeat(4, 1, 1), w))["repeat"].advice.edit == "expand"


def test_pads_of_zero_are_a_copy_for_nothing():
    x = torch.randn(2, 3, 8, 8)
    conv = nn.Conv2d(3, 4, 3)
    copy = fixes(lambda: conv(F.pad(x, (0, 0, 0, 0))))["pad"]
    assert copy.fix == "every pad is 0: a copy for nothing, leave the call out (if any(pad): …)"
    assert copy.saves == x.numel() * 4
    assert check_followed(lambda: conv(F.pad(x, (0, 0, 0, 0))))[0] == 1


def test_a_convolution_is_given_the_pads_only_where_one_follows():
    x = torch.randn(2, 3, 8, 8)
    conv = nn.Conv2d(3, 4, 3)
    assert "padding=" in fixes(lambda: conv(F.pad(x, (1, 1, 1, 1))))["pad"].fix
    for program in (lambda: F.pad(x, (1, 1)) * 2, lambda: conv(F.pad(x, (1, 0, 1, 0)))):
        copy = fixes(program)["pad"]
        assert copy.fix.startswith("stays: ") and copy.saves == 0


def test_parts_that_are_empty_make_cat_a_copy_for_nothing():
    empty, x = torch.empty(0), torch.randn(2, 3)
    copy = fixes(lambda: torch.cat([empty, x]) + 1)["cat"]
    assert copy.fix == "all parts but one are empty: a copy for nothing, take that one"
    assert copy.saves == x.numel() * 4


def test_linear_is_called_before_a_permutation_of_its_rows():
    x, linear = torch.randn(8, 16, 32), nn.Linear(32, 24)
    copy = fixes(lambda: linear(x.permute(1, 0, 2)) + 1)["linear"]
    assert copy.fix.startswith("call it before permute(1, 0, 2) (") and copy.saves == copy.bytes_written
    assert torch.allclose(linear(x.permute(1, 0, 2)), linear(x).permute(1, 0, 2))
    assert not fixes(lambda: linear(x).permute(1, 0, 2) + 1)
    stays = fixes(lambda: linear(x.permute(1, 0, 2)).view(-1))["linear"]
    assert stays.fix == "stays: linear takes it as (128,32), for which axes 0 and 1 have to merge"


def attention(x, heads, project):
    batch, time, width = x.shape
    q, k, v = project(x).view(batch, time, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
    weights = (q @ k.transpose(-2, -1) / (width // heads) ** 0.5).softmax(-1)
    return (weights @ v).transpose(1, 2).reshape(batch, time, width)


def fused(x, heads, project):
    batch, time, width = x.shape
    q, k, v = project(x).view(batch, time, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, time, width)


@pytest.mark.skipif(not HAS_ATTENTION, reason="PyTorch 2 has scaled_dot_product_attention")
def test_attention_written_out_is_offered_the_fused_one_which_copies_nothing():
    x, project = torch.randn(2, 64, 128), nn.Linear(128, 384)
    with torch.no_grad(), audit() as report:
        expected = attention(x, 4, project)
    assert [copy.operation for copy in report.copies] == ["matmul", "matmul", "matmul", "reshape"]
    assert all("F.scaled_dot_product_attention(q, k, v) takes these strides" in copy.fix for copy in report.copies)
    assert "heads that join without a copy" in report.copies[-1].fix
    with torch.no_grad(), audit() as after:
        found = fused(x, 4, project)
    assert after.bytes_written == report.bytes_written - sum(copy.saves for copy in report.copies) == 0
    assert torch.allclose(expected, found, atol=1e-5)


def grouped(x, repeats, **options):
    batch, time, width = x.shape
    q = x.view(batch, time, 8, width // 8).transpose(1, 2)
    k = x[..., : width // 4].view(batch, time, 2, width // 8).transpose(1, 2)
    if repeats:
        k = k[:, :, None].expand(batch, 2, 4, time, width // 8).reshape(batch, 8, time, width // 8)
    return F.scaled_dot_product_attention(q, k, k, **options)


@pytest.mark.skipif(not HAS_ATTENTION, reason="PyTorch 2 has scaled_dot_product_attention")
def test_heads_repeated_by_hand_are_left_to_the_attention_where_its_kernel_repeats_none():
    x = torch.randn(2, 64, 128)
    copy = fixes(lambda: grouped(x, True))["reshape"]
    try:
        with torch.no_grad(), audit() as after:
            found = grouped(x, False, enable_gqa=True)
    except TypeError:
        assert copy.fix.startswith("stays: scaled_dot_product_attention (")
        return
    assert torch.allclose(found, grouped(x, True), atol=1e-5)
    if after.copies:
        assert (
            copy.fix == "stays: scaled_dot_product_attention(…, enable_gqa=True) copies them inside on the CPU (tried)"
        )
    else:
        assert (
            "F.scaled_dot_product_attention(q, k, v, enable_gqa=True)" in copy.fix and copy.saves == copy.bytes_written
        )


def test_joining_heads_before_linear_is_not_offered_another_order_of_the_same_lines():
    x, linear = torch.randn(2, 4, 16, 8), nn.Linear(32, 32)
    copy = fixes(lambda: linear(x.transpose(1, 2).reshape(2, 16, 32)))["reshape"]
    assert copy.fix.startswith("stays: linear (") and "einsum" not in copy.fix


def test_windows_before_linear_stay():
    x, linear = torch.randn(2, 8, 8, 32), nn.Linear(32, 32)
    program = lambda: linear(x.view(2, 2, 4, 2, 4, 32).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, 32))  # noqa: E731
    assert fixes(program)["reshape"].fix.startswith("stays: linear (")


def test_an_image_goes_to_convolutions_in_the_order_it_has():
    images, conv = torch.randn(2, 16, 16, 3), nn.Conv2d(3, 8, 3)
    program = lambda: conv(images.permute(0, 3, 1, 2).contiguous()).relu()  # noqa: E731
    assert check_followed(program)[0] == 1
    flattened = fixes(lambda: conv(images.permute(0, 3, 1, 2).contiguous()).flatten(1))["contiguous"]
    assert flattened.fix.startswith("stays: without it flatten (")


def test_channels_last_is_advised_only_where_a_convolution_follows():
    bias, images, conv = torch.randn(2, 4, 8, 8), torch.randn(2, 3, 8, 8), nn.Conv2d(3, 8, 3)
    plain = fixes(lambda: bias.to(memory_format=torch.channels_last) + 1)["to"]
    assert "channels_last" not in plain.fix and plain.fix.startswith("drop .to(")
    assert "channels_last" in fixes(lambda: conv(images.to(memory_format=torch.channels_last)))["to"].fix


def test_bits_seen_as_another_type_are_no_reshape():
    x = torch.randn(4, 4)
    copy = fixes(lambda: x.t().contiguous().view(torch.int32) + 1)["contiguous"]
    assert copy.advice.edit == "drop" and "could not" not in copy.fix


def test_what_cannot_be_tried_is_said_and_harms_no_report():
    x = torch.randn(4, 3)
    copy = fixes(lambda: x.t().contiguous().nonzero())["contiguous"]
    assert copy.fix.startswith("stays: nonzero (") and "could not be tried without it" in copy.fix


STEPS = {
    "permute": lambda x, rng: x.permute(*rng.sample(range(x.dim()), x.dim())),
    "contiguous": lambda x, rng: x.contiguous(),
    "clone": lambda x, rng: x.clone(),
    "add": lambda x, rng: x + 1,
    "relu_": lambda x, rng: (x * 2).relu_(),
    "write": lambda x, rng: x if 0 in x.stride() else x.mul_(2),
    "reshape": lambda x, rng: x.reshape(x.shape[0], -1),
    "unsqueeze": lambda x, rng: x.unsqueeze(rng.randrange(x.dim() + 1)),
    "repeat": lambda x, rng: x[:1].repeat(3, *[1] * (x.dim() - 1)),
    "index": lambda x, rng: x[[*range(x.shape[0])]],
    "softmax": lambda x, rng: x.softmax(-1),
    "norm": lambda x, rng: F.layer_norm(x, x.shape[-1:]),
    "product": lambda x, rng: x @ torch.ones(x.shape[-1], 3),
    "both": lambda x, rng: x + x.transpose(0, -1).contiguous().transpose(0, -1),
    "sum": lambda x, rng: x.sum(0, keepdim=True).expand_as(x),
}


def chain(seed):
    rng = random.Random(seed)
    shape = [rng.choice((2, 3, 4)) for _ in range(rng.randrange(2, 4))]
    names = [rng.choice(list(STEPS)) for _ in range(rng.randrange(3, 9))]

    def program():
        inner = random.Random(seed)
        x = torch.arange(1.0, 1 + torch.tensor(shape).prod()).reshape(shape)
        for name in names:
            if x.dim() < 5:
                x = STEPS[name](x, inner)
        return x

    return program


def test_edits_of_random_programs_save_what_they_say_and_change_no_value():
    edits = exact = 0
    for seed in range(400):
        count, fell, said = check_followed(chain(seed))
        edits += count
        exact += fell == said
    assert edits > 150
    assert exact > 380  # edits that meet can save more, or less, than their sum


@pytest.mark.parametrize(
    "run",
    [
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.avg_pool2d(x, 2),
        lambda x: F.adaptive_avg_pool2d(x, 3),
        lambda x: F.group_norm(x, 2),
        lambda x: F.layer_norm(x, x.shape[-1:]),
        lambda x: x.softmax(-1),
        lambda x: F.conv2d(x, torch.randn(4, 8, 3, 3)),
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda x: F.interpolate(x.contiguous(), scale_factor=2),
        lambda x: torch.fft.rfft(x),
        lambda x: F.scaled_dot_product_attention(x, x, x) if HAS_ATTENTION else x,
        lambda x: torch.mm(x[0, 0, ::2, ::2], torch.randn(3, 4)),
        lambda x: torch.mv(x[0, 0, ::2, ::2], torch.randn(3)),
    ],
)
def test_copies_in_kernels_that_the_profiler_sees_are_named(run):
    x = torch.randn(2, 8, 6, 6).permute(0, 1, 3, 2)
    with torch.no_grad():
        with audit() as report:
            run(x)
        with torch.profiler.profile() as profile:
            run(x)
    copies = sum(event.count for event in profile.key_averages() if event.key == "aten::clone")
    assert report.copies or report.missed or not copies


def test_kernels_are_not_named_for_layouts_they_take_as_they_are():
    x = torch.randn(2, 8, 6, 6)
    with torch.no_grad(), audit() as report:
        for image in (x, x.contiguous(memory_format=torch.channels_last)):
            F.max_pool2d(image, 2)
            F.conv2d(image, torch.randn(4, 8, 3, 3))
        x.softmax(-1), x[0, 0] @ x[0, 0].t(), torch.fft.rfft(x)
    assert report.missed == []
