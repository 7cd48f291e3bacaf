// SPDX-License-Identifier: Apache-2.0
#include "io/job/unpack_straight.hpp"

#include "io/ends/edge_file.hpp"
#include "io/ends/operation.hpp"
#include "io/ends/unpacked_file.hpp"
#include "io/plan/boxes.hpp"

namespace tenstride::io {

bool unpacks_straight(const TensorJob& tensor, const TensorPlan& plan) {
  const FileInfo& source = tensor.source;
  if (source.storage != ElementStorage::stream || source.is_byte_swapped || plan.stages.size() != 1 ||
      plan.is_in_parts())
    return false;
  if (tensor.dtype != source.dtype || !tensor.conversions.empty() || tensor.reduction) return false;
  if (tensor.elements.has_arithmetic() || tensor.rescaling) return false;
  const BlockProblem& problem = plan.stages[0].plan.problem;
  const Layout& positions = problem.positions.rank() == 0 ? problem.dst : problem.positions;
  const auto is_row_major = [&](const Layout& layout) { return layout == row_major(problem.dst.shape); };
  return numel(problem.dst) == numel(source.layout) && is_row_major(problem.src) &&
         is_row_major(problem.dst) && is_row_major(positions);
}

Checksum unpack_straight(const TensorJob& tensor, const std::string& destination,
                         const std::function<void(std::uint64_t)>& tell) {
  // By way of the page cache: pieces begin at any byte.
  const EdgeFile file(destination, this_operation);
  const auto item = static_cast<Index>(item_size(tensor.dtype));
  Checksum sum;
  unpack_elements(tensor.source, this_operation, [&](std::span<const std::byte> piece, std::uint64_t offset) {
    file.write(tensor.data_begin + offset, piece);
    const Index count = static_cast<Index>(piece.size()) / item;
    const Layout elements{{count}, {1}, 0}, positions{{count}, {1}, static_cast<Index>(offset) / item};
    sum += checksum(tensor_on_memory(piece.data(), elements, tensor.dtype), positions);
    tell(piece.size());
  });
  return sum;
}

}  // namespace tenstride::io
