// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file: https://huggingface.co/docs/safetensors (format).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/flat_file.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {

struct SafetensorsEntry {
  std::string name;
  /// The type as the file names it: "BF16".
  std::string type;
  /// Nothing where tenstride has no such type.
  std::optional<DType> dtype;
  Dims shape;
  /// Bytes, from the end of the header on.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  /// The tensors, in the order of their bytes.
  std::vector<SafetensorsEntry> entries;
  /// `__metadata__`, names and texts; in the order of the file.
  std::vector<std::pair<std::string, std::string>> metadata;
  /// The byte of the file where the elements begin.
  std::uint64_t data_begin = 0;
};

/// No header may be longer, as the format says.
inline constexpr std::uint64_t max_safetensors_header = 100'000'000;

/// Reads the header of a file of `file_nbytes` bytes. The ranges of the tensors must cover all bytes behind
/// it, each once; no key may stand twice; a range must have the bytes of its shape and type. `start_of_file`
/// is all of the file or at least its header. Throws FileError that begins with `safetensors: "name"`.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> start_of_file,
                                           std::uint64_t file_nbytes, std::string_view name);

/// A new file: parts in the order of the tensors given, laid out by falling size of their elements, as the
/// reference implementation does, so that each stands at a multiple of it. Throws ValueError for a name that
/// stands twice or is `__metadata__`, TypeError for a type without a name in the format.
FlatFile plan_safetensors(const std::vector<NewTensor>& tensors,
                          const std::vector<std::pair<std::string, std::string>>& metadata,
                          std::string_view operation);

}  // namespace tenstride::io
