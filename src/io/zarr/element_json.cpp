// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/element_json.hpp"

#include <array>
#include <bit>

#include "io/npy/descr.hpp"

namespace tenstride::io {
namespace {

constexpr std::array<DType, 17> zarr_types{
    DType::bool_,         DType::int8,       DType::int16,     DType::int32,      DType::int64,
    DType::uint8,         DType::uint16,     DType::uint32,    DType::uint64,     DType::float16,
    DType::float32,       DType::float64,    DType::complex64, DType::complex128, DType::bfloat16,
    DType::float8_e4m3fn, DType::float8_e5m2};

constexpr bool is_little_endian = std::endian::native == std::endian::little;

std::string names_of_types() {
  std::string names;
  for (const DType type : zarr_types) names += (names.empty() ? "" : ", ") + std::string(name(type));
  return names;
}

}  // namespace

ZarrElement parse_zarr_dtype(const JsonField& field) {
  constexpr std::string_view rule =
      "one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8 c8 c16 after \"<\", \">\" or \"|\", or \"bfloat16\"";
  if (!field.value().is_string()) field.refuse(rule);
  const std::string& text = field.text();
  constexpr ByteOrder little = is_little_endian ? ByteOrder::native : ByteOrder::swapped;
  constexpr ByteOrder big = is_little_endian ? ByteOrder::swapped : ByteOrder::native;
  if (text == "bfloat16") return {DType::bfloat16, little};
  for (const DType type : zarr_types) {
    const std::optional<std::string> known = npy_descr(type);
    if (!known || text.empty() || text.substr(1) != known->substr(1)) continue;
    if (item_size(type) == 1 && std::string_view("<>|").find(text[0]) != std::string_view::npos) {
      return {type, ByteOrder::native};
    }
    if (text[0] == '<') return {type, little};
    if (text[0] == '>') return {type, big};
  }
  field.refuse(rule);
}

DType parse_zarr_data_type(const JsonField& field) {
  if (field.value().is_string()) {
    for (const DType type : zarr_types) {
      if (name(type) == field.text()) return type;
    }
  }
  field.refuse("one of ", names_of_types());
}

std::string zarr_dtype_text(ZarrElement element, std::string_view folder) {
  constexpr std::array<char, 2> orders = is_little_endian ? std::array{'<', '>'} : std::array{'>', '<'};
  const char order = orders[element.byte_order == ByteOrder::native ? 0 : 1];
  if (element.dtype == DType::bfloat16 && order == '<') return "bfloat16";
  std::optional<std::string> text = npy_descr(element.dtype);
  if (!text) {
    refuse_zarr(folder, "must have elements that version 2 of Zarr has, not ", name(element.dtype),
                order == '<' ? "" : " in big-endian order", "; write version 3");
  }
  if (item_size(element.dtype) > 1) (*text)[0] = order;
  return *std::move(text);
}

std::string zarr_data_type_text(DType dtype, std::string_view folder) {
  for (const DType type : zarr_types) {
    if (type == dtype) return std::string(name(type));
  }
  refuse_zarr(folder, "must have elements of one of ", names_of_types(), ", not of ", name(dtype));
}

}  // namespace tenstride::io
