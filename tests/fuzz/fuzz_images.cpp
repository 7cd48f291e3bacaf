// SPDX-License-Identifier: Apache-2.0
// Files of pictures: read, and saved as PNG.
#include "fuzz/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenstride::fuzz;
  check_saved(".png", load_all(scratch().file("x.png", text_of(data, size))));
  return 0;
}
