// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "tenstride/tensor/tensor.hpp"

/// The objects in which tensors live. Making and freeing them by way of nanobind costs more than a view does
/// (an allocation, a table of all objects, the garbage collector's list), so dead ones are kept and become
/// tensors again.
namespace tenstride::python {

/// Tensors in place are laid out by nanobind as CPython's head, 8 bytes of its own, the tensor. `own` holds
/// those 8 bytes as every plain tensor has them; an object that has others is nanobind's affair alone.
struct TensorObjects {
  static constexpr std::size_t payload = sizeof(PyObject) + sizeof(std::uint64_t);
  static constexpr std::size_t capacity = 256;

  PyTypeObject* type = nullptr;
  std::uint64_t own = 0;
  /// What is kept: dead, seen by no one, each with a reference to the type.
  std::size_t count = 0;
  /// 0 where objects cannot be kept.
  std::size_t limit = 0;
  std::array<PyObject*, capacity> kept{};
};
inline constinit TensorObjects tensor_objects;

/// Python's `Tensor.__new__`: a tensor without elements, until `__init__` makes another in its place, which a
/// derived class may not call.
PyObject* new_object(PyTypeObject* type, PyObject* arguments, PyObject* names);

/// Keeps objects of the type from here on; by the stable ABI none. Pre: it is nanobind's class of Tensor with
/// the slot `new_object`, and nothing was derived of it yet; `other` is a class of nanobind's without.
void keep_objects(nanobind::handle type, nanobind::handle other);

inline Tensor* payload_of(PyObject* object) noexcept {
  return std::launder(
      reinterpret_cast<Tensor*>(reinterpret_cast<std::byte*>(object) + TensorObjects::payload));
}

/// Whether the tensor stands where `payload_of` says.
inline bool is_plain_object(PyObject* object) noexcept {
  std::uint64_t own = 0;
  std::memcpy(&own, reinterpret_cast<const std::byte*>(object) + sizeof(PyObject), sizeof(own));
  return own == tensor_objects.own;
}

/// Pre: it is a tensor.
inline Tensor& tensor_of(PyObject* object) noexcept {
  if (is_plain_object(object)) [[likely]] {
    return *payload_of(object);
  }
  return *nanobind::inst_ptr<Tensor>(nanobind::handle(object));
}

/// An object of nanobind's with what `make()` gives.
template <typename Make>
[[gnu::noinline]] PyObject* make_new_tensor(const Make& make) {
  nanobind::object object =
      nanobind::inst_alloc(nanobind::handle(reinterpret_cast<PyObject*>(tensor_objects.type)));
  new (nanobind::inst_ptr<Tensor>(object)) Tensor(make());
  nanobind::inst_mark_ready(object);
  return object.release().ptr();
}

/// A kept object that goes back where no tensor comes to live in it.
class KeptObject {
 public:
  explicit KeptObject(PyObject* object) noexcept : object_(object) {}
  KeptObject(const KeptObject&) = delete;
  KeptObject& operator=(const KeptObject&) = delete;
  ~KeptObject() {
    // Others may have come back meanwhile; one too many is lost, as seldom as that is.
    if (object_ != nullptr && tensor_objects.count < tensor_objects.limit) [[unlikely]] {
      tensor_objects.kept[tensor_objects.count++] = object_;
    }
  }
  PyObject* release() noexcept { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_;
};

/// A new reference to a tensor that is what `make()` gives, built where it stays. What that throws goes on.
template <typename Make>
PyObject* make_tensor(const Make& make) {
  if (tensor_objects.count == 0) [[unlikely]] {
    return make_new_tensor(make);
  }
  PyObject* const object = tensor_objects.kept[--tensor_objects.count];
  KeptObject kept(object);
  new (payload_of(object)) Tensor(make());
  // As a kept object is neither tracked nor weakly referenced, nothing else is to be done.
  Py_SET_REFCNT(object, 1);
  return kept.release();
}

}  // namespace tenstride::python
