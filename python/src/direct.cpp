// SPDX-License-Identifier: Apache-2.0
#include "direct.hpp"

#include <algorithm>
#include <array>
#include <variant>
#include <vector>

#include "cpython.hpp"
#include "defaults.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "ints.hpp"
#include "memory/watch.hpp"
#include "types.hpp"

namespace tenstride::python {
namespace {

using detail::Direct;
using detail::OpClass;
using detail::Operation;
using detail::Parameter;
using detail::Slot;
using detail::SlotKind;

/// Elements that a factory writes on the spot.
constexpr Index max_filled = 4096;

bool is_list(PyObject* object) noexcept {
  return PyTuple_Check(object) != 0 || PyList_Check(object) != 0;
}

bool read_number(PyObject* object, Slot& slot) noexcept {
  slot.is_real = PyFloat_CheckExact(object) != 0;
  if (!slot.is_real) return read_int(object, slot.integer);
  slot.real = number_of_float(object);
  return true;
}

bool read_tensor(PyObject* object, Slot& slot) noexcept {
  if (!is_tensor(object)) return false;
  slot.tensor = &tensor_of(object);
  return true;
}

struct Arguments {
  PyObject* const* values;
  Py_ssize_t count;
  PyObject* names;
};

/// The arguments of one call.
class Slots {
 public:
  Slots(const Operation& operation, const Direct& direct) noexcept
      : parameters_(operation.schema.parameters.data()),
        direct_(direct),
        by_position_(std::min(operation.by_position, direct.count)) {}

  /// False where some argument is not what the function takes, or is missing.
  [[nodiscard]] bool take(const Arguments& given, bool may_spread) noexcept {
    auto position = static_cast<std::size_t>(given.count);
    if (may_spread && position > 0 && is_spread(given)) {
      slots_[0].list = take_list(given.values, given.count);
      if (slots_[0].list == nullptr) return false;
      slots_[0].is_given = true;
      position = 1;
    } else {
      if (position > by_position_) return false;
      for (std::size_t i = 0; i < position; ++i) {
        if (direct_.takes[i] == SlotKind::integer && read_int(given.values[i], slots_[i].integer))
            [[likely]] {
          slots_[i].is_given = true;
        } else if (!take_one(i, given.values[i])) {
          return false;
        }
      }
    }
    if (given.names != nullptr) return take_named(position, given);
    for (std::size_t i = position; i < direct_.count; ++i) {
      if (!leave_out(i)) return false;
    }
    return true;
  }

  [[nodiscard]] const Slot* data() const noexcept { return slots_.data(); }

  /// How much there is to do, in elements: of tensors, and of sizes where these are what is made.
  [[nodiscard]] Index work(bool is_factory) const noexcept {
    Index most = 0;
    for (std::size_t i = 0; i < direct_.count; ++i) {
      const SlotKind kind = direct_.takes[i];
      const bool is_tensor = (kind == SlotKind::tensor || kind == SlotKind::operand) && slots_[i].is_given;
      if (is_tensor && slots_[i].tensor != nullptr) most = std::max(most, slots_[i].tensor->numel());
      if (is_factory && kind == SlotKind::list) most = std::max(most, count_made(*slots_[i].list));
    }
    return most;
  }

 private:
  /// Whether sizes are spelled out.
  [[nodiscard]] bool is_spread(const Arguments& given) const noexcept {
    return direct_.count > 0 && direct_.takes[0] == SlotKind::list && parameters_[0].is_spread &&
           !(given.count == 1 && is_list(given.values[0]));
  }

  bool leave_out(std::size_t i) noexcept {
    slots_[i] = parameters_[i].absent;
    return parameters_[i].is_optional() && detail::may_be_absent(direct_.takes[i]);
  }

  const Dims* take_list(PyObject* const* values, Py_ssize_t count) noexcept {
    if (lists_taken_ == lists_.size()) return nullptr;
    Dims& list = lists_[lists_taken_++];
    return read_sizes(values, count, list) ? &list : nullptr;
  }

  bool take_one(std::size_t i, PyObject* object) noexcept {
    Slot& slot = slots_[i];
    const SlotKind kind = direct_.takes[i];
    if (object == Py_None) return parameters_[i].otherwise == "None" && leave_out(i);
    slot.is_given = true;
    switch (kind) {
      case SlotKind::integer:
        return read_int(object, slot.integer);
      case SlotKind::list:
      case SlotKind::ints:
        slot.list = kind == SlotKind::ints || is_list(object) ? take_list(&object, 1) : nullptr;
        return slot.list != nullptr;
      case SlotKind::tensor:
        return read_tensor(object, slot);
      case SlotKind::operand:
        slot.tensor = nullptr;
        return read_tensor(object, slot) || read_number(object, slot);
      case SlotKind::number:
      case SlotKind::real:
        return read_number(object, slot);
      case SlotKind::flag:
        slot.integer = object == Py_True ? 1 : 0;
        return object == Py_True || object == Py_False;
      case SlotKind::dtype: {
        const std::optional<DType> dtype = find_dtype(object);
        slot.dtype = dtype.value_or(DType::float32);
        return dtype.has_value();
      }
      case SlotKind::format: {
        const std::optional<MemoryFormat> format = find_format(object);
        slot.format = format.value_or(MemoryFormat::contiguous);
        return format.has_value();
      }
    }
    return false;
  }

  bool take_named(std::size_t position, const Arguments& given) noexcept {
    std::array<bool, Direct::most> is_taken{};
    for (Py_ssize_t k = 0; k < NB_TUPLE_GET_SIZE(given.names); ++k) {
      const std::string_view name = text_of(NB_TUPLE_GET_ITEM(given.names, k));
      std::size_t i = position;
      while (i < direct_.count && parameters_[i].name != name) ++i;
      if (i >= direct_.count || !take_one(i, given.values[given.count + k])) return false;
      is_taken[i] = true;
    }
    for (std::size_t i = position; i < direct_.count; ++i) {
      if (!is_taken[i] && !leave_out(i)) return false;
    }
    return true;
  }

  static Index count_made(const Dims& sizes) noexcept {
    Index elements = 1;
    for (const Index size : sizes) {
      if (size < 0 || size > max_filled || elements > max_filled) return elements_without_gil;
      elements *= size;
    }
    return elements > max_filled ? elements_without_gil : elements;
  }

  const Parameter* parameters_;
  const Direct& direct_;
  std::size_t by_position_;
  std::array<Slot, Direct::most> slots_;  // only those that the function takes are ever written or read
  std::array<Dims, 2> lists_;
  std::size_t lists_taken_ = 0;
};

bool may_take_long(const Operation& operation, const Tensor* self, Index work, bool is_plain) {
  switch (operation.op_class) {
    case OpClass::view:
    case OpClass::view_or_self:
    case OpClass::query:
      return false;
    default:
      break;
  }
  if (work >= elements_without_gil) return true;
  if (self == nullptr || self->numel() < elements_without_gil) return false;
  // Of what lies in order already there is nothing to copy.
  const bool is_view =
      operation.op_class == OpClass::view_or_copy || (is_plain && operation.name == "contiguous");
  return !is_view || !self->is_contiguous();
}

PyObject* itself(PyObject* self) noexcept {
  Py_INCREF(self);
  return self;
}

/// A new reference to what each kind of function gives.
struct Giving {
  const Operation& operation;
  PyObject* object;
  Tensor* self;
  const Slot* slots;

  PyObject* operator()(Tensor (*function)(Tensor*, const Slot*)) const {
    const OpClass op_class = operation.op_class;
    if (op_class != OpClass::self_or_copy && op_class != OpClass::view_or_self) {
      return make_tensor([&] { return function(self, slots); });
    }
    Tensor made = function(self, slots);
    return made.is_same(*self) ? itself(object) : new_tensor(std::move(made));
  }
  PyObject* operator()(const detail::MadeOrItself& made) const {
    if (made.is_itself(self, slots)) return itself(object);
    return make_tensor([&] { return made.make(self, slots); });
  }
  PyObject* operator()(std::vector<Tensor> (*function)(Tensor*, const Slot*)) const {
    std::vector<Tensor> parts = function(self, slots);
    nanobind::object tuple = nanobind::steal(PyTuple_New(static_cast<Py_ssize_t>(parts.size())));
    if (!tuple) throw nanobind::python_error();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      NB_TUPLE_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), new_tensor(std::move(parts[i])));
    }
    return tuple.release().ptr();
  }
  PyObject* operator()(Index (*function)(Tensor*, const Slot*)) const {
    return PyLong_FromLongLong(function(self, slots));
  }
  PyObject* operator()(bool (*function)(Tensor*, const Slot*)) const {
    return PyBool_FromLong(function(self, slots) ? 1 : 0);
  }
  PyObject* operator()(Dims (*function)(Tensor*, const Slot*)) const {
    const Dims dims = function(self, slots);
    return operation.schema.result == "Size" ? new_size(dims) : new_tuple(dims);
  }
  PyObject* operator()(DType (*function)(Tensor*, const Slot*)) const {
    return new_dtype(function(self, slots));
  }
  PyObject* operator()(Device (*function)(Tensor*, const Slot*)) const {
    return new_device(function(self, slots));
  }
  PyObject* operator()(void (*function)(Tensor*, const Slot*)) const {
    function(self, slots);
    return itself(object);
  }
};

PyObject* give(const Operation& operation, const Direct& direct, PyObject* object, Tensor* self,
               const Slot* slots) noexcept {
  return guarded([&] { return std::visit(Giving{operation, object, self, slots}, direct.function); });
}

/// With arguments, whose slots are made room for.
[[gnu::noinline]] PyObject* call_with(const Operation& operation, bool may_spread, PyObject* object,
                                      Tensor* self, const Arguments& given) {
  for (const Direct& direct : operation.run.directs) {
    Slots slots(operation, direct);
    if (!slots.take(given, may_spread)) continue;
    if (may_take_long(operation, self, slots.work(self == nullptr), false)) return nullptr;
    return give(operation, direct, object, self, slots.data());
  }
  return nullptr;
}

}  // namespace

PyObject* call_directly(const Operation& operation, bool is_method, PyObject* self,
                        PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  if (operation.run.directs.empty() || detail::watch != nullptr) return nullptr;
  if (self == nullptr && device_of_scope()) return nullptr;
  Tensor* const tensor = self == nullptr ? nullptr : &tensor_of(self);
  if (count == 0 && names == nullptr) {
    if (operation.plain == nullptr || may_take_long(operation, tensor, 0, true)) return nullptr;
    return give(operation, *operation.plain, self, tensor, operation.plain_slots.data());
  }
  return call_with(operation, is_method || self == nullptr, self, tensor, {arguments, count, names});
}

}  // namespace tenstride::python
