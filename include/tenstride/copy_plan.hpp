// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/copy_strategy.hpp"
#include "tenstride/dtype.hpp"
#include "tenstride/export.hpp"
#include "tenstride/layout.hpp"
#include "tenstride/machine.hpp"

namespace tenstride {

/// One loop of a plan; strides in elements of the destination's and of the source's type.
struct CopyLoop {
  Index extent = 1;
  Index dst_stride = 0;
  Index src_stride = 0;
  friend bool operator==(const CopyLoop&, const CopyLoop&) = default;
};

/// The loops of a plan, outer to inner. Up to 8 live inside the object, more on the heap.
class CopyLoops {
 public:
  static constexpr std::size_t inline_capacity = 8;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] CopyLoop* data() noexcept { return more_.empty() ? few_.data() : more_.data(); }
  [[nodiscard]] const CopyLoop* data() const noexcept { return more_.empty() ? few_.data() : more_.data(); }
  [[nodiscard]] CopyLoop* begin() noexcept { return data(); }
  [[nodiscard]] CopyLoop* end() noexcept { return data() + size_; }
  [[nodiscard]] const CopyLoop* begin() const noexcept { return data(); }
  [[nodiscard]] const CopyLoop* end() const noexcept { return data() + size_; }
  [[nodiscard]] CopyLoop& operator[](std::size_t i) noexcept { return data()[i]; }
  [[nodiscard]] const CopyLoop& operator[](std::size_t i) const noexcept { return data()[i]; }
  void push_back(const CopyLoop& loop) {
    if (size_ == inline_capacity && more_.empty()) {
      more_.assign(few_.begin(), few_.end());
      more_.resize(max_rank);
    }
    data()[size_++] = loop;
  }
  /// Pre: count <= size().
  void shrink(std::size_t count) noexcept { size_ = count; }

 private:
  std::size_t size_ = 0;
  std::array<CopyLoop, inline_capacity> few_;
  std::vector<CopyLoop> more_;
};

/// How the innermost loops are carried out.
enum class CopyKernel : std::uint8_t {
  nothing,  ///< no element
  memcpy,   ///< both sides are one dense run
  rows,     ///< dense runs on both sides
  fill,     ///< one source element fills a dense run
  gather,   ///< a dense run from a source with a stride
  tile,     ///< a 2-D tile turned in registers: dense runs of the source along one axis, of the destination
            ///< along another
  interleave,    ///< 2 to 16 source runs become one destination run, item by item in turn
  deinterleave,  ///< one source run becomes 2 to 64 destination runs
  strided,       ///< element by element: the destination has no dense run
};

/// "nothing", "memcpy", "rows", … as the enumerators.
TENSTRIDE_API std::string_view name(CopyKernel kernel);

/// What happens to an element on its way.
enum class CopyConversion : std::uint8_t { none, convert, scale };

/// Whether the elements of a complex source are conjugated.
enum class Conjugation : std::uint8_t { keep, conjugate };

/// Which side holds the negatives of its elements: they are negated as they are read, in the source's type,
/// or before they are written, in the destination's.
enum class Negation : std::uint8_t { none, source, destination, both };

/// What the addresses of a copy tell.
struct Placement {
  /// Bytes from a cache line's start to storage element 0 of the destination: 0 to 63.
  Index dst_in_line = 0;
  /// Whether the destination has no memory yet: the system gives it page after page as it is written.
  bool is_untouched = false;
};

/// Wishes beyond the two layouts.
struct PlanOptions {
  Conjugation conjugation = Conjugation::keep;
  Negation negation = Negation::none;
  /// value * scale + shift, in one pass with the conversion (see `scale_element`). Each is empty (1 and 0),
  /// one number, or one number for each index along `axis`. A bool is scaled as 0 or 1.
  std::span<const double> scale{};
  std::span<const double> shift{};
  /// The axis of the layouts that `scale` and `shift` run along; of no meaning where both hold at most one
  /// number.
  std::size_t axis = 0;
  /// At most so many threads; 0 leaves it to `set_num_threads`.
  int max_threads = 0;
  /// The processor that the plan is for. Copies of tensors ask for `Machine::here()`.
  Machine machine{};
  /// Destinations of so many bytes and more are written past the cache, by streaming stores, where that is
  /// faster; tiles of items of 4 bytes and more from a fourth of it on, or, of four loops and more where
  /// stores in order stream, from three eighths.
  Index streaming_above = Index{4} << 20;
  Placement placement{};
  /// One of `strategy_names`: that strategy wherever it can carry the copy out. Empty: the cheapest one.
  std::string_view strategy{};

  /// The same for what is written in order: runs, rows, fills, short axes, and their conversions. Never where
  /// ordinary stores are faster (docs/engine.md, "What bounds a copy").
  [[nodiscard]] Index streaming_in_order_above() const {
    return machine.stores == SequentialStores::streaming ? streaming_above
                                                         : std::numeric_limits<Index>::max();
  }
};

/// How a source layout is written into a destination layout: data, not code. Made by `plan`, walked by `run`.
struct CopyPlan {
  DType dst_type = DType::float32;
  DType src_type = DType::float32;
  CopyKernel kernel = CopyKernel::nothing;
  CopyConversion conversion = CopyConversion::none;
  Conjugation conjugation = Conjugation::keep;
  Negation negation = Negation::none;
  bool streaming = false;
  /// Of the machine that the plan is for.
  MemoryStreams streams = MemoryStreams::several;
  /// 1: serial; 0: as many as `num_threads` gives; otherwise at most so many.
  int threads = 1;
  /// Where the first visited element lies, in elements.
  Index dst_offset = 0;
  Index src_offset = 0;
  /// The number of elements.
  Index count = 0;
  /// So many neighbouring elements move as one item (of at most 16 bytes): a pair of floats is an 8-byte
  /// item.
  Index item_elements = 1;
  /// Outer to inner; a loop may stand here in two parts. The destination stride is positive but, perhaps, in
  /// `source_loop`.
  CopyLoops loops;
  /// For tile, interleave and deinterleave: the loop along which the source is dense; the innermost loop is
  /// the one along which the destination is dense.
  std::size_t source_loop = 0;
  /// The source run of these kernels: so many loops, dense in the source around each other, of which
  /// `source_loop` is the innermost. More than one only for tile.
  std::size_t source_loops = 1;
  /// The destination run of these kernels: the loops from this one to the innermost, dense in the
  /// destination.
  std::size_t strip_loop = 0;
  /// The loop over strips of the destination run, each as wide as a tile, stands around the loops from this
  /// one to the run; inside of all where this is `strip_loop`.
  std::size_t strip_depth = 0;
  /// Extent of the tile along the destination run and along the source run, in items: what is read together,
  /// into the L2 cache.
  Index tile_dst = 0;
  Index tile_src = 0;
  /// Extent along the source run of what is turned together, in the L1 cache.
  Index block_src = 0;
  /// For CopyConversion::scale: one number, or one for each index of `scale_loop`, again and again.
  std::vector<double> scale;
  std::vector<double> shift;
  std::size_t scale_loop = 0;
  /// How it is carried out.
  CopyStrategy strategy;
  /// What was weighed.
  StrategyCosts costs{};

  /// Whether the kernel is one of those that turn a source run into a destination run: tile, interleave and
  /// deinterleave.
  [[nodiscard]] bool transposes() const {
    return kernel == CopyKernel::tile || kernel == CopyKernel::interleave ||
           kernel == CopyKernel::deinterleave;
  }

  /// What carries it out: "repeated rows", "row scatter", "cached tiles", "pipelined blocks", or the name of
  /// the kernel by which all others go.
  [[nodiscard]] TENSTRIDE_API std::string_view way() const;

  /// Several lines for people, the last without a newline. Example, of a 4096 x 4096 float32 transpose:
  /// ```
  /// copy 16777216 elements float32 -> float32, 64 MiB -> 64 MiB
  ///   kernel   tile 32 x 1024, streaming stores, threads
  ///   from     0, to 0
  ///   loop 0   4096  dst stride 4096  src stride 1     source run
  ///   loop 1   4096  dst stride 1     src stride 4096  destination run
  /// ```
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;
};

/// Plans the copy of `src` into `dst`: drops extents of 1, folds negative strides, orders the axes by
/// destination stride, merges what is jointly dense, and chooses a kernel. Pure; no heap for rank <= 8
/// without per-index scale. Pre: equal shapes (`src` already broadcast, with strides of 0), no two elements
/// of `dst` in one place, and scale and shift of length 0, 1 or shape[axis].
TENSTRIDE_API CopyPlan plan(const Layout& dst, DType dst_type, const Layout& src, DType src_type,
                            const PlanOptions& options = {});

}  // namespace tenstride
