// SPDX-License-Identifier: Apache-2.0
// .npy files: read, saved again, and read from a gzip file.
#include "fuzz/files.hpp"
#include "fuzz/gzip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenstride::fuzz;
  const std::string bytes = text_of(data, size);
  const auto tensors = load_all(scratch().file("x.npy", bytes));
  check_saved(".npy", tensors);
  check_saved(".npy", tensors, {.order = tenstride::io::ElementOrder::column_major});
  if (bytes.starts_with("\x1f\x8b")) return 0;
  const auto unpacked = load_all(scratch().file("x.npy.gz", stored_gzip(bytes)));
  require(tensors.size() == unpacked.size(), "a compressed file is read where the file is");
  if (tensors.empty()) return 0;
  require(checksum(tensors[0].tensor) == checksum(unpacked[0].tensor),
          "a compressed file has the same elements");
  return 0;
}
