// SPDX-License-Identifier: Apache-2.0
#include "io/ends/unpacked_file.hpp"

#include <cerrno>
#include <vector>

#include "base/message.hpp"
#include "files/nameless_file.hpp"
#include "files/output_target.hpp"
#include "files/transfer.hpp"
#include "io/ends/operation.hpp"
#include "io/stream/inflate_stream.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

}  // namespace

void require_part_readable(const FileInfo& info) {
  const auto refuse = [&](const std::string& rule) {
    throw FileError(message(this_operation, ": \"", info.address(), "\" must ", rule), info.path);
  };
  if (!info.obstacle.empty()) refuse(info.obstacle);
  if (info.storage == ElementStorage::encoded) {
    refuse("be a file whose elements can be read one by one, which a " + info.format + " image is not");
  }
}

std::uint64_t unpacked_nbytes(const FileInfo& info) {
  return info.data_begin + static_cast<std::uint64_t>(numel(info.layout)) * item_size(info.dtype);
}

void unpack_elements(
    const FileInfo& info, std::string_view operation,
    const std::function<void(std::span<const std::byte> piece, std::uint64_t offset)>& take) {
  InflateStream stream(info.path, info.stream, info.codec, operation);
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  std::uint64_t head = info.data_begin;
  for (std::size_t count = 1; head > 0 && count > 0; head -= count) {
    count = stream.read(std::span(buffer).first(std::min<std::uint64_t>(head, buffer.size())));
  }
  const std::uint64_t nbytes = unpacked_nbytes(info) - info.data_begin;
  std::uint64_t done = 0;
  for (;;) {
    const std::size_t count = stream.read(buffer);
    // What follows the last element is read for the sake of its check only.
    const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(count, nbytes - done));
    if (kept > 0) take(std::span(buffer).first(kept), done);
    done += kept;
    if (count < buffer.size()) break;
  }
  const std::uint64_t missing = head + nbytes - done;
  if (missing == 0) return;
  throw FileError(message(operation, ": \"", info.address(), "\" must unpack to ", unpacked_nbytes(info),
                          " bytes, ", missing, " are missing"),
                  info.path);
}

UnpackedFile::UnpackedFile(const FileInfo& info, const std::string& beside, std::string_view operation) {
  file_ = open_nameless_file(beside);
  const std::uint64_t nbytes = unpacked_nbytes(info);
  const auto refuse_room = [&](int error) {
    throw FileError(message(operation, ": \"", beside, "\" must have room beside it for the ", nbytes,
                            " bytes that \"", info.address(), "\" unpacks to", system_reason(error)),
                    beside);
  };
  if (!file_.is_open()) refuse_room(errno);
  if (const int error = take_room(file_.get(), nbytes)) refuse_room(error);
  path_ = message("/proc/self/fd/", file_.get());
  unpack_elements(info, operation, [&](std::span<const std::byte> piece, std::uint64_t offset) {
    const Transfer put = write_at(file_.get(), piece, info.data_begin + offset);
    if (put.nbytes < piece.size()) refuse_room(put.error);
  });
}

}  // namespace tenstride::io
