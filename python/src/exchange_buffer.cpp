// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "base/message.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "exchange_bytes.hpp"
#include "exchange_slots.hpp"
#include "ledger.hpp"
#include "memory/storage_pin.hpp"
#include "tenstride/layout/numpy_layout.hpp"
#include "types.hpp"
#include "values.hpp"

/// The buffer protocol (PEP 3118), both ways.
namespace tenstride::python {
namespace {

namespace nb = nanobind;
using detail::message;
static_assert(sizeof(Py_ssize_t) == sizeof(Index) && std::is_signed_v<Py_ssize_t>);

/// What a view that was handed out points to; it keeps the storage, whatever happens to the Tensor object.
struct HandedOut {
  Tensor tensor;
  Dims shape;
  Dims byte_strides;
};

bool wants(int flags, int what) {
  return (flags & what) == what;
}

void require_order(const Tensor& tensor, int flags) {
  const bool is_c = numpy::is_c_contiguous(tensor.layout());
  const bool is_f = numpy::is_f_contiguous(tensor.layout());
  const char* order = nullptr;
  if (wants(flags, PyBUF_C_CONTIGUOUS) && !is_c) order = "row-major";
  if (wants(flags, PyBUF_F_CONTIGUOUS) && !is_f) order = "column-major";
  if (wants(flags, PyBUF_ANY_CONTIGUOUS) && !is_c && !is_f) order = "contiguous";
  if (!wants(flags, PyBUF_STRIDES) && !is_c) order = "row-major";
  if (order == nullptr) return;
  throw_python(PyExc_BufferError, message("buffer: elements with strides ", tensor.strides(), " must be ",
                                          std::string_view(order), " for one who asks for it (shape ",
                                          tensor.shape(), "); use .contiguous() first"));
}

/// The strides in bytes that NumPy writes into a buffer: of contiguous elements those of their order, also
/// along axes of one element or of none. Example: (1) for one byte of stride 3.
Dims strides_in_buffer(const Tensor& tensor, int flags) {
  const Layout& layout = tensor.layout();
  const bool is_c = numpy::is_c_contiguous(layout);
  const bool is_f = numpy::is_f_contiguous(layout);
  const bool is_by_column = is_f && (!is_c || wants(flags, PyBUF_F_CONTIGUOUS));
  auto step = static_cast<Index>(tensor.element_size());
  Dims strides = layout.strides;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    const std::size_t d = is_by_column ? i : layout.rank() - 1 - i;
    if (!is_c && !is_f) {
      strides[d] = checked_multiply(strides[d], step, "buffer");
      continue;
    }
    strides[d] = step;
    step = checked_multiply(step, layout.shape[d], "buffer");
  }
  return strides;
}

void hand_out(PyObject* self, Py_buffer* view, int flags) {
  const Tensor& tensor = tensor_of(self);
  const auto refuse = [&](std::string_view what, std::string_view fix) {
    throw_python(PyExc_BufferError, message("buffer: ", what, " (shape ", tensor.shape(), "); ", fix));
  };
  const char* format = buffer_format(tensor.dtype());
  if (!tensor.has_memory())
    refuse(message("a tensor on ", name(tensor.device()), " has no memory"), "make it on the cpu");
  if (tensor.is_conj()) refuse("a conjugate view must be resolved", "use .resolve_conj() first");
  if (tensor.is_neg()) refuse("a negative view must be resolved", "use .resolve_neg() first");
  if (format == nullptr) {
    refuse(message("elements of ", name(tensor.dtype()), " have no name in the buffer protocol"),
           is_complex(tensor.dtype()) ? "use .to(torch.complex64), or torch.view_as_real for the parts"
                                      : "use .to(torch.float32), or .view of an integer type for the bits");
  }
  if (wants(flags, PyBUF_WRITABLE) && tensor.is_read_only()) {
    refuse("a read-only tensor must not be written to", "use .clone() first");
  }
  require_order(tensor, flags);
  detail::pin(tensor.storage());
  auto made =
      std::make_unique<HandedOut>(HandedOut{tensor, tensor.shape(), strides_in_buffer(tensor, flags)});
  const auto item = static_cast<Index>(tensor.element_size());
  static char nothing = 0;
  const void* data = tensor.numel() == 0 ? &nothing : tensor.data_ptr();
  view->buf = const_cast<void*>(data);
  view->len = static_cast<Py_ssize_t>(tensor.nbytes());
  view->itemsize = static_cast<Py_ssize_t>(item);
  view->readonly = tensor.is_read_only() ? 1 : 0;
  view->ndim = static_cast<int>(tensor.dim());
  view->format = wants(flags, PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
  view->shape = wants(flags, PyBUF_ND) ? reinterpret_cast<Py_ssize_t*>(made->shape.data()) : nullptr;
  view->strides =
      wants(flags, PyBUF_STRIDES) ? reinterpret_cast<Py_ssize_t*>(made->byte_strides.data()) : nullptr;
  view->suboffsets = nullptr;
  view->internal = made.release();
  Py_INCREF(self);
  view->obj = self;
}

/// The view of another's memory, given back when it is no longer needed; from any thread.
struct TakenIn {
  Py_buffer view{};
  bool is_held = false;

  TakenIn() = default;
  TakenIn(const TakenIn&) = delete;
  TakenIn& operator=(const TakenIn&) = delete;
  ~TakenIn() {
    if (!is_held || Py_IsInitialized() == 0) return;
    const nb::gil_scoped_acquire held;
    PyBuffer_Release(&view);
  }
};

std::shared_ptr<TakenIn> take_in(nb::handle object) {
  auto taken = std::make_shared<TakenIn>();
  if (PyObject_GetBuffer(object.ptr(), &taken->view, PyBUF_RECORDS_RO) != 0) throw nb::python_error();
  taken->is_held = true;
  return taken;
}

/// The type of a NumPy array's elements by the name that other packages give it: the buffer protocol has none
/// for bfloat16 and float8.
std::optional<DType> type_by_name(nb::handle array, std::string_view operation) {
  const std::string name = nb::cast<std::string>(nb::str(array.attr("dtype").attr("name")));
  for (const DType dtype : {DType::bfloat16, DType::float8_e4m3fn, DType::float8_e5m2}) {
    if (name == tenstride::name(dtype)) return dtype;
  }
  if (nb::cast<bool>(array.attr("dtype").attr("hasobject"))) return std::nullopt;
  throw_python(PyExc_TypeError,
               message(operation, ": elements of NumPy's type ", name,
                       " must be of a type that tenstride has; use .astype('float32') first, "
                       "or .view('u1') for the bytes"));
}

Bytes bytes_of(const Py_buffer& view, std::string_view operation) {
  Bytes bytes;
  const auto rank = static_cast<std::size_t>(view.ndim);
  if (rank > max_rank)
    throw RankError(message(operation, ": a rank of ", rank, " must be at most ", max_rank));
  Layout& layout = bytes.layout;
  layout.shape.resize(rank);
  layout.strides.resize(rank);
  Index step = view.itemsize;
  for (std::size_t d = rank; d-- > 0;) {
    layout.shape[d] = view.shape != nullptr ? view.shape[d] : view.len / view.itemsize;
    layout.strides[d] = view.strides != nullptr ? view.strides[d] : step;
    step = checked_multiply(step, std::max<Index>(layout.shape[d], 1), operation);
  }
  place(bytes, view.buf, view.itemsize, operation);
  bytes.access = view.readonly != 0 ? Access::read_only : Access::read_write;
  return bytes;
}

/// NumPy writes other strides into a buffer than an array has, along axes of one element or where there is
/// none. Those of other axes are the buffer's.
void take_strides_of_array(nb::handle array, Layout& layout) {
  const nb::object given = array.attr("strides");
  if (!nb::isinstance<nb::tuple>(given) || NB_TUPLE_GET_SIZE(given.ptr()) != std::ssize(layout.shape)) return;
  const bool has_none = is_empty(layout);
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] > 1 && !has_none) continue;
    layout.strides[d] = to_index(NB_TUPLE_GET_ITEM(given.ptr(), static_cast<Py_ssize_t>(d)));
  }
}

/// Why the elements cannot be used where they lie; empty where they can.
std::string obstacle(const Bytes& bytes, DType dtype) {
  const auto item = static_cast<Index>(item_size(dtype));
  for (std::size_t d = 0; d < bytes.layout.rank(); ++d) {
    if (bytes.layout.shape[d] > 1 && bytes.layout.strides[d] % item != 0) {
      return message("byte strides ", bytes.layout.strides, " must be multiples of the ", item, " bytes of ",
                     name(dtype));
    }
  }
  // A complex number needs no more than its parts do.
  const std::size_t number = item_size(component_type(dtype));
  const auto address =
      reinterpret_cast<std::uintptr_t>(bytes.first) + static_cast<std::uintptr_t>(bytes.layout.offset);
  if (address % number == 0) return {};
  return message("the first element must lie at a multiple of ", number, " bytes for ", name(dtype),
                 " (it lies ", address % number, " beyond one)");
}

/// The elements copied byte by byte, from wherever they lie. The engine's own copy: of a tensor of bytes with
/// one axis more.
Tensor copied(Bytes bytes, DType dtype, const std::shared_ptr<void>& keeper) {
  bytes.layout.shape.push_back(static_cast<Index>(item_size(dtype)));
  bytes.layout.strides.push_back(1);
  Storage storage = Storage::adopt(
      bytes.first, bytes.nbytes, [keeper](void*) {}, Access::read_only);
  const Tensor all(std::move(storage), bytes.layout, DType::uint8);
  const LedgerPlaces places;
  const nb::gil_scoped_release released;
  Tensor copy = all.clone(MemoryFormat::contiguous);
  return copy.view(dtype).squeeze(-1);
}

/// Strides that are multiples of the item, in elements; where there is at most one element along an axis its
/// stride says nothing, and may be anything.
Layout in_elements(const Bytes& bytes, Index item) {
  Layout layout = bytes.layout;
  layout.offset /= item;
  const Dims dense = row_major_strides(layout.shape);
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    layout.strides[d] = layout.strides[d] % item == 0 ? layout.strides[d] / item : dense[d];
  }
  return layout;
}

}  // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    hand_out(self, view, flags);
    return 0;
  } catch (...) {
    set_python_error();
    return -1;
  }
}

void release_buffer(PyObject*, Py_buffer* view) {
  delete static_cast<HandedOut*>(view->internal);
}

Tensor tensor_from_buffer(nb::handle object, CopyRule rule, std::string_view operation) {
  std::shared_ptr<TakenIn> taken;
  try {
    taken = take_in(object);
  } catch (const nb::python_error& error) {
    if (!is_numpy_array(object) || !error.matches(PyExc_ValueError)) throw;
    const std::optional<DType> dtype = type_by_name(object, operation);
    if (!dtype) throw;
    const nb::object bits = object.attr("view")(item_size(*dtype) == 2 ? "u2" : "u1");
    return tensor_from_buffer(bits, rule, operation).view(*dtype);
  }
  const Py_buffer& view = taken->view;
  const std::string_view format = view.format == nullptr ? "B" : view.format;
  const DType dtype = dtype_of_format(format, view.itemsize, operation);
  Bytes bytes = bytes_of(view, operation);
  if (is_numpy_array(object)) take_strides_of_array(object, bytes.layout);
  return tensor_of_bytes(std::move(bytes), dtype, taken, rule, operation);
}

void place(Bytes& bytes, void* start, Index item, std::string_view operation) {
  count_elements(bytes.layout.shape, operation);
  if (const std::optional<Reach> touched = reach(bytes.layout, operation)) {
    const auto address = static_cast<Index>(reinterpret_cast<std::uintptr_t>(start));
    const Index first = checked_add(address, touched->lowest, operation);
    static_cast<void>(checked_add(checked_add(address, touched->highest, operation), item, operation));
    constexpr Index first_page = 4096;  // where no process has memory
    if (first < first_page) {
      throw ValueError(message(operation, ": elements must lie at an address of memory (",
                               start == nullptr ? "null" : message(first), ", shape ", bytes.layout.shape,
                               ")"));
    }
    bytes.first = static_cast<std::byte*>(start) + touched->lowest;
    bytes.nbytes = static_cast<std::size_t>(touched->highest - touched->lowest + item);
    bytes.layout.offset = -touched->lowest;
  }
}

Tensor tensor_of_bytes(Bytes bytes, DType dtype, const std::shared_ptr<void>& keeper, CopyRule rule,
                       std::string_view operation) {
  const std::string why = obstacle(bytes, dtype);
  if (!why.empty() && rule == CopyRule::never) {
    throw ValueError(message(operation, ": ", why, "; use a copy instead, as .copy() gives"));
  }
  if (!why.empty()) return copied(std::move(bytes), dtype, keeper);
  Storage storage = Storage::adopt(
      bytes.first, bytes.nbytes, [keeper](void*) {}, bytes.access);
  const Tensor shared(std::move(storage), in_elements(bytes, static_cast<Index>(item_size(dtype))), dtype);
  if (rule != CopyRule::always) return shared;
  const LedgerPlaces places;
  const nb::gil_scoped_release released;
  return shared.clone();
}

}  // namespace tenstride::python
