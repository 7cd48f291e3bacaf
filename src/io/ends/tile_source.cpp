// SPDX-License-Identifier: Apache-2.0
#include "io/ends/tile_source.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "copy/swap_bytes.hpp"
#include "io/ends/wait_polling.hpp"
#include "io/plan/boxes.hpp"

namespace tenstride::io {
namespace {

/// The slot of what is read in place.
constexpr std::size_t no_slot = ~std::size_t{0} >> 1;

std::uint64_t round_down(std::uint64_t value, std::uint64_t unit) {
  return value / unit * unit;
}
std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

TileSource::TileSource(const DiskFile& file, const FlatPass& pass, DType dtype, const TileNotes& notes,
                       MovedBytes& moved)
    : file_(file),
      pass_(pass),
      plan_(pass.plan),
      dtype_(dtype),
      notes_(notes),
      moved_(moved),
      queue_(make_disk_queue(static_cast<std::size_t>(plan_.requests_in_flight))) {
  const TilePlan& plan = plan_;
  const auto page = static_cast<std::size_t>(plan.page);
  const auto nbytes = static_cast<std::size_t>(pass.pass().tile_bytes) + page;
  for (DiskBuffer& buffer : buffers_) buffer = DiskBuffer(nbytes, page);
  if (!pass.reads_blocks() && page > 1) {
    const tenstride::detail::TileBuffer full =
        tenstride::detail::tile_buffer(plan.passes[0].tile, plan.problem.src.strides, plan.problem.src_item,
                                       plan.problem.src_begin, plan.page);
    bounce_slot_bytes_ = static_cast<std::size_t>(
        tenstride::detail::bounce_slot_bytes(full, plan.problem.src_item, plan.page, plan.request_bytes));
    bounce_buffer_ = DiskBuffer(bounce_slot_bytes_ * queue_->depth(), page);
  }
  slots_.resize(queue_->depth());
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) free_slots_.push_back(slot);
  thread_.start<TileSource, &TileSource::run>(*this);
}

TileSource::~TileSource() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

LoadedPart TileSource::read(const SourcePart& /*part*/, std::vector<std::byte>& /*buffer*/) {
  const LoadedTile& tile = wait();
  if (pass_.reads_blocks())
    return {tile.box, tile.data, {}, plan_.block, static_cast<std::size_t>(plan_.slot_bytes)};
  if (is_swapped_) swap_bytes_of(tile);
  const BlockProblem& problem = plan_.problem;
  const Layout layout =
      box_in_buffer(tile.box.extents, problem.src.strides, tile.buffer.runs, tile.buffer.pitch);
  if (sum_ != nullptr)
    *sum_ +=
        checksum(tensor_on_memory(tile.data, layout, dtype_), layout_of_box(problem.positions, tile.box));
  return {tile.box, tile.data, layout};
}

const TileSource::LoadedTile& TileSource::wait() {
  std::unique_lock lock(mutex_);
  wait_polling(changed_, lock, notes_.while_waiting, [&] { return failure_ || loaded_ > released_; });
  if (loaded_ == released_) std::rethrow_exception(failure_);
  return tiles_[released_ % 2];
}

void TileSource::swap_bytes_of(const LoadedTile& tile) const {
  const std::size_t width = item_size(component_type(dtype_));
  const auto item = static_cast<Index>(item_size(dtype_));
  for_each_run(tile.buffer.runs, tile.buffer.pitch, [&](Index, Index position) {
    std::byte* const run = tile.data + position * item;
    tenstride::swap_bytes(run, run, static_cast<std::size_t>(tile.buffer.runs.span * item), width);
  });
}

void TileSource::release() {
  {
    const std::lock_guard lock(mutex_);
    ++released_;
  }
  changed_.notify_all();
}

void TileSource::run() {
  try {
    for (Index number = 0; number < pass_.pass().tiles; ++number) {
      if (notes_.left_out[static_cast<std::size_t>(number)]) continue;
      if (!has_free_buffer()) return;
      load(number);
    }
    while (queue_->in_flight() > 0) finish_one();
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    changed_.notify_all();
  }
}

bool TileSource::has_free_buffer() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      const auto is_free = [&] { return is_stopped_ || begun_ < released_ + 2; };
      if (queue_->in_flight() == 0) changed_.wait(lock, is_free);
      if (is_stopped_) return false;
      if (is_free()) return true;
    }
    finish_one();
  }
}

void TileSource::load(Index number) {
  LoadedTile& tile = tiles_[begun_ % 2];
  tile.box = tile_box(plan_.problem.src.shape, pass_.pass().tile, number);
  if (pass_.reads_blocks()) {
    load_slots(tile, buffers_[begun_ % 2]);
  } else {
    load_runs(tile, buffers_[begun_ % 2]);
  }
  ++begun_;
  publish();
}

void TileSource::load_runs(LoadedTile& tile, DiskBuffer& buffer) {
  const BlockProblem& problem = plan_.problem;
  tile.buffer = tenstride::detail::tile_buffer(tile.box.extents, problem.src.strides, problem.src_item,
                                               problem.src_begin, plan_.page);
  const Index lowest = tenstride::detail::position_of(tile.box.first, problem.src) +
                       lowest_of_box(tile.box.extents, problem.src.strides);
  const auto item = static_cast<std::uint64_t>(problem.src_item);
  const auto page = static_cast<std::uint64_t>(plan_.page);
  const std::uint64_t first_byte =
      static_cast<std::uint64_t>(problem.src_begin) + static_cast<std::uint64_t>(lowest) * item;
  std::byte* const data = buffer.data() + (tile.buffer.is_in_place ? first_byte % page : 0);
  tile.data = data;
  const std::uint64_t nbytes = static_cast<std::uint64_t>(tile.buffer.runs.span) * item;
  for_each_run(tile.buffer.runs, tile.buffer.pitch, [&](Index file, Index in_buffer) {
    const std::uint64_t begin = first_byte + static_cast<std::uint64_t>(file) * item;
    const std::uint64_t end = begin + nbytes;
    std::byte* const to = data + static_cast<std::uint64_t>(in_buffer) * item;
    if (page == 1 || tile.buffer.is_in_place) {
      const std::uint64_t first = round_down(begin, page);
      read_in_place(first, round_up(end, page), end, to - (begin - first));
    } else {
      read_by_bounce(begin, end, to);
    }
  });
}

void TileSource::load_slots(LoadedTile& tile, DiskBuffer& buffer) {
  Index used = 1;
  for (const Index count : tile_counts(tile.box.extents, plan_.block)) used *= count;
  const std::uint64_t begin =
      pass_.blocks_begin + static_cast<std::uint64_t>(block_offset(plan_, tile.box.first));
  const std::uint64_t end = begin + static_cast<std::uint64_t>(used * plan_.slot_bytes);
  tile.data = buffer.data();
  read_in_place(begin, end, end, buffer.data());
}

void TileSource::read_in_place(std::uint64_t first, std::uint64_t last, std::uint64_t end, std::byte* to) {
  const auto longest = static_cast<std::uint64_t>(plan_.request_bytes);
  for (std::uint64_t begin = first; begin < last; begin += longest) {
    const std::uint64_t stop = std::min(begin + longest, last);
    while (!queue_->has_room(stop - begin)) finish_one();
    request(begin, {to + (begin - first), static_cast<std::size_t>(stop - begin)},
            static_cast<std::size_t>(std::min(stop, end) - begin), no_slot);
  }
}

void TileSource::read_by_bounce(std::uint64_t begin, std::uint64_t end, std::byte* to) {
  const auto page = static_cast<std::uint64_t>(plan_.page);
  const auto longest = static_cast<std::uint64_t>(plan_.request_bytes);
  const std::uint64_t first = round_down(begin, page), last = round_up(end, page);
  for (std::uint64_t from = first; from < last; from += longest) {
    const std::uint64_t stop = std::min(from + longest, last);
    const std::uint64_t wanted = std::max(begin, from), wanted_end = std::min(end, stop);
    const std::size_t slot = free_slot(stop - from);
    std::byte* const memory = bounce_buffer_.data() + slot * bounce_slot_bytes_;
    slots_[slot] = {memory + (wanted - from), to + (wanted - begin),
                    static_cast<std::size_t>(wanted_end - wanted)};
    request(from, {memory, static_cast<std::size_t>(stop - from)},
            static_cast<std::size_t>(wanted_end - from), slot);
  }
}

void TileSource::request(std::uint64_t offset, std::span<std::byte> bytes, std::size_t needed,
                         std::size_t slot) {
  const std::size_t buffer = begun_ % 2;
  queue_->read(file_, offset, bytes, needed, 2 * slot + buffer);
  ++requests_[buffer];
  moved_.add_read(bytes.size(), bytes.size());
}

std::size_t TileSource::free_slot(std::uint64_t nbytes) {
  while (free_slots_.empty() || !queue_->has_room(nbytes)) finish_one();
  const std::size_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void TileSource::finish_one() {
  const std::uint64_t tag = queue_->wait();
  const std::size_t slot = tag / 2, buffer = tag % 2;
  if (slot != no_slot) {
    const Bounce& bounce = slots_[slot];
    std::memcpy(bounce.to, bounce.from, bounce.nbytes);
    free_slots_.push_back(slot);
  }
  --requests_[buffer];
  publish();
}

void TileSource::publish() {
  std::uint64_t count = 0;
  while (loaded_ + count < begun_ && requests_[(loaded_ + count) % 2] == 0) ++count;
  if (count == 0) return;
  {
    const std::lock_guard lock(mutex_);
    loaded_ += count;
  }
  changed_.notify_all();
}

}  // namespace tenstride::io
