// SPDX-License-Identifier: Apache-2.0
#include "io/ends/tile_writer.hpp"

#include <algorithm>
#include <utility>

#include "io/ends/wait_polling.hpp"

namespace tenstride::io {

TileWriter::TileWriter(const TileTarget& target, const FlatPass& pass, MovedBytes& moved)
    : target_(target),
      page_(static_cast<std::uint64_t>(pass.plan.page)),
      request_bytes_(static_cast<std::uint64_t>(pass.plan.request_bytes)),
      moved_(moved),
      kept_(page_, static_cast<std::size_t>(std::max<Index>(pass.pass().kept_pages, 64)), target.end),
      queue_(make_disk_queue(static_cast<std::size_t>(pass.plan.requests_in_flight))) {
  flights_.resize(queue_->depth());
  for (DiskBuffer& buffer : buffers_) {
    buffer = DiskBuffer(static_cast<std::size_t>(pass.pass().group_bytes), static_cast<std::size_t>(page_));
  }
  if (target.begin % page_ != 0) kept_.lose(target.begin / page_ * page_);
  thread_.start<TileWriter, &TileWriter::run>(*this);
}

TileWriter::~TileWriter() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::byte* TileWriter::wait(const std::function<void()>& while_waiting) {
  std::unique_lock lock(mutex_);
  wait_polling(changed_, lock, while_waiting, [&] { return failure_ || filled_ < written_ + 2; });
  if (failure_) std::rethrow_exception(failure_);
  return buffers_[filled_ % 2].data();
}

void TileWriter::write(WrittenGroup group) {
  {
    const std::lock_guard lock(mutex_);
    groups_[filled_ % 2] = std::move(group);
    ++filled_;
  }
  changed_.notify_all();
}

void TileWriter::wait_until_idle(const std::function<void()>& while_waiting) {
  std::unique_lock lock(mutex_);
  wait_polling(changed_, lock, while_waiting, [&] { return failure_ || filled_ == written_; });
  if (failure_) std::rethrow_exception(failure_);
}

void TileWriter::run() {
  try {
    while (has_group()) {
      write_group(groups_[begun_ % 2]);
      ++begun_;
      publish();
    }
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    changed_.notify_all();
  }
}

bool TileWriter::has_group() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      const auto is_filled = [&] { return is_stopped_ || filled_ > begun_; };
      if (queue_->in_flight() == 0) changed_.wait(lock, is_filled);
      if (is_stopped_) return false;
      if (is_filled()) return true;
    }
    finish_one();
  }
}

void TileWriter::write_group(const WrittenGroup& group) {
  load_pages(group);
  for (std::size_t i = 0; i < group.pieces.size(); ++i) {
    const Piece& piece = group.pieces[i];
    const bool is_last = i + 1 == group.pieces.size();
    std::optional<std::uint64_t> next = group.next_begin;
    if (!is_last) next = group.pieces[i + 1].begin;
    write_piece(piece, next);
  }
  if (!group.next_begin) kept_.shrink();
}

void TileWriter::publish() {
  while (written_ < begun_ && requests_[written_ % 2] == 0) {
    const WrittenGroup& group = groups_[written_ % 2];
    if (group.when_written) group.when_written();
    {
      const std::lock_guard lock(mutex_);
      ++written_;
    }
    changed_.notify_all();
  }
}

void TileWriter::write_piece(const Piece& piece, const std::optional<std::uint64_t>& next) {
  if (target_.edges != nullptr) return write_shared_piece(piece);
  const std::uint64_t first = piece.begin / page_ * page_;
  std::byte* const image = piece.data - (piece.begin - first);
  for_each_partial_page(piece, [&](std::uint64_t page_begin) {
    const std::uint64_t begin = std::max(piece.begin, page_begin);
    const std::uint64_t end = std::min(piece.begin + piece.nbytes, page_begin + page_);
    std::byte* const page = image + (page_begin - first);
    kept_.merge(begin, {page + (begin - page_begin), static_cast<std::size_t>(end - begin)}, page);
  });
  const auto begin = static_cast<Index>(piece.begin), page = static_cast<Index>(page_);
  using tenstride::detail::WriteRange;
  WriteRange range = tenstride::detail::range_of(begin, begin + static_cast<Index>(piece.nbytes), page);
  if (next) range = tenstride::detail::range_before(range, static_cast<Index>(*next) / page * page);
  if (range.last > range.first) write_range(first, static_cast<std::uint64_t>(range.last), image);
}

void TileWriter::write_shared_piece(const Piece& piece) {
  const std::uint64_t end = piece.begin + piece.nbytes;
  // No process keeps a page of the page cache of which another one writes a part past it.
  const std::uint64_t page = std::max(page_, target_.edges->page());
  const std::uint64_t first = (piece.begin + page - 1) / page * page, last = end / page * page;
  const auto write_edge = [&](std::uint64_t from, std::uint64_t to) {
    if (from >= to) return;
    target_.edges->write(from, {piece.data + (from - piece.begin), static_cast<std::size_t>(to - from)});
    moved_.add_written(to - from, to - from);
  };
  if (first >= last) return write_edge(piece.begin, end);
  write_range(first, last, piece.data + (first - piece.begin));
  write_edge(piece.begin, first);
  write_edge(last, end);
}

template <class Visit>
void TileWriter::for_each_partial_page(const Piece& piece, const Visit& visit) const {
  const std::uint64_t first = piece.begin / page_ * page_;
  const std::uint64_t end = piece.begin + piece.nbytes;
  const std::uint64_t last = (end - 1) / page_ * page_;
  if (piece.begin != first || end < first + page_) visit(first);
  if (last != first && end != last + page_) visit(last);
}

void TileWriter::load_pages(const WrittenGroup& group) {
  if (page_ == 1 || target_.edges != nullptr) return;
  std::vector<std::uint64_t> missing;
  for (const Piece& piece : group.pieces) {
    for_each_partial_page(piece, [&](std::uint64_t page_begin) {
      const bool is_known = kept_.contains(page_begin) || (!missing.empty() && missing.back() == page_begin);
      const bool has_content = target_.was_begun || kept_.is_lost(page_begin);
      if (has_content && !is_known) missing.push_back(page_begin);
    });
  }
  if (missing.empty()) return;
  finish_all();  // among them what is to be read
  const std::size_t depth = queue_->depth();
  if (page_buffer_.size() == 0) {
    page_buffer_ = DiskBuffer(depth * static_cast<std::size_t>(page_), static_cast<std::size_t>(page_));
  }
  for (std::size_t begin = 0; begin < missing.size(); begin += depth) {
    const std::size_t end = std::min(begin + depth, missing.size());
    for (std::size_t i = begin; i < end; ++i) {
      queue_->read(target_.file, missing[i], slot(i - begin), 0, i);
    }
    while (queue_->in_flight() > 0) queue_->wait();
    for (std::size_t i = begin; i < end; ++i) kept_.load(missing[i], slot(i - begin));
  }
}

std::span<std::byte> TileWriter::slot(std::size_t number) const {
  return {page_buffer_.data() + number * page_, static_cast<std::size_t>(page_)};
}

void TileWriter::write_range(std::uint64_t first, std::uint64_t last, const std::byte* data) {
  for (std::uint64_t begin = first; begin < last; begin += request_bytes_) {
    const std::uint64_t stop = std::min(begin + request_bytes_, last);
    // A page that an earlier request writes, too, must be written later.
    while (!queue_->has_room(stop - begin) || is_in_flight(begin, stop)) finish_one();
    const auto free = std::find_if(flights_.begin(), flights_.end(),
                                   [](const Flight& flight) { return flight.first == flight.last; });
    const std::size_t buffer = begun_ % 2;
    queue_->write(target_.file, begin, {data + (begin - first), static_cast<std::size_t>(stop - begin)},
                  static_cast<std::uint64_t>(free - flights_.begin()));
    *free = {begin, stop, buffer};
    ++requests_[buffer];
    moved_.add_written(stop - begin, stop - begin);
  }
}

bool TileWriter::is_in_flight(std::uint64_t first, std::uint64_t last) const {
  return std::any_of(flights_.begin(), flights_.end(),
                     [&](const Flight& flight) { return flight.first < last && first < flight.last; });
}

void TileWriter::finish_one() {
  const std::uint64_t flight = queue_->wait();
  --requests_[flights_[flight].buffer];
  flights_[flight] = {};
  publish();
}

void TileWriter::finish_all() {
  while (queue_->in_flight() > 0) finish_one();
}

}  // namespace tenstride::io
