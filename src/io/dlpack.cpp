// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/dlpack.hpp"

#include <array>

#include "base/message.hpp"
#include "memory/storage_pin.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// What DLPack calls each element type, in the order of DType.
constexpr std::array<DLDataType, dtype_count> dlpack_types{{
    {6, 8, 1},    // bool
    {1, 8, 1},    // uint8
    {0, 8, 1},    // int8
    {1, 16, 1},   // uint16
    {0, 16, 1},   // int16
    {1, 32, 1},   // uint32
    {0, 32, 1},   // int32
    {1, 64, 1},   // uint64
    {0, 64, 1},   // int64
    {2, 16, 1},   // float16
    {4, 16, 1},   // bfloat16
    {2, 32, 1},   // float32
    {2, 64, 1},   // float64
    {5, 64, 1},   // complex64
    {5, 128, 1},  // complex128
    {10, 8, 1},   // float8_e4m3fn
    {12, 8, 1},   // float8_e5m2
    {5, 32, 1},   // complex32
}};

constexpr std::array<std::string_view, 19> device_names{
    "",       "cpu",    "cuda",    "cuda_host", "opencl",    "",          "",
    "vulkan", "metal",  "vpi",     "rocm",      "rocm_host", "extension", "cuda_managed",
    "oneapi", "webgpu", "hexagon", "maia",      "trainium"};

/// What a structure points to, with the structure itself: one piece, given back as one.
template <typename Managed>
struct Exported {
  Managed managed{};
  Tensor tensor;
  Dims shape;
  Dims strides;
};

template <typename Managed>
void delete_exported(Managed* managed) {
  delete static_cast<Exported<Managed>*>(managed->manager_ctx);
}

void require_exportable(const Tensor& tensor, std::string_view operation) {
  if (!tensor.has_memory()) {
    throw RuntimeError(message(operation, ": a tensor on ", name(tensor.device()),
                               " has no memory and must be on the cpu (shape ", tensor.shape(), ")"));
  }
  if (!tensor.is_resolved()) {
    throw RuntimeError(message(operation, ": a ", tensor.is_conj() ? "conjugate" : "negative",
                               " view must be resolved, DLPack cannot tell it from other elements (shape ",
                               tensor.shape(), "); use .resolve_", tensor.is_conj() ? "conj" : "neg",
                               "() first"));
  }
}

template <typename Managed>
std::unique_ptr<Managed, DlpackDeleter> exported(const Tensor& tensor) {
  auto made = std::make_unique<Exported<Managed>>();
  tenstride::detail::pin(tensor.storage());
  made->tensor = tensor;
  made->shape = tensor.shape();
  made->strides = tensor.strides();
  // An axis of one element or none has no stride of its own: 1, as PyTorch hands it out.
  for (std::size_t d = 0; d < made->strides.size(); ++d) {
    if (made->shape[d] < 2) made->strides[d] = 1;
  }
  DLTensor& out = made->managed.dl_tensor;
  // The other side may write where the flags allow it: a DLTensor has no place for const.
  if (tensor.numel() != 0) out.data = const_cast<void*>(tensor.data_ptr());
  out.device = {dlpack_cpu, 0};
  out.ndim = static_cast<std::int32_t>(tensor.dim());
  out.dtype = to_dlpack(tensor.dtype());
  out.shape = made->shape.data();
  out.strides = made->strides.data();
  made->managed.manager_ctx = made.get();
  made->managed.deleter = delete_exported<Managed>;
  return std::unique_ptr<Managed, DlpackDeleter>(&made.release()->managed);
}

}  // namespace

DLDataType to_dlpack(DType dtype) {
  return dlpack_types[static_cast<std::size_t>(dtype)];
}

std::optional<DType> dtype_from_dlpack(DLDataType dtype) {
  for (std::size_t i = 0; i < dlpack_types.size(); ++i) {
    if (dlpack_types[i] == dtype) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::string dlpack_device_name(DLDevice device) {
  const auto type = static_cast<std::size_t>(device.type);
  if (device.type == dlpack_cpu) return "cpu";
  if (device.type < 0 || type >= device_names.size() || device_names[type].empty()) {
    return message("device type ", device.type, ":", device.id);
  }
  return message(device_names[type], ":", device.id);
}

DlpackVersioned to_dlpack(const Tensor& tensor, DlpackMemory memory) {
  require_exportable(tensor, "to_dlpack");
  DlpackVersioned result = exported<DLManagedTensorVersioned>(tensor);
  result->version = dlpack_version;
  if (tensor.is_read_only()) result->flags |= dlpack_read_only;
  if (memory == DlpackMemory::copied) result->flags |= dlpack_copied;
  return result;
}

DlpackUnversioned to_dlpack_unversioned(const Tensor& tensor) {
  require_exportable(tensor, "to_dlpack");
  if (tensor.is_read_only()) {
    throw StorageError(message("to_dlpack: a read-only tensor must be handed out in the versioned form, the ",
                               "old one cannot say so (shape ", tensor.shape(), "); use .clone() first"));
  }
  return exported<DLManagedTensor>(tensor);
}

}  // namespace tenstride::io
