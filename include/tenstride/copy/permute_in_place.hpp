// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "tenstride/plan/in_place_plan.hpp"
#include "tenstride/tensor/tensor.hpp"

/// Permutes the axes of a dense tensor in its own memory, for tensors so large that there is no room for a
/// second one. See docs/in-place.md.
namespace tenstride {

/// The extra memory that an in-place operation may use.
struct InPlaceOptions {
  /// Bytes; if not set, `default_extra_bytes` of the tensor's size.
  std::optional<std::size_t> extra_bytes{};
};

/// A hundredth of a tensor's `nbytes`, at least 1 MiB. Example: `default_extra_bytes(1 << 20) == 1 << 20`.
TENSTRIDE_API std::size_t default_extra_bytes(std::size_t nbytes);

/// Gives x the shape and the elements of `x.permute(dims)`, row-major, in the same storage at the same
/// offset; returns x. Moves the elements in place with at most `extra_bytes` of scratch memory, by the steps
/// that `permute_plan` returns. Other tensors on the storage keep their layouts and see the moved elements.
/// Throws RuntimeError where x is not dense (gaps, elements that share memory, or negative strides),
/// StorageError where it is read-only, ValueError where `extra_bytes` is too small (the message names the
/// minimum), and what `permute` throws for `dims`.
/// Example: x of (2,3) with the elements 0..5: `permute_(x, {1, 0})` is [[0,3],[1,4],[2,5]], contiguous.
TENSTRIDE_API Tensor& permute_(Tensor& x, const Dims& dims, const InPlaceOptions& options = {},
                               Caller caller = Caller::current());

/// Gives x the strides of the format, with the same shape and elements, in the same storage at the same
/// offset; returns x. All else is as for `permute_`; also throws ShapeError where the format is of another
/// rank, and ValueError for `preserve`.
/// Example: a (32,3,224,224) image batch to channels last: `to_memory_format_(x,
/// MemoryFormat::channels_last)`.
TENSTRIDE_API Tensor& to_memory_format_(Tensor& x, MemoryFormat format, const InPlaceOptions& options = {},
                                        Caller caller = Caller::current());

/// The steps that `permute_` would take. Moves nothing; throws what `permute_` throws, except for read-only
/// tensors.
TENSTRIDE_API InPlacePlan permute_plan(const Tensor& x, const Dims& dims, const InPlaceOptions& options = {});

}  // namespace tenstride
