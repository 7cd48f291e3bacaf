// SPDX-License-Identifier: Apache-2.0
// Masks as indexes: the set elements are counted once for each block, so that several threads can then read,
// write or index them block by block.
#pragma once

#include <vector>

#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// The set elements of a mask, in row-major order.
class SetElements {
 public:
  /// Counts the set elements. Converts other types than bool. Precondition: the mask is not on meta.
  explicit SetElements(const Tensor& mask);

  /// Returns the number of set elements.
  [[nodiscard]] Index count() const noexcept { return before_.back(); }

  /// Writes the offset of each set element in a layout of the mask's shape, from the layout's first element
  /// on.
  void list(Index* distances, const Layout& where) const;

  /// Reads the set elements of `src` into a dense run of memory. `where` is a layout of the mask's shape on
  /// src's storage; conjugation and negation are carried out.
  void read(std::byte* out, const Tensor& src, const Layout& where) const;

  /// Writes `values`, a layout of rank 1 on its tensor's storage and with as many elements as are set, into
  /// those of `dst`. Same dtype, conjugate and negative bit. The mask may lie in the memory of `dst`, the
  /// values must not.
  void write(Tensor& dst, const Layout& where, const Tensor& values, const Layout& value_layout) const;

 private:
  /// Calls `f(block's first element, its end, how many are set before it)`, on several threads.
  template <class F>
  void each_block(const F& f, int threads = 0) const;

  Tensor mask_;  ///< bool, row-major
  std::vector<Index> before_;
};

}  // namespace tenstride::detail
