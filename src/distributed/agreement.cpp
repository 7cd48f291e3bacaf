// SPDX-License-Identifier: Apache-2.0
#include "distributed/agreement.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/message.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::distributed {

using detail::at;
using detail::message;

std::vector<Index> gathered(Transport& transport, const std::vector<Index>& own) {
  std::vector<Index> all(own.size() * at(transport.size()));
  transport.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
  return all;
}

void throw_refusal(Transport& transport, const std::string& refusal) {
  std::array<char, 1024> own{};
  refusal.copy(own.data(), own.size() - 1);
  std::vector<char> all(own.size() * at(transport.size()));
  transport.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
  Index rank = 0;
  while (all[at(rank) * own.size()] == '\0') ++rank;
  throw RuntimeError(message("rank ", rank, ": ", std::string(&all[at(rank) * own.size()])));
}

std::vector<Index> machines_of(Transport& transport, Index signature, bool shares_memory) {
  Index machine = transport.rank();
  for (Index rank = 0; shares_memory && rank < machine; ++rank) {
    if (transport.is_near(rank)) machine = rank;
  }
  const std::vector<Index> all = gathered(transport, {signature, machine});
  std::vector<Index> machines;
  for (std::size_t rank = 0; rank < at(transport.size()); ++rank) {
    if (all[2 * rank] != all[0]) {
      throw ValueError(message("redistribute: rank ", rank,
                               " has another plan or other options than rank 0; ",
                               "all ranks must have the same"));
    }
    machines.push_back(all[2 * rank + 1]);
  }
  return machines;
}

}  // namespace tenstride::distributed
