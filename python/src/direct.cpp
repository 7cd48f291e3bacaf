// SPDX-License-Identifier: Apache-2.0
#include "direct.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <variant>
#include <vector>

#include "cpython.hpp"
#include "defaults.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "ints.hpp"
#include "memory/watch.hpp"
#include "types.hpp"
#include "values.hpp"

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
        by_position_(operation.by_position),
        direct_(direct) {}
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  ~Slots() {
    for (; lists_taken_ > 0; --lists_taken_) list_at(lists_taken_ - 1)->~Dims();
  }

  /// False where some argument is not what the function takes, or is missing.
  [[nodiscard]] bool take(const Arguments& given, bool may_spread) noexcept {
    auto position = static_cast<std::size_t>(given.count);
    if (may_spread && position > 0 && is_spread(given)) {
      slots_[0].list = take_list(given.values, given.count);
      if (slots_[0].list == nullptr) return false;
      slots_[0].is_given = true;
      position = 1;
    } else {
      if (position > direct_.count || position > by_position_) return false;
      for (std::size_t i = 0; i < position; ++i) {
        if (!take_one(i, given.values[i])) return false;
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
      const bool is_tensor =
          (kind == SlotKind::tensor || kind == SlotKind::operand || kind == SlotKind::maybe_operand) &&
          slots_[i].is_given;
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
    return parameters_[i].may_be_absent(direct_.takes[i]);
  }

  [[nodiscard]] Dims* list_at(std::size_t i) noexcept {
    return std::launder(reinterpret_cast<Dims*>(lists_.data()) + i);
  }
  /// Null where these are no ints, or too many lists.
  const Dims* take_list(PyObject* const* values, Py_ssize_t count) noexcept {
    if (lists_taken_ == max_lists) return nullptr;
    Dims* const list = new (lists_.data() + lists_taken_ * sizeof(Dims)) Dims();
    ++lists_taken_;
    return read_sizes(values, count, *list) ? list : nullptr;
  }

  bool take_one(std::size_t i, PyObject* object) noexcept {
    Slot& slot = slots_[i];
    const SlotKind kind = direct_.takes[i];
    if (object == Py_None) return parameters_[i].otherwise == "None" && leave_out(i);
    slot.is_given = true;
    switch (kind) {
      case SlotKind::integer:
      case SlotKind::maybe_integer:
        return read_int(object, slot.integer);
      case SlotKind::list:
      case SlotKind::ints:
        slot.list = kind == SlotKind::ints || is_list(object) ? take_list(&object, 1) : nullptr;
        return slot.list != nullptr;
      case SlotKind::tensor:
        return read_tensor(object, slot);
      case SlotKind::operand:
      case SlotKind::maybe_operand:
        slot.tensor = nullptr;
        return read_tensor(object, slot) || read_number(object, slot);
      case SlotKind::number:
      case SlotKind::real:
        return read_number(object, slot);
      case SlotKind::flag:
        slot.integer = object == Py_True ? 1 : 0;
        return object == Py_True || object == Py_False;
      case SlotKind::dtype:
      case SlotKind::maybe_dtype: {
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

  static constexpr std::size_t max_lists = 2;

  const Parameter* parameters_;
  std::size_t by_position_;
  const Direct& direct_;
  std::size_t lists_taken_ = 0;
  // Only what the function takes is ever written and read: making the rest would cost as much as a view does.
  std::array<Slot, Direct::most> slots_;
  alignas(Dims) std::array<std::byte, max_lists * sizeof(Dims)> lists_;
};

bool never_takes_long(OpClass op_class) {
  return op_class == OpClass::view || op_class == OpClass::view_or_self || op_class == OpClass::query;
}

/// Whether other threads of Python should run meanwhile. `work()` counts the elements of the arguments.
template <typename Work>
bool may_take_long(const Operation& operation, const Tensor* self, const Work& work, bool is_plain) {
  const OpClass op_class = operation.op_class;
  if (never_takes_long(op_class)) return false;
  if (work() >= elements_without_gil) return true;
  if (self == nullptr || self->numel() < elements_without_gil) return false;
  // Of what lies in order already there is nothing to copy.
  const bool is_view = op_class == OpClass::view_or_copy || (is_plain && operation.name == "contiguous");
  return !is_view || !self->is_contiguous();
}
constexpr auto no_work = [] { return Index{0}; };

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
  PyObject* operator()(detail::MadeOrItself made) const {
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
  PyObject* operator()(Scalar (*function)(Tensor*, const Slot*)) const {
    return from_scalar(function(self, slots));
  }
  PyObject* operator()(detail::Lists (*function)(Tensor*, const Slot*)) const {
    return to_lists(*function(self, slots).elements).release().ptr();
  }
  PyObject* operator()(const Dims* (*function)(Tensor*, const Slot*)) const {
    const Dims& dims = *function(self, slots);
    return operation.gives_size ? new_size(dims) : new_tuple(dims);
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

/// A call with arguments. Not inlined: a call without them would make room for slots that it does not have.
[[gnu::noinline]] PyObject* call_with(const Arguments& given, bool may_spread, const Operation& operation,
                                      PyObject* object, Tensor* self) {
  for (const Direct& direct : operation.run.directs) {
    Slots slots(operation, direct);
    if (!slots.take(given, may_spread)) continue;
    const auto work = [&] { return slots.work(self == nullptr); };
    if (may_take_long(operation, self, work, false)) return nullptr;
    return give(operation, direct, object, self, slots.data());
  }
  return nullptr;
}

enum class Taking { nothing, integers, list };

template <Taking taking, typename Function>
PyObject* front_call(const FrontCall& front, PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  const Operation& operation = *front.operation;
  const Direct& direct = *front.direct;
  Tensor& tensor = tensor_of(self);
  if (detail::watch != nullptr ||
      (!front.never_takes_long && may_take_long(operation, &tensor, no_work, count == 0))) {
    return front.otherwise(front, self, arguments, count);
  }
  const auto give_with = [&](const Slot* slots) {
    return guarded([&] {
      return Giving{operation, self, &tensor, slots}(std::get<Function>(direct.function));
    });
  };
  if constexpr (taking == Taking::nothing) {
    if (count == 0) return give_with(operation.plain_slots.data());
  } else if constexpr (taking == Taking::integers) {
    const auto given = static_cast<std::size_t>(count);
    std::array<Slot, Direct::most> slots;  // what is not read is not made
    bool fits = given >= front.least && given <= direct.count;
    for (std::size_t i = 0; fits && i < given; ++i) {
      fits = read_int(arguments[i], slots[i].integer);
      slots[i].is_given = true;
    }
    if (fits) {
      for (std::size_t i = given; i < direct.count; ++i) slots[i] = operation.plain_slots[i];
      return give_with(slots.data());
    }
  } else {
    const bool may_spread = front.is_method && operation.schema.parameters[0].is_spread;
    const bool has_list = count > 0 && (may_spread || (count == 1 && is_list(arguments[0])));
    Dims list;
    if (has_list && read_sizes(arguments, count, list)) {
      std::array<Slot, Direct::most> slots;
      slots[0].list = &list;
      slots[0].is_given = true;
      for (std::size_t i = 1; i < direct.count; ++i) slots[i] = operation.plain_slots[i];
      return give_with(slots.data());
    }
  }
  return front.otherwise(front, self, arguments, count);
}

template <Taking taking>
FrontCall::Code front_call_of(const Direct& direct) {
  return std::visit([](auto function) -> FrontCall::Code { return front_call<taking, decltype(function)>; },
                    direct.function);
}

}  // namespace

FrontCall find_front_call(const Operation& operation, bool is_method, FrontCall::Code otherwise) {
  FrontCall front{&operation, is_method, otherwise};
  if (!operation.schema.takes_self()) return front;
  front.never_takes_long = never_takes_long(operation.op_class);
  const auto found = [&](FrontCall::Code first, const Direct& direct) {
    front.first = first;
    front.direct = &direct;
    return front;
  };
  for (const Direct& direct : operation.run.directs) {
    if (!direct.are_integers || direct.count == 0) continue;
    const std::size_t none = operation.plain == &direct ? 0 : 1;  // of several another takes nothing
    front.least = std::max(operation.schema.least(direct), none);
    return found(front_call_of<Taking::integers>(direct), direct);
  }
  for (const Direct& direct : operation.run.directs) {
    const bool takes_list = direct.count > 0 && direct.takes[0] == SlotKind::list;
    if (takes_list && operation.schema.least(direct) == 1)
      return found(front_call_of<Taking::list>(direct), direct);
  }
  if (operation.plain == nullptr) return front;
  return found(front_call_of<Taking::nothing>(*operation.plain), *operation.plain);
}

PyObject* call_directly(const Operation& operation, bool is_method, PyObject* self,
                        PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  if (detail::watch != nullptr || (self == nullptr && device_of_scope())) return nullptr;
  Tensor* const tensor = self == nullptr ? nullptr : &tensor_of(self);
  if (names == nullptr && count == 0) {
    const bool is_long = operation.plain == nullptr || may_take_long(operation, tensor, no_work, true);
    return is_long ? nullptr : give(operation, *operation.plain, self, tensor, operation.plain_slots.data());
  }
  return call_with({arguments, count, names}, is_method || self == nullptr, operation, self, tensor);
}

}  // namespace tenstride::python
