// SPDX-License-Identifier: Apache-2.0
#include "copy/streams.hpp"

#include <cstdlib>
#include <cstring>

#include "copy/processor.hpp"

namespace tenstride::copy {

Streams streams(std::string_view vendor) {
  return vendor == "AuthenticAMD" ? Streams::one : Streams::several;
}

Streams streams() {
  static const Streams chosen = [] {
    const char* const name = std::getenv("TENSTRIDE_STREAMS");
    if (name != nullptr && std::strcmp(name, "one") == 0) return Streams::one;
    if (name != nullptr && std::strcmp(name, "several") == 0) return Streams::several;
    return streams(this_processor().vendor());
  }();
  return chosen;
}

}  // namespace tenstride::copy
