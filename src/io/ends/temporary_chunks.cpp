// SPDX-License-Identifier: Apache-2.0
#include "io/ends/temporary_chunks.hpp"

#include <cerrno>

#include "base/message.hpp"
#include "files/free_room.hpp"
#include "files/nameless_file.hpp"
#include "files/output_target.hpp"
#include "files/transfer.hpp"
#include "io/plan/boxes.hpp"

namespace tenstride::io {

TemporaryChunks::TemporaryChunks(const ChunkGrid& grid, DType dtype, const std::string& beside,
                                 std::string_view operation)
    : grid_(grid),
      dtype_(dtype),
      layout_(row_major(grid.chunk)),
      counts_(grid.counts()),
      slot_(static_cast<std::uint64_t>(numel(layout_)) * item_size(dtype)),
      slots_(static_cast<std::uint64_t>(count_elements(counts_))),
      beside_(beside),
      operation_(operation),
      file_(open_nameless_file(beside)) {
  if (!file_.is_open()) refuse(errno);
  if (const int error = take_room(file_.get(), stored_nbytes())) refuse(error);
}

void TemporaryChunks::refuse(int error) const {
  throw FileError(tenstride::detail::message(operation_, ": \"", beside_, "\" must have room beside it for ",
                                             stored_nbytes(), " bytes of temporary space",
                                             of_which_free(file_.get()), system_reason(error)),
                  beside_);
}

std::uint64_t TemporaryChunks::place(const Dims& index) const {
  return static_cast<std::uint64_t>(unit_number(counts_, index)) * slot_;
}

std::uint64_t TemporaryChunks::read(const Dims& index, std::span<std::byte> elements) const {
  const Transfer read = read_at(file_.get(), elements, place(index));
  if (read.nbytes < elements.size()) refuse(read.error != 0 ? read.error : EIO);
  return elements.size();
}

std::uint64_t TemporaryChunks::write(const Dims& index, std::span<const std::byte> elements) {
  const Transfer written = write_at(file_.get(), elements, place(index));
  if (written.nbytes < elements.size()) refuse(written.error);
  return elements.size();
}

}  // namespace tenstride::io
