// SPDX-License-Identifier: Apache-2.0
// .npz archives: read, and saved again with and without compression.
#include "fuzz/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenstride::fuzz;
  const auto tensors = load_all(scratch().file("x.npz", text_of(data, size)));
  check_saved(".npz", tensors);
  check_saved(".npz", tensors, {.is_compressed = true});
  return 0;
}
