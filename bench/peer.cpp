// SPDX-License-Identifier: Apache-2.0
#include "peer.hpp"

#include <utility>

namespace tenstride::bench {

std::vector<std::unique_ptr<Peer>>& peers() {
  static std::vector<std::unique_ptr<Peer>> all;
  return all;
}

bool add_peer(std::unique_ptr<Peer> peer) {
  auto& all = peers();
  // Sorted here, because the linker chooses the order in which the files add themselves.
  const auto key = [](const Peer& one) {
    return std::pair(!one.name().starts_with("tenstride"), one.name());
  };
  auto place = all.begin();
  while (place != all.end() && key(**place) < key(*peer)) ++place;
  all.insert(place, std::move(peer));
  return true;
}

}  // namespace tenstride::bench
