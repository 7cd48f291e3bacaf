// SPDX-License-Identifier: Apache-2.0
// Files of safetensors: read, and saved again.
#include "fuzz/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenstride::fuzz;
  check_saved(".safetensors", load_all(scratch().file("x.safetensors", text_of(data, size))));
  return 0;
}
