// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "io/facts/file_chain.hpp"
#include "io/format/format.hpp"
#include "tenstride/base/scalar.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

using tenstride::detail::message;

namespace {

/// The order of the elements, where a file can say it: an axis of size 1 has the stride of its order.
ElementOrder order_of(const Layout& layout) {
  const bool is_columns = layout == column_major(layout.shape) && layout != row_major(layout.shape);
  return is_columns ? ElementOrder::column_major : ElementOrder::row_major;
}

}  // namespace

DType rescaled_dtype(DType stored) {
  if (is_complex(stored)) return stored;
  const bool is_wide = is_floating_point(stored) ? stored == DType::float64 : item_size(stored) >= 4;
  return is_wide ? DType::float64 : DType::float32;
}

std::string obstacle_to_rescaling(std::string_view chain, const FileInfo& info) {
  if (is_complex(info.dtype) && info.shift != 0) {
    return message("x is ", name(info.dtype), ", and whether a shift of ", Scalar(info.shift).to_string(),
                   " is of the imaginary part too is not known");
  }
  const FileChain followed = follow(chain, info);
  if (!followed.obstacle.empty()) return followed.obstacle;
  if (followed.reduction) return "it reduces axes";
  if (followed.dtype != info.dtype || !followed.conversions.empty())
    return message("it converts to ", name(followed.dtype));
  return {};
}

ElementOptions elements_of(const TensorMove& move, const FileOptions& options, FileKind destination) {
  ElementOptions result;
  if (move.kind == MoveKind::keep) {
    const ElementOrder order = order_of(move.source.layout);
    const bool has_both = format_of(destination).orders == Orders::both;
    result.order = written_order(destination, has_both ? order : ElementOrder::row_major, this_operation);
    return result;
  }
  result = options.elements();
  result.order = written_order(destination, options.order, this_operation);
  return result;
}

Rescaling rescaling_of(const TensorMove& move, const ElementOptions& options) {
  if (options.has_arithmetic()) {
    throw ValueError(message(this_operation,
                             ": scale and shift of the file must not go with others (leave rescale or scale "
                             "and shift out)"));
  }
  const std::string obstacle = obstacle_to_rescaling(move.chain, move.source);
  if (!obstacle.empty()) {
    throw ValueError(
        message(this_operation, ": \"", move.chain, "\" must only move elements to be rescaled: ", obstacle));
  }
  return rescaling_of(move.source, options.dtype.value_or(rescaled_dtype(move.source.dtype)), this_operation);
}

}  // namespace tenstride::io
