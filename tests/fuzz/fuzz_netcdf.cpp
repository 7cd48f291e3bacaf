// SPDX-License-Identifier: Apache-2.0
// Classic netCDF files: read, and saved again.
#include "fuzz/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenstride::fuzz;
  check_saved(".cdf", load_all(scratch().file("x.nc", text_of(data, size))));
  return 0;
}
