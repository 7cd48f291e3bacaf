// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/test_data.hpp"
#include "tenstride/tensor/factory.hpp"

/// Answers recorded from a real PyTorch, one JSON object a line (see tests/record).
namespace tenstride::testing {

/// The lines of a file of tests/data, which may be compressed by gzip.
inline std::vector<nlohmann::json> recorded(const std::string& file_name) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(test_data(file_name).c_str(), "rb"), gzclose);
  std::vector<nlohmann::json> lines;
  std::string line;
  for (int letter = 0; file && (letter = gzgetc(file.get())) >= 0;) {
    if (letter != '\n') {
      line += static_cast<char>(letter);
      continue;
    }
    lines.push_back(nlohmann::json::parse(line));
    line.clear();
  }
  return lines;
}

inline Dims recorded_dims(const nlohmann::json& list) {
  return list.get<std::vector<Index>>();
}

/// A row-major tensor of the bytes, given in hexadecimal. Throws where they are not as many as needed.
inline Tensor from_hexadecimal(const std::string& text, const Dims& shape, DType dtype) {
  Tensor tensor = empty(shape, {.dtype = dtype});
  if (text.size() != 2 * tensor.nbytes())
    throw ValueError("from_hexadecimal: the bytes do not fill the tensor");
  auto* const bytes = reinterpret_cast<unsigned char*>(tensor.mutable_storage_data());
  for (std::size_t i = 0; i * 2 < text.size(); ++i) {
    const auto parsed = std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, bytes[i], 16);
    if (parsed.ec != std::errc{}) throw ValueError("from_hexadecimal: not a hexadecimal digit");
  }
  return tensor;
}

/// The elements of a row-major tensor, in hexadecimal.
inline std::string to_hexadecimal(const Tensor& tensor) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto* const bytes = static_cast<const unsigned char*>(tensor.data_ptr());
  std::string text;
  for (std::size_t i = 0; i < tensor.nbytes(); ++i) {
    text += digits[bytes[i] >> 4U];
    text += digits[bytes[i] & 15U];
  }
  return text;
}

}  // namespace tenstride::testing
