// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "io/disk/disk.hpp"
#include "io/ends/moved_bytes.hpp"
#include "io/ends/source.hpp"
#include "io/ends/tile_notes.hpp"
#include "io/ends/worker_thread.hpp"
#include "io/plan/block_plan_parts.hpp"
#include "io/plan/flat_pass.hpp"
#include "tenstride/checksum/checksum.hpp"

namespace tenstride::io {

/// The elements of a flat file, or of the blocks between two passes, tile by tile into two buffers: while one
/// is used a thread reads the next, and the first requests of a tile are under way before the last ones of
/// the tile before are finished. For one thread.
class TileSource final : public Source {
 public:
  /// All must stay until the end.
  TileSource(const DiskFile& file, const FlatPass& pass, DType dtype, const TileNotes& notes,
             MovedBytes& moved);
  /// Waits for what is in flight.
  ~TileSource() override;
  TileSource(const TileSource&) = delete;
  TileSource& operator=(const TileSource&) = delete;

  /// The bytes of an element stand the other way round in the file.
  void swap_bytes() { is_swapped_ = true; }
  /// Adds the checksum of the elements that are read, each with the place it belongs to.
  void add_checksums_to(Checksum& sum) { sum_ = &sum; }

  [[nodiscard]] DType dtype() const noexcept override { return dtype_; }
  [[nodiscard]] std::vector<SourcePart> parts(const Box& tile) const override { return {{tile, tile}}; }
  /// The next tile that is not left out. Throws what reading, and `notes.while_waiting`, threw.
  LoadedPart read(const SourcePart& part, std::vector<std::byte>& buffer) override;
  void release() override;

 private:
  /// A tile in memory.
  struct LoadedTile {
    Box box;
    /// What the buffer holds: the runs of the box, the first of them at `data`; or, in a second pass, slots.
    std::byte* data = nullptr;
    tenstride::detail::TileBuffer buffer;
  };
  /// Where a request's bytes go that are not read in place.
  struct Bounce {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::size_t nbytes = 0;
  };
  /// What the reading thread does, with all below but `wait`.
  void run();
  /// Waits until the buffer of the next tile is free; false where reading is to end.
  bool has_free_buffer();
  /// Begins to read tile `number`.
  void load(Index number);
  void load_runs(LoadedTile& tile, DiskBuffer& buffer);
  void load_slots(LoadedTile& tile, DiskBuffer& buffer);
  /// The pages from `first` to `last` of the file, to `to`; the bytes up to `end` must be there.
  void read_in_place(std::uint64_t first, std::uint64_t last, std::uint64_t end, std::byte* to);
  void read_by_bounce(std::uint64_t begin, std::uint64_t end, std::byte* to);
  void request(std::uint64_t offset, std::span<std::byte> bytes, std::size_t needed, std::size_t slot);
  void finish_one();
  /// Gives out the tiles of which no request is in flight.
  void publish();
  /// A slot for a request of so many bytes.
  std::size_t free_slot(std::uint64_t nbytes);

  const LoadedTile& wait();
  void swap_bytes_of(const LoadedTile& tile) const;

  const DiskFile& file_;
  const FlatPass pass_;
  const TilePlan& plan_;
  const DType dtype_;
  const TileNotes& notes_;
  MovedBytes& moved_;
  bool is_swapped_ = false;
  Checksum* sum_ = nullptr;

  std::size_t bounce_slot_bytes_ = 0;
  DiskBuffer bounce_buffer_;
  std::vector<Bounce> slots_;
  std::vector<std::size_t> free_slots_;

  std::array<DiskBuffer, 2> buffers_;
  std::array<LoadedTile, 2> tiles_;
  std::array<std::size_t, 2> requests_{};  ///< of each buffer, in flight
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t begun_ = 0;   ///< tiles of which all requests were begun; of the thread alone
  std::uint64_t loaded_ = 0;  ///< tiles that were loaded, and those that were given back
  std::uint64_t released_ = 0;
  bool is_stopped_ = false;
  std::exception_ptr failure_;
  std::unique_ptr<DiskQueue> queue_;  ///< behind the buffers: it waits for what is in flight
  WorkerThread thread_;
};

}  // namespace tenstride::io
