// SPDX-License-Identifier: Apache-2.0
#include "io/nifti/datatype.hpp"

#include <array>
#include <utility>

#include "base/message.hpp"

namespace tenstride::io {
namespace {

constexpr std::array<std::pair<std::int16_t, DType>, 12> nifti_codes{{
    {std::int16_t{2}, DType::uint8},
    {std::int16_t{4}, DType::int16},
    {std::int16_t{8}, DType::int32},
    {std::int16_t{16}, DType::float32},
    {std::int16_t{32}, DType::complex64},
    {std::int16_t{64}, DType::float64},
    {std::int16_t{256}, DType::int8},
    {std::int16_t{512}, DType::uint16},
    {std::int16_t{768}, DType::uint32},
    {std::int16_t{1024}, DType::int64},
    {std::int16_t{1280}, DType::uint64},
    {std::int16_t{1792}, DType::complex128},
}};

struct RefusedNiftiCode {
  std::int16_t code;
  std::string_view what;
};
constexpr std::array<RefusedNiftiCode, 4> refused_nifti_codes{{
    {0, "of unknown type"},
    {1, "of 1 bit"},
    {1536, "float128, whose bytes differ between machines"},
    {2048, "complex256, whose bytes differ between machines"},
}};

}  // namespace

NiftiElement parse_nifti_datatype(std::int64_t code, std::string_view name) {
  using tenstride::detail::message;
  if (code == nifti_rgb24) return {DType::uint8, 3};
  if (code == nifti_rgba32) return {DType::uint8, 4};
  for (const auto& [known, dtype] : nifti_codes) {
    if (known == code) return {dtype, 0};
  }
  for (const RefusedNiftiCode& refused : refused_nifti_codes) {
    if (refused.code != code) continue;
    throw FileError(message("nifti: \"", name, "\" holds elements ", refused.what, " (datatype ", code,
                            ") and must hold integers of 8 to 64 bits, float32, float64, complex64, "
                            "complex128, RGB24 or RGBA32"),
                    std::string(name));
  }
  throw FileError(message("nifti: \"", name, "\" has the datatype ", code,
                          ", which must be one of 2 4 8 16 32 64 128 256 512 768 1024 1280 1792 2304"),
                  std::string(name));
}

std::optional<std::int16_t> nifti_datatype(DType dtype) {
  for (const auto& [code, known] : nifti_codes) {
    if (known == dtype) return code;
  }
  return std::nullopt;
}

}  // namespace tenstride::io
