// SPDX-License-Identifier: Apache-2.0
// .npy files: read, and saved again.
#include "fuzz/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenstride::fuzz;
  const auto tensors = load_all(scratch().file("x.npy", text_of(data, size)));
  check_saved(".npy", tensors);
  check_saved(".npy", tensors, {.order = tenstride::io::ElementOrder::column_major});
  return 0;
}
