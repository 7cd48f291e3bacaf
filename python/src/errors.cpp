// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "operations/call.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/reshape.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "types.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

/// Owned by the module for as long as the process lives.
struct Errors {
  PyObject *axis, *shape, *view, *no_copy, *scramble, *storage, *parse, *file, *not_exported, *overflow;
};
Errors errors;

PyObject* define(nb::module_& module, const char* name, PyObject* base, const char* doc) {
  const std::string full = std::string("tenstride.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
  if (type == nullptr) throw nb::python_error();
  module.attr(name) = nb::handle(type);
  return type;
}

/// Messages name arguments and scopes as C++ has them; these are Python's.
std::string in_python(std::string message) {
  for (const auto& [own, python] :
       {std::pair("copy = never", "copy=False"), std::pair("copy = if_needed", "copy=None"),
        std::pair("(Overwrite::refuse)", "(overwrite=True replaces it)"),
        std::pair("NoCopy::Allow", "NoCopy.Allow"), std::pair("NoScramble::Allow", "NoScramble.Allow")}) {
    for (std::size_t at = 0; (at = message.find(own, at)) != std::string::npos; at += std::strlen(python))
      message.replace(at, std::strlen(own), python);
  }
  return message;
}

/// A message as text; bytes that are no UTF-8 (of a path, of a file) as U+FFFD.
nb::object text_of(const std::string& message) {
  const std::string text = in_python(message);
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

/// Raises `type(message)`.
void raise_plain(PyObject* type, const std::string& message) {
  if (const nb::object text = text_of(message)) PyErr_SetObject(type, text.ptr());
}

/// Raises `type(message)` with fields that Python code can read.
template <typename... Fields>
void raise(PyObject* type, const std::string& message, const Fields&... fields) {
  const nb::object text = text_of(message);
  if (!text) return;
  const nb::object error = nb::steal(PyObject_CallFunctionObjArgs(type, text.ptr(), nullptr));
  if (!error) return;
  ((PyObject_SetAttrString(error.ptr(), fields.first, nb::object(fields.second).ptr())), ...);
  PyErr_SetObject(type, error.ptr());
}

PyObject* python_kind(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::index:
      return PyExc_IndexError;
    case ErrorKind::value:
      return PyExc_ValueError;
    case ErrorKind::type:
      return PyExc_TypeError;
    case ErrorKind::runtime:
      break;
  }
  return PyExc_RuntimeError;
}

PyObject* python_type(const std::string& name) {
  PyObject* type = PyDict_GetItemString(PyEval_GetBuiltins(), name.c_str());
  const bool is_error =
      type != nullptr && PyType_Check(type) && PyObject_IsSubclass(type, PyExc_Exception) == 1;
  return is_error ? type : PyExc_RuntimeError;
}

nb::object shape_of(const Dims& dims) {
  return nb::steal(new_size(dims));
}

}  // namespace

void define_errors(nb::module_& module) {
  errors.axis = define(module, "AxisError", PyExc_IndexError,
                       "An axis outside [-rank, rank-1]; `given`, `lowest` and `highest` say which.");
  errors.shape = define(module, "ShapeError", PyExc_RuntimeError,
                        "Sizes that do not fit; `source` and `target` are the two shapes.");
  errors.view =
      define(module, "ViewError", PyExc_RuntimeError,
             "No view of the sizes exists: the message says which axes cannot merge, and what to do.");
  errors.storage = define(module, "StorageError", PyExc_RuntimeError,
                          "Memory that is too short, cannot be had, or must not be written.");
  errors.parse = define(module, "ParseError", PyExc_ValueError,
                        "A text that does not parse; `position` is the byte where it stops making sense.");
  errors.file = define(module, "FileError", PyExc_RuntimeError,
                       "A file that cannot be read or written, or is not what it says; `path` names it.");
  const nb::object kinds = nb::steal(PyTuple_Pack(2, PyExc_RuntimeError, PyExc_OverflowError));
  errors.overflow =
      define(module, "IntOverflowError", kinds.ptr(),
             "An int, or a product of sizes, that does not fit 64 bits. Both a RuntimeError and an "
             "OverflowError: PyTorch raises now the one, now the other.");
  errors.no_copy =
      define(module, "NoCopyError", PyExc_RuntimeError, "A copy inside `NoCopy`; nothing of it was done.");
  errors.scramble =
      define(module, "ScrambleError", PyExc_RuntimeError,
             "A view or reshape inside `NoScramble` that was probably meant to be a transpose.");
  const nb::object bases = nb::make_tuple(nb::handle(PyExc_BufferError), nb::handle(PyExc_RuntimeError));
  errors.not_exported =
      define(module, "ExportError", bases.ptr(),
             "A tensor that DLPack cannot carry: a BufferError, as the array standard says, and a "
             "RuntimeError, as PyTorch 2.6 says.");
}

PyObject* export_error() noexcept {
  return errors.not_exported;
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const detail::NotationError& error) {
    raise_plain(python_type(error.type), error.message);
  } catch (const AxisError& error) {
    raise(errors.axis, error.what(), std::pair("given", nb::int_(error.given())),
          std::pair("lowest", nb::int_(error.lowest())), std::pair("highest", nb::int_(error.highest())));
  } catch (const ViewError& error) {
    raise(errors.view, error.what(), std::pair("source", shape_of(error.obstacle().from.shape)),
          std::pair("target", shape_of(error.obstacle().to)));
  } catch (const ShapeError& error) {
    raise(errors.shape, error.what(), std::pair("source", shape_of(error.from())),
          std::pair("target", shape_of(error.to())));
  } catch (const OverflowError& error) {
    raise(errors.overflow, error.what());
  } catch (const StorageError& error) {
    raise(errors.storage, error.what());
  } catch (const ParseError& error) {
    raise(errors.parse, error.what(), std::pair("position", nb::int_(error.position())));
  } catch (const FileError& error) {
    raise(errors.file, error.what(),
          std::pair("path", nb::steal(PyUnicode_DecodeFSDefault(error.path().c_str()))));
  } catch (const NoCopyError& error) {
    raise(errors.no_copy, error.what());
  } catch (const ScrambleError& error) {
    raise(errors.scramble, error.what());
  } catch (const Error& error) {
    raise_plain(python_kind(error.kind()), error.what());
  } catch (const nb::cast_error&) {
    PyErr_SetString(PyExc_TypeError, "tenstride: an argument is of a type that is not taken here");
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    raise_plain(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "tenstride: an unknown exception");
  }
}

}  // namespace tenstride::python
