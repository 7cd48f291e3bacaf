// SPDX-License-Identifier: Apache-2.0
#include "cpython.hpp"

namespace tenstride::python {

namespace nb = nanobind;

std::string name_of_type(nb::handle object) {
#if defined(Py_LIMITED_API)
  const nb::handle type = object.type();
  std::string name = nb::cast<std::string>(type.attr("__name__"));
  const auto flags = PyType_GetFlags(reinterpret_cast<PyTypeObject*>(type.ptr()));
  // Of types that are compiled in, the name of their module is a part of the name.
  if ((flags & Py_TPFLAGS_HEAPTYPE) != 0) return name;
  const std::string module = nb::cast<std::string>(type.attr("__module__"));
  return module == "builtins" ? name : module + "." + name;
#else
  return Py_TYPE(object.ptr())->tp_name;
#endif
}

Py_ssize_t length_hint(PyObject* object) noexcept {
#if defined(Py_LIMITED_API)
  const nb::object hint =
      nb::steal(PyObject_CallMethod(nb::module_::import_("operator").ptr(), "length_hint", "O", object));
  return hint ? PyLong_AsSsize_t(hint.ptr()) : -1;
#else
  return PyObject_LengthHint(object, 0);
#endif
}

std::complex<double> complex_number(PyObject* object) {
#if defined(Py_LIMITED_API)
  nb::object made = nb::borrow(object);
  if (PyComplex_Check(object) == 0) {
    made = nb::steal(PyObject_CallMethod(object, "__complex__", nullptr));
    if (!made) return {};
  }
  return {PyComplex_RealAsDouble(made.ptr()), PyComplex_ImagAsDouble(made.ptr())};
#else
  const Py_complex value = PyComplex_AsCComplex(object);
  return {value.real, value.imag};
#endif
}

}  // namespace tenstride::python
