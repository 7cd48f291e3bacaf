// SPDX-License-Identifier: Apache-2.0
#include "quick_numbers.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cpython.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "ints.hpp"
#include "memory/watch.hpp"
#include "tensor/unchecked.hpp"
#include "types.hpp"

namespace tenstride::python {
namespace {

using elementwise::BinaryOp;

/// Whether the elements are `numel` in a row from the first on, few enough to keep the GIL.
bool is_plain(const Tensor& tensor) {
  const Layout& layout = tensor.layout();
  if (layout.rank() == 0 || !tensor.is_resolved() || tensor.data_ptr() == nullptr) return false;
  Index expected = 1;
  for (std::size_t d = layout.rank(); d-- > 0;) {
    const Index size = layout.shape[d];
    if (layout.strides[d] != expected || size < 1 || size >= elements_without_gil) return false;
    expected *= size;
    if (expected >= elements_without_gil) return false;
  }
  return true;
}

/// Elements of one number, as many as a row takes at a time.
struct Repeated {
  static constexpr std::size_t nbytes = 1024;
  alignas(64) std::array<std::byte, nbytes> bytes;

  template <typename T>
  void fill(T value, Index count) {
    const std::size_t most = std::min(static_cast<std::size_t>(count), nbytes / sizeof(T));
    for (std::size_t i = 0; i < most; ++i) std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
};

/// The int as T; false where that would not be the same number.
template <typename T>
bool fill_int(Repeated& repeated, Index value, Index count) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr Index exact = Index{1} << std::numeric_limits<T>::digits;
    if (value < -exact || value > exact) return false;
  } else if (value < Index{std::numeric_limits<T>::min()} || value > Index{std::numeric_limits<T>::max()}) {
    return false;
  }
  repeated.fill(static_cast<T>(value), count);
  return true;
}

template <typename T>
bool fill_number(Repeated& repeated, PyObject* number, Index count) {
  Index value = 0;
  if (read_int(number, value)) return fill_int<T>(repeated, value, count);
  if constexpr (std::is_floating_point_v<T>) {
    if (PyFloat_CheckExact(number)) {
      repeated.fill(static_cast<T>(number_of_float(number)), count);
      return true;
    }
  }
  return false;
}

/// One of Python's numbers as elements of the type; false where the result would have another type, or the
/// number does not fit.
bool read_number(PyObject* number, DType type, Index count, Repeated& repeated) {
  switch (type) {
    case DType::float32:
      return fill_number<float>(repeated, number, count);
    case DType::float64:
      return fill_number<double>(repeated, number, count);
    case DType::int64:
      return fill_number<std::int64_t>(repeated, number, count);
    case DType::int32:
      return fill_number<std::int32_t>(repeated, number, count);
    case DType::uint8:
      return fill_number<std::uint8_t>(repeated, number, count);
    default:
      return false;
  }
}

bool is_taken(BinaryOp op, DType type) {
  switch (type) {
    case DType::float32:
    case DType::float64:
      return true;
    case DType::int64:
    case DType::int32:
    case DType::uint8:
      return op != BinaryOp::div;
    default:
      return false;
  }
}

/// Two operands of one type and count, of which one may be a number.
struct Operands {
  const Tensor* tensor = nullptr;  ///< one that is a tensor
  const std::byte* left = nullptr;
  const std::byte* right = nullptr;
  Repeated number;
  bool is_left_number = false;
  bool is_right_number = false;

  [[nodiscard]] bool read(PyObject* a, PyObject* b) {
    if (detail::watch != nullptr) return false;
    const bool is_tensor_a = is_tensor(a);
    const bool is_tensor_b = is_tensor(b);
    tensor = &tensor_of(is_tensor_a ? a : b);
    if (!is_plain(*tensor)) return false;
    const auto* const first = static_cast<const std::byte*>(tensor->data_ptr());
    if (is_tensor_a && is_tensor_b) {
      const Tensor& other = tensor_of(b);
      if (other.dtype() != tensor->dtype() || other.shape() != tensor->shape() || !is_plain(other))
        return false;
      left = first;
      right = static_cast<const std::byte*>(other.data_ptr());
      return true;
    }
    is_left_number = !is_tensor_a;
    is_right_number = !is_tensor_b;
    left = is_tensor_a ? first : number.bytes.data();
    right = is_tensor_b ? first : number.bytes.data();
    return read_number(is_tensor_a ? b : a, tensor->dtype(), tensor->numel(), number);
  }

  /// Whether both are tensors with bytes in common.
  [[nodiscard]] bool have_common_bytes() const {
    if (is_left_number || is_right_number) return false;
    const auto a = reinterpret_cast<std::uintptr_t>(left);
    const auto b = reinterpret_cast<std::uintptr_t>(right);
    return (a < b ? b - a : a - b) < tensor->nbytes();
  }

  /// row(out, left, right), a number's elements at a time.
  void run(elementwise::BinaryRow row, std::byte* out, std::size_t out_size) const {
    const Index count = tensor->numel();
    const std::size_t item = tensor->element_size();
    const bool has_number = is_left_number || is_right_number;
    const Index most = has_number ? static_cast<Index>(Repeated::nbytes / item) : count;
    const std::byte* a = left;
    const std::byte* b = right;
    for (Index done = 0; done < count; done += most) {
      const Index now = std::min(most, count - done);
      row(out, a, b, now);
      out += static_cast<std::size_t>(now) * out_size;
      if (!is_left_number) a += static_cast<std::size_t>(now) * item;
      if (!is_right_number) b += static_cast<std::size_t>(now) * item;
    }
  }
};

}  // namespace

PyObject* quick_binary(BinaryOp op, PyObject* left, PyObject* right) {
  Operands operands;
  if (!operands.read(left, right) || !is_taken(op, operands.tensor->dtype())) return nullptr;
  return guarded([&] {
    return make_tensor([&] {
      const Tensor& like = *operands.tensor;
      Tensor result = uninitialized(like.shape(), like.dtype(), Device::cpu, "arithmetic");
      operands.run(elementwise::binary_row(op, like.dtype()), result.mutable_storage_data(),
                   like.element_size());
      return result;
    });
  });
}

PyObject* quick_in_place(BinaryOp op, PyObject* self, PyObject* other) {
  Operands operands;
  if (!operands.read(self, other) || !is_taken(op, operands.tensor->dtype())) return nullptr;
  Tensor& target = tensor_of(self);
  if (target.is_read_only()) return nullptr;
  if (operands.have_common_bytes()) return nullptr;
  return guarded([&] {
    operands.run(elementwise::binary_row(op, target.dtype()),
                 static_cast<std::byte*>(target.mutable_data_ptr()), target.element_size());
    Py_INCREF(self);
    return self;
  });
}

PyObject* quick_compare(elementwise::Comparison comparison, PyObject* left, PyObject* right) {
  Operands operands;
  if (!operands.read(left, right) || !is_taken(BinaryOp::sub, operands.tensor->dtype())) return nullptr;
  return guarded([&] {
    return make_tensor([&] {
      const Tensor& like = *operands.tensor;
      Tensor result = uninitialized(like.shape(), DType::bool_, Device::cpu, "comparison");
      operands.run(elementwise::compare_row(comparison, like.dtype()), result.mutable_storage_data(), 1);
      return result;
    });
  });
}

}  // namespace tenstride::python
