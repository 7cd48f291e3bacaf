// SPDX-License-Identifier: Apache-2.0
#include "io/run/tile_run.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "io/ends/wait_polling.hpp"
#include "io/ends/worker_thread.hpp"
#include "io/plan/boxes.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::io {
namespace {

/// A unit while its elements come.
struct OpenUnit {
  Unit unit;
  /// Parts of the source that have elements of it and were not copied yet.
  Index parts_left = 0;
  /// Whether its memory is counted. It is taken when the first elements come.
  bool is_counted = false;
  /// Where its elements go.
  std::optional<Tensor> elements;
  std::uint64_t missing = 0;
  /// Held while elements are copied into it: two parts of the source may meet in one cache line.
  std::unique_ptr<std::mutex> copying = std::make_unique<std::mutex>();
};

struct Tile {
  Box box;
  /// Parts of the source, in the order in which they are read.
  std::vector<SourcePart> parts;
  /// Row-major, where they are a grid.
  std::vector<OpenUnit> units;
  std::size_t next_part = 0;
  std::size_t units_left = 0;
};

/// The checksum of elements as they are written: of an axis that is reduced there is one index.
Checksum checksum_of(Tensor written, Layout positions, const Dims& reduced) {
  for (const Index axis : reduced) {
    written = written.narrow(axis, 0, 1);
    positions.shape[static_cast<std::size_t>(axis)] = 1;
  }
  return checksum(written, positions);
}

class TileRun {
 public:
  TileRun(const TileWork& work, Source& source, Sink& sink, const TellTiles& tell)
      : work_(work), source_(source), sink_(sink), tell_(tell), unit_(sink.unit()) {}

  /// The calling thread does all but what the sink does.
  void work_alone() {
    std::unique_lock lock(mutex_);
    while (tiles_done_ < work_.tiles) do_something(lock);
  }

  void work_by_threads() {
    std::deque<WorkerThread> workers;
    try {
      for (int i = 0; i < work_.threads; ++i) workers.emplace_back().start<TileRun, &TileRun::work>(*this);
      std::unique_lock lock(mutex_);
      wait_polling(
          changed_, lock, [&] { tell(); }, [&] { return failure_ || tiles_done_ == work_.tiles; });
    } catch (...) {
      stop(std::current_exception());
    }
    for (WorkerThread& worker : workers) worker.join();
    if (failure_) std::rethrow_exception(failure_);
    tell();
  }

 private:
  void tell() const {
    const Index skipped = tiles_skipped_;  // first: what is skipped is done before
    tell_(tiles_done_ - skipped, skipped);
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
      while (!failure_ && tiles_done_ < work_.tiles) {
        if (!do_something(lock) && tiles_done_ < work_.tiles) changed_.wait(lock);
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
      lock.unlock();
      write_unit(*unit);
      lock.lock();
      finish_unit(*tile, *unit);
      --working_;
      return true;
    }
    for (Tile& tile : tiles_) {
      if (tile.next_part == tile.parts.size()) continue;
      const std::vector<OpenUnit*> units = units_of(tile, tile.parts[tile.next_part].box);
      if (!count_memory(units)) return false;
      ++working_;
      copy_part(lock, tile, tile.next_part++, units);
      --working_;
      return true;
    }
    return begin_tile();
  }

  /// Counts the memory of the units that a part of the source has elements of; false where there is none now.
  /// Parts are begun strictly one after the other, and the plan has memory for the units that are open at any
  /// of them: when nobody works there is enough.
  bool count_memory(const std::vector<OpenUnit*>& units) {
    std::uint64_t nbytes = 0;
    for (const OpenUnit* const unit : units) nbytes += unit->is_counted ? 0 : unit->unit.nbytes;
    if (working_ != 0 && units_nbytes_ + nbytes > work_.units_nbytes) return false;
    for (OpenUnit* const unit : units) unit->is_counted = true;
    units_nbytes_ += nbytes;
    return true;
  }

  /// Begins the next tile that has units to be written.
  bool begin_tile() {
    Tile tile;
    for (; next_tile_ < work_.tiles; ++next_tile_, ++tiles_done_, ++tiles_skipped_) {
      tile = tile_of(next_tile_);
      if (tile.units_left != 0) break;
    }
    if (next_tile_ == work_.tiles) {
      changed_.notify_all();
      return false;
    }
    ++next_tile_;
    tiles_.push_back(std::move(tile));
    changed_.notify_all();
    return true;
  }

  /// A tile with the parts of the source that the units need which are left to be written.
  [[nodiscard]] Tile tile_of(Index number) {
    Tile tile;
    tile.box = tile_box(work_.shape, work_.tile, number);
    for (Unit& unit : sink_.units(tile.box, number)) {
      if (!unit.is_left_out) ++tile.units_left;
      tile.units.emplace_back().unit = std::move(unit);
    }
    if (tile.units_left == 0) return tile;
    tile.parts = source_.parts(tile.box);
    std::erase_if(tile.parts, [&](const SourcePart& part) {
      const std::vector<OpenUnit*> units = units_of(tile, part.box);
      for (OpenUnit* const unit : units) ++unit->parts_left;
      return units.empty();
    });
    return tile;
  }

  /// The units of a tile that are left to be written and have elements of a box.
  [[nodiscard]] std::vector<OpenUnit*> units_of(Tile& tile, const Box& box) const {
    std::vector<OpenUnit*> units;
    const auto add = [&](OpenUnit& unit) {
      if (!unit.unit.is_left_out) units.push_back(&unit);
    };
    if (unit_.empty()) {
      for (OpenUnit& unit : tile.units) add(unit);
      return units;
    }
    for (const Index number : touched_pieces(tile.box, unit_, box))
      add(tile.units[static_cast<std::size_t>(number)]);
    return units;
  }

  void copy_part(std::unique_lock<std::mutex>& lock, Tile& tile, std::size_t number,
                 const std::vector<OpenUnit*>& units) {
    lock.unlock();
    thread_local std::vector<std::byte> buffer;
    const LoadedPart loaded = source_.read(tile.parts[number], buffer);
    if (sink_.has_thread()) tell();
    for (std::size_t i = 0; i < units.size(); ++i) {
      // Threads begin at different units, so that they wait for each other less.
      OpenUnit& unit = *units[(sink_.has_thread() ? i : number + i) % units.size()];
      copy_into(unit, loaded);
      if (!sink_.has_thread()) continue;
      write_unit(unit);
      tell();
    }
    source_.release();
    lock.lock();
    for (OpenUnit* const unit : units) {
      if (--unit->parts_left > 0) continue;
      if (sink_.has_thread()) {
        finish_unit(tile, *unit);
      } else {
        full_.emplace_back(&tile, unit);
      }
    }
    changed_.notify_all();
  }

  void copy_into(OpenUnit& unit, const LoadedPart& loaded) {
    const std::lock_guard copying(*unit.copying);
    if (!unit.elements) unit.elements = sink_.open(unit.unit);
    const Box& wanted = unit.unit.box;
    for (const LoadedBox& from : loaded.pieces_in(wanted)) {
      const Tensor src = tensor_on_memory(from.data, from.layout, source_.dtype());
      Tensor dst = part_of(*unit.elements, relative_to(wanted.first, from.box.first), from.box.extents);
      unit.missing +=
          static_cast<std::uint64_t>(convert_elements(dst, src, from.box.first, work_.conversion));
    }
  }

  void write_unit(OpenUnit& unit) {
    PartSum sum({}, unit.missing);
    if (work_.positions) {
      sum.checksum = checksum_of(*unit.elements, layout_of_box(*work_.positions, unit.unit.box),
                                 work_.conversion.reduced_axes);
    }
    unit.elements.reset();
    sink_.write(unit.unit, sum);
  }

  /// Pre: the lock is held.
  void finish_unit(Tile& tile, const OpenUnit& unit) {
    units_nbytes_ -= unit.unit.nbytes;
    if (--tile.units_left == 0) {
      ++tiles_done_;
      while (!tiles_.empty() && tiles_.front().units_left == 0) tiles_.pop_front();
    }
    changed_.notify_all();
  }

  const TileWork& work_;
  Source& source_;
  Sink& sink_;
  const TellTiles& tell_;
  const Dims unit_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Tile> tiles_;
  /// Units that have all their elements and are to be written.
  std::deque<std::pair<Tile*, OpenUnit*>> full_;
  Index next_tile_ = 0;
  std::atomic<Index> tiles_done_ = 0;
  std::atomic<Index> tiles_skipped_ = 0;  ///< of those
  /// The bytes of the units whose memory is counted.
  std::uint64_t units_nbytes_ = 0;
  /// Threads that read or write.
  int working_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

void run_tiles(const TileWork& work, Source& source, Sink& sink, const TellTiles& tell) {
  TileRun run(work, source, sink, tell);
  if (sink.has_thread()) {
    run.work_alone();
  } else {
    run.work_by_threads();
  }
  sink.close();
}

}  // namespace tenstride::io
