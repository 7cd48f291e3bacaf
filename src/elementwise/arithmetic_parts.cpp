// SPDX-License-Identifier: Apache-2.0
#include "elementwise/arithmetic_parts.hpp"

#include <array>

#include "base/message.hpp"
#include "elementwise/operands.hpp"
#include "ledger/watch.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::detail {
namespace {

constexpr std::size_t max_operands = 3;

bool is_float8(DType type) {
  return type == DType::float8_e4m3fn || type == DType::float8_e5m2;
}

}  // namespace

Prepared prepare(const Operand& operand) {
  if (operand.is_tensor()) {
    const Tensor& x = operand.tensor();
    return {x, {x.dtype(), x.dim() == 0 ? TypeWeight::scalar_tensor : TypeWeight::tensor}};
  }
  const Scalar& number = operand.number();
  DType type = number.dtype();
  if (number.is_floating_point()) type = DType::float64;
  if (number.is_complex()) type = DType::complex128;
  const MutedScope muted;
  Prepared result{uninitialized({}, type, Device::cpu, "number"), {number.dtype(), TypeWeight::number}};
  visit(type, [&]<class T>(std::type_identity<T>) {
    store_element<T>(result.tensor.mutable_storage_data(), number.to<T>());
  });
  return result;
}

Prepared prepare_parameter(const Operand& number) {
  Prepared result = prepare(number);
  result.is_parameter = result.typed.weight == TypeWeight::number;
  return result;
}

Tensor number_as(const Tensor& x, DType type) {
  if (!x.has_memory() || x.dtype() == type) return x;
  const MutedScope muted;
  return x.to(type);
}

void refuse_type(std::string_view operation, DType type, std::string_view rule) {
  throw RuntimeError(message(operation, ": dtype ", name(type), " ", rule));
}

void require_taken(std::string_view operation, DType type, Takes takes) {
  if (takes == Takes::all) return;
  if (takes == Takes::bits) {
    if (type == DType::bool_ || is_integer(type)) return;
    refuse_type(operation, type, "must be bool or an integer type");
  }
  if (is_float8(type)) refuse_type(operation, type, "is for storage and must be converted first");
  const bool is_real = takes == Takes::real || takes == Takes::real_not_bool;
  if (is_real && is_complex(type))
    refuse_type(operation, type, "must be real, complex numbers have no order");
  const bool refuses_bool = takes == Takes::not_bool || takes == Takes::real_not_bool;
  if (refuses_bool && type == DType::bool_) refuse_type(operation, type, "must be a number's, not bool");
}

namespace {

/// Returns the device of the result: the first that is not the cpu, a device with a link before meta.
Device common_device(std::span<const Prepared> operands) {
  Device common = Device::cpu;
  for (const Prepared& operand : operands) {
    if (operand.typed.weight == TypeWeight::number) continue;
    const Device device = operand.tensor.device();
    if (common == Device::cpu || (common == Device::meta && !device.is_host())) common = device;
  }
  return common;
}

bool goes_with(const Tensor& x, Device common) {
  return x.device() == common || goes_as_number(x, common);
}

}  // namespace

DType meeting_of(std::string_view operation, std::span<const Prepared> operands, Takes takes) {
  std::array<TypedOperand, max_operands> list_of_types{};
  const std::span types(list_of_types.data(), operands.size());
  const Device common = common_device(operands);
  const Tensor* first = nullptr;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Prepared& operand = operands[k];
    types[k] = operand.typed;
    if (operand.typed.weight == TypeWeight::number) continue;
    if (first == nullptr) first = &operand.tensor;
    if (goes_with(operand.tensor, common)) continue;
    const Device other = operand.tensor.device() == first->device() ? common : operand.tensor.device();
    throw RuntimeError(message(operation, ": all tensors must be on one device, not ", name(first->device()),
                               " and ", name(other)));
  }
  const std::optional<DType> meeting = result_type(types);
  if (!meeting) {
    std::string list;
    for (const TypedOperand& type : types) {
      if (!list.empty()) list += &type == &types.back() ? " and " : ", ";
      list += name(type.dtype);
    }
    throw RuntimeError(message(operation, ": dtypes ", list,
                               " must have a common type; convert one with "
                               ".to(dtype)"));
  }
  require_taken(operation, *meeting, takes);
  return *meeting;
}

Layout result_layout(std::span<const Prepared> operands, std::span<const DType> meetings) {
  std::array<Layout, max_operands> layouts;
  std::size_t count = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].is_parameter) continue;
    layouts[count++] = met_layout(operands[k].tensor, meetings[std::min(k, meetings.size() - 1)]);
  }
  return elementwise_layout(std::span(layouts.data(), count));
}

Tensor fresh_result(const Layout& layout, DType dtype, Device device) {
  if (layout.strides == row_major_strides(layout.shape))
    return uninitialized(layout.shape, dtype, device, "empty");
  return empty_strided(layout.shape, layout.strides, {.dtype = dtype, .device = device});
}

void prepare_in_place(std::string_view operation, const Tensor& self, DType meeting,
                      std::span<Prepared> operands) {
  if (!can_cast(meeting, self.dtype())) {
    throw RuntimeError(message(operation, ": the result's dtype ", name(meeting),
                               " must go into self's dtype ", name(self.dtype()),
                               ", which is of a lower kind"));
  }
  require_distinct_elements(operation, self);
  for (Prepared& operand : operands) {
    const Tensor& other = operand.tensor;
    const Dims shape = broadcast_shapes(self.shape(), other.shape());
    if (shape != self.shape()) {
      throw ShapeError(message(operation, ": self of shape ", self.shape(), " must have the shape ", shape,
                               " to which it and the other of shape ", other.shape(), " broadcast"),
                       self.shape(), shape);
    }
    if (!other.has_memory() || self.numel() == 0) continue;
    require_no_partial_overlap(operation, self, other);
    const Overlap shared = overlap_in_memory(self, other.expand(self.shape()));
    if (shared == Overlap::none) continue;
    if (shared == Overlap::identical && other.dtype() == self.dtype()) continue;
    const ReasonScope reason([] { return "the result is written into memory that is still to be read"; });
    operand.tensor = other.clone();
  }
}

namespace {

/// Returns one of the operands where all but those of rank 0 have one shape and are row-major; the result is
/// so, too. Otherwise returns null. Most operations are of this kind.
const Tensor* all_row_major(std::span<const Prepared> operands, std::span<const DType> meetings) {
  const Tensor* first = nullptr;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Tensor& x = operands[k].tensor;
    if (operands[k].is_parameter || x.dim() == 0) continue;
    if (x.dtype() != meetings[k] || x.numel() == 0) return nullptr;
    if (first != nullptr && (x.shape() != first->shape() || x.strides() != first->strides())) return nullptr;
    if (first == nullptr && x.strides() != row_major_strides(x.shape())) return nullptr;
    first = &x;
  }
  return first;
}

/// Returns the tensor that the result is written to: `self`, or a fresh one.
Tensor destination(std::string_view operation, std::span<Prepared> operands, std::span<const DType> meetings,
                   DType given, Tensor* self) {
  if (self != nullptr) {
    prepare_in_place(operation, *self, given, operands);
    return *self;
  }
  const Device device = common_device(operands);
  if (const Tensor* first = all_row_major(operands, meetings)) {
    return uninitialized(first->shape(), given, device, operation);
  }
  return fresh_result(result_layout(operands, meetings), given, device);
}

/// Computes in place where elements of the result share memory: part after part, so that no part has such
/// elements. An element is updated as often as it occurs, each time from its current value.
template <std::size_t N>
void run_in_parts(Tensor& result, const std::array<ElementSource, N>& sources, typename RowOf<N>::type row,
                  ElementTarget target) {
  if (is_provably_unique(result.layout())) return run_elementwise<N>(result, sources, row, target);
  for (Index i = 0; i < result.shape()[0]; ++i) {
    Tensor part = result.select(0, i);
    std::array<ElementSource, N> parts = sources;
    for (ElementSource& source : parts) {
      if (source.tensor.dim() > 0) source.tensor = source.tensor.expand(result.shape()).select(0, i);
    }
    run_in_parts<N>(part, parts, row, target);
  }
}

template <std::size_t N>
Tensor run(std::string_view operation, typename RowOf<N>::type row, std::array<Prepared, N> operands,
           const std::array<DType, N>& meetings, const std::array<DType, N>& types, ElementTarget target,
           Tensor* self, std::optional<DType> layout_meeting = {}) {
  std::array<DType, N> laid_out = meetings;
  if (layout_meeting) laid_out.fill(*layout_meeting);
  Tensor result = destination(operation, operands, laid_out, target.meeting, self);
  if (!result.has_memory() || result.numel() == 0) return result;
  if (self != nullptr && !is_provably_unique(self->layout())) {
    // Where PyTorch has to convert, it converts beforehand, so that such an element is not read again after a
    // write.
    for (std::size_t k = 0; k < N; ++k) {
      Tensor& x = operands[k].tensor;
      if (x.dtype() != laid_out[k]) x = apart_from(*self, x);
    }
  }
  std::array<ElementSource, N> sources;
  for (std::size_t k = 0; k < N; ++k) sources[k] = {std::move(operands[k].tensor), meetings[k], types[k]};
  run_in_parts<N>(result, sources, row, target);
  return result;
}

}  // namespace

Tensor run_unary(std::string_view operation, elementwise::UnaryRow row, const Tensor& x, DType meeting,
                 DType given, Tensor* self) {
  return run<1>(operation, row, {prepare(x)}, {meeting}, {worked_in(meeting)}, {worked_in(given), given},
                self);
}

Tensor run_binary(std::string_view operation, elementwise::BinaryOp op, std::array<Prepared, 2> operands,
                  DType meeting, Tensor* self) {
  DType type = meeting;
  elementwise::BinaryRow row = elementwise::binary_row(op, type);
  if (row == nullptr) row = elementwise::binary_row(op, type = worked_in(meeting));
  return run<2>(operation, row, std::move(operands), {meeting, meeting}, {type, type}, {type, meeting}, self);
}

Tensor run_scaled(std::string_view operation, elementwise::BinaryOp op, std::array<Prepared, 2> operands,
                  DType meeting, Tensor* self) {
  const DType type = worked_in(meeting);
  return run<2>(operation, elementwise::binary_row(op, type), std::move(operands), {meeting, type},
                {type, type}, {type, meeting}, self);
}

Tensor run_ternary(std::string_view operation, elementwise::TernaryRow row, std::array<Prepared, 3> operands,
                   const std::array<DType, 3>& meetings, DType given, Tensor* self) {
  return run<3>(operation, row, std::move(operands), meetings,
                {worked_in(meetings[0]), worked_in(meetings[1]), worked_in(meetings[2])},
                {worked_in(given), given}, self);
}

Tensor run_truths(std::string_view operation, elementwise::BinaryRow row, std::array<Prepared, 2> operands,
                  DType meeting, Tensor* self) {
  // An element of a wider type is converted to the common type first: it may become 0.
  for (Prepared& operand : operands) {
    if (operand.tensor.dim() == 0) operand.tensor = number_as(operand.tensor, meeting);
  }
  constexpr DType truth = DType::bool_;
  return run<2>(operation, row, std::move(operands), {truth, truth}, {DType::uint8, DType::uint8},
                {DType::uint8, truth}, self, meeting);
}

DType meeting_of_choice(std::span<const Prepared, 3> operands) {
  const Device common = common_device(operands);
  for (const Prepared& operand : operands) {
    if (operand.typed.weight == TypeWeight::number || goes_with(operand.tensor, common)) continue;
    const Device first = operands[0].tensor.device();
    const Device other = operand.tensor.device() == first ? common : operand.tensor.device();
    throw RuntimeError(
        message("where: all tensors must be on one device, not ", name(first), " and ", name(other)));
  }
  return meeting_of("where", operands.subspan<1>(), Takes::all);
}

Tensor run_choice(elementwise::TernaryRow row, std::array<Prepared, 3> operands, DType meeting) {
  // Truth values are bytes that are 0 or not, which a row kernel of `where` reads without a conversion.
  Tensor& condition = operands[0].tensor;
  condition = with_layout(condition, condition.layout(), DType::uint8);
  return run<3>("where", row, std::move(operands), {DType::uint8, meeting, meeting},
                {DType::uint8, meeting, meeting}, {meeting, meeting}, nullptr);
}

Tensor apply_binary(std::string_view operation, elementwise::BinaryOp op, const Operand& a, const Operand& b,
                    Takes takes, Tensor* self) {
  std::array operands{prepare(a), prepare(b)};
  const DType meeting = meeting_of(operation, operands, takes);
  if (meeting == DType::bool_) {
    // For 0 and 1 the sum and the maximum are the `or` of the bits, the product and the minimum the `and`.
    if (op == elementwise::BinaryOp::add || op == elementwise::BinaryOp::maximum)
      op = elementwise::BinaryOp::bit_or;
    if (op == elementwise::BinaryOp::mul || op == elementwise::BinaryOp::minimum)
      op = elementwise::BinaryOp::bit_and;
  }
  return run_binary(operation, op, std::move(operands), meeting, self);
}

}  // namespace tenstride::detail
