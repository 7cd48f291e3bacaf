// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/message.hpp"
#include "cpython.hpp"
#include "module_parts.hpp"
#include "types.hpp"

/// The binding's functions are objects whose first steps CPython finds through a pointer in the object. The
/// pointer is replaced by one to a function that calls the first and rewrites its refusal.
namespace tenstride::python {
namespace {

namespace nb = nanobind;

constexpr std::string_view mark = "(): incompatible function arguments.";

/// What stands between two texts; empty where they are not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  return text.substr(0, text.find(after));
}

/// The name that a function of the package has for its users: "pack" of "_pack".
std::string_view public_name(std::string_view name) {
  const bool is_private = name.starts_with('_') && !name.starts_with("__");
  return name.substr(is_private ? 1 : 0);
}

/// The refusal in the library's words: the name, what was given, and the signatures.
std::string rewritten(std::string_view text) {
  const std::string_view name = public_name(text.substr(0, text.find(mark)));
  const std::string_view given = between(text, "Invoked with types: ", "\n");
  std::string signatures;
  std::string_view lines = between(text, "supported:\n", "\n\n");
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const std::size_t begin = line.find(". ");
    if (begin == std::string_view::npos) continue;
    if (!signatures.empty()) signatures += " or ";
    signatures += public_name(line.substr(begin + 2));
  }
  return detail::message(name, ": the arguments (", given, ") must fit ", signatures);
}

void rewrite_error() {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  const nb::object text = nb::steal(value == nullptr ? nullptr : PyObject_Str(value));
  const char* const bytes = text ? PyUnicode_AsUTF8AndSize(text.ptr(), nullptr) : nullptr;
  const std::string given = bytes == nullptr ? "" : bytes;
  if (given.find(mark) == std::string::npos) {
    PyErr_Restore(type, value, trace);
    return;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_SetString(PyExc_TypeError, rewritten(given).c_str());
}

/// The binding has a handful of such first steps, by the number and the kinds of arguments.
constexpr std::size_t max_steps = 16;
using Steps = std::array<vectorcallfunc, max_steps>;
Steps steps{};

template <std::size_t At>
PyObject* checked_step(PyObject* function, PyObject* const* arguments, std::size_t count, PyObject* names) {
  PyObject* const result = steps[At](function, arguments, count, names);
  if (result == nullptr) rewrite_error();
  return result;
}

/// Of a method of Tensor, which takes its `self` as any object: `Tensor.numpy(5)` must not reach it.
template <std::size_t At>
PyObject* tensor_step(PyObject* function, PyObject* const* arguments, std::size_t count, PyObject* names) {
  if (PyVectorcall_NARGS(count) > 0 && !is_tensor(arguments[0])) {
    const nb::object name = nb::getattr(nb::handle(function), "__name__", nb::str("Tensor"));
    PyErr_Format(PyExc_TypeError, "%U: self must be a Tensor, %s is given", name.ptr(),
                 name_of_type(arguments[0]).c_str());
    return nullptr;
  }
  return checked_step<At>(function, arguments, count, names);
}

template <std::size_t... At>
constexpr Steps checked_steps_of(std::index_sequence<At...>) {
  return {checked_step<At>...};
}
template <std::size_t... At>
constexpr Steps tensor_steps_of(std::index_sequence<At...>) {
  return {tensor_step<At>...};
}
constexpr Steps checked_steps = checked_steps_of(std::make_index_sequence<max_steps>());
constexpr Steps tensor_steps = tensor_steps_of(std::make_index_sequence<max_steps>());

/// Where CPython finds the first step of a function of the binding; nullptr for other objects.
vectorcallfunc* step_of(PyObject* object) {
  const std::string type = name_of_type(object);
  const bool is_bound = type.ends_with("nb_func") || type.ends_with("nb_method");
#if defined(Py_LIMITED_API)
  const Py_ssize_t offset = sizeof(PyVarObject);  // nanobind's first field
#else
  const Py_ssize_t offset = Py_TYPE(object)->tp_vectorcall_offset;
#endif
  if (!is_bound || offset <= 0) return nullptr;
  return reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(object) + offset);
}

void put_in_front_of(PyObject* object, const Steps& ours) {
  vectorcallfunc* const step = step_of(object);
  if (step == nullptr || *step == nullptr) return;
  for (std::size_t at = 0; at < max_steps; ++at) {
    if (*step == checked_steps[at] || *step == tensor_steps[at]) return;
    if (steps[at] == nullptr) steps[at] = *step;
    if (steps[at] != *step) continue;
    *step = ours[at];
    return;
  }
}

void visit_members(const nb::dict& members, const Steps& ours) {
  for (const auto& [name, member] : members) {
    put_in_front_of(member.ptr(), ours);
    if (PyObject_TypeCheck(member.ptr(), &PyProperty_Type) == 0) continue;
    for (const char* const part : {"fget", "fset"}) {
      const nb::object function = nb::getattr(member, part, nb::none());
      put_in_front_of(function.ptr(), ours);
    }
  }
}

nb::dict members_of(nb::handle type) {
  nb::dict members;
  members.update(type.attr("__dict__"));
  return members;
}

}  // namespace

void put_refusals_in_front(nb::module_& module) {
  const auto members = nb::borrow<nb::dict>(module.attr("__dict__"));
  visit_members(members, checked_steps);
  for (const auto& [name, member] : members) {
    if (PyModule_Check(member.ptr()) != 0) {
      visit_members(nb::borrow<nb::dict>(PyModule_GetDict(member.ptr())), checked_steps);
    }
    if (PyType_Check(member.ptr()) == 0) continue;
    const bool are_tensors = member.is(module.attr("Tensor"));
    visit_members(members_of(member), are_tensors ? tensor_steps : checked_steps);
    for (const auto& [inner_name, inner] : members_of(member)) {
      if (PyType_Check(inner.ptr()) != 0) visit_members(members_of(inner), checked_steps);
    }
  }
}

}  // namespace tenstride::python
