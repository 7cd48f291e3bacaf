# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.py; a test holds it against the package.
import builtins
from typing import TypeGuard

from . import (
    foreign as foreign,
)
from ._explain import (
    explain as explain,
)
from ._explain import (
    show as show,
)
from ._explain import (
    why_not_contiguous as why_not_contiguous,
)
from ._explain import (
    why_not_view as why_not_view,
)
from ._tenstride import (
    AxisError as AxisError,
)
from ._tenstride import (
    CopyLedger as CopyLedger,
)
from ._tenstride import (
    Explanation as Explanation,
)
from ._tenstride import (
    FileError as FileError,
)
from ._tenstride import (
    Fix as Fix,
)
from ._tenstride import (
    Lazy as Lazy,
)
from ._tenstride import (
    NoCopy as NoCopy,
)
from ._tenstride import (
    NoCopyError as NoCopyError,
)
from ._tenstride import (
    NoScramble as NoScramble,
)
from ._tenstride import (
    ParseError as ParseError,
)
from ._tenstride import (
    Picture as Picture,
)
from ._tenstride import (
    ScrambleError as ScrambleError,
)
from ._tenstride import (
    ShapeError as ShapeError,
)
from ._tenstride import (
    Size as Size,
)
from ._tenstride import (
    StorageError as StorageError,
)
from ._tenstride import (
    Tensor as Tensor,
)
from ._tenstride import (
    TypedStorage as TypedStorage,
)
from ._tenstride import (
    UntypedStorage as UntypedStorage,
)
from ._tenstride import (
    ViewError as ViewError,
)
from ._tenstride import (
    ViewExplanation as ViewExplanation,
)
from ._tenstride import (
    __version__ as __version__,
)
from ._tenstride import (
    abs as abs,
)
from ._tenstride import (
    absolute as absolute,
)
from ._tenstride import (
    add as add,
)
from ._tenstride import (
    adjoint as adjoint,
)
from ._tenstride import (
    alias as alias,
)
from ._tenstride import (
    alias_copy as alias_copy,
)
from ._tenstride import (
    all as all,
)
from ._tenstride import (
    allclose as allclose,
)
from ._tenstride import (
    amax as amax,
)
from ._tenstride import (
    amin as amin,
)
from ._tenstride import (
    any as any,
)
from ._tenstride import (
    arange as arange,
)
from ._tenstride import (
    argmax as argmax,
)
from ._tenstride import (
    argmin as argmin,
)
from ._tenstride import (
    as_strided as as_strided,
)
from ._tenstride import (
    as_strided_copy as as_strided_copy,
)
from ._tenstride import (
    as_tensor as as_tensor,
)
from ._tenstride import (
    asarray as asarray,
)
from ._tenstride import (
    atleast_1d as atleast_1d,
)
from ._tenstride import (
    atleast_2d as atleast_2d,
)
from ._tenstride import (
    atleast_3d as atleast_3d,
)
from ._tenstride import (
    bfloat16 as bfloat16,
)
from ._tenstride import (
    bitwise_and as bitwise_and,
)
from ._tenstride import (
    bitwise_not as bitwise_not,
)
from ._tenstride import (
    bitwise_or as bitwise_or,
)
from ._tenstride import (
    bitwise_xor as bitwise_xor,
)
from ._tenstride import (
    block_diag as block_diag,
)
from ._tenstride import (
    bool as bool,
)
from ._tenstride import (
    broadcast_shapes as broadcast_shapes,
)
from ._tenstride import (
    broadcast_tensors as broadcast_tensors,
)
from ._tenstride import (
    broadcast_to as broadcast_to,
)
from ._tenstride import (
    cdouble as cdouble,
)
from ._tenstride import (
    cfloat as cfloat,
)
from ._tenstride import (
    channels_last as channels_last,
)
from ._tenstride import (
    channels_last_3d as channels_last_3d,
)
from ._tenstride import (
    chunk as chunk,
)
from ._tenstride import (
    clamp as clamp,
)
from ._tenstride import (
    clip as clip,
)
from ._tenstride import (
    clone as clone,
)
from ._tenstride import (
    column_stack as column_stack,
)
from ._tenstride import (
    complex64 as complex64,
)
from ._tenstride import (
    complex128 as complex128,
)
from ._tenstride import (
    conj as conj,
)
from ._tenstride import (
    contiguous_format as contiguous_format,
)
from ._tenstride import (
    detach as detach,
)
from ._tenstride import (
    detach_copy as detach_copy,
)
from ._tenstride import (
    device as device,
)
from ._tenstride import (
    diagonal as diagonal,
)
from ._tenstride import (
    diagonal_copy as diagonal_copy,
)
from ._tenstride import (
    div as div,
)
from ._tenstride import (
    divide as divide,
)
from ._tenstride import (
    double as double,
)
from ._tenstride import (
    dsplit as dsplit,
)
from ._tenstride import (
    dstack as dstack,
)
from ._tenstride import (
    dtype as dtype,
)
from ._tenstride import (
    empty as empty,
)
from ._tenstride import (
    empty_cache as empty_cache,
)
from ._tenstride import (
    empty_like as empty_like,
)
from ._tenstride import (
    empty_strided as empty_strided,
)
from ._tenstride import (
    eq as eq,
)
from ._tenstride import (
    equal as equal,
)
from ._tenstride import (
    expand_copy as expand_copy,
)
from ._tenstride import (
    eye as eye,
)
from ._tenstride import (
    flatten as flatten,
)
from ._tenstride import (
    flip as flip,
)
from ._tenstride import (
    fliplr as fliplr,
)
from ._tenstride import (
    flipud as flipud,
)
from ._tenstride import (
    float as float,
)
from ._tenstride import (
    float8_e4m3fn as float8_e4m3fn,
)
from ._tenstride import (
    float8_e5m2 as float8_e5m2,
)
from ._tenstride import (
    float16 as float16,
)
from ._tenstride import (
    float32 as float32,
)
from ._tenstride import (
    float64 as float64,
)
from ._tenstride import (
    floor_divide as floor_divide,
)
from ._tenstride import (
    from_dlpack as from_dlpack,
)
from ._tenstride import (
    from_numpy as from_numpy,
)
from ._tenstride import (
    frombuffer as frombuffer,
)
from ._tenstride import (
    full as full,
)
from ._tenstride import (
    full_like as full_like,
)
from ._tenstride import (
    ge as ge,
)
from ._tenstride import (
    get_num_threads as get_num_threads,
)
from ._tenstride import (
    gt as gt,
)
from ._tenstride import (
    half as half,
)
from ._tenstride import (
    hsplit as hsplit,
)
from ._tenstride import (
    hstack as hstack,
)
from ._tenstride import (
    imag as imag,
)
from ._tenstride import (
    int as int,
)
from ._tenstride import (
    int8 as int8,
)
from ._tenstride import (
    int16 as int16,
)
from ._tenstride import (
    int32 as int32,
)
from ._tenstride import (
    int64 as int64,
)
from ._tenstride import (
    is_complex as is_complex,
)
from ._tenstride import (
    is_conj as is_conj,
)
from ._tenstride import (
    is_floating_point as is_floating_point,
)
from ._tenstride import (
    is_non_overlapping_and_dense as is_non_overlapping_and_dense,
)
from ._tenstride import (
    isfinite as isfinite,
)
from ._tenstride import (
    isinf as isinf,
)
from ._tenstride import (
    isnan as isnan,
)
from ._tenstride import (
    lazy as lazy,
)
from ._tenstride import (
    le as le,
)
from ._tenstride import (
    linalg as linalg,
)
from ._tenstride import (
    linspace as linspace,
)
from ._tenstride import (
    load as load,
)
from ._tenstride import (
    logical_and as logical_and,
)
from ._tenstride import (
    logical_not as logical_not,
)
from ._tenstride import (
    logical_or as logical_or,
)
from ._tenstride import (
    logical_xor as logical_xor,
)
from ._tenstride import (
    long as long,
)
from ._tenstride import (
    lt as lt,
)
from ._tenstride import (
    manual_seed as manual_seed,
)
from ._tenstride import (
    max as max,
)
from ._tenstride import (
    maximum as maximum,
)
from ._tenstride import (
    mean as mean,
)
from ._tenstride import (
    memmap as memmap,
)
from ._tenstride import (
    memory_format as memory_format,
)
from ._tenstride import (
    meshgrid as meshgrid,
)
from ._tenstride import (
    min as min,
)
from ._tenstride import (
    minimum as minimum,
)
from ._tenstride import (
    moveaxis as moveaxis,
)
from ._tenstride import (
    movedim as movedim,
)
from ._tenstride import (
    mul as mul,
)
from ._tenstride import (
    multiply as multiply,
)
from ._tenstride import (
    narrow as narrow,
)
from ._tenstride import (
    narrow_copy as narrow_copy,
)
from ._tenstride import (
    ne as ne,
)
from ._tenstride import (
    neg as neg,
)
from ._tenstride import (
    negative as negative,
)
from ._tenstride import (
    numel as numel,
)
from ._tenstride import (
    ones as ones,
)
from ._tenstride import (
    ones_like as ones_like,
)
from ._tenstride import (
    permute as permute,
)
from ._tenstride import (
    pow as pow,
)
from ._tenstride import (
    preserve_format as preserve_format,
)
from ._tenstride import (
    prod as prod,
)
from ._tenstride import (
    promote_types as promote_types,
)
from ._tenstride import (
    rand as rand,
)
from ._tenstride import (
    rand_like as rand_like,
)
from ._tenstride import (
    randint as randint,
)
from ._tenstride import (
    randn as randn,
)
from ._tenstride import (
    randn_like as randn_like,
)
from ._tenstride import (
    randperm as randperm,
)
from ._tenstride import (
    ravel as ravel,
)
from ._tenstride import (
    real as real,
)
from ._tenstride import (
    remainder as remainder,
)
from ._tenstride import (
    repeat_interleave as repeat_interleave,
)
from ._tenstride import (
    reshape as reshape,
)
from ._tenstride import (
    resolve_conj as resolve_conj,
)
from ._tenstride import (
    roll as roll,
)
from ._tenstride import (
    rot90 as rot90,
)
from ._tenstride import (
    row_stack as row_stack,
)
from ._tenstride import (
    save as save,
)
from ._tenstride import (
    scalar_tensor as scalar_tensor,
)
from ._tenstride import (
    select as select,
)
from ._tenstride import (
    select_copy as select_copy,
)
from ._tenstride import (
    set_num_threads as set_num_threads,
)
from ._tenstride import (
    short as short,
)
from ._tenstride import (
    slice as slice,
)
from ._tenstride import (
    slice_copy as slice_copy,
)
from ._tenstride import (
    split as split,
)
from ._tenstride import (
    split_copy as split_copy,
)
from ._tenstride import (
    split_with_sizes as split_with_sizes,
)
from ._tenstride import (
    split_with_sizes_copy as split_with_sizes_copy,
)
from ._tenstride import (
    squeeze as squeeze,
)
from ._tenstride import (
    squeeze_copy as squeeze_copy,
)
from ._tenstride import (
    sub as sub,
)
from ._tenstride import (
    subtract as subtract,
)
from ._tenstride import (
    sum as sum,
)
from ._tenstride import (
    swapaxes as swapaxes,
)
from ._tenstride import (
    swapdims as swapdims,
)
from ._tenstride import (
    t as t,
)
from ._tenstride import (
    t_copy as t_copy,
)
from ._tenstride import (
    tensor as tensor,
)
from ._tenstride import (
    tensor_split as tensor_split,
)
from ._tenstride import (
    tile as tile,
)
from ._tenstride import (
    transpose as transpose,
)
from ._tenstride import (
    transpose_copy as transpose_copy,
)
from ._tenstride import (
    tril as tril,
)
from ._tenstride import (
    triu as triu,
)
from ._tenstride import (
    true_divide as true_divide,
)
from ._tenstride import (
    uint8 as uint8,
)
from ._tenstride import (
    uint16 as uint16,
)
from ._tenstride import (
    uint32 as uint32,
)
from ._tenstride import (
    uint64 as uint64,
)
from ._tenstride import (
    unbind as unbind,
)
from ._tenstride import (
    unbind_copy as unbind_copy,
)
from ._tenstride import (
    unflatten as unflatten,
)
from ._tenstride import (
    unfold_copy as unfold_copy,
)
from ._tenstride import (
    unsqueeze as unsqueeze,
)
from ._tenstride import (
    unsqueeze_copy as unsqueeze_copy,
)
from ._tenstride import (
    view_as_complex as view_as_complex,
)
from ._tenstride import (
    view_as_complex_copy as view_as_complex_copy,
)
from ._tenstride import (
    view_as_real as view_as_real,
)
from ._tenstride import (
    view_as_real_copy as view_as_real_copy,
)
from ._tenstride import (
    view_copy as view_copy,
)
from ._tenstride import (
    vsplit as vsplit,
)
from ._tenstride import (
    vstack as vstack,
)
from ._tenstride import (
    where as where,
)
from ._tenstride import (
    zeros as zeros,
)
from ._tenstride import (
    zeros_like as zeros_like,
)
from .foreign import (
    astype as astype,
)
from .foreign import (
    cat as cat,
)
from .foreign import (
    concat as concat,
)
from .foreign import (
    concatenate as concatenate,
)
from .foreign import (
    contiguous as contiguous,
)
from .foreign import (
    pack as pack,
)
from .foreign import (
    parse_shape as parse_shape,
)
from .foreign import (
    permute_copy as permute_copy,
)
from .foreign import (
    rearrange as rearrange,
)
from .foreign import (
    reduce as reduce,
)
from .foreign import (
    repeat as repeat,
)
from .foreign import (
    stack as stack,
)
from .foreign import (
    unpack as unpack,
)

def is_tensor(obj: builtins.object) -> TypeGuard[Tensor]: ...
