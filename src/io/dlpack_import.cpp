// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "base/message.hpp"
#include "tenstride/io/dlpack.hpp"

/// What another library hands over is checked before anything of it is touched that the check is about.
namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr std::array<std::string_view, 18> kinds{"int",
                                                 "uint",
                                                 "float",
                                                 "opaque handle",
                                                 "bfloat",
                                                 "complex",
                                                 "bool",
                                                 "float8_e3m4",
                                                 "float8_e4m3",
                                                 "float8_e4m3b11fnuz",
                                                 "float8_e4m3fn",
                                                 "float8_e4m3fnuz",
                                                 "float8_e5m2",
                                                 "float8_e5m2fnuz",
                                                 "float8_e8m0fnu",
                                                 "float6_e2m3fn",
                                                 "float6_e3m2fn",
                                                 "float4_e2m1fn"};

template <typename... Pieces>
[[noreturn]] void refuse(const Pieces&... pieces) {
  throw RuntimeError(message("from_dlpack: ", pieces...));
}

DType required_dtype(DLDataType given) {
  if (const std::optional<DType> dtype = dtype_from_dlpack(given)) return *dtype;
  const std::string kind =
      given.code < kinds.size() ? std::string(kinds[given.code]) : message("with the code ", int{given.code});
  if (given.lanes != 1) {
    refuse("elements of ", given.lanes, " lanes (", kind, ", ", int{given.bits},
           " bits) must be single numbers, of 1 lane; hand them over with an axis of ", given.lanes,
           " instead");
  }
  refuse("elements of the DLPack type ", kind, " (bits: ", int{given.bits},
         ") must be of one of tenstride's types: bool, ",
         "(u)int8 to (u)int64, float16, bfloat16, float32, float64, complex64, complex128, float8_e4m3fn, ",
         "float8_e5m2, complex32");
}

Dims list_of(const std::int64_t* entries, std::int32_t ndim, std::string_view what) {
  const auto rank = static_cast<std::size_t>(ndim);
  if (rank > 0 && entries == nullptr) refuse("a tensor of rank ", ndim, " must have a ", what, " (null)");
  return Dims(std::span<const Index>(entries, rank));
}

/// Two's complement, so that a negative number goes down.
std::uintptr_t moved(std::uintptr_t address, Index bytes) {
  return address + static_cast<std::uintptr_t>(bytes);
}

/// The memory between the lowest and the highest element, and the layout counted from the lowest.
struct Span {
  std::byte* first = nullptr;
  std::size_t nbytes = 0;
  Layout layout;
};

Span span_of(const DLTensor& given, DType dtype) {
  constexpr std::string_view operation = "from_dlpack";
  Layout layout;
  layout.shape = list_of(given.shape, given.ndim, "shape");
  count_elements(layout.shape, operation);
  layout.strides = given.strides == nullptr ? row_major_strides(layout.shape, operation)
                                            : list_of(given.strides, given.ndim, "list of strides");
  const std::optional<Reach> touched = reach(layout, operation);
  if (!touched) return {nullptr, 0, layout};
  if (given.data == nullptr) {
    refuse("data must not be null where there are elements (shape ", layout.shape, ")");
  }
  const auto item = static_cast<Index>(item_size(dtype));
  const Index below = checked_multiply(touched->lowest, item, operation);
  const Index above = checked_multiply(checked_add(touched->highest, 1, operation), item, operation);
  const Index nbytes = checked_add(above, checked_multiply(below, -1, operation), operation);
  const auto data = reinterpret_cast<std::uintptr_t>(given.data);
  std::uintptr_t element = 0;
  const bool wraps = __builtin_add_overflow(data, given.byte_offset, &element);
  const std::uintptr_t first = moved(element, below);
  const std::uintptr_t end = moved(element, above);
  if (wraps || first > element || end < element) {
    refuse("the elements must lie inside the address space (shape ", layout.shape, ", strides ",
           layout.strides, ", byte_offset ", given.byte_offset, ")");
  }
  // A complex number needs no more than its parts do.
  const std::size_t number = item_size(component_type(dtype));
  if (element % number != 0) {
    refuse("the first element must lie at a multiple of ", number, " bytes for ", name(dtype), " (it lies ",
           element % number, " beyond one); hand over an aligned copy instead");
  }
  layout.offset = -touched->lowest;
  auto* const lowest = static_cast<std::byte*>(given.data) + static_cast<std::ptrdiff_t>(first - data);
  return {lowest, static_cast<std::size_t>(nbytes), layout};
}

/// `owner` is let go of only after the storage has taken its place.
template <typename Managed>
Tensor imported(std::unique_ptr<Managed, DlpackDeleter> owner, Access access) {
  const DLTensor& given = owner->dl_tensor;
  if (given.device.type != dlpack_cpu) {
    refuse("a tensor on ", dlpack_device_name(given.device),
           " must be on the cpu; move it there first, e.g. by .cpu()");
  }
  const DType dtype = required_dtype(given.dtype);
  if (given.ndim < 0 || given.ndim > static_cast<std::int32_t>(max_rank)) {
    refuse("a rank of ", given.ndim, " must be in 0..", max_rank);
  }
  const Span span = span_of(given, dtype);
  Managed* const managed = owner.get();
  Storage storage = Storage::adopt(
      span.first, span.nbytes, [managed](void*) { DlpackDeleter{}(managed); }, access);
  static_cast<void>(owner.release());
  return Tensor(std::move(storage), span.layout, dtype);
}

}  // namespace

Tensor from_dlpack(DLManagedTensorVersioned* managed) {
  if (managed == nullptr) refuse("a tensor must be given (null)");
  DlpackVersioned owner(managed);
  if (managed->version.major != dlpack_version.major) {
    refuse("version ", managed->version.major, ".", managed->version.minor, " of DLPack must be 1.x");
  }
  if ((managed->flags & dlpack_padded) != 0) {
    refuse("elements shorter than a byte that are padded to one must be handed over as uint8");
  }
  const Access access = (managed->flags & dlpack_read_only) != 0 ? Access::read_only : Access::read_write;
  return imported(std::move(owner), access);
}

Tensor from_dlpack(DLManagedTensor* managed) {
  if (managed == nullptr) refuse("a tensor must be given (null)");
  return imported(DlpackUnversioned(managed), Access::read_write);
}

}  // namespace tenstride::io
