// SPDX-License-Identifier: Apache-2.0
#include "io/job/unpack_straight.hpp"

#include <fcntl.h>

#include <cerrno>

#include "base/message.hpp"
#include "files/descriptor.hpp"
#include "files/system_reason.hpp"
#include "files/transfer.hpp"
#include "io/ends/unpacked_file.hpp"
#include "io/plan/boxes.hpp"

namespace tenstride::io {

using tenstride::detail::message;

bool unpacks_straight(const TensorJob& tensor, const TensorPlan& plan) {
  const FileInfo& source = tensor.source;
  if (source.storage != ElementStorage::stream || source.is_byte_swapped || plan.stages.size() != 1)
    return false;
  if (tensor.dtype != source.dtype || !tensor.conversions.empty() || tensor.reduction) return false;
  if (tensor.elements.has_arithmetic() || tensor.rescaling) return false;
  const BlockProblem& problem = plan.stages[0].plan.problem;
  const Layout& positions = problem.positions.rank() == 0 ? problem.dst : problem.positions;
  const auto is_row_major = [&](const Layout& layout) { return layout == row_major(problem.dst.shape); };
  return numel(problem.dst) == numel(source.layout) && is_row_major(problem.src) &&
         is_row_major(problem.dst) && is_row_major(positions);
}

Checksum unpack_straight(const TensorJob& tensor, const DiskFile& destination,
                         const std::function<void(std::uint64_t)>& tell) {
  // Of its own, by way of the page cache: pieces begin at any byte.
  const Descriptor file(open(destination.path().c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) destination.refuse("must be a file that can be written" + system_reason(errno));
  const auto item = static_cast<Index>(item_size(tensor.dtype));
  Checksum sum;
  unpack_elements(
      tensor.source, destination.operation(), [&](std::span<const std::byte> piece, std::uint64_t offset) {
        const Transfer put = write_at(file.get(), piece, tensor.data_begin + offset);
        if (put.nbytes < piece.size()) {
          destination.refuse(message("must take ", piece.size(), " bytes at byte ",
                                     tensor.data_begin + offset, system_reason(put.error)));
        }
        const Index count = static_cast<Index>(piece.size()) / item;
        const Layout elements{{count}, {1}, 0}, positions{{count}, {1}, static_cast<Index>(offset) / item};
        sum += checksum(tensor_on_memory(piece.data(), elements, tensor.dtype), positions);
        tell(offset + piece.size());
      });
  return sum;
}

}  // namespace tenstride::io
