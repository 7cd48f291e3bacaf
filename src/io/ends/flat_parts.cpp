// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "base/message.hpp"
#include "copy/swap_bytes.hpp"
#include "files/free_room.hpp"
#include "files/system_reason.hpp"
#include "files/transfer.hpp"
#include "io/ends/parts.hpp"
#include "io/plan/file_runs.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

Descriptor open_flat(const std::string& path, int how, std::string_view operation) {
  Descriptor file(open(path.c_str(), how | O_CLOEXEC));
  if (!file.is_open()) {
    throw FileError(
        message(operation, ": \"", path, "\" must be a file that can be opened", system_reason(errno)), path);
  }
  return file;
}

Index position_of(const Dims& first, const Layout& layout) {
  Index position = layout.offset;
  for (std::size_t d = 0; d < first.size(); ++d) position += first[d] * layout.strides[d];
  return position;
}

/// A part's elements in a buffer, in the order of the file.
Layout flat_layout(const Box& part, const Layout& layout) {
  const FileRuns runs = runs_of_box(part.extents, layout.strides, 0);
  return box_in_buffer(part.extents, layout.strides, runs, dense_pitch(runs));
}

/// Calls `transfer(byte of the file, byte of the buffer, bytes)` for each run of a box.
template <class Transfer>
void for_each_flat_run(const Box& part, const Layout& layout, Index item, const Transfer& transfer) {
  const FileRuns runs = runs_of_box(part.extents, layout.strides, 0);
  const Index first = position_of(part.first, layout);
  for_each_run(runs, dense_pitch(runs), [&](Index file, Index buffer) {
    transfer(static_cast<std::uint64_t>((first + file) * item), static_cast<std::size_t>(buffer * item),
             static_cast<std::size_t>(runs.span * item));
  });
}

}  // namespace

FlatPartReader::FlatPartReader(const FileInfo& info, const Dims& part, std::string_view operation)
    : info_(info), part_(part), operation_(operation), file_(open_flat(info.path, O_RDONLY, operation)) {}

std::vector<Box> FlatPartReader::parts(const Box& needed) const {
  return cut_box(needed, part_);
}

std::size_t FlatPartReader::nbytes(const Box& part) const {
  return static_cast<std::size_t>(count_elements(part.extents)) * item_size(info_.dtype);
}

Layout FlatPartReader::read(const Box& part, std::span<std::byte> buffer, std::uint64_t& nbytes_read) const {
  const auto item = static_cast<Index>(item_size(info_.dtype));
  const std::size_t width = info_.is_byte_swapped ? item_size(component_type(info_.dtype)) : 1;
  std::vector<std::byte> swapped;
  for_each_flat_run(part, info_.layout, item, [&](std::uint64_t at, std::size_t to, std::size_t nbytes) {
    std::byte* target = buffer.data() + to;
    if (width > 1) {
      swapped.resize(nbytes);
      target = swapped.data();
    }
    const std::uint64_t begin = info_.data_begin + at;
    const Transfer read = read_at(file_.get(), {target, nbytes}, begin);
    if (read.nbytes < nbytes) {
      throw FileError(
          message(operation_, ": \"", info_.path, "\" must be read from byte ", begin + read.nbytes, " on",
                  read.error != 0 ? system_reason(read.error) : " (it ends before)"),
          info_.path);
    }
    if (width > 1) swap_bytes(buffer.data() + to, swapped.data(), nbytes, width);
    nbytes_read += nbytes;
  });
  return flat_layout(part, info_.layout);
}

FlatPartWriter::FlatPartWriter(const FileInfo& info, const Dims& part, std::string_view operation)
    : info_(info), part_(part), operation_(operation), file_(open_flat(info.path, O_RDWR, operation)) {}

std::vector<Box> FlatPartWriter::parts(const Box& tile) const {
  return cut_box(tile, part_);
}

Layout FlatPartWriter::layout(const Box& part) const {
  return flat_layout(part, info_.layout);
}

void FlatPartWriter::write_run(std::span<const std::byte> bytes, std::uint64_t begin) const {
  const Transfer written = write_at(file_.get(), bytes, begin);
  if (written.nbytes == bytes.size()) return;
  throw FileError(message(operation_, ": \"", info_.path, "\" must have room for its elements",
                          of_which_free(file_.get()), system_reason(written.error)),
                  info_.path);
}

std::uint64_t FlatPartWriter::write(const Box& part, std::span<const std::byte> elements) {
  const auto item = static_cast<Index>(item_size(info_.dtype));
  const std::size_t width = info_.is_byte_swapped ? item_size(component_type(info_.dtype)) : 1;
  std::vector<std::byte> swapped;
  for_each_flat_run(part, info_.layout, item, [&](std::uint64_t at, std::size_t from, std::size_t nbytes) {
    const std::uint64_t begin = info_.data_begin + at;
    const std::span<const std::byte> run = elements.subspan(from, nbytes);
    if (width == 1) return write_run(run, begin);
    constexpr std::size_t max_step = std::size_t{1} << 20;
    for (std::size_t done = 0; done < nbytes; done += max_step) {
      swapped.resize(std::min(max_step, nbytes - done));
      swap_bytes(swapped.data(), run.data() + done, swapped.size(), width);
      write_run(swapped, begin + done);
    }
  });
  return elements.size();
}

}  // namespace tenstride::io
