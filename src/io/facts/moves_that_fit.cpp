// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "io/facts/coordinates.hpp"
#include "io/facts/file_chain.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

/// Whether another tensor has an axis that the coordinate speaks of.
bool is_label(const FileInfo& info, const std::vector<FileInfo>& all) {
  if (!is_coordinate(info)) return false;
  return std::any_of(all.begin(), all.end(), [&](const FileInfo& other) {
    return other.name != info.name && std::find(other.axis_names.begin(), other.axis_names.end(),
                                                info.axis_names[0]) != other.axis_names.end();
  });
}

}  // namespace

std::vector<TensorMove> moves_that_fit(std::vector<FileInfo> tensors,
                                       const std::function<std::string(const FileInfo&)>& chain_of) {
  if (tensors.size() == 1) {
    std::string chain = chain_of(tensors[0]);
    return {{std::move(tensors[0]), std::move(chain)}};
  }
  std::vector<TensorMove> moves;
  std::string reason;
  const FileInfo* unfit = nullptr;
  bool fits_one = false;
  for (const FileInfo& info : tensors) {
    TensorMove& move = moves.emplace_back(TensorMove{info, "x", info.name, MoveKind::keep});
    if (!info.obstacle.empty() || is_label(info, tensors)) continue;
    try {
      const std::string chain = chain_of(info);
      static_cast<void>(follow(chain, info));
      move.chain = chain;
      move.kind = MoveKind::convert;
      fits_one = true;
    } catch (const Error& error) {
      // Of the largest it is said why.
      if (unfit != nullptr && numel(info.layout) <= numel(unfit->layout)) continue;
      reason = error.what();
      unfit = &info;
    }
  }
  if (fits_one) return moves;
  if (unfit == nullptr) require_readable(tensors, this_operation);
  throw ValueError(tenstride::detail::message(
      this_operation, ": the chain must fit a tensor of the file (name one, as \"", unfit->address(),
      "\" does); of \"", unfit->name, "\" ", unfit->layout.shape, ": ", reason));
}

}  // namespace tenstride::io
