// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/message.hpp"
#include "cpython.hpp"
#include "defaults.hpp"
#include "direct.hpp"
#include "documentation.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "gil.hpp"
#include "ledger.hpp"
#include "operations/call.hpp"
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

bool may_take_long(const Operation& operation, const Call& call) {
  if (operation.op_class == OpClass::view || operation.op_class == OpClass::query ||
      operation.op_class == OpClass::view_or_self) {
    return false;
  }
  return !call.has_self() || call.self().numel() >= elements_without_gil;
}

Value run(const Operation& operation, Call& call) {
  if (operation.draws_numbers) {
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
PyObject* from_tensor(const Call& call, const Given& given, const Value& value,
                      const Given::value_type* twin = nullptr) {
  const Tensor& made = *value.tensor();
  PyObject* same =
      twin != nullptr && twin->first->is_same(made) ? twin->second.ptr() : find_given(given, &made);
  if (same == nullptr && kind_of(call, made) == StepKind::self && call.has_self()) {
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

PyObject* from_result(const Call& call, const Given& given, const Value& result) {
  if (result.tensor() != nullptr) return from_tensor(call, given, result);
  const Value::Sequence* items = result.sequence();
  const bool holds_tensors = items != nullptr && !items->items.empty() && items->items[0].tensor() != nullptr;
  if (!holds_tensors) return from_value(result);
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(items->items.size())));
  if (!tuple) throw nb::python_error();
  const bool has_twins =
      call.operation().op_class == OpClass::view_or_self && given.size() == items->items.size();
  for (std::size_t i = 0; i < items->items.size(); ++i) {
    NB_TUPLE_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                      from_tensor(call, given, items->items[i], has_twins ? &given[i] : nullptr));
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
  const bool is_factory = operation.schema.find("requires_grad") < operation.schema.parameters.size();
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
    if (operation.name.starts_with("index_put")) {
      for (const Tensor& index : call.tensors(0)) warn_of_old_mask(index);
    }
    const LedgerPlaces places;
    const Value result = run(operation, call);
    for (const Out& out : outs) warn_of_resized(operation, out);
    return from_result(call, given, result);
  });
}

PyObject* call_in_full(const FrontCall& front, PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                       PyObject* names) {
  const Operation& operation = *front.operation;
  const bool takes_self = operation.schema.takes_self();
  PyObject* receiver = self;
  const Py_ssize_t first = !front.is_method && takes_self && count > 0 ? 1 : 0;
  if (first == 1) receiver = is_tensor(arguments[0]) ? arguments[0] : nullptr;
  if (receiver != nullptr || !takes_self) {
    PyObject* const result =
        call_directly(operation, front.is_method, receiver, arguments + first, count - first, names);
    if (is_done(result)) return result;
  }
  return invoke(operation, self, arguments, count, names);
}

PyObject* call_otherwise(const FrontCall& front, PyObject* self, PyObject* const* arguments,
                         Py_ssize_t count) {
  if (front.is_method) return call_in_full(front, self, arguments, count, nullptr);
  return call_in_full(front, nullptr, arguments - 1, count + 1, nullptr);
}

/// CPython's methods carry no data of ours: each entry has a function of its own that knows its number.
struct Entry {
  FrontCall front;
  PyMethodDef definition{};
  std::string text;
};
std::array<Entry, 1024> entries;
std::size_t entry_count = 0;

using Function = PyObject* (*)(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names);

template <std::size_t at>
PyObject* call_entry(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  const FrontCall& front = entries[at].front;
  if (names == nullptr && front.first != nullptr) {
    if (front.is_method) return front.first(front, self, arguments, count);
    if (count > 0 && is_tensor(arguments[0]))
      return front.first(front, arguments[0], arguments + 1, count - 1);
  }
  return call_in_full(front, front.is_method ? self : nullptr, arguments, count, names);
}

template <std::size_t... at>
constexpr std::array<Function, sizeof...(at)> functions_of(std::index_sequence<at...>) {
  return {call_entry<at>...};
}
constexpr auto functions = functions_of(std::make_index_sequence<std::tuple_size_v<decltype(entries)>>());

PyMethodDef* add(const Operation& operation, Form form) {
  if (entry_count == entries.size()) throw RuntimeError("tenstride: more operations than entries");
  Entry& entry = entries[entry_count];
  entry.front = find_front_call(operation, form == Form::method, call_otherwise);
  entry.text = documentation(operation, form);
  entry.definition = {short_name(operation),
                      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(functions[entry_count++])),
                      METH_FASTCALL | METH_KEYWORDS, entry.text.c_str()};
  return &entry.definition;
}

std::deque<FrontCall> attributes;

PyObject* get_attribute(PyObject* self, void* attribute) {
  const auto& front = *static_cast<const FrontCall*>(attribute);
  return (front.first != nullptr ? front.first : front.otherwise)(front, self, nullptr, 0);
}

/// `x.real = value`.
int set_attribute(PyObject* self, PyObject* value, void* attribute) {
  const std::string_view name = static_cast<const FrontCall*>(attribute)->operation->name;
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

/// The table as the stubs' generator reads it: (name, form, type of self, parameters, result) in order
/// of form and name; a parameter is (name, type, default, is spread, is named, takes all names).
nb::list operations() {
  const auto text = [](std::string_view value) { return nb::str(value.data(), value.size()); };
  nb::list rows;
  for (const auto& [form, form_name] :
       {std::pair(Form::method, "method"), std::pair(Form::function, "function"),
        std::pair(Form::attribute, "attribute")}) {
    for (const std::string& name : detail::operation_names(form)) {
      const Operation& operation = *detail::find_operation(name, form);
      nb::list parameters;
      for (const detail::Parameter& parameter : operation.parameters(form == Form::method)) {
        parameters.append(nb::make_tuple(text(parameter.name), text(parameter.type),
                                         text(parameter.otherwise), parameter.is_spread,
                                         parameter.is_keyword_only, parameter.is_any));
      }
      rows.append(nb::make_tuple(text(name), form_name, text(operation.schema.self), parameters,
                                 text(operation.schema.result)));
    }
  }
  return rows;
}

}  // namespace

void define_methods(nb::handle type) {
  auto* object = reinterpret_cast<PyTypeObject*>(type.ptr());
  for (const std::string& name : detail::operation_names(Form::method)) {
    const nb::object method =
        nb::steal(PyDescr_NewMethod(object, add(*detail::find_operation(name, Form::method), Form::method)));
    if (!method) throw nb::python_error();
    nb::setattr(type, name.c_str(), method);
  }
  static std::deque<PyGetSetDef> definitions;
  for (const std::string& name : detail::operation_names(Form::attribute)) {
    const Operation& operation = *detail::find_operation(name, Form::attribute);
    attributes.push_back(find_front_call(operation, true, call_otherwise));
    definitions.push_back({short_name(operation), get_attribute,
                           detail::is_part(name) ? set_attribute : nullptr, operation.text.data(),
                           &attributes.back()});
    const nb::object attribute = nb::steal(PyDescr_NewGetSet(object, &definitions.back()));
    if (!attribute) throw nb::python_error();
    nb::setattr(type, name.c_str(), attribute);
  }
}

void define_functions(nb::module_& module) {
  const nb::module_ linalg = module.def_submodule("linalg", "Operations of `torch.linalg`.");
  const nb::object module_name = module.attr("__name__");
  for (const std::string& name : detail::operation_names(Form::function)) {
    PyMethodDef* const definition = add(*detail::find_operation(name, Form::function), Form::function);
    const nb::object function = nb::steal(PyCFunction_NewEx(definition, nullptr, module_name.ptr()));
    if (!function) throw nb::python_error();
    const nb::handle home = name.starts_with("linalg.") ? nb::handle(linalg) : nb::handle(module);
    if (!nb::hasattr(home, definition->ml_name)) nb::setattr(home, definition->ml_name, function);
  }
  module.def("_operations", operations,
             "The table of operations: (name, form, type of self, parameters, result).");
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
