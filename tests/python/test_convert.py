# SPDX-License-Identifier: Apache-2.0
"""Files in another order, from file to file, with NumPy as the definition."""

from __future__ import annotations

import _thread
import random
import threading

import pytest
import tenstride as torch

numpy = pytest.importorskip("numpy")


@pytest.fixture
def files(tmp_path):
    """Writes an array as the source; gives its path and that of the destination."""

    def write(array):
        numpy.save(tmp_path / "a.npy", array)
        return tmp_path / "a.npy", tmp_path / "b.npy"

    return write


def numbers(*shape, dtype="float32"):
    return numpy.arange(numpy.prod(shape)).reshape(shape).astype(dtype)


@pytest.mark.parametrize("seed", range(8))
def test_random_orders_are_numpys(files, seed):
    choose = random.Random(seed)
    rank = choose.randint(1, 5)
    x = numbers(*(choose.randint(1, 12) for _ in range(rank)), dtype=choose.choice(["uint8", "int16", "float64"]))
    axes = choose.sample(range(rank), rank)
    order = choose.choice("CF")
    source, destination = files(x)
    result = torch.convert(source, f"x.permute{tuple(axes)}", destination, order=order, max_memory="4M", verify=True)
    y = numpy.load(destination)
    assert numpy.array_equal(y, x.transpose(axes)) and y.flags[f"{order}_CONTIGUOUS"]
    assert result.checksum == torch.checksum(y)
    assert result.is_checked and not result.is_resumed
    assert result.bytes_read >= x.nbytes and result.bytes_written >= x.nbytes and result.seconds > 0


def test_elements_are_converted_and_scaled(files):
    x = numbers(4, 5, 3, dtype="uint8")
    source, destination = files(x)
    torch.convert(source, "x.permute(2, 0, 1)", destination, dtype=torch.float32, scale=1 / 255, shift=-0.5)
    wanted = x.transpose(2, 0, 1) * (1 / 255) - 0.5
    assert numpy.load(destination).dtype == "float32"
    assert numpy.allclose(numpy.load(destination), wanted, atol=1e-6)
    torch.convert(source, "x", destination, dtype=torch.float64, scale=[1, 2, 3], axis=-1, overwrite=True)
    assert numpy.array_equal(numpy.load(destination), x * [1.0, 2.0, 3.0])


def test_patterns_and_their_sizes(files):
    x = numbers(4, 6, 3)
    source, destination = files(x)
    torch.convert(source, "h (w two) c -> c two h w", destination, sizes={"two": 2})
    assert numpy.array_equal(numpy.load(destination), x.reshape(4, 3, 2, 3).transpose(3, 2, 0, 1))
    with pytest.raises(ValueError, match=r"^convert: sizes must go with a pattern, e\.g\. 'h w c -> c h w'$"):
        torch.convert(source, "x.T", destination, sizes={"h": 2})


@pytest.mark.parametrize(
    "chain",
    [
        "rearrange(x, 'h w c -> c h w')",
        'rearrange ( x , "h w c->c h w" )',
        "x.permute(2, 0, 1)  # h w c -> c h w",
        "rearrange(rearrange(x, 'h w c -> h (w c)'), 'h (w c) -> c h w', c=3)",
        "h w c -> c h w",
        "h w c->c h w",
    ],
)
def test_an_arrow_within_a_string_is_of_the_notation(files, chain):
    x = numbers(4, 6, 3)
    source, destination = files(x)
    torch.convert(source, chain, destination, verify=True)
    assert numpy.array_equal(numpy.load(destination), x.transpose(2, 0, 1))
    with pytest.raises(ValueError, match=r"^convert: sizes must go with a pattern"):
        torch.convert(source, "rearrange(x, 'h w c -> c h w')", destination, sizes={"h": 4}, overwrite=True)


def test_a_pattern_alone_is_no_expression():
    for pattern, call in (
        ("h w c -> c h w", "rearrange(x, 'h w c -> c h w')"),
        ("h w c -> c", "reduce(x, 'h w c -> c', 'max')"),
        ("h w -> h w 3", "repeat(x, 'h w -> h w 3')"),
    ):
        message = f'SyntaxError: expression: "{pattern}" is a pattern and must be given to a function, e.g. {call}'
        assert str(torch.explain(pattern)).rstrip() == message


def test_progress_tells_how_far_it_is(files):
    source, destination = files(numbers(300, 400))
    told = []
    torch.convert(source, "x.T", destination, progress=told.append)
    last = told[-1]
    assert (last.bytes_done, last.tiles_done, last.pass_) == (last.bytes, last.tiles, last.passes)
    assert last.bytes >= 2 * 300 * 400 * 4 and last.seconds > 0
    assert [p.bytes_done for p in told] == sorted(p.bytes_done for p in told)
    assert str(last).startswith("100%")


class Enough(Exception):
    pass


def test_an_exception_ends_the_run_which_goes_on_later(files, tmp_path):
    x = numbers(2000, 1000)
    source, destination = files(x)

    def stop(progress):
        raise Enough

    with pytest.raises(Enough):
        torch.convert(source, "x.T", destination, max_memory="2M", progress=stop)
    assert not destination.exists() and len(list(tmp_path.iterdir())) > 1
    result = torch.convert(source, "x.T", destination, max_memory="2M", resume=True, verify=True)
    assert result.is_resumed and numpy.array_equal(numpy.load(destination), x.T)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "b.npy"]
    destination.unlink()
    with pytest.raises(RuntimeError):
        torch.convert(source, "x.T", destination, resume=True)
    assert not torch.convert(source, "x.T", destination, resume="if_there").is_resumed


def test_control_c_ends_the_run(files):
    source, destination = files(numbers(2000, 1000))
    with pytest.raises(KeyboardInterrupt):
        torch.convert(source, "x.T", destination, max_memory="2M", progress=lambda p: _thread.interrupt_main())
    assert torch.convert(source, "x.T", destination, max_memory="2M", resume=True).is_resumed


def test_other_threads_run_meanwhile(files):
    source, destination = files(numbers(3000, 2000))
    is_waiting, is_through = threading.Event(), threading.Event()

    def other():
        is_waiting.wait()
        is_through.set()

    thread = threading.Thread(target=other)
    thread.start()
    seen = []

    def progress(now):
        is_waiting.set()
        seen.append(is_through.wait(900))

    torch.convert(source, "x.T", destination, progress=progress)
    thread.join()
    assert seen and all(seen)


def test_a_plan_writes_nothing(files, tmp_path):
    source, destination = files(numbers(300, 400))
    plan = torch.plan_convert(source, "x.T", destination, max_memory=64 << 20, dtype=torch.float16)
    assert (plan.shape, plan.dtype, plan.passes, plan.temporary_bytes) == ((400, 300), torch.float16, 1, 0)
    assert plan.bytes_read >= 300 * 400 * 4 and plan.bytes_written >= 300 * 400 * 2 and plan.seconds > 0
    assert 0 < plan.memory <= 64 << 20
    assert "pass" in str(plan)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]


REFUSALS = [
    ({"max_memory": 0}, "convert: max_memory 0 must be positive"),
    ({"max_memory": "much"}, 'convert: max_memory: "much" must be a number of bytes'),
    ({"max_memory": 1}, "convert: max_memory of 1 bytes must be at least"),
    ({"order": "K"}, "convert: order 'K' must be 'C' or 'F'"),
    ({"resume": "yes"}, "convert: resume must be False, True or 'if_there'"),
    ({"chain": "x.T + 1"}, 'permute_file: "x.T + 1" must move, convert or once reduce elements'),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSALS)
def test_what_is_refused(files, arguments, message):
    source, destination = files(numbers(2, 3))
    for function in (torch.convert, torch.plan_convert):
        with pytest.raises(ValueError) as error:
            function(source=source, destination=destination, **{"chain": "x.T", **arguments})
        assert str(error.value).startswith(message)
    assert not destination.exists()


def test_numbers_along_an_axis_must_fit_it(files):
    source, destination = files(numbers(2, 3))
    with pytest.raises(torch.ShapeError, match="2 numbers for scale or shift must be 1 or 3, the size of axis 0"):
        torch.convert(source, "x.T", destination, scale=[1, 2])
    with pytest.raises(torch.AxisError):
        torch.convert(source, "x.T", destination, shift=[1, 2], axis=2)


def test_types_are_checked(files):
    source, destination = files(numbers(2, 3))
    for arguments in ({"sizes": ["h"]}, {"scale": "half"}, {"scale": [None]}, {"max_memory": 1.5}, {"dtype": "f"}):
        with pytest.raises(TypeError):
            torch.convert(source, "h w -> w h", destination, **arguments)
    torch.convert(source, "x.T", destination, scale=numpy.float32(2), shift=numpy.array([1, 2, 3]))
    assert numpy.load(destination).tolist() == [[1, 7], [4, 10], [7, 13]]


def test_files_are_named_by_what_is_wrong_with_them(files, tmp_path):
    source, destination = files(numbers(2, 3))
    torch.convert(source, "x.T", destination)
    with pytest.raises(torch.FileError, match="must not be replaced") as error:
        torch.convert(source, "x.T", destination)
    assert error.value.path == str(destination)
    with pytest.raises(torch.FileError) as error:
        torch.convert(tmp_path / "none.npy", "x.T", destination, overwrite=True)
    assert error.value.path == str(tmp_path / "none.npy")
    with pytest.raises(torch.ParseError):
        torch.convert(source, "x.T(", destination, overwrite=True)
