// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "tenstride/in_place_plan.hpp"
#include "tenstride/tensor.hpp"

/// Permutes the axes of a dense tensor in its own memory, for tensors of which memory has no room for a
/// second one. See docs/in-place.md.
namespace tenstride {

/// How much memory an operation in place may take besides.
struct InPlaceOptions {
  /// Bytes; nothing: `default_extra_bytes` of the tensor's.
  std::optional<std::size_t> extra_bytes{};
};

/// A hundredth of a tensor of `nbytes`, and at least 1 MiB. Example: `default_extra_bytes(1 << 20) == 1 <<
/// 20`.
TENSTRIDE_API std::size_t default_extra_bytes(std::size_t nbytes);

/// Afterwards x has the shape and the elements of `x.permute(dims)`, row-major, in the same storage from the
/// same offset on; gives x back. Moves the elements where they lie, with at most `extra_bytes` of scratch
/// memory: what `permute_plan` says. Other tensors on the storage keep their layouts and see the elements as
/// they now lie. Throws RuntimeError where x is not dense (without gaps or elements that share memory, no
/// stride negative), StorageError where it is read-only, ValueError where `extra_bytes` is too small (the
/// message names what would do), and what `permute` throws for `dims`.
/// Example: x of (2,3) with the elements 0..5: `permute_(x, {1, 0})` is [[0,3],[1,4],[2,5]], contiguous.
TENSTRIDE_API Tensor& permute_(Tensor& x, const Dims& dims, const InPlaceOptions& options = {},
                               Caller caller = Caller::current());

/// Afterwards x has the strides of the format, its shape and elements are the same, in the same storage from
/// the same offset on; gives x back. All else is as of `permute_`; also throws ShapeError where the format
/// is of another rank, ValueError for `preserve`. Example: a (32,3,224,224) image batch to channels last:
/// `to_memory_format_(x, MemoryFormat::channels_last)`.
TENSTRIDE_API Tensor& to_memory_format_(Tensor& x, MemoryFormat format, const InPlaceOptions& options = {},
                                        Caller caller = Caller::current());

/// The steps that `permute_` would take; moves nothing and throws as it does, but for read-only tensors.
TENSTRIDE_API InPlacePlan permute_plan(const Tensor& x, const Dims& dims, const InPlaceOptions& options = {});

}  // namespace tenstride
