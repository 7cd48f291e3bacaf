// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "operations/call.hpp"
#include "tenstride/base/dtype.hpp"

/// Lists of numbers, and of tensors among them, as PyTorch reads them.
namespace tenstride::detail {
namespace {

/// How long the lists are that stand in one another along the first entries. A tensor is an entry, an array
/// is lists.
std::vector<Index> lengths_of(const Value& data) {
  std::vector<Index> lengths;
  const Value* entry = &data;
  for (; entry->sequence() != nullptr; entry = &entry->sequence()->items.front()) {
    lengths.push_back(static_cast<Index>(entry->sequence()->items.size()));
    if (lengths.back() == 0) return lengths;
  }
  if (entry->is_array()) {
    for (const Index size : entry->tensor()->shape()) lengths.push_back(size);
  }
  return lengths;
}

std::optional<Nested> nest(const Value& value, std::span<const Index> lengths, std::optional<DType> dtype) {
  if (value.number() != nullptr) return Nested(*value.number());
  if (value.tensor() != nullptr) {
    return value.is_array() ? value.tensor()->tolist() : nested_tensor(*value.tensor(), lengths, dtype);
  }
  if (value.sequence() == nullptr) return std::nullopt;
  std::vector<Nested> items;
  for (const Value& item : value.sequence()->items) {
    std::optional<Nested> nested = nest(item, lengths.subspan(lengths.empty() ? 0 : 1), dtype);
    if (!nested) return std::nullopt;
    items.push_back(*std::move(nested));
  }
  return Nested(std::move(items));
}

/// The number that a tensor stands for, where elements are of `dtype`.
Scalar number_of(const Tensor& x, std::optional<DType> dtype) {
  const bool is_whole = dtype == DType::bool_ || (dtype && is_integer(*dtype));
  if (x.numel() != 1) {
    const std::string text = message("tensor: a tensor among numbers must have 1 element, not ", x.numel(),
                                     " (shape ", x.shape(), "); stack(list) joins tensors");
    if (is_whole) throw TypeError(text);
    throw ValueError(text);
  }
  if (is_whole && !is_integer(x.dtype()) && x.dtype() != DType::bool_) {
    throw TypeError(message("tensor: a tensor of ", name(x.dtype()),
                            " must be of integers or bool for dtype ", name(*dtype)));
  }
  if (x.is_complex() && dtype && !is_complex(*dtype)) {
    throw RuntimeError(
        message("tensor: a tensor of ", name(x.dtype()), " must be real for dtype ", name(*dtype)));
  }
  return x.item();
}

/// Meets the types of tensors and numbers in `meeting`, PyTorch's types of numbers; whether there is a
/// tensor.
bool meet_types(const Value& value, std::optional<DType>& meeting) {
  const auto meet = [&meeting](DType type) { meeting = meeting ? promote_types(*meeting, type) : type; };
  if (value.tensor() != nullptr) {
    meet(value.tensor()->dtype());
    return true;
  }
  if (value.number() != nullptr) {
    const DType type = value.number()->dtype();
    meet(type == DType::uint64 ? DType::int64 : type);
  }
  if (value.sequence() == nullptr) return false;
  bool has_tensor = false;
  for (const Value& item : value.sequence()->items) has_tensor |= meet_types(item, meeting);
  return has_tensor;
}

}  // namespace

Nested nested_tensor(const Tensor& x, std::span<const Index> lengths, std::optional<DType> dtype) {
  if (lengths.empty()) return number_of(x, dtype);
  if (x.dim() == 0) {
    throw TypeError("tensor: a tensor of rank 0 must be a list (as the first entry of its level)");
  }
  if (x.shape()[0] != lengths[0]) {
    throw ValueError(message("tensor: a tensor of ", x.shape()[0], " entries must have ", lengths[0],
                             " (as the first list of its level; shape ", x.shape(), ")"));
  }
  if (static_cast<std::size_t>(x.dim()) == lengths.size()) return x.tolist();
  std::vector<Nested> rows;
  for (const Tensor& row : x.unbind(0)) rows.push_back(nested_tensor(row, lengths.subspan(1), dtype));
  return Nested(std::move(rows));
}

std::optional<DType> dtype_of_tensors(const Value& data) {
  std::optional<DType> meeting;
  return meet_types(data, meeting) ? meeting : std::nullopt;
}

Nested Call::nested(std::size_t parameter, std::optional<DType> dtype) const {
  std::optional<Nested> result = nest(value(parameter), lengths_of(value(parameter)), dtype);
  if (!result) fail_type(parameter, "a number or lists of numbers");
  return *std::move(result);
}

}  // namespace tenstride::detail
