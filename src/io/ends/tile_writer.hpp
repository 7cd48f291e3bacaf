// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "io/disk/disk.hpp"
#include "io/disk/kept_pages.hpp"
#include "io/ends/edge_file.hpp"
#include "io/ends/moved_bytes.hpp"
#include "io/ends/worker_thread.hpp"
#include "io/plan/block_plan_parts.hpp"
#include "io/plan/flat_pass.hpp"

namespace tenstride::io {

/// Consecutive bytes of the file and where they lie in a group's buffer: at the same place of a page.
struct Piece {
  std::uint64_t begin = 0;
  std::size_t nbytes = 0;
  std::byte* data = nullptr;
};

/// Part of a tile, to be written.
struct WrittenGroup {
  std::vector<Piece> pieces;  ///< in the order in which they are written
  /// Where the tile's next group begins in the file.
  std::optional<std::uint64_t> next_begin{};
  /// Is called by the writing thread when all groups of the tile up to this one are written.
  std::function<void()> when_written{};
};

/// The part of a file that tiles are written to. All must stay until the end.
struct TileTarget {
  DiskFile& file;
  /// The page before the beginning has bytes that must stay; the file ends at `end`.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  /// An earlier run wrote to the file, so that pages may hold something already.
  bool was_begun = false;
  /// Where other processes write to the file, too: then the bytes of partial pages are written by it at once,
  /// and only pages of which a piece has all bytes go past the page cache.
  const EdgeFile* edges = nullptr;
};

/// Writes groups one after the other from two buffers, in a thread of its own: whole pages, those that pieces
/// share with others once they are known. The first requests of a group are under way before the last ones of
/// the group before are finished.
class TileWriter {
 public:
  TileWriter(const TileTarget& target, const FlatPass& pass, MovedBytes& moved);
  /// Waits for what is in flight; groups that were not begun are not written.
  ~TileWriter();
  TileWriter(const TileWriter&) = delete;
  TileWriter& operator=(const TileWriter&) = delete;

  /// Waits for a buffer to be free; calls `while_waiting` now and then. Throws what writing, and that, threw.
  std::byte* wait(const std::function<void()>& while_waiting);
  /// The buffer that `wait` gave was filled.
  void write(WrittenGroup group);
  /// Waits until all groups are written.
  void wait_until_idle(const std::function<void()>& while_waiting);

 private:
  /// A request in flight: what of the file it writes, and from which buffer.
  struct Flight {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  ///< `first` where there is no such request
    std::size_t buffer = 0;
  };
  void run();
  /// Waits for a group to write; false where writing is to end.
  bool has_group();
  void write_group(const WrittenGroup& group);
  /// `next`: where the tile's next piece begins.
  void write_piece(const Piece& piece, const std::optional<std::uint64_t>& next);
  /// Writes a piece where other processes write to the file.
  void write_shared_piece(const Piece& piece);
  /// The pages of which the piece has a part only: the first, the last.
  template <class Visit>
  void for_each_partial_page(const Piece& piece, const Visit& visit) const;
  /// What the file has of the group's pages that are kept no longer, or that an earlier run wrote.
  void load_pages(const WrittenGroup& group);
  [[nodiscard]] std::span<std::byte> slot(std::size_t number) const;
  void write_range(std::uint64_t first, std::uint64_t last, const std::byte* data);
  [[nodiscard]] bool is_in_flight(std::uint64_t first, std::uint64_t last) const;
  void finish_one();
  void finish_all();
  /// Tells of the groups of which no request is in flight.
  void publish();

  const TileTarget target_;
  const std::uint64_t page_;
  const std::uint64_t request_bytes_;
  MovedBytes& moved_;
  KeptPages kept_;
  DiskBuffer page_buffer_;

  std::array<DiskBuffer, 2> buffers_;
  std::array<WrittenGroup, 2> groups_;
  std::array<std::size_t, 2> requests_{};  ///< of each buffer, in flight
  std::vector<Flight> flights_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t begun_ = 0;   ///< groups of which all requests were begun; of the thread alone
  std::uint64_t filled_ = 0;  ///< groups that were given, and those that were written
  std::uint64_t written_ = 0;
  bool is_stopped_ = false;
  std::exception_ptr failure_;
  std::unique_ptr<DiskQueue> queue_;  ///< behind the buffers: it waits for what is in flight
  WorkerThread thread_;
};

}  // namespace tenstride::io
