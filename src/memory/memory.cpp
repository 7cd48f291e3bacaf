// SPDX-License-Identifier: Apache-2.0
#include "tenstride/memory/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "base/message.hpp"
#include "memory/system.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
/// The bytes from which on a block is asked for from the system page by page, and kept in the one list.
constexpr std::size_t large = std::size_t{1} << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool reuses_by_default = false;  // a sanitizer must see every allocation end
#else
constexpr bool reuses_by_default = true;
#endif

constexpr std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

/// Large sizes are rounded so that a loop over tensors of nearly one size finds its blocks again: to whole
/// huge pages, and to an eighth of the size's power of two.
std::size_t block_size(std::size_t nbytes) {
  std::size_t step = std::size_t{1} << 16;
  if (nbytes >= huge_page) {
    step = huge_page;
    while (step * 16 < nbytes) step *= 2;
  }
  return round_up(nbytes, step);
}

std::byte* from_system(std::size_t nbytes) {
  const std::size_t step = nbytes >= huge_page ? huge_page : nbytes >= large ? std::size_t{4096} : alignment;
  void* const memory = std::aligned_alloc(step, round_up(std::max(nbytes, alignment), step));
  if (memory != nullptr && nbytes >= huge_page)
    detail::ask_for_huge_pages(static_cast<std::byte*>(memory), nbytes);
  return static_cast<std::byte*>(memory);
}

[[noreturn]] void throw_no_memory(std::uint64_t nbytes) {
  throw StorageError(detail::message("storage: ", nbytes, " bytes must fit the memory that can be had"));
}

/// The large blocks that wait, oldest first. Few enough to be searched from end to end.
class BlockList {
 public:
  static BlockList& instance() {
    static auto* const list = new BlockList;  // never destroyed: storages may outlive static objects
    return *list;
  }

  std::byte* take(std::size_t nbytes) {
    {
      const std::scoped_lock lock(mutex_);
      statistics_.bytes_in_use += nbytes;
      statistics_.peak_bytes_in_use = std::max(statistics_.peak_bytes_in_use, statistics_.bytes_in_use);
      for (std::size_t i = waiting_.size(); i-- > 0;) {  // the warmest first
        if (waiting_[i].nbytes != nbytes) continue;
        std::byte* const memory = waiting_[i].memory;
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        statistics_.bytes_cached -= nbytes;
        ++statistics_.reused;
        return memory;
      }
      ++statistics_.allocated;
    }
    std::byte* memory = from_system(nbytes);
    if (memory == nullptr) {
      shrink(0);
      memory = from_system(nbytes);
    }
    if (memory != nullptr) return memory;
    const std::scoped_lock lock(mutex_);
    statistics_.bytes_in_use -= nbytes;
    return nullptr;
  }

  /// Whether the block was taken; if not, the caller frees it.
  bool keep(std::byte* memory, std::size_t nbytes) {
    {
      const std::scoped_lock lock(mutex_);
      statistics_.bytes_in_use -= nbytes;
      if (nbytes > limit_) return false;
      waiting_.push_back({memory, nbytes});
      statistics_.bytes_cached += nbytes;
    }
    shrink();
    return true;
  }

  /// Frees the oldest blocks until the rest is within `limit`, or within the list's own.
  void shrink(std::optional<std::size_t> limit = {}) {
    for (;;) {
      Block oldest;
      {
        const std::scoped_lock lock(mutex_);
        if (statistics_.bytes_cached <= limit.value_or(limit_)) return;
        oldest = waiting_.front();
        waiting_.erase(waiting_.begin());
        statistics_.bytes_cached -= oldest.nbytes;
      }
      std::free(oldest.memory);
    }
  }

  std::size_t limit() {
    const std::scoped_lock lock(mutex_);
    return limit_;
  }
  void set_limit(std::size_t limit) {
    {
      const std::scoped_lock lock(mutex_);
      limit_ = limit;
    }
    shrink();
  }
  MemoryStatistics statistics() {
    const std::scoped_lock lock(mutex_);
    MemoryStatistics result = statistics_;
    result.blocks_cached = waiting_.size();
    return result;
  }

 private:
  struct Block {
    std::byte* memory = nullptr;
    std::size_t nbytes = 0;
  };

  BlockList() : limit_(first_limit()) {
    waiting_.reserve(1024);
    detail::at_fork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); });
  }

  static std::size_t first_limit() {
    if (const char* const text = std::getenv("TENSTRIDE_CACHE_LIMIT")) {
      std::size_t bytes = 0;
      const auto [end, error] = std::from_chars(text, text + std::strlen(text), bytes);
      if (error == std::errc{} && *end == '\0') return bytes;
    }
    if (!reuses_by_default) return 0;
    return detail::machine_memory() / 8;
  }

  std::mutex mutex_;
  std::vector<Block> waiting_;
  std::size_t limit_;
  MemoryStatistics statistics_;
};

/// The sizes of small pieces: up to 1 KiB 64 bytes apart, then four in each power of two.
struct PieceSizes {
  static constexpr std::size_t largest = std::size_t{64} << 10;
  static constexpr std::size_t fine = 1024;
  static constexpr std::size_t fine_classes = fine / alignment;

  static constexpr std::size_t class_of(std::size_t nbytes) {
    if (nbytes <= fine) return nbytes == 0 ? 0 : (nbytes - 1) / alignment;
    const std::size_t last = nbytes - 1;  // its three highest bits tell the class
    const auto log2 = static_cast<std::size_t>(std::bit_width(last)) - 1;
    return fine_classes + (log2 - 10) * 4 + (last >> (log2 - 2)) % 4;
  }
  static constexpr std::size_t size_of(std::size_t which) {
    if (which < fine_classes) return (which + 1) * alignment;
    const std::size_t coarse = which - fine_classes;
    return (coarse % 4 + 5) << (coarse / 4 + 8);
  }
};
static_assert(PieceSizes::size_of(PieceSizes::class_of(1025)) == 1280);
static_assert(PieceSizes::size_of(PieceSizes::class_of(1280)) == 1280);
static_assert(PieceSizes::size_of(PieceSizes::class_of(2049)) == 2560);
static_assert(PieceSizes::size_of(PieceSizes::class_of(PieceSizes::largest)) == PieceSizes::largest);

class SmallPieces;
/// The calling thread's pieces; null before it first gives one back, and again once they have ended, which
/// the thread's last storage may outlive. Read at the price of a register (initial-exec), without asking
/// whether they have been made.
constinit thread_local SmallPieces* small_pieces __attribute__((tls_model("initial-exec"))) = nullptr;

/// Small pieces, linked through their first bytes: one stack for each size class of one thread.
class SmallPieces : PieceSizes {
 public:
  using PieceSizes::largest;

  SmallPieces() { small_pieces = this; }
  SmallPieces(const SmallPieces&) = delete;
  SmallPieces& operator=(const SmallPieces&) = delete;
  ~SmallPieces() {
    drain();
    small_pieces = nullptr;
  }

  static std::byte* fresh(std::size_t nbytes) { return from_system(size_of(class_of(nbytes))); }
  std::byte* take(std::size_t nbytes) {
    const std::size_t which = class_of(nbytes);
    Piece* const piece = stacks_[which];
    if (piece == nullptr) return from_system(size_of(which));
    stacks_[which] = piece->next;
    held_ -= size_of(which);
    return reinterpret_cast<std::byte*>(piece);
  }
  bool keep(std::byte* memory, std::size_t nbytes) noexcept {
    const std::size_t which = class_of(nbytes);
    if (held_ + size_of(which) > most) return false;
    stacks_[which] = new (memory) Piece{stacks_[which]};
    held_ += size_of(which);
    return true;
  }
  void drain() noexcept {
    for (Piece*& top : stacks_) {
      while (top != nullptr) std::free(std::exchange(top, top->next));
    }
    held_ = 0;
  }

 private:
  struct Piece {
    Piece* next;
  };
  /// What one thread keeps at most, in bytes.
  static constexpr std::size_t most = std::size_t{512} << 10;
  std::array<Piece*, class_of(largest) + 1> stacks_{};
  std::size_t held_ = 0;
};

/// Keeps the first piece that a thread gives back; false where its pieces have ended.
[[gnu::noinline, gnu::cold]] bool keep_first(std::byte* memory, std::size_t nbytes) noexcept {
  static constinit thread_local bool has_begun = !reuses_by_default;
  if (std::exchange(has_begun, true)) return false;
  static thread_local SmallPieces pieces;
  return pieces.keep(memory, nbytes);
}

bool keep_small(std::byte* memory, std::size_t nbytes) noexcept {
  if (small_pieces == nullptr) [[unlikely]] {
    return keep_first(memory, nbytes);
  }
  return small_pieces->keep(memory, nbytes);
}

}  // namespace

namespace detail {

std::byte* acquire_memory(std::uint64_t wanted) {
  if (wanted > SIZE_MAX / 2) throw_no_memory(wanted);
  const auto nbytes = static_cast<std::size_t>(wanted);
  std::byte* memory = nullptr;
  if (nbytes <= SmallPieces::largest) {
    memory = small_pieces != nullptr ? small_pieces->take(nbytes) : SmallPieces::fresh(nbytes);
  } else if (nbytes < large) {
    memory = from_system(nbytes);
  } else {
    memory = BlockList::instance().take(block_size(nbytes));
  }
  if (memory == nullptr) throw_no_memory(nbytes);
  return memory;
}

void release_memory(std::byte* memory, std::uint64_t acquired) noexcept {
  const auto nbytes = static_cast<std::size_t>(acquired);
  if (nbytes <= SmallPieces::largest && keep_small(memory, nbytes)) return;
  bool is_kept = false;
  try {
    is_kept = nbytes >= large && BlockList::instance().keep(memory, block_size(nbytes));
  } catch (...) {  // the list could not grow: the block is freed instead
    is_kept = false;
  }
  if (!is_kept) std::free(memory);
}

}  // namespace detail

MemoryStatistics memory_statistics() {
  return BlockList::instance().statistics();
}

void empty_cache() {
  if (small_pieces != nullptr) small_pieces->drain();
  BlockList::instance().shrink(0);
}

std::size_t cache_limit() {
  return BlockList::instance().limit();
}
void set_cache_limit(std::size_t bytes) {
  BlockList::instance().set_limit(bytes);
}

}  // namespace tenstride
