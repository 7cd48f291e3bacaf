// SPDX-License-Identifier: Apache-2.0
// TIFF files: read, and saved again.
#include "fuzz/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenstride::fuzz;
  check_saved(".tif", load_all(scratch().file("x.tif", text_of(data, size))));
  return 0;
}
