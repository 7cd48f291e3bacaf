// SPDX-License-Identifier: Apache-2.0
#include "io/chunks/temporary_chunks.hpp"

#include <unistd.h>

#include <cerrno>

#include "base/message.hpp"
#include "files/nameless_file.hpp"
#include "files/output_target.hpp"

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
  throw FileError(
      tenstride::detail::message(operation_, ": \"", beside_, "\" must have room beside it for ",
                                 stored_nbytes(), " bytes of temporary space", system_reason(error)),
      beside_);
}

std::uint64_t TemporaryChunks::place(const Dims& index) const {
  std::uint64_t number = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    number = number * static_cast<std::uint64_t>(counts_[d]) + static_cast<std::uint64_t>(index[d]);
  }
  return number * slot_;
}

std::uint64_t TemporaryChunks::read(const Dims& index, std::span<std::byte> elements) const {
  const std::uint64_t begin = place(index);
  for (std::size_t done = 0; done < elements.size();) {
    const ssize_t count =
        pread(file_.get(), elements.data() + done, elements.size() - done, static_cast<off_t>(begin + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) refuse(count < 0 ? errno : EIO);
    done += static_cast<std::size_t>(count);
  }
  return elements.size();
}

std::uint64_t TemporaryChunks::write(const Dims& index, std::span<const std::byte> elements) {
  const std::uint64_t begin = place(index);
  for (std::size_t done = 0; done < elements.size();) {
    const ssize_t count =
        pwrite(file_.get(), elements.data() + done, elements.size() - done, static_cast<off_t>(begin + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(errno);
    done += static_cast<std::size_t>(count);
  }
  return elements.size();
}

}  // namespace tenstride::io
