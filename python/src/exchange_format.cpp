// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <utility>

#include "base/message.hpp"
#include "cpython.hpp"
#include "exchange.hpp"
#include "types.hpp"

/// Element types by the names that Python's `struct` and NumPy have for them.
namespace tenstride::python {
namespace {

namespace nb = nanobind;
using detail::message;

struct Code {
  std::string_view letters;
  DType dtype;
};

/// The sizes of C's types here, which '@' (and no sign at all) means.
constexpr DType signed_of(std::size_t size) {
  return size == 1 ? DType::int8 : size == 2 ? DType::int16 : size == 4 ? DType::int32 : DType::int64;
}
constexpr DType unsigned_of(std::size_t size) {
  return size == 1 ? DType::uint8 : size == 2 ? DType::uint16 : size == 4 ? DType::uint32 : DType::uint64;
}
constexpr std::array<Code, 16> common{{
    {"?", DType::bool_},
    {"b", DType::int8},
    {"B", DType::uint8},
    {"c", DType::uint8},
    {"h", DType::int16},
    {"H", DType::uint16},
    {"i", DType::int32},
    {"I", DType::uint32},
    {"q", DType::int64},
    {"Q", DType::uint64},
    {"e", DType::float16},
    {"f", DType::float32},
    {"d", DType::float64},
    {"Zf", DType::complex64},
    {"Zd", DType::complex128},
    // Python 3.14's `struct` writes complex numbers so.
    {"F", DType::complex64},
}};

std::optional<DType> find(std::string_view letters, bool is_native) {
  for (const Code& code : common) {
    if (code.letters == letters) return code.dtype;
  }
  if (letters == "D") return DType::complex128;
  if (letters == "l") return is_native ? signed_of(sizeof(long)) : DType::int32;
  if (letters == "L") return is_native ? unsigned_of(sizeof(long)) : DType::uint32;
  if (letters == "n" && is_native) return signed_of(sizeof(Py_ssize_t));
  if (letters == "N" && is_native) return unsigned_of(sizeof(std::size_t));
  return std::nullopt;
}

/// What is no number of ours, and what its owner can do.
std::string advice(std::string_view letters) {
  if (letters.starts_with("T{") || letters.find(':') != std::string_view::npos) {
    return "structures, whose fields must be given one by one, as a['name']";
  }
  if (letters == "g") return "long doubles; use .astype('float64') first";
  if (letters == "Zg") return "complex long doubles; use .astype('complex128') first";
  if (letters == "O") return "Python objects; use .astype('float64') first";
  if (letters.ends_with('s') || letters == "p") return "byte strings; use .view('uint8') first";
  if (letters.ends_with('w') || letters == "u") return "text, which is no number";
  return "elements that must be one of ? b B h H i I l L q Q e f d Zf Zd";
}

constexpr bool is_little = std::endian::native == std::endian::little;

}  // namespace

DType dtype_of_format(std::string_view format, Index item_size, std::string_view operation) {
  char order = '@';
  std::string_view letters = format;
  if (!letters.empty() && std::string_view("@=<>!^|").find(letters[0]) != std::string_view::npos) {
    order = letters[0];
    letters.remove_prefix(1);
  }
  const bool is_native_size = order == '@' || order == '^';
  const std::optional<DType> dtype = find(letters, is_native_size);
  if (!dtype) {
    throw TypeError(message(operation, ": the format '", format.substr(0, 40), "' means ", advice(letters)));
  }
  const bool is_big = order == '>' || order == '!';
  const bool is_swapped = (order == '<' && !is_little) || (is_big && is_little);
  if (is_swapped && tenstride::item_size(*dtype) > 1) {
    throw ValueError(message(operation, ": the format '", format,
                             "' means swapped bytes, which must be in this ",
                             "machine's order; use .astype(a.dtype.newbyteorder('=')) first"));
  }
  if (static_cast<Index>(tenstride::item_size(*dtype)) != item_size) {
    throw TypeError(message(operation, ": elements of ", item_size, " bytes must be as long as the format '",
                            format, "' says (", tenstride::item_size(*dtype), ")"));
  }
  return *dtype;
}

const char* buffer_format(DType dtype) {
  // 'l' where it is as long: NumPy's int64 is C's long there, and so stays itself.
  constexpr bool long_is_64 = sizeof(long) == 8;
  switch (dtype) {
    case DType::bool_:
      return "?";
    case DType::uint8:
      return "B";
    case DType::int8:
      return "b";
    case DType::uint16:
      return "H";
    case DType::int16:
      return "h";
    case DType::uint32:
      return "I";
    case DType::int32:
      return "i";
    case DType::uint64:
      return long_is_64 ? "L" : "Q";
    case DType::int64:
      return long_is_64 ? "l" : "q";
    case DType::float16:
      return "e";
    case DType::float32:
      return "f";
    case DType::float64:
      return "d";
    case DType::complex64:
      return "Zf";
    case DType::complex128:
      return "Zd";
    case DType::bfloat16:
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
    case DType::complex32:
      break;
  }
  return nullptr;
}

std::string array_type(DType dtype) {
  if (buffer_format(dtype) == nullptr) return {};
  constexpr std::string_view kinds = "buifc";
  const std::size_t size = item_size(dtype);
  const char order = size == 1 ? '|' : is_little ? '<' : '>';
  return message(order, kinds[static_cast<std::size_t>(kind(dtype))], size);
}

std::optional<DType> to_dtype(nb::handle object, std::string_view operation) {
  if (object.is_none()) return std::nullopt;
  if (nb::isinstance<DTypeObject>(object)) return nb::cast<DTypeObject>(object).value;
  const std::pair<PyTypeObject*, DType> own[] = {{&PyFloat_Type, DType::float64},
                                                 {&PyLong_Type, DType::int64},
                                                 {&PyBool_Type, DType::bool_},
                                                 {&PyComplex_Type, DType::complex128}};
  for (const auto& [type, dtype] : own) {
    if (object.ptr() == reinterpret_cast<PyObject*>(type)) return dtype;
  }
  if (nb::isinstance<nb::str>(object)) {
    const std::string text = nb::cast<std::string>(object);
    if (const std::optional<DType> dtype = parse_dtype(text)) return dtype;
    throw TypeError(message(operation, ": dtype '", text, "' must name an element type"));
  }
  throw TypeError(message(operation, ": dtype must be a tenstride dtype, its name or one of Python's types (",
                          name_of_type(object), ")"));
}

std::optional<Device> to_device(nb::handle object, std::string_view operation) {
  if (object.is_none()) return std::nullopt;
  if (nb::isinstance<DeviceObject>(object)) return nb::cast<DeviceObject>(object).value;
  if (nb::isinstance<nb::str>(object)) {
    const std::string text = nb::cast<std::string>(object);
    if (const std::optional<Device> device = Device::parse(text)) return device;
    throw RuntimeError(message(operation, ": device '", text,
                               "' must be cpu, meta, cuda, mps or xpu, with an index or without ('cuda:1')"));
  }
  throw TypeError(message(operation, ": device must be a device or its name (", name_of_type(object), ")"));
}

CopyRule to_copy_rule(nb::handle object, std::string_view operation) {
  if (object.is_none()) return CopyRule::if_needed;
  if (object.ptr() == Py_True) return CopyRule::always;
  if (object.ptr() == Py_False) return CopyRule::never;
  throw TypeError(message(operation, ": copy must be True, False or None (", name_of_type(object), ")"));
}

void throw_python(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

}  // namespace tenstride::python
