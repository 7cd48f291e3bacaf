// SPDX-License-Identifier: Apache-2.0
// A small program of someone else's: it uses a tensor, a copy and its layout, and something of each part that
// is there, and prints what came out.
#include <cstdio>
#include <string>

#if defined USES_tenstride
#include <tenstride/tenstride.hpp>
#elif defined USES_io
#include <tenstride/io.hpp>
#elif defined USES_notation
#include <tenstride/notation.hpp>
#elif defined USES_distributed
#include <tenstride/distributed.hpp>
#elif defined USES_numeric
#include <tenstride/numeric.hpp>
#else
#include <tenstride/core.hpp>
#endif

int main() {
  const tenstride::Tensor x = tenstride::arange(12);
  const tenstride::Tensor y = x.view({3, 4}).permute({1, 0}).contiguous();
  const tenstride::Layout layout = y.layout();
  std::printf("%s\n", tenstride::to_string(layout).c_str());
#if defined USES_numeric || defined USES_tenstride
  std::printf("%d\n", static_cast<int>(tenstride::sum(y).item().to<double>()));
#endif
#if defined USES_notation || defined USES_tenstride
  std::printf("%s\n", tenstride::explain("torch.arange(6).view(2,3).t().view(6)").fixes[0].code.c_str());
#endif
#if defined USES_distributed || defined USES_tenstride
  std::printf("%s\n", tenstride::distributed::distribute({4, 6}, {{2}}, {tenstride::distributed::shard(0)})
                          .to_string()
                          .c_str());
#endif
#if defined USES_io || defined USES_tenstride
  std::printf("%s\n", to_string(tenstride::checksum(y)).c_str());
#endif
  return tenstride::is_contiguous(layout) ? 0 : 1;
}
