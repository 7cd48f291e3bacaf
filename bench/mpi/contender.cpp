// SPDX-License-Identifier: Apache-2.0
#include "contender.hpp"

#include <algorithm>
#include <tuple>

namespace tenstride::bench {
namespace {

std::vector<std::unique_ptr<Contender>>& added_contenders() {
  static std::vector<std::unique_ptr<Contender>> list;
  return list;
}

}  // namespace

std::vector<Contender*> contenders() {
  std::vector<Contender*> sorted;
  for (const auto& contender : added_contenders()) sorted.push_back(contender.get());
  const auto key = [](const Contender* contender) {
    return std::tuple(!contender->is_reference(), contender->name());
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const Contender* one, const Contender* other) { return key(one) < key(other); });
  return sorted;
}

bool add_contender(std::unique_ptr<Contender> contender) {
  added_contenders().push_back(std::move(contender));
  return true;
}

}  // namespace tenstride::bench
