// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/scalar_checked.hpp"
#include "memory/watch.hpp"
#include "tenstride/base/default_dtype.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

/// The sizes that the first lists of each level have.
Dims sizes_of(const Nested& values) {
  std::vector<Index> sizes;
  for (const Nested* level = &values; level->is_list(); level = &level->items().front()) {
    sizes.push_back(static_cast<Index>(level->items().size()));
    if (level->items().empty()) break;
  }
  if (sizes.size() > max_rank) {
    throw RankError(detail::message("tensor: the lists are ", sizes.size(),
                                    " levels deep and must be at most ", max_rank, " (the largest rank)"));
  }
  Dims result;
  for (const Index size : sizes) result.push_back(size);
  return result;
}

/// Where in the nest: "[1][0]", or "the list" at the top.
std::string place(const std::vector<std::size_t>& path) {
  std::string text;
  for (const std::size_t index : path) text += "[" + std::to_string(index) + "]";
  return text.empty() ? "the whole" : "entry " + text;
}

/// Calls `visit_scalar(scalar, position)` with the numbers in the order of the elements; refuses lists that
/// are not as long as the first one of their level. (PyTorch drops the entries of `[[], [1]]`; that is
/// refused too.)
class NestedVisitor {
 public:
  NestedVisitor(const Dims& sizes, const Dims& strides) : sizes_(sizes), strides_(strides) {}

  template <typename Visit>
  void visit(const Nested& values, const Visit& visit_scalar, Index position = 0) {
    const std::size_t level = path_.size();
    if (level == sizes_.size()) {
      if (values.is_list()) refuse_kind(" is a list and must be a number");
      return visit_scalar(values.scalar(), position);
    }
    if (!values.is_list()) refuse_kind(" is a number and must be a list");
    const auto length = static_cast<Index>(values.items().size());
    if (length != sizes_[level]) {
      throw ValueError(detail::message("tensor: ", place(path_), " has ", length, " entries and must have ",
                                       sizes_[level], " (as the first list of its level; shape ", sizes_,
                                       ")"));
    }
    for (std::size_t i = 0; i < values.items().size(); ++i) {
      path_.push_back(i);
      visit(values.items()[i], visit_scalar, position + static_cast<Index>(i) * strides_[level]);
      path_.pop_back();
    }
  }

 private:
  [[noreturn]] void refuse_kind(std::string_view what) const {
    throw TypeError(detail::message("tensor: ", place(path_), what,
                                    " (as the first entry of its level; shape ", sizes_, ")"));
  }

  const Dims& sizes_;
  const Dims& strides_;
  std::vector<std::size_t> path_;
};

/// bool, then int64, then the default types, real and complex: the first that holds every entry.
DType common_dtype(const Nested& values, const Dims& sizes, const Dims& strides) {
  std::size_t widest = 0;
  bool is_empty = true;
  NestedVisitor(sizes, strides).visit(values, [&](const Scalar& value, Index) {
    is_empty = false;
    if (value.dtype() == DType::uint64) {
      throw RuntimeError(
          detail::message("tensor: ", value.to_string(), " must fit int64, or uint64 be given as dtype"));
    }
    const std::size_t own = value.is_complex()          ? 3
                            : value.is_floating_point() ? 2
                            : value.is_integer()        ? 1
                                                        : 0;
    widest = std::max(widest, own);
  });
  const std::array dtypes{DType::bool_, DType::int64, default_dtype(), default_complex_dtype()};
  return is_empty ? default_dtype() : dtypes[widest];
}

/// The entry as T, by rules of `tensor` alone: integers must fit, floating types take any real number
/// (infinity where it is too large), a complex entry is no real number, uint64 takes integers alone and wraps
/// none.
template <typename T>
T entry(const Scalar& value) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    const bool is_whole = value.is_integer() || value.is_bool();
    if (!is_whole) {
      throw TypeError(detail::message("tensor: ", value.to_string(), " must be an integer for dtype uint64"));
    }
    if (const auto* whole = std::get_if<std::int64_t>(&value.value()); whole != nullptr && *whole < 0) {
      throw OverflowError(detail::message("tensor: ", *whole, " must not be negative for dtype uint64"));
    }
  }
  if constexpr (!is_complex_element<T> && !std::is_same_v<T, bool>) {
    if (value.is_complex()) {
      throw TypeError(detail::message("tensor: ", value.to_string(),
                                      " is complex and must be real for dtype ", name(dtype_of<T>)));
    }
  }
  if constexpr (std::is_integral_v<T>) return detail::checked_element<T>(value, "tensor");
  return value.to<T>();
}

}  // namespace

Tensor tensor(const Nested& values, const TensorOptions& options, Caller caller) {
  const detail::OperationScope scope("tensor", caller);
  const Dims sizes = sizes_of(values);
  TensorOptions typed = options;
  // The lists must be even before anything is allocated, so they are visited twice.
  const Dims row_major = row_major_strides(sizes, "tensor");
  const DType common = options.dtype ? *options.dtype : common_dtype(values, sizes, row_major);
  if (options.dtype) NestedVisitor(sizes, row_major).visit(values, [](const Scalar&, Index) {});
  typed.dtype = common;
  Tensor result = empty(sizes, typed);
  visit(common, [&](auto type) {
    using T = typename decltype(type)::type;
    std::byte* const data = result.has_memory() ? result.mutable_storage_data() : nullptr;
    NestedVisitor(sizes, result.strides()).visit(values, [data](const Scalar& value, Index position) {
      const T element = entry<T>(value);
      if (data != nullptr) store_element(data + position * static_cast<Index>(sizeof(T)), element);
    });
  });
  return result;
}

}  // namespace tenstride
