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

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/plan/copy_strategy.hpp"
#include "tenstride/plan/machine.hpp"

namespace tenstride {

/// One loop of a plan; strides in elements of each side's type.
struct CopyLoop {
  Index extent = 1;
  Index dst_stride = 0;
  Index src_stride = 0;
  friend bool operator==(const CopyLoop&, const CopyLoop&) = default;
};

/// The loops of a plan, outermost first. Up to 8 are stored in the object, more on the heap.
class CopyLoops {
 public:
  static constexpr std::size_t inline_capacity = 8;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] CopyLoop* data() noexcept { return heap_.empty() ? inline_.data() : heap_.data(); }
  [[nodiscard]] const CopyLoop* data() const noexcept {
    return heap_.empty() ? inline_.data() : heap_.data();
  }
  [[nodiscard]] CopyLoop* begin() noexcept { return data(); }
  [[nodiscard]] CopyLoop* end() noexcept { return data() + size_; }
  [[nodiscard]] const CopyLoop* begin() const noexcept { return data(); }
  [[nodiscard]] const CopyLoop* end() const noexcept { return data() + size_; }
  [[nodiscard]] CopyLoop& operator[](std::size_t i) noexcept { return data()[i]; }
  [[nodiscard]] const CopyLoop& operator[](std::size_t i) const noexcept { return data()[i]; }
  void push_back(const CopyLoop& loop) {
    if (size_ == inline_capacity && heap_.empty()) {
      heap_.assign(inline_.begin(), inline_.end());
      heap_.resize(max_rank);
    }
    data()[size_++] = loop;
  }
  /// Pre: count <= size().
  void shrink(std::size_t count) noexcept { size_ = count; }

 private:
  std::size_t size_ = 0;
  std::array<CopyLoop, inline_capacity> inline_;
  std::vector<CopyLoop> heap_;
};

/// The routine that the innermost loops of a plan run.
enum class CopyKernel : std::uint8_t {
  nothing,  ///< no element
  memcpy,   ///< both sides are one contiguous run
  rows,     ///< contiguous runs on both sides
  fill,     ///< one source element fills a contiguous run
  gather,   ///< a contiguous run from a source with a stride
  tile,     ///< a 2-D tile transposed in registers: the source is contiguous along one axis, the destination
            ///< along another
  interleave,    ///< 2 to 16 source runs become one destination run: (c,n) to (n,c)
  deinterleave,  ///< one source run becomes 2 to 64 destination runs: (n,c) to (c,n)
  strided,       ///< element by element: the destination has no contiguous run
};

/// The enumerator's name: "nothing", "memcpy", "rows", …
TENSTRIDE_API std::string_view name(CopyKernel kernel);

/// The arithmetic on each element: none, a conversion of its type, or a conversion with scale and shift.
enum class CopyConversion : std::uint8_t { none, convert, scale };

/// Whether complex elements are conjugated.
enum class Conjugation : std::uint8_t { keep, conjugate };

/// Which side stores its elements negated. Elements of a negated source are negated as they are read, in the
/// source's type; those of a negated destination before they are written, in the destination's type.
enum class Negation : std::uint8_t { none, source, destination, both };

/// What a plan takes into account of the destination's address.
struct Placement {
  /// Offset of the destination's storage element 0 in its cache line, in bytes: 0 to 63.
  Index dst_in_line = 0;
  /// Whether the pages of the destination are still untouched: the system provides each page when it is first
  /// written.
  bool is_untouched = false;
};

/// Options of a plan beside the two layouts.
struct PlanOptions {
  Conjugation conjugation = Conjugation::keep;
  Negation negation = Negation::none;
  /// Each element becomes value * scale + shift, in the same pass as the conversion (see `scale_element`).
  /// Each of the two is empty (scale 1, shift 0), one number, or one number for each index along `axis`. A
  /// bool counts as 0 or 1.
  std::span<const double> scale{};
  std::span<const double> shift{};
  /// The axis of the layouts that `scale` and `shift` run along; ignored where both hold at most one number.
  std::size_t axis = 0;
  /// The most threads that may be used; 0: as many as `num_threads()` says.
  int max_threads = 0;
  /// The processor that the plan is for. Copies of tensors use `planned_machine()`.
  Machine machine{};
  /// Destinations of at least this many bytes are written by streaming stores where that is faster. Tiles of
  /// items of 4 bytes and more stream from a quarter of it; with four or more loops, on machines whose
  /// sequential stores stream, from three eighths.
  Index streaming_above = Index{4} << 20;
  Placement placement{};
  /// One of `strategy_names`: the plan uses that strategy if it can make the copy. Empty: the strategy with
  /// the lowest cost.
  std::string_view strategy{};

  /// The threshold for destinations that are written sequentially: runs, rows, fills, short axes, and
  /// conversions of these. The greatest Index on machines whose ordinary stores are faster (docs/engine.md,
  /// "What bounds a copy").
  [[nodiscard]] Index sequential_streaming_above() const {
    return machine.stores == SequentialStores::streaming ? streaming_above
                                                         : std::numeric_limits<Index>::max();
  }
};

/// How a source layout is copied to a destination layout, as data. `plan` makes it, `run` carries it out.
struct CopyPlan {
  DType dst_type = DType::float32;
  DType src_type = DType::float32;
  CopyKernel kernel = CopyKernel::nothing;
  CopyConversion conversion = CopyConversion::none;
  Conjugation conjugation = Conjugation::keep;
  Negation negation = Negation::none;
  bool streaming = false;
  /// `Machine::streams` of the machine that the plan is for.
  MemoryStreams streams = MemoryStreams::several;
  /// 1: one thread; 0: as many as `num_threads()` says; otherwise the most threads that may be used.
  int threads = 1;
  /// The first element that the loops visit, as an offset in elements from storage element 0.
  Index dst_offset = 0;
  Index src_offset = 0;
  /// The number of elements.
  Index count = 0;
  /// Elements that are contiguous on both sides and move as one item of at most 16 bytes. Example: 2 where
  /// pairs of floats move as items of 8 bytes.
  Index item_elements = 1;
  /// Outermost first; an axis may be split into two loops. Destination strides are positive, except perhaps
  /// that of `source_loop`.
  CopyLoops loops;
  /// For tile, interleave and deinterleave: the loop along which the source is contiguous. Along the
  /// innermost loop the destination is contiguous.
  std::size_t source_loop = 0;
  /// The number of loops of the source run of these kernels. They nest contiguously in the source, and
  /// `source_loop` is the innermost of them. Only tile has more than one.
  std::size_t source_loops = 1;
  /// The first loop of the destination run of these kernels. It extends to the innermost loop and is
  /// contiguous in the destination.
  std::size_t strip_loop = 0;
  /// The destination run is cut into strips as wide as a tile. The loop over strips stands around the loops
  /// from this one to the run; innermost where this is `strip_loop`.
  std::size_t strip_depth = 0;
  /// Extents of a tile along the destination run and along the source run, in items: what is read into the L2
  /// cache together.
  Index tile_dst = 0;
  Index tile_src = 0;
  /// Extent along the source run of the part of a tile that is transposed together in the L1 cache.
  Index block_src = 0;
  /// For CopyConversion::scale: no number, one number, or one for each index of `scale_loop`; the loops
  /// around that one repeat them.
  std::vector<double> scale;
  std::vector<double> shift;
  std::size_t scale_loop = 0;
  /// The chosen strategy with its parameters.
  CopyStrategy strategy;
  /// The costs of the strategies that were compared.
  StrategyCosts costs{};

  /// Whether the kernel makes destination runs along another axis than source runs: tile, interleave and
  /// deinterleave.
  [[nodiscard]] bool transposes() const {
    return kernel == CopyKernel::tile || kernel == CopyKernel::interleave ||
           kernel == CopyKernel::deinterleave;
  }

  /// The name of what carries the plan out: "repeated rows", "row scatter", "cached tiles" or "pipelined
  /// blocks"; for all other strategies the kernel's name.
  [[nodiscard]] TENSTRIDE_API std::string_view method() const;

  /// Several lines for people, the last without a newline. Example, a transpose of 4096 x 4096 float32:
  /// ```
  /// copy 16777216 elements float32 -> float32, 64 MiB -> 64 MiB
  ///   kernel   tile 32 x 1024, streaming stores, threads
  ///   offset   dst 0, src 0
  ///   loop 0   4096  dst stride 4096  src stride 1     source run
  ///   loop 1   4096  dst stride 1     src stride 4096  destination run
  /// ```
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;
};

/// Plans the copy of `src` to `dst`: drops axes of extent 1, reverses axes with negative destination strides,
/// sorts the axes by destination stride, merges those that are contiguous on both sides, and chooses a kernel
/// and a strategy. Pure; uses no heap for rank <= 8 without scale or shift for each index. Pre: equal shapes
/// (a broadcast `src` has strides of 0), no two elements of `dst` at one address, and scale and shift of
/// length 0, 1 or shape[axis].
TENSTRIDE_API CopyPlan plan_copy(const Layout& dst, DType dst_type, const Layout& src, DType src_type,
                                 const PlanOptions& options = {});

}  // namespace tenstride
