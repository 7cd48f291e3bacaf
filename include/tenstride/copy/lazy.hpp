// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tenstride/layout/chain.hpp"
#include "tenstride/pattern/pattern.hpp"
#include "tenstride/tensor/tensor.hpp"

/// Layout operations on a tensor, held back and carried out together.
namespace tenstride {

/// Carries out a plan made for the tensor's layout: a view where it has no copies, otherwise fresh memory.
/// Each copy goes through the copy engine.
TENSTRIDE_API Tensor carry_out(const Tensor& x, const ChainPlan& plan, Caller caller = Caller::current());

/// What a plan moves. Bytes are those of elements; memory is what is allocated at the same time at most.
struct ChainCost {
  std::size_t copies = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t peak_bytes = 0;
  friend bool operator==(const ChainCost&, const ChainCost&) = default;
};
TENSTRIDE_API ChainCost cost(const ChainPlan& plan, DType dtype);

/// A tensor with a chain of layout operations that have not happened. The operations are those of Tensor,
/// with the same arguments and refusals; each gives a new Lazy and moves nothing. See docs/chains.md.
/// Example: `lazy(x).permute({0, 2, 1}).reshape({-1, 64}).transpose(0, 1).materialize()` copies once.
class Lazy {
 public:
  explicit Lazy(Tensor source) : source_(std::move(source)), chain_(source_.layout()) {}

  [[nodiscard]] const Tensor& source() const noexcept { return source_; }
  [[nodiscard]] const Chain& chain() const noexcept { return chain_; }
  [[nodiscard]] const Dims& shape() const noexcept { return chain_.shape(); }
  [[nodiscard]] Index dim() const noexcept { return static_cast<Index>(chain_.rank()); }
  [[nodiscard]] DType dtype() const noexcept { return source_.dtype(); }

  [[nodiscard]] Lazy permute(const Dims& dims) const { return with(chain_.permute(dims)); }
  [[nodiscard]] Lazy transpose(Index dim0, Index dim1) const { return with(chain_.transpose(dim0, dim1)); }
  [[nodiscard]] Lazy movedim(const Dims& source, const Dims& destination) const {
    return with(chain_.movedim(source, destination));
  }
  [[nodiscard]] Lazy movedim(Index source, Index destination) const {
    return with(chain_.movedim(source, destination));
  }
  [[nodiscard]] Lazy squeeze() const { return with(chain_.squeeze()); }
  [[nodiscard]] Lazy squeeze(Index dim) const { return with(chain_.squeeze(dim)); }
  [[nodiscard]] Lazy squeeze(const Dims& dims) const { return with(chain_.squeeze(dims)); }
  [[nodiscard]] Lazy unsqueeze(Index dim) const { return with(chain_.unsqueeze(dim)); }
  [[nodiscard]] Lazy expand(const Dims& sizes) const { return with(chain_.expand(sizes)); }
  [[nodiscard]] Lazy flip(const Dims& dims) const { return with(chain_.flip(dims)); }
  [[nodiscard]] Lazy select(Index dim, Index index) const { return with(chain_.select(dim, index)); }
  [[nodiscard]] Lazy narrow(Index dim, Index start, Index length) const {
    return with(chain_.narrow(dim, start, length));
  }
  [[nodiscard]] Lazy slice(Index dim = 0, std::optional<Index> start = {}, std::optional<Index> end = {},
                           Index step = 1) const {
    return with(chain_.slice(dim, start, end, step));
  }
  [[nodiscard]] Lazy diagonal(Index offset = 0, Index dim1 = 0, Index dim2 = 1) const {
    return with(chain_.diagonal(offset, dim1, dim2));
  }
  /// Sizes in which an axis stands elsewhere are told as a scramble, as Tensor's are (see scramble.hpp).
  [[nodiscard]] TENSTRIDE_API Lazy reshape(const Dims& sizes, Caller caller = Caller::current()) const;
  [[nodiscard]] TENSTRIDE_API Lazy view(const Dims& sizes, Caller caller = Caller::current()) const;
  [[nodiscard]] Lazy flatten(Index start_dim = 0, Index end_dim = -1) const {
    return with(chain_.flatten(start_dim, end_dim));
  }
  [[nodiscard]] Lazy unflatten(Index dim, const Dims& sizes) const {
    return with(chain_.unflatten(dim, sizes));
  }
  /// einops' patterns (see pattern.hpp).
  [[nodiscard]] TENSTRIDE_API Lazy rearrange(std::string_view pattern, const AxisSizes& sizes = {}) const;
  [[nodiscard]] TENSTRIDE_API Lazy repeat(std::string_view pattern, const AxisSizes& sizes = {}) const;

  /// Whether the result is a view of the source.
  [[nodiscard]] bool is_view() const { return chain_.is_view(); }
  [[nodiscard]] ChainPlan plan() const { return chain_.plan(); }
  [[nodiscard]] ChainCost cost() const { return tenstride::cost(plan(), dtype()); }
  /// The chain, its plan, its cuts and its cost, several lines for people.
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;

  /// The tensor. `if_needed`: a view of the source where there is one, otherwise one fresh tensor by as few
  /// copies as can be (one, and one more for each cut); row-major, unless a view of what a cut copied will
  /// do. `always`: fresh and row-major. `never`: throws ValueError where it takes a copy.
  [[nodiscard]] TENSTRIDE_API Tensor materialize(CopyRule copy = CopyRule::if_needed,
                                                 Caller caller = Caller::current()) const;

 private:
  Lazy(Tensor source, Chain chain) : source_(std::move(source)), chain_(std::move(chain)) {}
  [[nodiscard]] Lazy with(Chain chain) const { return {source_, std::move(chain)}; }

  Tensor source_;
  Chain chain_;
};

/// Holds back what is done to the tensor from here on.
inline Lazy lazy(Tensor x) {
  return Lazy(std::move(x));
}

namespace detail {
/// What `materialize` does, told as another operation.
TENSTRIDE_API Tensor materialize_chain(const Tensor& x, const Chain& chain, CopyRule copy,
                                       std::string_view operation, const Caller& caller);
}  // namespace detail

}  // namespace tenstride
