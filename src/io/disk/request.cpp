// SPDX-License-Identifier: Apache-2.0
#include "io/disk/request.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/message.hpp"

namespace tenstride::io {

using tenstride::detail::message;

DiskRequest DiskRequest::reading(const DiskFile& file, std::uint64_t offset, std::span<std::byte> bytes,
                                 std::size_t needed, std::uint64_t tag) {
  DiskRequest request;
  request.file_ = &file;
  request.offset_ = offset;
  request.destination_ = bytes.data();
  request.nbytes_ = bytes.size();
  request.needed_ = needed;
  request.tag_ = tag;
  return request;
}

DiskRequest DiskRequest::writing(const DiskFile& file, std::uint64_t offset, std::span<const std::byte> bytes,
                                 std::uint64_t tag) {
  DiskRequest request = reading(file, offset, {}, bytes.size(), tag);
  request.source_ = bytes.data();
  request.nbytes_ = bytes.size();
  return request;
}

std::size_t DiskRequest::nbytes() const noexcept {
  return std::min(nbytes_ - done_, std::size_t{1} << 30);
}

std::int64_t DiskRequest::perform() const noexcept {
  const auto at = static_cast<off_t>(offset());
  const ssize_t count = is_read() ? pread(descriptor(), destination(), nbytes(), at)
                                  : pwrite(descriptor(), source(), nbytes(), at);
  return count < 0 ? -std::int64_t{errno} : count;
}

DiskRequest::Next DiskRequest::advance(std::int64_t result) {
  if (result == -EINTR || result == -EAGAIN) return Next::again;
  if (result < 0) refuse(static_cast<int>(-result));
  const std::size_t reached = done_ + static_cast<std::size_t>(result);
  if (reached >= needed_) return Next::finished;
  const std::size_t whole = reached / file_->page() * file_->page();
  stalled_ = whole > done_ ? 0 : stalled_ + 1;
  done_ = std::max(done_, whole);
  // Part of a page is what a direct read gives at the end of a file; the second time it is no accident.
  // Nothing at all is the end for certain.
  constexpr int max_stalled = 2;
  if (stalled_ == max_stalled || (is_read() && result == 0)) refuse_end(reached);
  return Next::again;
}

void DiskRequest::refuse(int error) const {
  const std::string what =
      message(needed_ - done_, " bytes from byte ", offset(), " on", system_reason(error));
  if (is_read()) file_->refuse("must be readable, " + what);
  const bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  file_->refuse((is_full ? "must have room for " : "must be writable, ") + what);
}

void DiskRequest::refuse_end(std::size_t reached) const {
  const std::size_t missing = needed_ - reached;
  if (is_read()) {
    file_->refuse(message("must have ", needed_, " bytes from byte ", offset_, " on, it ends ", missing,
                          " bytes earlier (truncated while it was read?)"));
  }
  file_->refuse(message("must take ", needed_, " bytes from byte ", offset_, " on, it left out ", missing,
                        " (the system gives no reason)"));
}

RequestQueue::RequestQueue(std::size_t depth) : slots_(depth) {
  free_.reserve(depth);
  for (std::size_t slot = depth; slot > 0; --slot) free_.push_back(slot - 1);
}

void RequestQueue::read(const DiskFile& file, std::uint64_t offset, std::span<std::byte> bytes,
                        std::size_t needed, std::uint64_t tag) {
  enqueue(DiskRequest::reading(file, offset, bytes, needed, tag));
}

void RequestQueue::write(const DiskFile& file, std::uint64_t offset, std::span<const std::byte> bytes,
                         std::uint64_t tag) {
  enqueue(DiskRequest::writing(file, offset, bytes, tag));
}

void RequestQueue::enqueue(const DiskRequest& request) {
  const std::size_t slot = free_.back();
  slots_[slot] = request;
  start(slot);
  free_.pop_back();
  bytes_in_flight_ += request.size();
}

void RequestQueue::release(std::size_t slot) {
  free_.push_back(slot);
  bytes_in_flight_ -= slots_[slot].size();
}

std::uint64_t RequestQueue::wait() {
  while (true) {
    const Result result = next_result();
    DiskRequest& request = slots_[result.slot];
    try {
      if (request.advance(result.value) == DiskRequest::Next::again) {
        start(result.slot);
        continue;
      }
    } catch (...) {
      release(result.slot);
      throw;
    }
    release(result.slot);
    return request.tag();
  }
}

void RequestQueue::finish() noexcept {
  while (in_flight() > 0) release(next_result().slot);
}

}  // namespace tenstride::io
