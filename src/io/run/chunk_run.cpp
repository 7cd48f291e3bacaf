// SPDX-License-Identifier: Apache-2.0
#include "io/run/chunk_run.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "io/disk/disk.hpp"
#include "io/ends/fill_elements.hpp"
#include "io/ends/worker_thread.hpp"
#include "io/plan/block_plan.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::io {
namespace {

/// The common part of two boxes; nothing where there is none.
std::optional<Box> intersection(const Box& a, const Box& b) {
  Box common = a;
  for (std::size_t d = 0; d < a.first.size(); ++d) {
    const Index first = std::max(a.first[d], b.first[d]);
    const Index last = std::min(a.first[d] + a.extents[d], b.first[d] + b.extents[d]);
    if (last <= first) return std::nullopt;
    common.first[d] = first;
    common.extents[d] = last - first;
  }
  return common;
}

/// A unit of the destination.
struct Unit {
  Box part;
  /// What of it lies in the result.
  Box inside;
  Layout layout;
  std::size_t nbytes = 0;
  /// Whether an earlier run has written it.
  bool is_finished = false;
  /// Parts of the source that have elements of it and were not copied yet.
  Index sources_left = 0;
  /// Whether its memory is counted. It is taken when the first elements come.
  bool is_open = false;
  Storage memory;
  /// Elements that are missing by what the source says.
  std::uint64_t missing = 0;
  /// Held while elements are copied into it: two parts of the source may meet in one cache line.
  std::unique_ptr<std::mutex> copying = std::make_unique<std::mutex>();
};

/// Large memory comes from the system page by page. `Storage::allocate` rounds it up by as much as an eighth,
/// and keeps what is released for the next of the same size: then two passes take more than the limit.
Storage unit_memory(std::size_t nbytes) {
  constexpr std::size_t large = 1 << 20;
  if (nbytes < large) return Storage::allocate(nbytes);
  const auto buffer = std::make_shared<DiskBuffer>(nbytes, 1);
  return Storage::adopt(buffer->data(), nbytes, [buffer](void*) {});
}

struct Tile {
  Box box;
  /// In the order in which they are read.
  std::vector<Box> sources;
  /// Row-major, so many along each axis.
  std::vector<Unit> units;
  Dims unit_counts;
  std::size_t next_source = 0;
  std::size_t units_left = 0;
};

class ChunkRun {
 public:
  ChunkRun(const ChunkPlan& plan, const IndexMap& map, const Dims& shape, const PartReader& reader,
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
    if (!full_.empty()) {
      const auto [tile, unit] = full_.front();
      full_.pop_front();
      ++working_;
      write_unit(lock, *tile, *unit);
      --working_;
      return true;
    }
    for (Tile& tile : tiles_) {
      if (tile.next_source == tile.sources.size()) continue;
      const std::vector<Unit*> units = units_of(tile, tile.sources[tile.next_source]);
      if (!open(units)) return false;
      ++working_;
      read_source(lock, tile, tile.next_source++, units);
      --working_;
      return true;
    }
    return begin_tile();
  }

  /// Counts the memory of the units that a part of the source has elements of; false where there is none now.
  /// Parts are begun strictly one after the other, and the plan has memory for the units that are open at any
  /// of them: when nobody works there is enough.
  bool open(const std::vector<Unit*>& units) {
    std::uint64_t nbytes = 0;
    for (const Unit* const unit : units) nbytes += unit->is_open ? 0 : unit->nbytes;
    if (working_ != 0 && units_nbytes_ + nbytes > plan_.units_nbytes) return false;
    for (Unit* const unit : units) unit->is_open = true;
    units_nbytes_ += nbytes;
    return true;
  }

  /// Begins the next tile that has units to be written.
  bool begin_tile() {
    Tile tile;
    for (; next_tile_ < plan_.tiles; ++next_tile_, ++tiles_done_) {
      tile = tile_of(next_tile_);
      if (tile.units_left != 0) break;
    }
    if (next_tile_ == plan_.tiles) {
      changed_.notify_all();
      return false;
    }
    ++next_tile_;
    tiles_.push_back(std::move(tile));
    changed_.notify_all();
    return true;
  }

  /// With the parts of the source that the units need which are left to be written.
  [[nodiscard]] Tile tile_of(Index number) const {
    Tile tile;
    tile.box = tile_box(shape_, plan_.tile, number);
    tile.unit_counts = tile.box.extents;
    for (std::size_t d = 0; d < tile.unit_counts.size(); ++d) {
      tile.unit_counts[d] = ceil_divide(tile.box.extents[d], plan_.dst_unit[d]);
    }
    for (const Box& part : writer_.parts(tile.box)) {
      Unit unit;
      unit.part = part;
      unit.layout = writer_.layout(part);
      unit.nbytes = static_cast<std::size_t>(numel(unit.layout)) * item_size(writer_.dtype());
      unit.inside = *intersection(part, tile.box);
      unit.is_finished = options_.is_left && !options_.is_left(part);
      if (!unit.is_finished) ++tile.units_left;
      tile.units.push_back(std::move(unit));
    }
    if (tile.units_left == 0) return tile;
    tile.sources = reader_.parts(needed_by(tile.box));
    std::erase_if(tile.sources, [&](const Box& part) {
      const std::vector<Unit*> units = units_of(tile, part);
      for (Unit* const unit : units) ++unit->sources_left;
      return units.empty();
    });
    std::stable_sort(tile.sources.begin(), tile.sources.end(),
                     [&](const Box& a, const Box& b) { return is_read_before(a, b); });
    return tile;
  }

  [[nodiscard]] bool is_read_before(const Box& a, const Box& b) const {
    for (const Index number : plan_.order) {
      const IndexMap::Axis& from = map_.axes[static_cast<std::size_t>(number)];
      if (!from.source) continue;
      const Index i = a.first[*from.source], j = b.first[*from.source];
      if (i != j) return from.step > 0 ? i < j : i > j;
    }
    return false;
  }

  /// The units of a tile that are left to be written and have elements of a part of the source.
  [[nodiscard]] std::vector<Unit*> units_of(Tile& tile, const Box& part) const {
    std::vector<Unit*> units;
    const std::optional<Box> fed = fed_by(part, tile.box);
    if (!fed) return units;
    Dims first = fed->first, counts = fed->first;
    for (std::size_t d = 0; d < first.size(); ++d) {
      const Index begin = fed->first[d] - tile.box.first[d];
      first[d] = begin / plan_.dst_unit[d];
      counts[d] = (begin + fed->extents[d] - 1) / plan_.dst_unit[d] - first[d] + 1;
    }
    const Index count = count_elements(counts);
    for (Index i = 0; i < count; ++i) {
      Dims index = unit_index(counts, i);
      for (std::size_t d = 0; d < index.size(); ++d) index[d] += first[d];
      Unit& unit = tile.units[static_cast<std::size_t>(unit_number(tile.unit_counts, index))];
      if (!unit.is_finished) units.push_back(&unit);
    }
    return units;
  }

  /// What the source must have read for a box of the result.
  [[nodiscard]] Box needed_by(const Box& box) const {
    Box needed{map_.first, Dims::filled(map_.first.size(), 1)};
    for (std::size_t d = 0; d < box.first.size(); ++d) {
      const IndexMap::Axis& from = map_.axes[d];
      if (!from.source) continue;
      const Index a = map_.first[*from.source] + from.step * box.first[d];
      const Index b = a + from.step * (box.extents[d] - 1);
      needed.first[*from.source] = std::min(a, b);
      needed.extents[*from.source] = std::max(a, b) - std::min(a, b) + 1;
    }
    return needed;
  }

  /// What of a box of the result comes from a part of the source; nothing where none does.
  [[nodiscard]] std::optional<Box> fed_by(const Box& part, const Box& box) const {
    Box fed = box;
    for (std::size_t d = 0; d < box.first.size(); ++d) {
      const IndexMap::Axis& from = map_.axes[d];
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
  [[nodiscard]] Layout source_of(const Box& box, const Box& part, const Layout& layout) const {
    Layout source{box.extents, box.extents, layout.offset};
    Dims at = map_.first;
    for (std::size_t d = 0; d < box.first.size(); ++d) {
      const IndexMap::Axis& from = map_.axes[d];
      source.strides[d] = from.source ? layout.strides[*from.source] * from.step : 0;
      if (from.source) at[*from.source] += from.step * box.first[d];
    }
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      source.offset += (at[axis] - part.first[axis]) * layout.strides[axis];
    }
    return source;
  }

  void read_source(std::unique_lock<std::mutex>& lock, Tile& tile, std::size_t number,
                   const std::vector<Unit*>& units) {
    lock.unlock();
    const Box& part = tile.sources[number];
    const std::size_t nbytes = reader_.nbytes(part);
    thread_local std::vector<std::byte> buffer;
    if (buffer.size() < nbytes) buffer.resize(nbytes);
    std::uint64_t read = 0;
    const Layout layout = reader_.read(part, std::span(buffer).first(nbytes), read);
    // Threads begin at different units, so that they wait for each other less.
    for (std::size_t i = 0; i < units.size(); ++i) {
      Unit& unit = *units[(number + i) % units.size()];
      const std::optional<Box> fed = fed_by(part, unit.inside);
      const Tensor src = tensor_on_memory(buffer.data(), source_of(*fed, part, layout), reader_.dtype());
      const std::lock_guard copying(*unit.copying);
      if (unit.memory.nbytes() == 0) make(unit);
      Dims first = fed->first;
      for (std::size_t d = 0; d < first.size(); ++d) first[d] -= unit.part.first[d];
      Tensor dst = part_of(Tensor(unit.memory, unit.layout, writer_.dtype()), first, fed->extents);
      unit.missing += static_cast<std::uint64_t>(convert_elements(dst, src, fed->first, conversion_));
    }
    lock.lock();
    read_ += read;
    elements_ += nbytes;
    for (Unit* const unit : units) {
      if (--unit->sources_left == 0) full_.emplace_back(&tile, unit);
    }
    changed_.notify_all();
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
    if (unit.memory.nbytes() == 0) unit.memory = unit_memory(unit.nbytes);
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
    if (options_.finish) options_.finish(unit.part, {sum, unit.missing});
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
  const IndexMap& map_;
  const Dims& shape_;
  const PartReader& reader_;
  PartWriter& writer_;
  const Conversion& conversion_;
  const ChunkRunOptions& options_;
  Layout positions_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Tile> tiles_;
  /// Units that have all their elements and are to be written.
  std::deque<std::pair<Tile*, Unit*>> full_;
  Index next_tile_ = 0;
  Index tiles_done_ = 0;
  /// Of the units that are open.
  std::uint64_t units_nbytes_ = 0;
  /// Threads that read or write.
  int working_ = 0;
  /// Memory of units that were written, all of one size.
  std::vector<Storage> spare_;
  std::uint64_t elements_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t written_ = 0;
  Checksum sum_;
  std::exception_ptr failure_;
};

}  // namespace

ChunkResult run_chunks(const ChunkPlan& plan, const IndexMap& map, const Dims& shape,
                       const PartReader& reader, PartWriter& writer, const Conversion& conversion,
                       const ChunkRunOptions& options) {
  return ChunkRun(plan, map, shape, reader, writer, conversion, options).run();
}

}  // namespace tenstride::io
