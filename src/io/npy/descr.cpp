// SPDX-License-Identifier: Apache-2.0
#include "io/npy/descr.hpp"

#include <array>
#include <bit>
#include <utility>

#include "base/message.hpp"
#include "io/format/numpy_dtype.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr std::array<std::pair<std::string_view, DType>, 14> codes{{
    {"b1", DType::bool_},
    {"u1", DType::uint8},
    {"i1", DType::int8},
    {"u2", DType::uint16},
    {"i2", DType::int16},
    {"u4", DType::uint32},
    {"i4", DType::int32},
    {"u8", DType::uint64},
    {"i8", DType::int64},
    {"f2", DType::float16},
    {"f4", DType::float32},
    {"f8", DType::float64},
    {"c8", DType::complex64},
    {"c16", DType::complex128},
}};

/// What NumPy stores beside numbers, and what its owner can do.
struct Stranger {
  std::string_view start;
  std::string_view what;
  std::string_view fix;
};
constexpr std::array<Stranger, 9> strangers{{
    {"O", "Python objects", "they are pickles, which are never read"},
    {"U", "text", "save it as numbers"},
    {"S", "byte strings", "save them with .view(numpy.uint8)"},
    {"a", "byte strings", "save them with .view(numpy.uint8)"},
    {"V", "raw bytes, as structures, bfloat16 and float8 are stored",
     "save them with .astype(numpy.float32), or as bits with .view(numpy.uint16)"},
    {"f12", "long doubles", "save them with .astype(numpy.float64)"},
    {"f16", "long doubles", "save them with .astype(numpy.float64)"},
    {"c24", "complex long doubles", "save them with .astype(numpy.complex128)"},
    {"c32", "complex long doubles", "save them with .astype(numpy.complex128)"},
}};

constexpr bool is_little = std::endian::native == std::endian::little;

}  // namespace

NpyElement parse_npy_descr(std::string_view descr) {
  const std::string shown = message("descr '", descr.substr(0, 40), descr.size() > 40 ? "…'" : "'");
  const auto refuse = [](std::string obstacle) {
    return NpyElement{DType::uint8, ByteOrder::native, {}, std::move(obstacle)};
  };
  // What the fields are called is not shown: it may be no UTF-8.
  if (descr.starts_with('[')) {
    return refuse("hold numbers, not structures of several fields; save each field as an array");
  }
  char order = '=';
  std::string_view code = descr;
  if (!code.empty() && std::string_view("<>|=").find(code[0]) != std::string_view::npos) {
    order = code[0];
    code.remove_prefix(1);
  }
  std::string numpy_dtype;
  if (const std::optional<NumpyTime> time = parse_numpy_time_code(code)) {
    numpy_dtype = numpy_dtype_text(*time);
    code = "i8";
  }
  for (const auto& [known, dtype] : codes) {
    if (known != code) continue;
    const bool is_one_byte = item_size(dtype) == 1;
    if (order == '|' && !is_one_byte)
      return refuse(message("have a ", shown, " that begins with '<' or '>'"));
    const bool is_native = is_one_byte || order == '=' || (order == '<') == is_little;
    return {dtype, is_native ? ByteOrder::native : ByteOrder::swapped, std::move(numpy_dtype), {}};
  }
  for (const Stranger& stranger : strangers) {
    if (!code.starts_with(stranger.start)) continue;
    return refuse(message("hold numbers, not ", stranger.what, " (", shown, "); ", stranger.fix));
  }
  return refuse(
      message("have one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8 c8 c16 M8[unit] m8[unit] after '<', '>' or "
              "'|', not the ",
              shown));
}

std::optional<std::string> npy_descr(DType dtype) {
  for (const auto& [code, known] : codes) {
    if (known != dtype) continue;
    const char order = item_size(dtype) == 1 ? '|' : is_little ? '<' : '>';
    return order + std::string(code);
  }
  return std::nullopt;
}

}  // namespace tenstride::io
