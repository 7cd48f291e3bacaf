// SPDX-License-Identifier: Apache-2.0
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>

#include "base/message.hpp"
#include "cpython.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "exchange_bytes.hpp"
#include "types.hpp"

/// Arrays that describe themselves by `__array_interface__`
/// (https://numpy.org/doc/stable/reference/arrays.interface.html).
namespace tenstride::python {
namespace {

namespace nb = nanobind;
using detail::message;

constexpr std::array letters{DType::bool_,     DType::uint8,     DType::int8,    DType::uint16,
                             DType::int16,     DType::uint32,    DType::int32,   DType::uint64,
                             DType::int64,     DType::float16,   DType::float32, DType::float64,
                             DType::complex64, DType::complex128};

/// What keeps the memory: the object, and the view of the buffer that it names instead of an address.
struct Keeper {
  nb::object object;
  nb::object view;

  Keeper(nb::handle of, nb::object seen) : object(nb::borrow(of)), view(std::move(seen)) {}
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() {
    if (Py_IsInitialized() == 0) {
      object.release();
      view.release();
      return;
    }
    const nb::gil_scoped_acquire held;
    object.reset();
    view.reset();
  }
};

[[noreturn]] void refuse(std::string_view operation, std::string_view what) {
  throw ValueError(message(operation, ": the object's __array_interface__ must ", what));
}

/// The type that "<f4" names; swapped bytes and what is no number are refused as those of buffers are.
DType dtype_of_type(const std::string& type, std::string_view operation) {
  for (const DType dtype : letters) {
    const std::string own = array_type(dtype);
    if (own.size() != type.size() || own.substr(1) != type.substr(1)) continue;
    if (own == type || item_size(dtype) == 1 || type[0] == '=') return dtype;
    const std::string swapped = message(own[0] == '<' ? '>' : '<', buffer_format(dtype));
    return dtype_of_format(swapped, static_cast<Index>(item_size(dtype)), operation);
  }
  throw TypeError(
      message(operation, ": the elements '", type, "' of an __array_interface__ must be numbers"));
}

Dims sizes_of(nb::handle given, std::string_view operation) {
  if (!nb::isinstance<nb::tuple>(given)) refuse(operation, "have tuples as shape and strides");
  Dims sizes;
  for (const nb::handle size : given) sizes.push_back(nb::cast<Index>(size));
  return sizes;
}

/// Throws ValueError where the first or the last byte is none that this process can read: what lies in
/// between nobody can know.
void require_readable(const std::byte* start, const Layout& layout, Index size, std::string_view operation) {
#ifdef __linux__
  const std::optional<Reach> touched = reach(layout, operation);
  if (!touched) return;
  for (const Index position : {touched->lowest, checked_add(touched->highest, size - 1, operation)}) {
    const auto address = reinterpret_cast<std::uintptr_t>(start) + static_cast<std::uintptr_t>(position);
    std::byte read{};
    const iovec own{&read, 1};
    const iovec other{reinterpret_cast<void*>(address), 1};
    const bool is_read = process_vm_readv(getpid(), &own, 1, &other, 1, 0) == 1;
    if (!is_read && errno == EFAULT)
      refuse(operation, "have data that can be read, from its first byte to its last");
  }
#endif
}

nb::object item(const nb::dict& facts, const char* name) {
  return facts.contains(name) ? nb::object(facts[name]) : nb::none();
}

}  // namespace

std::optional<Tensor> tensor_from_interface(nb::handle object, CopyRule rule, std::string_view operation) {
  if (PyType_Check(object.ptr()) != 0 || PyObject_HasAttrString(object.ptr(), "__array_interface__") == 0) {
    return std::nullopt;
  }
  nb::object given = object.attr("__array_interface__");
  if (!nb::isinstance<nb::dict>(given)) refuse(operation, "be a dict");
  const nb::dict facts = nb::borrow<nb::dict>(given);
  if (!item(facts, "mask").is_none()) refuse(operation, "have no mask");
  const nb::object type = item(facts, "typestr");
  if (!nb::isinstance<nb::str>(type)) refuse(operation, "say its typestr");
  const DType dtype = dtype_of_type(nb::cast<std::string>(type), operation);
  const auto size = static_cast<Index>(item_size(dtype));
  Bytes bytes;
  bytes.layout.shape = sizes_of(item(facts, "shape"), operation);
  if (bytes.layout.rank() > max_rank) refuse(operation, message("have a rank of at most ", max_rank));
  for (const Index length : bytes.layout.shape) {
    if (length < 0) refuse(operation, "have no negative size");
  }
  const nb::object strides = item(facts, "strides");
  bytes.layout.strides =
      strides.is_none() ? row_major_strides(bytes.layout.shape) : sizes_of(strides, operation);
  if (bytes.layout.strides.size() != bytes.layout.shape.size())
    refuse(operation, "have a stride for each axis");
  if (strides.is_none()) {
    for (Index& stride : bytes.layout.strides) stride = checked_multiply(stride, size, operation);
  }
  const nb::object data = item(facts, "data");
  if (nb::isinstance<nb::tuple>(data)) {
    if (nb::len(data) != 2) refuse(operation, "have data of an address and whether it is read-only");
    void* const start = PyLong_AsVoidPtr(nb::object(data[0]).ptr());
    if (start == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    const Layout described = bytes.layout;
    place(bytes, start, size, operation);
    require_readable(static_cast<const std::byte*>(start), described, size, operation);
    bytes.access = nb::cast<bool>(data[1]) ? Access::read_only : Access::read_write;
    const auto keeper = std::make_shared<Keeper>(object, std::move(given));
    return tensor_of_bytes(std::move(bytes), dtype, keeper, rule, operation);
  }
  // A buffer, of which the elements begin `offset` bytes behind its start.
  nb::object view = nb::steal(PyMemoryView_FromObject(data.is_none() ? object.ptr() : data.ptr()));
  if (!view) throw nb::python_error();
  const BufferView buffer(view.ptr());
  if (PyBuffer_IsContiguous(buffer.get(), 'C') == 0) refuse(operation, "have a contiguous buffer as data");
  const nb::object offset = item(facts, "offset");
  const Index first = offset.is_none() ? 0 : nb::cast<Index>(offset);
  const std::optional<Reach> touched = reach(bytes.layout, operation);
  if (touched && (first < 0 || first > buffer->len || first + touched->lowest < 0 ||
                  touched->highest + size > buffer->len - first)) {
    refuse(operation, message("have data of enough bytes (", buffer->len, " for elements up to byte ",
                              checked_add(touched->highest, size, operation), ")"));
  }
  place(bytes, static_cast<std::byte*>(buffer->buf) + first, size, operation);
  bytes.access = buffer->readonly != 0 ? Access::read_only : Access::read_write;
  const auto keeper = std::make_shared<Keeper>(object, std::move(view));
  return tensor_of_bytes(std::move(bytes), dtype, keeper, rule, operation);
}

}  // namespace tenstride::python
