// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "tenstride/layout/numpy_layout.hpp"
#include "tenstride/layout/numpy_views.hpp"
#include "tenstride/tensor/tensor.hpp"

/// NumPy's functions by name, with NumPy 2's argument order, defaults, strides and refusals. Views and copies
/// happen where NumPy makes them; results that NumPy makes read-only are read-only here. A copy is always
/// writable. Errors are ValueError, AxisError and IndexError, as NumPy's.
/// NumPy's `copy=None|True|False` is CopyRule's if_needed|always|never.
namespace tenstride::numpy {

// What it is.
inline bool is_c_contiguous(const Tensor& x) {
  return is_c_contiguous(x.layout());
}
inline bool is_f_contiguous(const Tensor& x) {
  return is_f_contiguous(x.layout());
}
/// The strides in bytes, as NumPy's `strides`.
TENSTRIDE_API Dims byte_strides(const Tensor& x);

// Shape and order.
/// Elements are read and placed in the order (C, F or A; K is refused). One size may be negative: what is
/// left. Throws ValueError where the sizes do not fit, or where a copy is needed and forbidden.
/// Example: `reshape(arange(6), {2, 3}, Order::F)` is [[0, 2, 4], [1, 3, 5]], a view with strides (1,2).
TENSTRIDE_API Tensor reshape(const Tensor& x, const Dims& shape, Order order = Order::C,
                             CopyRule copy = CopyRule::if_needed, Caller caller = Caller::current());
/// One axis: a view where the elements lie contiguous in the order, else a copy. Order K reads them as they
/// lie in memory.
TENSTRIDE_API Tensor ravel(const Tensor& x, Order order = Order::C, CopyRule copy = CopyRule::if_needed,
                           Caller caller = Caller::current());
/// One axis, always a copy.
TENSTRIDE_API Tensor flatten(const Tensor& x, Order order = Order::C, Caller caller = Caller::current());
/// `np.copy`: a dense copy in the order. (NumPy's method `x.copy()` has the default C.)
TENSTRIDE_API Tensor copy(const Tensor& x, Order order = Order::K, Caller caller = Caller::current());
/// Itself where it is contiguous, else a copy. Rank 0 gives rank 1, as NumPy does.
TENSTRIDE_API Tensor ascontiguousarray(const Tensor& x, CopyRule copy = CopyRule::if_needed,
                                       Caller caller = Caller::current());
TENSTRIDE_API Tensor asfortranarray(const Tensor& x, CopyRule copy = CopyRule::if_needed,
                                    Caller caller = Caller::current());
/// Itself where the order allows it (A and K always do) and no copy is asked for.
TENSTRIDE_API Tensor asarray(const Tensor& x, Order order = Order::K, CopyRule copy = CopyRule::if_needed,
                             Caller caller = Caller::current());
/// Converts. With CopyRule::if_needed (NumPy's `copy=False`) itself where dtype and order are right already;
/// with never ValueError where they are not.
TENSTRIDE_API Tensor astype(const Tensor& x, DType dtype, Order order = Order::K,
                            CopyRule copy = CopyRule::always, Caller caller = Caller::current());
/// Not initialised; the layout is that of a copy.
TENSTRIDE_API Tensor empty_like(const Tensor& x, Order order = Order::K, Caller caller = Caller::current());

// Views.
TENSTRIDE_API Tensor transpose(const Tensor& x);
TENSTRIDE_API Tensor transpose(const Tensor& x, const Dims& axes);
/// The attributes T and mT.
TENSTRIDE_API Tensor T(const Tensor& x);
TENSTRIDE_API Tensor mT(const Tensor& x);
TENSTRIDE_API Tensor matrix_transpose(const Tensor& x);
TENSTRIDE_API Tensor swapaxes(const Tensor& x, Index axis1, Index axis2);
TENSTRIDE_API Tensor moveaxis(const Tensor& x, const Dims& source, const Dims& destination);
TENSTRIDE_API Tensor rollaxis(const Tensor& x, Index axis, Index start = 0);
TENSTRIDE_API Tensor expand_dims(const Tensor& x, const Dims& axes);
TENSTRIDE_API Tensor squeeze(const Tensor& x);
TENSTRIDE_API Tensor squeeze(const Tensor& x, Index axis);
TENSTRIDE_API Tensor squeeze(const Tensor& x, const Dims& axes);
/// Views with negative strides: all axes, or the named ones.
TENSTRIDE_API Tensor flip(const Tensor& x);
TENSTRIDE_API Tensor flip(const Tensor& x, const Dims& axes);
TENSTRIDE_API Tensor fliplr(const Tensor& x);
TENSTRIDE_API Tensor flipud(const Tensor& x);
TENSTRIDE_API Tensor rot90(const Tensor& x, Index k = 1, const Dims& axes = {0, 1});
/// Read-only, as NumPy's.
TENSTRIDE_API Tensor sliding_window_view(const Tensor& x, const Dims& window_shape,
                                         const std::optional<Dims>& axes = {});
TENSTRIDE_API Tensor broadcast_to(const Tensor& x, const Dims& shape);
TENSTRIDE_API Tensor diagonal(const Tensor& x, Index offset = 0, Index axis1 = 0, Index axis2 = 1);
TENSTRIDE_API Tensor atleast_3d(const Tensor& x);
/// Basic indexing with NumPy's strides. Example: `index(x, {Slice{{}, {}, -1}})` is `x[::-1]`, a view.
TENSTRIDE_API Tensor index(const Tensor& x, std::span<const BasicIndex> entries);
inline Tensor index(const Tensor& x, std::initializer_list<BasicIndex> entries) {
  return index(x, std::span<const BasicIndex>(entries.begin(), entries.size()));
}
/// `x.view(dtype)`. Throws ValueError also for byte strides that are no multiple of the element, which NumPy
/// allows.
TENSTRIDE_API Tensor view_dtype(const Tensor& x, DType dtype);
/// The real parts of a complex tensor; a real one is given back.
TENSTRIDE_API Tensor real(const Tensor& x);
/// The imaginary parts as a view; of a real tensor new zeros, read-only.
TENSTRIDE_API Tensor imag(const Tensor& x, Caller caller = Caller::current());
/// From x's first element on; strides may be negative. Unlike NumPy it refuses (StorageError) what leaves the
/// storage, and (ValueError) strides that are no multiple of the element.
TENSTRIDE_API Tensor as_strided(const Tensor& x, const Dims& shape, const Dims& byte_strides);

// Copies.
/// Writes src into dst, broadcast to its shape and converted within its kind of numbers (TypeError else:
/// NumPy's casting="same_kind"). Both may lie in the same memory: dst gets what src was before.
/// (`dst.copy_(src)` refuses that, as PyTorch does.) Example: of x = 0 1 2 3, `copyto(tail, x.narrow(0, 0,
/// 3))` with its tail of 3 gives 0 0 1 2.
TENSTRIDE_API Tensor& copyto(Tensor& dst, const Tensor& src, Caller caller = Caller::current());
/// Joins along an axis; without one all are flattened first. The result keeps the order of axes the inputs
/// agree on. All must have one dtype (TypeError).
TENSTRIDE_API Tensor concatenate(std::span<const Tensor> tensors, std::optional<Index> axis = 0,
                                 Caller caller = Caller::current());
/// Joins along a new axis.
TENSTRIDE_API Tensor stack(std::span<const Tensor> tensors, Index axis = 0,
                           Caller caller = Caller::current());
/// Repeats the whole. An empty tensor is not copied, as in NumPy.
TENSTRIDE_API Tensor tile(const Tensor& x, const Dims& reps, Caller caller = Caller::current());
/// Repeats each element along an axis; without one of the flattened tensor.
TENSTRIDE_API Tensor repeat(const Tensor& x, Index repeats, std::optional<Index> axis = {},
                            Caller caller = Caller::current());
/// Repeats element i of an axis `repeats[i]` times; one number counts for all. Throws TypeError for repeats
/// that are neither bools nor integers of at most 63 bits, ValueError where they are negative or not one for
/// each element.
TENSTRIDE_API Tensor repeat(const Tensor& x, const Tensor& repeats, std::optional<Index> axis = {},
                            Caller caller = Caller::current());
/// How many elements `pad` puts before and behind those of an axis.
struct PadWidth {
  Index before = 0;
  Index after = 0;
};
/// What it puts there: a number, the nearest element, the elements mirrored at the border (which is left out,
/// or doubled), the elements from the other end, or whatever the memory held.
enum class PadMode : unsigned char { constant, edge, reflect, symmetric, wrap, empty };
/// Widens axes, each by its own widths. `values` are those of `constant`: two tensors of rank 0 for each
/// axis. The result is row-major, or in F order where x is so alone. Throws ValueError for negative widths,
/// and where an axis without elements is widened otherwise than by a number. Example: `pad(arange(3), {{1,
/// 2}}, PadMode::wrap)` is 2 0 1 2 0 1.
TENSTRIDE_API Tensor pad(const Tensor& x, std::span<const PadWidth> widths, PadMode mode,
                         std::span<const Tensor> values = {}, Caller caller = Caller::current());
/// Moves elements along axes, around the end. Without axes along the flattened tensor. One shift may serve
/// several axes, an axis may be named again.
TENSTRIDE_API Tensor roll(const Tensor& x, const Dims& shift, const std::optional<Dims>& axes = {},
                          Caller caller = Caller::current());

}  // namespace tenstride::numpy
