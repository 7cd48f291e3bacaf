// SPDX-License-Identifier: Apache-2.0
// NIfTI files: read, saved again, and read from a gzip file.
#include <zlib.h>

#include "fuzz/files.hpp"

namespace tenstride::fuzz {
namespace {

/// A gzip file whose blocks are stored, so that what the input changes reaches the reader of the header.
std::string stored_gzip(const std::string& content) {
  std::string bytes("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  const auto put = [&](std::uint64_t number, int count) {
    for (int i = 0; i < count; ++i) bytes += static_cast<char>((number >> (8 * i)) & 0xff);
  };
  static constexpr std::size_t max_block = 0xffff;
  std::size_t at = 0;
  do {
    const std::string block = content.substr(at, max_block);
    at += block.size();
    put(at == content.size() ? 1 : 0, 1);
    put(block.size(), 2);
    put(~block.size(), 2);
    bytes += block;
  } while (at < content.size());
  put(crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())), 4);
  put(content.size(), 4);
  return bytes;
}

void check(const std::string& bytes) {
  const std::vector<io::NamedTensor> tensors = load_all(scratch().file("x.nii", bytes));
  check_saved(".nii", tensors);
  if (bytes.starts_with("\x1f\x8b")) return;
  const std::vector<io::NamedTensor> unpacked = load_all(scratch().file("x.nii.gz", stored_gzip(bytes)));
  if (tensors.empty() || unpacked.empty()) return;
  require(checksum(tensors[0].tensor) == checksum(unpacked[0].tensor),
          "a compressed file has the same elements");
  require(tensors[0].attributes == unpacked[0].attributes, "a compressed file has the same attributes");
}

}  // namespace
}  // namespace tenstride::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenstride::fuzz::check(tenstride::fuzz::text_of(data, size));
  return 0;
}
