// SPDX-License-Identifier: Apache-2.0
#include "objects.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

newfunc allocate_object = nullptr;

#if !defined(Py_LIMITED_API)
destructor free_object = nullptr;

PyObject* weak_references(PyObject* object) {
  PyObject* first = nullptr;
  const auto* place = reinterpret_cast<const std::byte*>(object) + tensor_objects.type->tp_weaklistoffset;
  std::memcpy(&first, place, sizeof(first));
  return first;
}

/// Frees a tensor and keeps its object where there is room; what was derived or made in another way goes
/// nanobind's way.
void keep_or_free(PyObject* object) {
  TensorObjects& objects = tensor_objects;
  if (Py_TYPE(object) != objects.type || objects.count >= objects.limit || !is_plain_object(object)) {
    free_object(object);
    return;
  }
  // A tensor refers to nothing that the collector could follow, so that it need not be tracked ever after.
  PyObject_GC_UnTrack(object);
  if (weak_references(object) != nullptr) PyObject_ClearWeakRefs(object);
  // The last of a foreign array may run Python code, which may make and free tensors: the object is kept
  // when that is over.
  payload_of(object)->~Tensor();
  if (objects.count < objects.limit) [[likely]] {
    objects.kept[objects.count++] = object;
    return;
  }
  new (payload_of(object)) Tensor();
  free_object(object);
}
#endif

}  // namespace

PyObject* new_object(PyTypeObject* type, PyObject* arguments, PyObject* names) {
  PyObject* const object = allocate_object(type, arguments, names);
  if (object != nullptr) new (nb::inst_ptr<Tensor>(nb::handle(object))) Tensor();
  return object;
}

void keep_objects(nb::handle type, nb::handle other) {
  allocate_object =
      reinterpret_cast<newfunc>(PyType_GetSlot(reinterpret_cast<PyTypeObject*>(other.ptr()), Py_tp_new));
  TensorObjects& objects = tensor_objects;
  objects.type = reinterpret_cast<PyTypeObject*>(type.ptr());
  const nb::object probe = nb::steal(make_new_tensor([] { return Tensor(); }));
  const auto* const bytes = reinterpret_cast<const std::byte*>(probe.ptr());
  const auto* const tensor = reinterpret_cast<const std::byte*>(nb::inst_ptr<Tensor>(probe));
  const bool is_in_place = tensor == bytes + TensorObjects::payload;
  // An object elsewhere has another offset in these bytes: none is taken for a plain one then.
  objects.own = ~std::uint64_t{0};
  if (is_in_place) std::memcpy(&objects.own, bytes + sizeof(PyObject), sizeof(objects.own));
#if !defined(Py_GIL_DISABLED) && !defined(Py_TRACE_REFS) && !defined(Py_LIMITED_API)
  if (!is_in_place || objects.type->tp_weaklistoffset <= 0) return;
  free_object = std::exchange(objects.type->tp_dealloc, keep_or_free);
  objects.limit = TensorObjects::capacity;
#endif
}

}  // namespace tenstride::python
