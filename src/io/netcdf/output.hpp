// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenstride::io {

/// The bytes of a header, one number after the other, big-endian.
class NetcdfOutput {
 public:
  explicit NetcdfOutput(int version) : version_(version) { bytes_ = {'C', 'D', 'F', char(version)}; }

  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  void put(std::uint64_t number, std::size_t width) {
    for (std::size_t i = width; i-- > 0;) bytes_ += static_cast<char>(number >> (8 * i) & 255);
  }
  /// A number of 8 bytes in CDF-5, of 4 before.
  void put_count(std::uint64_t number) { put(number, version_ == 5 ? 8 : 4); }
  /// Bytes, and zeros up to a multiple of 4.
  void put_padded(std::string_view bytes) {
    bytes_ += bytes;
    bytes_.append((4 - bytes.size() % 4) % 4, '\0');
  }
  void put_name(std::string_view name) {
    put_count(name.size());
    put_padded(name);
  }
  /// What begins a list: its tag, and the number of its entries; zeros where it has none.
  void put_list(unsigned tag, std::size_t entries) {
    put(entries == 0 ? 0 : tag, 4);
    put_count(entries);
  }

 private:
  int version_;
  std::string bytes_;
};

}  // namespace tenstride::io
