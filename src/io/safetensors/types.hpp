// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "tenstride/base/dtype.hpp"

namespace tenstride::io {

/// The names that safetensors has for element types.
inline constexpr std::array<std::pair<std::string_view, DType>, 16> safetensors_types{{
    {"BOOL", DType::bool_},
    {"U8", DType::uint8},
    {"I8", DType::int8},
    {"F8_E4M3", DType::float8_e4m3fn},
    {"F8_E5M2", DType::float8_e5m2},
    {"U16", DType::uint16},
    {"I16", DType::int16},
    {"F16", DType::float16},
    {"BF16", DType::bfloat16},
    {"U32", DType::uint32},
    {"I32", DType::int32},
    {"F32", DType::float32},
    {"U64", DType::uint64},
    {"I64", DType::int64},
    {"F64", DType::float64},
    {"C64", DType::complex64},
}};

/// Bits of an element of a type that tenstride lacks, so that its bytes can be counted.
inline constexpr std::array<std::pair<std::string_view, std::uint64_t>, 4> safetensors_foreign_bits{
    {{"F4", 4}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F8_E8M0", 8}}};

}  // namespace tenstride::io
