// SPDX-License-Identifier: Apache-2.0
#include "tenstride/memory/transfer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/message.hpp"

namespace tenstride {

std::string_view name(LinkMemory memory) {
  constexpr std::array<std::string_view, 3> names{"pageable", "pinned", "peer"};
  return names[static_cast<std::size_t>(memory)];
}

std::string to_string(const Link& link) {
  return detail::message(name(link.from), " to ", name(link.to), ", ", name(link.memory), ", ",
                         link.blocking == Blocking::blocking ? "blocking" : "non-blocking");
}

LinkSpeed link_speed() {
  LinkSpeed speed;
  const char* said = std::getenv("TENSTRIDE_LINK");
  if (said == nullptr) return speed;
  const char* const end = said + std::strlen(said);
  LinkSpeed read = speed;
  for (double* figure : {&read.pageable, &read.pinned, &read.peer}) {
    double gigabytes = 0;
    const auto [next, error] = std::from_chars(said, end, gigabytes);
    if (error != std::errc{} || !std::isfinite(gigabytes) || gigabytes <= 0) return speed;
    *figure = gigabytes * 1e9;
    if (next == end) return read;
    if (*next != ':') return speed;
    said = next + 1;
  }
  return speed;  // a fourth figure means nothing
}

double transfer_seconds(Index bytes, LinkMemory memory, const LinkSpeed& speed) {
  const std::array<double, 3> rates{speed.pageable, speed.pinned, speed.peer};
  return speed.call_seconds + static_cast<double>(bytes) / rates[static_cast<std::size_t>(memory)];
}

}  // namespace tenstride
