// SPDX-License-Identifier: Apache-2.0
#include "tenstride/checksum/checksum.hpp"

#include <atomic>

#include "checksum/kernels.hpp"
#include "elementwise/compare_parts.hpp"
#include "elementwise/dense_runs.hpp"
#include "tensor/require_memory.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

using Joint = std::array<Layout, 2>;

/// The bytes of a task. 1 MiB takes 0.1 ms (float32) to 0.25 ms (uint8; Emerald Rapids), much longer than
/// starting a task.
constexpr Index grain_bytes = Index{1} << 20;

/// An axis of fewer elements is not the innermost loop where the next one is longer.
constexpr Index short_axis = 16;

/// Flips axes with negative strides, so that memory is read forwards and positions go backwards. Axes with
/// consecutive positions are not flipped: there is a faster kernel for these.
void flip_axes(Joint& joint) {
  auto& [memory, positions] = joint;
  for (std::size_t d = 0; d < memory.rank(); ++d) {
    const bool flips = positions.strides[d] == -1 || (memory.strides[d] < 0 && positions.strides[d] != 1);
    if (!flips) continue;
    for (Layout& layout : joint) {
      layout.offset += (layout.shape[d] - 1) * layout.strides[d];
      layout.strides[d] = -layout.strides[d];
    }
  }
}

/// Returns the loop nest of three layouts: one that gives the order of the axes, memory, and positions.
detail::JointLoops<3> loop_nest(const Layout& memory, const Layout& positions) {
  Joint joint{memory, positions};
  flip_axes(joint);
  const detail::JointLoops<2> by_memory(joint);
  Layout first = by_memory.layout(0);
  Layout second = by_memory.layout(1);
  const std::size_t rank = first.rank();
  if (rank >= 2 && first.shape[rank - 1] < short_axis && first.shape[rank - 2] > first.shape[rank - 1]) {
    for (Layout* layout : {&first, &second}) {
      std::swap(layout->shape[rank - 1], layout->shape[rank - 2]);
      std::swap(layout->strides[rank - 1], layout->strides[rank - 2]);
    }
  }
  Layout order = first;
  for (std::size_t d = 0; d < rank; ++d) order.strides[d] = static_cast<Index>(rank - d);
  return detail::JointLoops<3>({order, first, second});
}

/// Adds the elements of dense runs to the sums.
class Adder {
 public:
  explicit Adder(DType type) : item_(item_size(type)) {
    while ((std::size_t{1} << log2_) < item_) ++log2_;
    words_ = std::max<std::size_t>(item_ / 4, 1);
  }

  void operator()(checksums::ChecksumSums& sums, const std::byte* run, Index count, Index position,
                  Index step) const {
    const checksums::ChecksumKernels& kernels = checksums::checksum_kernels();
    const auto at = static_cast<std::uint64_t>(position);
    if (step == 1 || count == 1) {
      kernels.run[std::min<std::size_t>(log2_, 2)](sums, run, count * static_cast<Index>(words_),
                                                   at * words_);
    } else {
      kernels.strided[log2_](sums, run, count, at, static_cast<std::uint64_t>(step));
    }
  }

 private:
  std::size_t item_;
  std::size_t log2_ = 0;
  std::size_t words_ = 1;
};

}  // namespace

std::string to_string(const Checksum& checksum) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t word : checksum.words) {
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[static_cast<std::size_t>(word >> shift & 15)];
  }
  return text;
}

Checksum checksum(const Tensor& x) {
  return checksum(x, row_major(x.shape(), "checksum"));
}

Checksum checksum(const Tensor& part, const Layout& positions) {
  if (part.shape() != positions.shape) {
    throw ShapeError(detail::message("checksum: the positions' shape ", positions.shape,
                                     " must be that of the part (shape ", part.shape(), ")"),
                     positions.shape, part.shape());
  }
  detail::require_memory(part, "checksum");
  if (is_empty(part.layout())) return {};
  static_cast<void>(reach(positions, "checksum"));
  const detail::JointLoops<3> nest = loop_nest(part.layout(), positions);
  const Adder add(part.dtype());
  const bool is_in_place = part.is_resolved() && nest.inner_stride(1) == 1;
  const Index longest = is_in_place ? detail::longest_in_place : detail::BlockReader::longest;
  std::array<std::atomic<std::uint64_t>, 2> total{};
  const Index grain = grain_bytes / static_cast<Index>(part.itemsize());
  parallel_for(0, nest.count(), grain, [&](Index first, Index last) {
    detail::BlockReader read(part, part.dtype(), part.dtype());
    checksums::ChecksumSums sums{};
    nest(first, last, longest, [&](const auto& at, const auto& steps, Index count) {
      add(sums, read(at[1], steps[1], count), count, at[2], steps[2]);
      return true;
    });
    for (std::size_t i = 0; i < sums.size(); ++i) total[i].fetch_add(sums[i], std::memory_order_relaxed);
  });
  return {{total[0].load(), total[1].load()}};
}

}  // namespace tenstride
