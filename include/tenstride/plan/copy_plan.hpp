// SPDX-License-Identifier: Apache-2.0
#pragma once

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
#include "tenstride/plan/copy_way.hpp"
#include "tenstride/plan/machine.hpp"

namespace tenstride {

/// The arithmetic on each element: none, a conversion of its type, or a conversion with scale and shift.
enum class CopyConversion : std::uint8_t { none, convert, scale };

/// Whether complex elements are conjugated.
enum class Conjugation : std::uint8_t { keep, conjugate };

/// Which side stores its elements negated. Elements of a negated source are negated as they are read, in the
/// source's type; those of a negated destination before they are written, in the destination's type.
enum class Negation : std::uint8_t { none, source, destination, both };

/// What happens to each element on its way.
struct Conversion {
  DType dst_type = DType::float32;
  DType src_type = DType::float32;
  CopyConversion kind = CopyConversion::none;
  Conjugation conjugation = Conjugation::keep;
  Negation negation = Negation::none;
  /// For CopyConversion::scale: no number, one number, or one for each index of the nest's `scaled_loop`.
  std::vector<double> scale{};
  std::vector<double> shift{};

  [[nodiscard]] bool is_none() const { return kind == CopyConversion::none; }
  /// Whether types are converted at most.
  [[nodiscard]] bool is_plain() const {
    return kind != CopyConversion::scale && conjugation == Conjugation::keep && negation == Negation::none;
  }
  [[nodiscard]] bool has_number_per_index() const { return scale.size() > 1 || shift.size() > 1; }
};

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
  /// The fewest bytes of the wider side for each thread. Copies of fewer than eight times as many use one
  /// thread: starting another one takes longer than it saves.
  Index thread_bytes = Index{64} << 10;
  /// The processor that the plan is for. Copies of tensors use `planned_machine()`.
  Machine machine{};
  /// Destinations of at least this many bytes are written by streaming stores where that is faster. Tiles of
  /// items of 4 bytes and more stream from a quarter of it; with four or more loops, on machines whose
  /// sequential stores stream, from three eighths.
  Index streaming_above = Index{4} << 20;
  Placement placement{};
  /// The only way that the plan may use, if it can make the copy: one of `way_names`, or blocks with one
  /// packing, as `CopyPlan::name` has them. Empty: the way with the lowest cost.
  std::string_view way{};
  /// Whether a copy that takes less time than to compare ways may be made in the way `Small`; not where
  /// `streaming_above` is 0.
  bool may_be_small = true;

  /// The threshold for destinations that are written sequentially: runs, rows, fills, short axes, and
  /// conversions of these. The greatest Index on machines whose ordinary stores are faster (docs/engine.md,
  /// "What bounds a copy").
  [[nodiscard]] Index sequential_streaming_above() const {
    return machine.stores == SequentialStores::streaming ? streaming_above
                                                         : std::numeric_limits<Index>::max();
  }
};

/// How a source layout is copied to a destination layout, as data: the nest, the conversion, and the way with
/// all that it decides. `plan_copy` makes it, `run_plan` carries it out.
struct CopyPlan {
  Conversion conversion;
  /// The copy in normal form; without loops where there is no element, and where no memory can hold the
  /// layouts.
  Nest nest;
  /// The number of elements.
  Index count = 0;
  /// The number of threads that share the copy.
  int threads = 1;
  CopyWay way;
  /// The costs of the ways that were compared.
  WayCosts costs{};

  /// One of `way_names`.
  [[nodiscard]] std::string_view method() const { return way_names[way.index()]; }
  /// The name of the way, of blocks with their packing. Example: "blocks, gathered".
  [[nodiscard]] TENSTRIDE_API std::string name() const;
  /// The foretold time as a multiple of a plain copy's; 0 of the way `Small` and of an empty copy.
  [[nodiscard]] double cost() const { return costs.ways[way.index()]; }
  /// Whether the plan was made for a copy between these layouts, of its types and without numbers per index.
  [[nodiscard]] TENSTRIDE_API bool is_of(const Layout& dst, const Layout& src) const;
  /// How the way writes the destination.
  [[nodiscard]] TENSTRIDE_API Stores stores() const;
  /// The nest in the order in which the way visits it, with strides and offsets in elements of each side's
  /// type.
  [[nodiscard]] TENSTRIDE_API Nest in_elements() const;

  /// The bytes of the destination that each share of the work writes; one share where one thread copies.
  /// Threads take the shares one after the other.
  [[nodiscard]] TENSTRIDE_API std::vector<Index> share_bytes() const;

  /// Several lines for people, the last without a newline; strides and offsets in elements. Example, a
  /// transpose of 4096 x 4096 float32:
  /// ```
  /// copy 16777216 elements float32 -> float32, 64 MiB -> 64 MiB
  ///   way      tiles 32 x 1024, streaming stores, 2 threads
  ///   offset   dst 0, src 0
  ///   loop 0   4096  dst stride 4096  src stride 1     source run
  ///   loop 1   4096  dst stride 1     src stride 4096  destination run
  ///   shares   16 of 4 MiB, units along loop 1 by 32, loop 0 by 1024
  /// ```
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;
};

/// Plans the copy of `src` to `dst`: drops axes of extent 1, reverses axes with negative destination strides,
/// sorts the axes by destination stride, merges those that are contiguous on both sides, and chooses the way
/// with the lowest cost. Pure but for `num_threads()`; uses no heap for rank <= 8 without scale or shift for
/// each index. Pre: equal shapes (a broadcast `src` has strides of 0), no two elements of `dst` at one
/// address, and scale and shift of length 0, 1 or shape[axis].
TENSTRIDE_API CopyPlan plan_copy(const Layout& dst, DType dst_type, const Layout& src, DType src_type,
                                 const PlanOptions& options = {});

/// The copy of a plan in each way that can make it, with each packing of blocks, by rising cost. Options as
/// for `plan_copy`, of which only those of the machine, the stores and the placement count.
TENSTRIDE_API std::vector<CopyPlan> other_ways(const CopyPlan& plan, const PlanOptions& options);

}  // namespace tenstride
