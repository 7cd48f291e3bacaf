// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tenstride/copy/copy.hpp"
#include "tenstride/io/rescaling.hpp"
#include "tenstride/reduce/reduce.hpp"

namespace tenstride::io {

/// What happens to the elements of a pass on the way from its source to its sink.
struct Conversion {
  DType src = DType::float32;
  /// One after the other; the last one is that of what is written. Empty: the elements stay as they are.
  std::vector<DType> types;
  std::vector<double> scale;
  std::vector<double> shift;
  /// The axis of the pass that several numbers run along.
  std::size_t axis = 0;
  /// Makes elements what they mean, in place of all the rest.
  const Rescaling* rescaling = nullptr;
  /// The reduction behind the conversions: of the axes listed, then to the type that is written.
  std::optional<Reduction> reduction{};
  Dims reduced_axes{};
  DType reduced = DType::float32;

  [[nodiscard]] DType dst() const {
    if (reduction) return reduced;
    if (rescaling != nullptr) return rescaling->dtype;
    return types.empty() ? src : types.back();
  }
};

/// Writes the elements of `src` into `dst`, converted; both of one shape. `first`: the index of the first
/// element in the result, of which several numbers of scale and shift have one for each. Gives how many are
/// missing.
Index convert_elements(Tensor& dst, const Tensor& src, const Dims& first, const Conversion& conversion);

}  // namespace tenstride::io
