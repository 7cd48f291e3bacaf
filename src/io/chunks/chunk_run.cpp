// SPDX-License-Identifier: Apache-2.0
#include "io/chunks/chunk_run.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "io/chunks/fill_elements.hpp"
#include "io/large/worker_thread.hpp"
#include "tenstride/block_plan.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::io {
namespace {

/// The common part of two boxes; nothing where there is none.
std::optional<ChunkBox> intersection(const ChunkBox& a, const ChunkBox& b) {
  ChunkBox common = a;
  for (std::size_t d = 0; d < a.first.size(); ++d) {
    const Index first = std::max(a.first[d], b.first[d]);
    const Index last = std::min(a.first[d] + a.extents[d], b.first[d] + b.extents[d]);
    if (last <= first) return std::nullopt;
    common.first[d] = first;
    common.extents[d] = last - first;
  }
  return common;
}

/// A unit of the destination in memory.
struct Unit {
  ChunkBox part;
  /// What of it lies in the result.
  ChunkBox inside;
  Layout layout;
  std::size_t nbytes = 0;
  Storage memory;
  /// Held while elements are copied into it: two parts of the source may meet in one cache line.
  std::unique_ptr<std::mutex> copying = std::make_unique<std::mutex>();
};

struct Tile {
  ChunkBox box;
  std::vector<ChunkBox> sources;
  std::vector<Unit> units;
  std::uint64_t nbytes = 0;
  std::size_t next_source = 0;
  std::size_t sources_left = 0;
  std::size_t next_unit = 0;
  std::size_t units_left = 0;
};

class ChunkRun {
 public:
  ChunkRun(const ChunkPlan& plan, const AxisMap& map, const Dims& shape, const PartReader& reader,
           PartWriter& writer, const Conversion& conversion, const ChunkRunOptions& options)
      : plan_(plan),
        map_(map),
        shape_(shape),
        reader_(reader),
        writer_(writer),
        conversion_(conversion),
        options_(options),
        positions_(row_major(shape)) {}

  ChunkResult run() {
    std::deque<WorkerThread> workers;
    try {
      for (int i = 0; i < options_.threads; ++i)
        workers.emplace_back().start<ChunkRun, &ChunkRun::work>(*this);
      wait();
    } catch (...) {
      stop(std::current_exception());
    }
    for (WorkerThread& worker : workers) worker.join();
    if (failure_) std::rethrow_exception(failure_);
    return {sum_, read_, written_};
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    while (!failure_ && tiles_done_ < plan_.tiles) {
      changed_.wait_for(lock, std::chrono::milliseconds(50),
                        [&] { return failure_ || tiles_done_ == plan_.tiles; });
      const ChunkProgress now{elements_, tiles_done_};
      lock.unlock();
      if (options_.tell) options_.tell(now);
      lock.lock();
    }
  }

  void stop(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    changed_.notify_all();
  }

  void work() {
    const ThreadScope serial(1);
    try {
      std::unique_lock lock(mutex_);
      while (!failure_ && tiles_done_ < plan_.tiles) {
        if (!do_something(lock) && tiles_done_ < plan_.tiles) changed_.wait(lock);
      }
    } catch (...) {
      stop(std::current_exception());
    }
  }

  /// One part of the work, with the lock released while it is done; false where there is none to do now.
  bool do_something(std::unique_lock<std::mutex>& lock) {
    for (Tile& tile : tiles_) {
      if (tile.sources_left == 0 && tile.next_unit < tile.units.size()) {
        write_unit(lock, tile, tile.units[tile.next_unit++]);
        return true;
      }
    }
    for (Tile& tile : tiles_) {
      if (tile.next_source < tile.sources.size()) {
        read_source(lock, tile, tile.next_source++);
        return true;
      }
    }
    return begin_tile();
  }

  /// Begins the next tile that has units to be written, where they fit beside those that are in memory.
  bool begin_tile() {
    Tile tile;
    bool has_finished_units = false;
    for (; next_tile_ < plan_.tiles; ++next_tile_, ++tiles_done_) {
      tile = tile_of(next_tile_, has_finished_units);
      if (!tile.units.empty()) break;
    }
    if (next_tile_ == plan_.tiles) {
      changed_.notify_all();
      return false;
    }
    if (!tiles_.empty() && units_nbytes_ + tile.nbytes > plan_.units_nbytes) return false;
    tile.sources = reader_.parts(needed_by(tile.box));
    if (has_finished_units) {
      std::erase_if(tile.sources, [&](const ChunkBox& part) {
        return std::none_of(tile.units.begin(), tile.units.end(),
                            [&](const Unit& unit) { return fed_by(part, unit.inside).has_value(); });
      });
    }
    tile.sources_left = tile.sources.size();
    tile.units_left = tile.units.size();
    units_nbytes_ += tile.nbytes;
    ++next_tile_;
    tiles_.push_back(std::move(tile));
    changed_.notify_all();
    return true;
  }

  /// With the units that are left to be written, and the bytes of all of them.
  [[nodiscard]] Tile tile_of(Index number, bool& has_finished_units) const {
    const BlockBox at = tile_box(shape_, plan_.tile, number);
    Tile tile;
    tile.box = {at.first, at.extents};
    has_finished_units = false;
    for (const ChunkBox& part : writer_.parts(tile.box)) {
      if (options_.is_left && !options_.is_left(part)) {
        has_finished_units = true;
        continue;
      }
      Unit unit;
      unit.part = part;
      unit.layout = writer_.layout(part);
      unit.nbytes = static_cast<std::size_t>(numel(unit.layout)) * item_size(writer_.dtype());
      unit.inside = *intersection(part, tile.box);
      tile.nbytes += unit.nbytes;
      tile.units.push_back(std::move(unit));
    }
    return tile;
  }

  /// What the source must have read for a box of the result.
  [[nodiscard]] ChunkBox needed_by(const ChunkBox& box) const {
    ChunkBox needed{map_.first, Dims::filled(map_.first.size(), 1)};
    for (std::size_t d = 0; d < box.first.size(); ++d) {
      const AxisMap::Axis& from = map_.axes[d];
      if (!from.source) continue;
      const Index a = map_.first[*from.source] + from.step * box.first[d];
      const Index b = a + from.step * (box.extents[d] - 1);
      needed.first[*from.source] = std::min(a, b);
      needed.extents[*from.source] = std::max(a, b) - std::min(a, b) + 1;
    }
    return needed;
  }

  /// What of a box of the result comes from a part of the source; nothing where none does.
  [[nodiscard]] std::optional<ChunkBox> fed_by(const ChunkBox& part, const ChunkBox& box) const {
    ChunkBox fed = box;
    for (std::size_t d = 0; d < box.first.size(); ++d) {
      const AxisMap::Axis& from = map_.axes[d];
      if (!from.source) continue;
      const Index origin = map_.first[*from.source], step = std::abs(from.step);
      const Index low = part.first[*from.source], high = low + part.extents[*from.source] - 1;
      // Indices i of the result with low <= origin + step * i <= high, or with step negated.
      const Index near = from.step > 0 ? low - origin : origin - high;
      const Index far = from.step > 0 ? high - origin : origin - low;
      if (far < 0) return std::nullopt;
      const Index first = std::max(box.first[d], near <= 0 ? 0 : ceil_divide(near, step));
      const Index last = std::min(box.first[d] + box.extents[d] - 1, far / step);
      if (last < first) return std::nullopt;
      fed.first[d] = first;
      fed.extents[d] = last - first + 1;
    }
    return fed;
  }

  /// The elements of a part of the source that a box of the result has, with the result's axes.
  [[nodiscard]] Layout source_of(const ChunkBox& box, const ChunkBox& part, const Layout& layout) const {
    Layout source{box.extents, box.extents, layout.offset};
    Dims at = map_.first;
    for (std::size_t d = 0; d < box.first.size(); ++d) {
      const AxisMap::Axis& from = map_.axes[d];
      source.strides[d] = from.source ? layout.strides[*from.source] * from.step : 0;
      if (from.source) at[*from.source] += from.step * box.first[d];
    }
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      source.offset += (at[axis] - part.first[axis]) * layout.strides[axis];
    }
    return source;
  }

  void read_source(std::unique_lock<std::mutex>& lock, Tile& tile, std::size_t number) {
    lock.unlock();
    const ChunkBox& part = tile.sources[number];
    const std::size_t nbytes = reader_.nbytes(part);
    thread_local std::vector<std::byte> buffer;
    if (buffer.size() < nbytes) buffer.resize(nbytes);
    std::uint64_t read = 0;
    const Layout layout = reader_.read(part, std::span(buffer).first(nbytes), read);
    // Threads begin at different units, so that they wait for each other less.
    for (std::size_t i = 0; i < tile.units.size(); ++i) {
      Unit& unit = tile.units[(number + i) % tile.units.size()];
      const std::optional<ChunkBox> fed = fed_by(part, unit.inside);
      if (!fed) continue;
      const Tensor src = tensor_on_memory(buffer.data(), source_of(*fed, part, layout), reader_.dtype());
      const std::lock_guard copying(*unit.copying);
      if (unit.memory.nbytes() == 0) make(unit);
      Dims first = fed->first;
      for (std::size_t d = 0; d < first.size(); ++d) first[d] -= unit.part.first[d];
      Tensor dst = part_of(Tensor(unit.memory, unit.layout, writer_.dtype()), first, fed->extents);
      convert_elements(dst, src, fed->first, conversion_);
    }
    lock.lock();
    read_ += read;
    elements_ += nbytes;
    if (--tile.sources_left == 0) changed_.notify_all();
  }

  /// Takes memory for a unit; what of it lies beyond the result is the fill value.
  void make(Unit& unit) {
    {
      const std::lock_guard lock(mutex_);
      if (!spare_.empty() && spare_.back().nbytes() == unit.nbytes) {
        unit.memory = std::move(spare_.back());
        spare_.pop_back();
      } else {
        spare_.clear();
      }
    }
    if (unit.memory.nbytes() == 0) unit.memory = Storage::allocate(unit.nbytes);
    if (unit.inside.extents == unit.part.extents) return;
    fill_elements({unit.memory.mutable_data(), unit.nbytes}, writer_.fill_value());
  }

  void write_unit(std::unique_lock<std::mutex>& lock, Tile& tile, Unit& unit) {
    lock.unlock();
    const std::uint64_t written = writer_.write(unit.part, {unit.memory.data(), unit.nbytes});
    Dims first = unit.inside.first;
    for (std::size_t d = 0; d < first.size(); ++d) first[d] -= unit.part.first[d];
    Layout positions{unit.inside.extents, positions_.strides, 0};
    for (std::size_t d = 0; d < first.size(); ++d)
      positions.offset += unit.inside.first[d] * positions_.strides[d];
    const Checksum sum = checksum(
        part_of(Tensor(unit.memory, unit.layout, writer_.dtype()), first, unit.inside.extents), positions);
    if (options_.finish) options_.finish(unit.part, sum);
    lock.lock();
    spare_.push_back(std::move(unit.memory));
    elements_ += unit.nbytes;
    written_ += written;
    sum_ += sum;
    units_nbytes_ -= unit.nbytes;
    if (--tile.units_left == 0) {
      ++tiles_done_;
      while (!tiles_.empty() && tiles_.front().units_left == 0) tiles_.pop_front();
    }
    changed_.notify_all();
  }

  const ChunkPlan& plan_;
  const AxisMap& map_;
  const Dims& shape_;
  const PartReader& reader_;
  PartWriter& writer_;
  const Conversion& conversion_;
  const ChunkRunOptions& options_;
  Layout positions_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Tile> tiles_;
  Index next_tile_ = 0;
  Index tiles_done_ = 0;
  std::uint64_t units_nbytes_ = 0;
  /// Memory of units that were written, all of one size.
  std::vector<Storage> spare_;
  std::uint64_t elements_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t written_ = 0;
  Checksum sum_;
  std::exception_ptr failure_;
};

}  // namespace

ChunkResult run_chunks(const ChunkPlan& plan, const AxisMap& map, const Dims& shape, const PartReader& reader,
                       PartWriter& writer, const Conversion& conversion, const ChunkRunOptions& options) {
  return ChunkRun(plan, map, shape, reader, writer, conversion, options).run();
}

}  // namespace tenstride::io
