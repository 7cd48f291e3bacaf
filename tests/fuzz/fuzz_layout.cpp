// SPDX-License-Identifier: Apache-2.0
// Layouts and shapes as text: parsed, printed, and parsed again.
#include "fuzz/support.hpp"
#include "tenstride/layout/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenstride;
  using namespace tenstride::fuzz;
  const std::string text = text_of(data, size);
  if (const auto dims = accepted([&] { return parse_dims(text); })) {
    require(parse_dims(to_string(*dims)) == *dims, "a shape is read as it was printed");
    require(parse_dims(to_tuple(*dims)) == *dims, "a tuple is read as it was printed");
  }
  if (const auto layout = accepted([&] { return parse_layout(text); })) {
    require(parse_layout(to_string(*layout)) == *layout, "a layout is read as it was printed");
  }
  return 0;
}
