// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "operations/run.hpp"
#include "tenstride/base/export.hpp"

/// What an operation is called with and gives, in the words of PyTorch's schemas (native_functions.yaml):
/// `transpose(Tensor self, int dim0, int dim1) -> Tensor`. `TensorOptions options` stands for dtype, device,
/// requires_grad and layout, `LikeOptions options` for these and memory_format.
namespace tenstride::detail {

/// A word between commas: `int dim0`, `bool keepdim=False`.
struct Parameter {
  std::string_view name;
  /// `int`, `int[]`, `int?`, `Tensor|Scalar`. Of one that may be spelled out (`int... dims` for `permute(0,
  /// 2, 1)`) that of an entry.
  std::string_view type;
  /// Behind the `=`; empty where the argument must be given.
  std::string_view otherwise;
  bool is_spread = false;        ///< `int... dims`
  bool is_keyword_only = false;  ///< behind `*`
  bool is_any = false;           ///< `int **sizes`: takes all other names
  bool has_number = false;       ///< whether `otherwise` is one
  /// What `otherwise` is, for the functions that take slots and for calls.
  Slot absent{};

  [[nodiscard]] bool is_optional() const noexcept { return !otherwise.empty() || is_any; }
  /// Whether a function that takes that there may be given `absent`.
  [[nodiscard]] TENSTRIDE_API bool may_be_absent(SlotKind kind) const noexcept;
};

/// A schema, read. Refers to its text.
struct Schema {
  std::string_view name;
  /// The type of `self`, where the operation is called on a tensor; a function takes it first, as `input`.
  std::string_view self;
  /// The others.
  std::vector<Parameter> parameters;
  std::string_view result;

  [[nodiscard]] bool takes_self() const noexcept { return !self.empty(); }
  /// Whether a function may be given a number for its tensor: `add(1, x)`.
  [[nodiscard]] bool takes_number() const noexcept { return self.find("Scalar") != std::string_view::npos; }
  /// How many arguments the function must be given: it can do without those behind them.
  [[nodiscard]] TENSTRIDE_API std::size_t least(const Direct& function) const noexcept;
  /// The parameter of that name, or how many there are.
  [[nodiscard]] TENSTRIDE_API std::size_t find(std::string_view name) const noexcept;
};

/// Pre: the text is a schema; it lives as long as what is given.
TENSTRIDE_API Schema parse_schema(std::string_view text);

}  // namespace tenstride::detail
