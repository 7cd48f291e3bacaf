// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "io/tiff/format.hpp"
#include "io/tiff/stack.hpp"

namespace tenstride::io {

/// Bytes of a page's decoded elements, as they are stored.
std::uint64_t tiff_page_nbytes(const TiffFormat& format);

/// Finds out page by page where the elements are stored.
class TiffStorageSurvey {
 public:
  explicit TiffStorageSurvey(const TiffFormat& format) : format_(format) {}

  /// Pages come in the order of the stack.
  void add_page(TiffReader& reader, const TiffDirectory& page);

  /// The bytes of the elements as far as the file goes: tables may name the same bytes many times.
  [[nodiscard]] std::uint64_t stored_nbytes(std::uint64_t file_size) const;
  /// The first byte of all pages and their distance, where all are flat.
  [[nodiscard]] std::optional<TiffFlat> flat() const;

 private:
  std::optional<std::uint64_t> page_begin(TiffReader& reader, const TiffDirectory& page);

  TiffFormat format_;
  std::uint64_t pages_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t stored_nbytes_ = 0;
  bool is_flat_ = true;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t pitch_ = 0;
};

}  // namespace tenstride::io
