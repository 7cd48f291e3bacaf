// SPDX-License-Identifier: Apache-2.0
// DLPack 1.1, the in-memory form in which array libraries hand tensors to each other:
// https://dmlc.github.io/dlpack/latest/c_api.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

// What follows has the sizes, the order of members and the numbers of DLPack 1.1, so that a pointer to such a
// structure may be cast to that of any other library's declaration and back.

/// `type` is 1 for the CPU; `id` counts devices of one type.
struct DLDevice {
  std::int32_t type;
  std::int32_t id;
};
/// `code` says what kind of number it is, `bits` how long one is; a vector of `lanes` numbers is one element.
struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
  friend constexpr bool operator==(DLDataType, DLDataType) = default;
};
/// Borrowed memory. The first element lies at `data + byte_offset`; strides are in elements, and null for
/// row-major ones (before version 1.2 of DLPack).
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
/// The form without a version, older than 1.0. `deleter(self)` gives everything back; it may be null.
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};
struct DLPackVersion {
  std::uint32_t major;
  std::uint32_t minor;
};
/// The form of version 1. Of another major version only `version` and `deleter` may be touched.
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};
static_assert(sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64 &&
              sizeof(DLManagedTensorVersioned) == 80);
static_assert(offsetof(DLTensor, shape) == 24 && offsetof(DLManagedTensorVersioned, dl_tensor) == 32);

/// The version that is written.
inline constexpr DLPackVersion dlpack_version{1, 1};
/// The bits of `flags`.
inline constexpr std::uint64_t dlpack_read_only = 1;
inline constexpr std::uint64_t dlpack_copied = 2;
inline constexpr std::uint64_t dlpack_padded = 4;
/// The number of the CPU among DLPack's devices.
inline constexpr std::int32_t dlpack_cpu = 1;

/// Calls a structure's own deleter, where it has one.
struct DlpackDeleter {
  template <typename Managed>
  void operator()(Managed* managed) const {
    if (managed->deleter != nullptr) managed->deleter(managed);
  }
};
/// A structure with its owner; `release()` gives it to whoever takes ownership by the protocol.
using DlpackVersioned = std::unique_ptr<DLManagedTensorVersioned, DlpackDeleter>;
using DlpackUnversioned = std::unique_ptr<DLManagedTensor, DlpackDeleter>;

/// Every element type has its DLPack number. Example: `to_dlpack(DType::bfloat16) == DLDataType{4, 16, 1}`.
TENSTRIDE_API DLDataType to_dlpack(DType dtype);
/// The other way; nothing for a type that tenstride has not, and for more than one lane.
TENSTRIDE_API std::optional<DType> dtype_from_dlpack(DLDataType dtype);

/// Whether the memory that is handed out was copied for the one who gets it.
enum class DlpackMemory : unsigned char { shared, copied };

/// The tensor for another library, without a copy: the storage stays alive until the structure is given back.
/// Strides always stand in it, also negative ones; `byte_offset` is 0; data is null where there is no
/// element. A read-only tensor is marked as such. The storage cannot grow from then on (`resize_` refuses),
/// since it would have to move. Throws RuntimeError on meta and for a conjugate view.
/// Example: of `arange(6).view({2, 3}).t()` it has shape (3,2) and strides (1,3).
TENSTRIDE_API DlpackVersioned to_dlpack(const Tensor& tensor, DlpackMemory memory = DlpackMemory::shared);
/// The tensor in the old form, which cannot say that memory is read-only: refuses that too (StorageError).
TENSTRIDE_API DlpackUnversioned to_dlpack_unversioned(const Tensor& tensor);

/// A tensor on another library's memory, without a copy: `managed` is given back when the last view goes, or
/// at once where it is refused, exactly once in either case. The storage begins with the lowest element, so
/// that `storage_offset()` is above 0 for negative strides only. Throws RuntimeError for a null pointer,
/// another major version, another device than the CPU, an element type that tenstride has not, padded
/// elements, a rank that is negative or above 64, missing data and data at an address that is no multiple of
/// the number's size; ShapeError and OverflowError for a shape that cannot be.
TENSTRIDE_API Tensor from_dlpack(DLManagedTensorVersioned* managed);
TENSTRIDE_API Tensor from_dlpack(DLManagedTensor* managed);

/// "cpu", "cuda:0", "rocm:1", "device type 99:0".
TENSTRIDE_API std::string dlpack_device_name(DLDevice device);

}  // namespace tenstride::io
