// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "io/large/file_chain.hpp"
#include "io/large/file_limits.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/scalar.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// "\"x.nii\" says 0.5 * x + 10".
std::string scaling_text(const FileInfo& info) {
  return message('"', info.address(), "\" says ", Scalar(info.scale).to_string(), " * x + ",
                 Scalar(info.shift).to_string());
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

FileOptions with_scaling_of(const std::vector<TensorMove>& moves, const FileOptions& options) {
  if (!options.is_rescaled) return options;
  if (options.has_arithmetic()) {
    throw ValueError(message(this_operation,
                             ": scale and shift of the file must not go with others (leave rescale or scale "
                             "and shift out)"));
  }
  const FileInfo& first = moves.at(0).source;
  for (const TensorMove& move : moves) {
    if (move.source.scale != first.scale || move.source.shift != first.shift) {
      throw ValueError(message(this_operation, ": ", scaling_text(first), ", ", scaling_text(move.source),
                               ": tensors that are rescaled together must have one scaling (convert them one "
                               "by one)"));
    }
    const std::string obstacle = obstacle_to_rescaling(move.chain, move.source);
    if (!obstacle.empty()) {
      throw ValueError(message(this_operation, ": \"", move.chain,
                               "\" must only move elements to be rescaled: ", obstacle));
    }
  }
  FileOptions result = options;
  if (first.is_scaled()) {
    result.scale = {first.scale};
    result.shift = {first.shift};
  }
  return result;
}

}  // namespace tenstride::io
