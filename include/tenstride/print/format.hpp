// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "tenstride/tensor/tensor.hpp"

namespace tenstride {

/// How tensors are printed; the names and defaults of `torch.set_printoptions`.
struct PrintOptions {
  /// Digits after the point, 0..1100.
  Index precision = 4;
  /// A tensor of more elements than this is summarised.
  Index threshold = 1000;
  /// How many entries of a long axis a summary shows at either end.
  Index edgeitems = 3;
  /// Characters after which a row is broken.
  Index linewidth = 80;
  /// Scientific notation for floating types; where not told, PyTorch's rule decides (see `to_string`).
  std::optional<bool> sci_mode{};
};

/// The text PyTorch's `repr` gives. Floating numbers are all in scientific notation where the largest is
/// above 1e8 or above 1000 times the smallest, or the smallest below 1e-4 (magnitudes, zeros left aside);
/// else whole numbers are printed as "1.". A dtype other than bool, int64, float32 and complex64 is named,
/// and of an empty or a meta tensor any other than float32. The conjugate bit is carried out first.
/// Examples: "tensor([[0, 1],\n        [2, 3]])"; `zeros({0, 3})` gives "tensor([], size=(0, 3))".
/// Reads only the elements that it shows. Throws ValueError where a precision or edgeitems is out of range.
TENSTRIDE_API std::string to_string(const Tensor& tensor, const PrintOptions& options = {});

}  // namespace tenstride
