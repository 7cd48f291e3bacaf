// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/message.hpp"
#include "cpython.hpp"
#include "defaults.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "gil.hpp"
#include "ledger.hpp"
#include "old_masks.hpp"
#include "operations/call.hpp"
#include "quick.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;
using detail::Argument;
using detail::Call;
using detail::Form;
using detail::OpClass;
using detail::Operation;

/// The random numbers of the whole process; `session_guard` is taken without the GIL.
detail::Session session;
std::mutex session_guard;

bool draws_numbers(const Operation& operation) {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Operation& random : detail::random_operations()) all.push_back(random.name);
    return all;
  }();
  return std::find(names.begin(), names.end(), operation.name) != names.end();
}

bool may_take_long(const Operation& operation, const Call& call) {
  if (operation.op_class == OpClass::view || operation.op_class == OpClass::query ||
      operation.op_class == OpClass::view_or_self) {
    return false;
  }
  return !call.has_self() || call.self().numel() >= elements_without_gil;
}

Value run(const Operation& operation, Call& call) {
  if (draws_numbers(operation)) {
    const nb::gil_scoped_release released;
    const std::lock_guard guard(session_guard);
    return call.run();
  }
  return without_gil(may_take_long(operation, call), [&] { return call.run(); });
}

/// The object that holds the tensor, where the call was given it; else null.
PyObject* find_given(const Given& given, const Tensor* tensor) {
  for (const auto& [held, object] : given) {
    if (held == tensor) return object.ptr();
  }
  return nullptr;
}

/// A tensor that the call gives back: one that it was given stays the very same object, as in PyTorch.
/// `twin` is the one of the given tensors that the result stands for, where there is one for each.
PyObject* from_tensor(const Call& call, const Layout& before, const Given& given, const Value& value,
                      const Given::value_type* twin = nullptr) {
  const Tensor& made = *value.tensor();
  PyObject* same =
      twin != nullptr && twin->first->is_same(made) ? twin->second.ptr() : find_given(given, &made);
  if (same == nullptr && kind_of(call, before, made) == StepKind::self && call.has_self()) {
    same = find_given(given, &call.self());
  }
  if (same == nullptr && call.operation().op_class == OpClass::view_or_self) {
    const auto is_made = [&](const auto& entry) { return entry.first->is_same(made); };
    const auto found = std::find_if(given.begin(), given.end(), is_made);
    if (found != given.end()) same = found->second.ptr();
  }
  if (same == nullptr) return new_tensor(made);
  Py_INCREF(same);
  return same;
}

PyObject* from_result(const Call& call, const Layout& before, const Given& given, const Value& result) {
  if (result.tensor() != nullptr) return from_tensor(call, before, given, result);
  const Value::Sequence* items = result.sequence();
  const bool holds_tensors = items != nullptr && !items->items.empty() && items->items[0].tensor() != nullptr;
  if (!holds_tensors) return from_value(result);
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(items->items.size())));
  if (!tuple) throw nb::python_error();
  const bool has_twins =
      call.operation().op_class == OpClass::view_or_self && given.size() == items->items.size();
  for (std::size_t i = 0; i < items->items.size(); ++i) {
    NB_TUPLE_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                      from_tensor(call, before, given, items->items[i], has_twins ? &given[i] : nullptr));
  }
  // `x.max(1)` gives a tuple whose parts have names.
  const std::string_view name = call.operation().name;
  if (items->items.size() == 2 && (name == "max" || name == "min")) {
    const nb::object type =
        nb::module_::import_("tenstride._return_types").attr(name == "max" ? "max" : "min");
    return PyObject_CallObject(type.ptr(), tuple.ptr());
  }
  return tuple.release().ptr();
}

/// A tensor given as `out` and the shape it has before the call.
struct Out {
  Value tensor;
  Dims shape;
};

std::vector<Out> find_outs(const std::vector<Argument>& arguments) {
  std::vector<Out> outs;
  const auto add = [&](const Value& value) {
    if (value.tensor() != nullptr) outs.push_back({value, value.tensor()->shape()});
  };
  for (const Argument& argument : arguments) {
    if (argument.keyword != "out") continue;
    add(argument.value);
    if (argument.value.sequence() == nullptr) continue;
    for (const Value& one : argument.value.sequence()->items) add(one);
  }
  return outs;
}

/// Warns, as PyTorch does, where a tensor given as `out` had elements and was resized: not of factories, but
/// of arange.
void warn_of_resized(const Operation& operation, const Out& out) {
  const Dims& shape = out.tensor.tensor()->shape();
  if (shape == out.shape || count_elements(out.shape) == 0 || operation.name == "narrow_copy") return;
  const bool is_factory = operation.parameters.find("requires_grad?") != std::string_view::npos;
  if (is_factory && operation.name != "arange") return;
  const std::string text =
      is_factory ? detail::message("arange: out of shape ", out.shape,
                                   " does not have as many elements as the range, ", count_elements(shape),
                                   ", and gets its shape")
                 : detail::message(
                       operation.name, ": out of shape ", out.shape, " was resized to the result's, ", shape,
                       "; this is deprecated, give one of that shape or resize it to zero elements first,"
                       " out.resize_(0)");
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
}

PyObject* invoke(const Operation& operation, PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                 PyObject* names) {
  return guarded([&] {
    Given given;
    std::optional<Value> receiver;
    if (self != nullptr) receiver = to_value(self, given);
    std::vector<Argument> values;
    const Py_ssize_t named = names == nullptr ? 0 : NB_TUPLE_GET_SIZE(names);
    values.reserve(static_cast<std::size_t>(count + named));
    nb::object data;  // as lists, for as long as the call takes
    if (operation.name == "new_tensor" && count > 0) data = with_lists(arguments[0]);
    for (Py_ssize_t i = 0; i < count; ++i) {
      values.push_back({to_value(i == 0 && data ? data.ptr() : arguments[i], given), {}, {}});
    }
    for (Py_ssize_t i = 0; i < named; ++i) {
      const char* name = PyUnicode_AsUTF8AndSize(NB_TUPLE_GET_ITEM(names, i), nullptr);
      if (name == nullptr) throw nb::python_error();
      values.push_back({to_value(arguments[count + i], given), {}, name});
    }
    const std::vector<Out> outs = named > 0 ? find_outs(values) : std::vector<Out>();
    Call call(operation, session, {}, std::move(receiver), std::move(values));
    if (const std::optional<Device> device = device_of_scope()) call.set_default_device(*device);
    const Layout before = call.has_self() ? call.self().layout() : Layout{};
    if (operation.name.starts_with("index_put")) {
      for (const Tensor& index : call.tensors(0)) warn_of_old_mask(index);
    }
    const LedgerPlaces places;
    const Value result = run(operation, call);
    for (const Out& out : outs) warn_of_resized(operation, out);
    return from_result(call, before, given, result);
  });
}

/// CPython's methods carry no data of ours: each slot is a function of its own that knows its number.
constexpr std::size_t slots = 512;
struct Table {
  std::array<const Operation*, slots> operations{};
  std::array<PyMethodDef, slots> definitions{};
  std::array<Method, slots> quick{};
  std::array<Function, slots> quick_function{};
  /// Whether a method takes its sizes spelled out: a function takes them in brackets alone.
  std::array<bool, slots> is_spread{};
  std::vector<std::string> docs = std::vector<std::string>(slots);
  std::size_t count = 0;
};
Table methods;
Table functions;
std::map<std::string_view, Method> in_front;
std::map<std::string_view, Attribute> attributes_in_front;
std::map<std::string_view, Function> functions_in_front;

template <std::size_t Slot>
PyObject* method_of(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  if (const Method quick = methods.quick[Slot]) {
    PyObject* result = quick(self, arguments, count, names);
    if (is_done(result)) return result;
  }
  return invoke(*methods.operations[Slot], self, arguments, count, names);
}
template <std::size_t Slot>
PyObject* function_of(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  const bool is_listed = !functions.is_spread[Slot] || count < 2 || PyLong_Check(arguments[1]) == 0;
  if (const Method quick = functions.quick[Slot];
      quick != nullptr && count > 0 && is_listed && is_tensor(arguments[0])) {
    PyObject* result = quick(arguments[0], arguments + 1, count - 1, names);
    if (is_done(result)) return result;
  } else if (const Function made = functions.quick_function[Slot]) {
    PyObject* result = made(arguments, count, names);
    if (is_done(result)) return result;
  }
  return invoke(*functions.operations[Slot], nullptr, arguments, count, names);
}

template <std::size_t... Slot>
constexpr std::array<Method, slots> methods_of(std::index_sequence<Slot...>) {
  return {method_of<Slot>...};
}
template <std::size_t... Slot>
constexpr std::array<Method, slots> functions_of(std::index_sequence<Slot...>) {
  return {function_of<Slot>...};
}
constexpr std::array<Method, slots> method_slots = methods_of(std::make_index_sequence<slots>());
constexpr std::array<Method, slots> function_slots = functions_of(std::make_index_sequence<slots>());

PyMethodDef* add(Table& table, const std::array<Method, slots>& code, const Operation& operation,
                 const char* name, Form form) {
  if (table.count == slots) throw RuntimeError("tenstride: more operations than slots");
  const std::size_t slot = table.count++;
  table.operations[slot] = &operation;
  const std::string_view first = operation.parameters.substr(0, operation.parameters.find(' '));
  table.is_spread[slot] = first.find("...") != std::string_view::npos;
  table.docs[slot] = documentation(operation, form);
  table.definitions[slot] = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(code[slot])),
                             METH_FASTCALL | METH_KEYWORDS, table.docs[slot].c_str()};
  return &table.definitions[slot];
}

PyObject* get_attribute(PyObject* self, void* operation) {
  return invoke(*static_cast<const Operation*>(operation), self, nullptr, 0, nullptr);
}

/// `x.real = value`.
int set_attribute(PyObject* self, PyObject* value, void* operation) {
  const std::string_view name = static_cast<const Operation*>(operation)->name;
  PyObject* const done = guarded([&]() -> PyObject* {
    if (value == nullptr) {
      throw_python(PyExc_AttributeError, detail::message(name, ": a part of a tensor cannot be deleted"));
    }
    const Tensor& tensor = tensor_of(self);
    static_cast<void>(detail::part_of(tensor, name));  // a real tensor is refused first
    const bool is_number = PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value);
    if (!is_number && !is_tensor(value)) {
      throw TypeError(detail::message(name, ": what is assigned must be a number or a Tensor, not ",
                                      name_of_type(value)));
    }
    Given given;
    const Value written = to_value(value, given);
    const LedgerPlaces places;
    without_gil(tensor.numel() >= elements_without_gil,
                [&] { static_cast<void>(detail::write_part(tensor, name, written)); });
    return nb::none().release().ptr();
  });
  if (done == nullptr) return -1;
  Py_DECREF(done);
  return 0;
}

std::vector<std::string> sorted_names(Form form) {
  std::vector<std::string> names = detail::operation_names(form);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string_view class_name(OpClass op_class) {
  switch (op_class) {
    case OpClass::query:
      return "query";
    case OpClass::fresh:
      return "fresh";
    case OpClass::view:
      return "view";
    case OpClass::view_or_self:
      return "view_or_self";
    case OpClass::view_or_copy:
      return "view_or_copy";
    case OpClass::self_or_copy:
      return "self_or_copy";
    case OpClass::copy:
      return "copy";
    case OpClass::in_place:
      return "in_place";
  }
  return "";
}

/// The table as the stubs' generator reads it: (name, form, class, parameters) in order of form and name.
nb::list operations() {
  const auto text = [](std::string_view value) { return nb::str(value.data(), value.size()); };
  nb::list rows;
  for (const auto& [form, form_name] :
       {std::pair(Form::method, "method"), std::pair(Form::function, "function"),
        std::pair(Form::attribute, "attribute")}) {
    for (const std::string& name : sorted_names(form)) {
      const Operation& operation = *detail::find_operation(name, form);
      rows.append(nb::make_tuple(text(name), form_name, text(class_name(operation.op_class)),
                                 text(detail::parameters_of(operation, form))));
    }
  }
  return rows;
}

}  // namespace

void put_in_front(std::string_view name, Method quick) {
  in_front.emplace(name, quick);
}

void put_in_front(std::string_view name, Attribute quick) {
  attributes_in_front.emplace(name, quick);
}
void put_in_front(std::string_view name, Function quick) {
  functions_in_front.emplace(name, quick);
}

void define_methods(nb::handle type) {
  auto* object = reinterpret_cast<PyTypeObject*>(type.ptr());
  for (const std::string& name : sorted_names(Form::method)) {
    const Operation& operation = *detail::find_operation(name, Form::method);
    PyMethodDef* definition = add(methods, method_slots, operation, operation.name.data(), Form::method);
    if (const auto quick = in_front.find(operation.name); quick != in_front.end()) {
      methods.quick[methods.count - 1] = quick->second;
    }
    const nb::object method = nb::steal(PyDescr_NewMethod(object, definition));
    if (!method) throw nb::python_error();
    nb::setattr(type, name.c_str(), method);
  }
  static std::vector<PyGetSetDef> attributes;
  const std::vector<std::string> names = sorted_names(Form::attribute);
  attributes.reserve(names.size());
  static std::vector<std::string> docs;
  docs.reserve(names.size());
  for (const std::string& name : names) {
    const Operation& operation = *detail::find_operation(name, Form::attribute);
    docs.push_back(documentation(operation, Form::attribute));
    const auto quick = attributes_in_front.find(operation.name);
    const Attribute get = quick == attributes_in_front.end() ? get_attribute : quick->second;
    attributes.push_back({operation.name.data(), get, detail::is_part(name) ? set_attribute : nullptr,
                          docs.back().c_str(), const_cast<Operation*>(&operation)});
    const nb::object attribute = nb::steal(PyDescr_NewGetSet(object, &attributes.back()));
    if (!attribute) throw nb::python_error();
    nb::setattr(type, name.c_str(), attribute);
  }
}

void define_functions(nb::module_& module) {
  nb::module_ linalg = module.def_submodule("linalg", "Operations of `torch.linalg`.");
  const nb::object module_name = module.attr("__name__");
  for (const std::string& name : sorted_names(Form::function)) {
    const Operation& operation = *detail::find_operation(name, Form::function);
    const bool is_linalg = name.starts_with("linalg.");
    const char* short_name = operation.name.data() + (is_linalg ? std::string_view("linalg.").size() : 0);
    PyMethodDef* definition = add(functions, function_slots, operation, short_name, Form::function);
    const std::size_t slot = functions.count - 1;
    // Only of the very same operation: a method may have a namesake.
    if (const auto quick = in_front.find(operation.name);
        quick != in_front.end() && detail::find_operation(name, Form::method) == &operation) {
      functions.quick[slot] = quick->second;
    } else if (const auto made = functions_in_front.find(operation.name); made != functions_in_front.end()) {
      functions.quick_function[slot] = made->second;
    }
    const nb::object function = nb::steal(PyCFunction_NewEx(definition, nullptr, module_name.ptr()));
    if (!function) throw nb::python_error();
    nb::handle home = is_linalg ? nb::handle(linalg) : nb::handle(module);
    if (!nb::hasattr(home, short_name)) nb::setattr(home, short_name, function);
  }
  module.def("_operations", operations, "The table of operations: (name, form, class, parameters).");
  module.def(
      "manual_seed",
      [](std::int64_t seed) {
        const nb::gil_scoped_release released;
        const std::lock_guard guard(session_guard);
        session.generator.manual_seed(static_cast<std::uint64_t>(seed));
      },
      nb::arg("seed"),
      "Begins the random numbers anew: the same seed gives the same numbers as PyTorch's.\n\n"
      ">>> torch.manual_seed(0)\n>>> torch.rand(2)\ntensor([0.4963, 0.7682])\n");
}

PyObject* call_method(std::string_view name, PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* names) {
  const Operation* operation = detail::find_operation(name, Form::method);
  if (operation == nullptr) {
    PyErr_Format(PyExc_AttributeError, "Tensor has no operation '%.*s'", static_cast<int>(name.size()),
                 name.data());
    return nullptr;
  }
  return invoke(*operation, self, arguments, count, names);
}

}  // namespace tenstride::python
