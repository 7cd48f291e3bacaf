// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/element_json.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

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
      "one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8 c8 c16 M8[unit] m8[unit] after \"<\", \">\" or \"|\", or "
      "\"bfloat16\"";
  if (!field.value().is_string()) field.refuse(rule);
  const std::string& text = field.text();
  constexpr ByteOrder little = is_little_endian ? ByteOrder::native : ByteOrder::swapped;
  constexpr ByteOrder big = is_little_endian ? ByteOrder::swapped : ByteOrder::native;
  if (text == "bfloat16") return {DType::bfloat16, little};
  if (find_zarr_time(field)) return {DType::int64, text[0] == '<' ? little : big};
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

std::optional<NumpyTime> find_zarr_time(const JsonField& field) {
  if (field.value().is_string()) {
    const std::string_view text = field.text();
    if (!text.starts_with('<') && !text.starts_with('>')) return std::nullopt;
    return parse_numpy_time_code(text.substr(1));
  }
  if (!field.value().is_object()) return std::nullopt;
  const auto name = field.find("name");
  const bool is_span = name && name->is("numpy.timedelta64");
  if (!is_span && !(name && name->is("numpy.datetime64"))) return std::nullopt;
  field.allow_only({"name", "configuration"});
  const JsonField configuration = field.at("configuration");
  configuration.allow_only({"unit", "scale_factor"});
  const JsonField unit = configuration.at("unit");
  if (unit.is("generic")) return NumpyTime{.is_span = is_span};
  // zarr-python has both signs of a micro.
  const std::string text = unit.is("μs") || unit.is("µs") ? "us" : unit.text();
  if (!is_numpy_unit(text)) unit.refuse("a unit of NumPy: Y M W D h m s ms us ns ps fs as, or generic");
  constexpr Index max_count = std::numeric_limits<std::int32_t>::max();
  return NumpyTime{is_span, text, configuration.at("scale_factor").integer(1, max_count)};
}

nlohmann::json zarr_time_json(const NumpyTime& time) {
  return {
      {"name", time.is_span ? "numpy.timedelta64" : "numpy.datetime64"},
      {"configuration", {{"unit", time.unit.empty() ? "generic" : time.unit}, {"scale_factor", time.count}}}};
}

DType parse_zarr_data_type(const JsonField& field) {
  if (field.value().is_string()) {
    for (const DType type : zarr_types) {
      if (name(type) == field.text()) return type;
    }
  }
  if (find_zarr_time(field)) return DType::int64;
  field.refuse("one of ", names_of_types(),
               ", or numpy.datetime64 or numpy.timedelta64 with a configuration");
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
