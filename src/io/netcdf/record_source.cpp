// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf/record_source.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "base/message.hpp"
#include "copy/swap_bytes.hpp"
#include "files/system_reason.hpp"
#include "files/transfer.hpp"
#include "io/netcdf/types.hpp"
#include "io/plan/boxes.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

}  // namespace

NetcdfRecordSource::NetcdfRecordSource(const FileInfo& info, std::uint64_t begin, std::uint64_t pitch,
                                       std::string_view operation)
    : path_(info.path),
      operation_(operation),
      file_(open(info.path.c_str(), O_RDONLY | O_CLOEXEC)),
      dtype_(info.dtype),
      grid_{info.layout.shape, info.chunk},
      chunk_layout_(row_major(grid_.chunk)),
      begin_(begin),
      pitch_(pitch) {
  if (!file_.is_open())
    throw FileError(
        message(operation_, ": \"", path_, "\" must be a file that can be opened", system_reason(errno)),
        path_);
}

std::uint64_t NetcdfRecordSource::stored_nbytes() const {
  return static_cast<std::uint64_t>(numel(row_major(grid_.shape))) * item_size(dtype_);
}

std::uint64_t NetcdfRecordSource::read(const Dims& index, std::span<std::byte> elements) const {
  const Box box = chunk_box(grid_, index);
  const std::size_t item = item_size(dtype_);
  // What a record has of a chunk lies in one place: only the first axis that is cut is not whole.
  Dims first = box.first;
  first[0] = 0;
  const Dims strides = row_major_strides(grid_.shape);
  std::uint64_t offset = 0;
  for (std::size_t d = 1; d < first.size(); ++d) offset += static_cast<std::uint64_t>(first[d] * strides[d]);
  std::size_t count = item;
  for (std::size_t d = 1; d < first.size(); ++d) count *= static_cast<std::size_t>(box.extents[d]);
  const std::size_t held = elements.size() / static_cast<std::size_t>(grid_.chunk[0]);
  std::vector<std::byte> stored(count);
  std::fill(elements.begin(), elements.end(), std::byte{0});
  for (Index i = 0; i < box.extents[0]; ++i) {
    const std::uint64_t begin =
        begin_ + static_cast<std::uint64_t>(box.first[0] + i) * pitch_ + offset * item;
    const Transfer transfer = read_at(file_.get(), stored, begin);
    if (transfer.nbytes < count) {
      throw FileError(
          message(operation_, ": \"", path_, "\" must be read from byte ", begin + transfer.nbytes, " on",
                  transfer.error != 0 ? system_reason(transfer.error) : " (it ends before)"),
          path_);
    }
    swap_bytes(elements.data() + static_cast<std::size_t>(i) * held, stored.data(), count,
               is_netcdf_swapped ? item : 1);
  }
  return static_cast<std::uint64_t>(box.extents[0]) * count;
}

}  // namespace tenstride::io
