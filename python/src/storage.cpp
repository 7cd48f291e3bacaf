// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "module_parts.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/expression/expression.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

Tensor element_at(const Tensor& elements, Index index) {
  const Index size = elements.numel();
  if (index < -size || index >= size) {
    throw IndexError(detail::message("storage: index ", index, " must be in ", -size, "..", size - 1, " (",
                                     size, " elements)"),
                     index, -size, size - 1);
  }
  return elements.select(0, index);
}

template <typename Storage>
void define_common(nb::class_<Storage>& type, Tensor Storage::*elements, const char* unit) {
  type.def("__len__", [elements](const Storage& self) { return (self.*elements).numel(); })
      .def(
          "__getitem__",
          [elements](const Storage& self, nb::object index) -> nb::object {
            if (PySlice_Check(index.ptr()) != 0) {
              const std::vector<TensorIndex> indices = to_indices(index.ptr());
              return to_lists((self.*elements).index(indices));
            }
            return nb::steal(from_scalar(element_at(self.*elements, to_index(index.ptr())).item()));
          },
          nb::arg("index"))
      .def(
          "__setitem__",
          [elements](Storage& self, nb::object index, nb::object value) {
            Given given;
            const Value number = to_value(value.ptr(), given);
            if (number.number() == nullptr) throw TypeError("storage: an element must be a number");
            element_at(self.*elements, to_index(index.ptr())).fill_(*number.number());
          },
          nb::arg("index"), nb::arg("value"))
      .def(
          "tolist", [elements](const Storage& self) { return to_lists(self.*elements); },
          "All as a list of numbers.")
      .def(
          "data_ptr",
          [elements](const Storage& self) {
            return reinterpret_cast<std::uintptr_t>((self.*elements).storage_data());
          },
          "The address of the first byte; 0 on meta.")
      .def(
          "nbytes", [elements](const Storage& self) { return (self.*elements).storage().nbytes(); },
          "How many bytes there are.")
      .def(
          "use_count", [elements](const Storage& self) { return (self.*elements).storage().use_count() - 1; },
          "How many tensors and storages share the bytes.")
      .def_prop_ro(
          "device",
          [elements](const Storage& self) { return nb::steal(new_device((self.*elements).device())); },
          "Where the bytes live.")
      .def(
          "__eq__",
          [elements](const Storage& self, nb::handle other) {
            return nb::isinstance<Storage>(other) &&
                   (self.*elements).shares_storage(nb::cast<const Storage&>(other).*elements);
          },
          nb::arg("other").none())
      .def("__hash__",
           [elements](const Storage& self) {
             return static_cast<Py_ssize_t>(
                 reinterpret_cast<std::intptr_t>((self.*elements).storage().id()) >> 4);
           })
      .def("__repr__", [](const Storage& self) { return Value(Value::Variant(self)).repr(); })
      .def(
          "size", [elements](const Storage& self) { return (self.*elements).numel(); }, unit);
}

}  // namespace

void define_storages(nb::module_& module) {
  nb::class_<detail::StorageElements> typed(
      module, "TypedStorage",
      "The elements of a tensor's storage, one after another as they lie in memory.\n\n"
      ">>> storage = torch.arange(4).view(2, 2).T.storage()\n>>> storage.tolist(), storage[1], len(storage)\n"
      "([0, 1, 2, 3], 1, 4)\n");
  define_common(typed, &detail::StorageElements::elements, "How many elements there are.");
  typed
      .def_prop_ro(
          "dtype",
          [](const detail::StorageElements& self) { return nb::steal(new_dtype(self.elements.dtype())); },
          "The type of the elements.")
      .def(
          "element_size", [](const detail::StorageElements& self) { return self.elements.element_size(); },
          "Bytes of one element.")
      .def(
          "untyped",
          [](const detail::StorageElements& self) {
            const Layout bytes{{static_cast<Index>(self.elements.storage().nbytes())}, {1}, 0};
            return detail::StorageBytes{with_layout(self.elements, bytes, DType::uint8)};
          },
          "The same as bytes.");
  nb::class_<detail::StorageBytes> untyped(module, "UntypedStorage",
                                           "The bytes of a tensor's storage, as they lie in memory.\n\n"
                                           ">>> x = torch.arange(4)\n>>> x.untyped_storage().nbytes(), "
                                           "x[2:].untyped_storage() == x.untyped_storage()\n"
                                           "(32, True)\n");
  define_common(untyped, &detail::StorageBytes::bytes, "How many bytes there are.");
}

}  // namespace tenstride::python
