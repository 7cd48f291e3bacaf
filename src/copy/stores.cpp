// SPDX-License-Identifier: Apache-2.0
#include "copy/stores.hpp"

#include <cstdlib>
#include <cstring>

#include "copy/pack.hpp"
#include "copy/processor.hpp"
#include "copy/small.hpp"
#include "copy/streams.hpp"
#include "copy_plan_order.hpp"
#include "tenstride/run_plan.hpp"

namespace tenstride::copy {
Stores stores_in_order(std::string_view vendor, unsigned family, unsigned model) {
  constexpr unsigned skylake_sp = 0x55;  // and its successors on the same core
  return vendor == "GenuineIntel" && family == 6 && model == skylake_sp ? Stores::ordinary
                                                                        : Stores::streaming;
}

Stores stores_in_order() {
  static const Stores chosen = [] {
    const char* const name = std::getenv("TENSTRIDE_STORES");
    if (name != nullptr && std::strcmp(name, "ordinary") == 0) return Stores::ordinary;
    if (name != nullptr && std::strcmp(name, "streaming") == 0) return Stores::streaming;
    const Processor here = this_processor();
    return stores_in_order(here.vendor(), here.family, here.model);
  }();
  return chosen;
}

}  // namespace tenstride::copy

namespace tenstride {

PlanOptions options_here() {
  PlanOptions options;
  if (copy::stores_in_order() == copy::Stores::streaming)
    options.streaming_in_order_above = options.streaming_above;
  if (copy::streams() == copy::Streams::one) {
    options.strip_bytes = detail::wide_strip_bytes;
    options.cached_tiles_below = copy::most_cached_tiles;
  }
  options.permuted_bytes = static_cast<Index>(copy::pack_kernels().permuted_bytes);
  return options;
}

}  // namespace tenstride
