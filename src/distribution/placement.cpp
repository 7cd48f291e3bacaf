// SPDX-License-Identifier: Apache-2.0
#include "tenstride/distribution/placement.hpp"

#include <charconv>

#include "base/message.hpp"

namespace tenstride::distributed {
namespace {

using detail::message;

/// Reads the numbers between brackets, at most two; a first one may follow "dim=".
struct Numbers {
  std::size_t count = 0;
  Index values[2]{};
};

[[noreturn]] void refuse(std::string_view text, std::size_t position) {
  throw ParseError(message("placement: \"", text,
                           "\" must be Replicate(), Shard(axis), StridedShard(axis,split_factor) or "
                           "BlockCyclic(axis,block), from byte ",
                           position, " on it is not"),
                   position);
}

Numbers numbers_of(std::string_view text, std::size_t begin) {
  Numbers found;
  if (begin == text.size()) return found;
  if (text[begin] != '(') refuse(text, begin);
  if (text.back() != ')' || text.size() == begin + 1) refuse(text, text.size());
  const char* at = text.data() + begin + 1;
  const char* const end = text.data() + text.size() - 1;
  if (text.substr(begin + 1).starts_with("dim=")) at += 4;
  while (at < end) {
    const auto position = static_cast<std::size_t>(at - text.data());
    if (found.count == 2) refuse(text, position);
    const auto [stop, error] = std::from_chars(at, end, found.values[found.count++]);
    if (error != std::errc() || (stop != end && *stop != ',') || stop + 1 == end) refuse(text, position);
    at = stop == end ? end : stop + 1;
  }
  return found;
}

}  // namespace

std::string to_string(const Placement& placement) {
  switch (placement.kind) {
    case PlacementKind::replicate:
      return "Replicate()";
    case PlacementKind::shard:
      return message("Shard(", placement.axis, ")");
    case PlacementKind::strided_shard:
      return message("StridedShard(", placement.axis, ",", placement.split_factor, ")");
    case PlacementKind::block_cyclic:
      break;
  }
  return message("BlockCyclic(", placement.axis, ",", placement.block, ")");
}

Placement parse_placement(std::string_view text) {
  const std::size_t open = std::min(text.find('('), text.size());
  const std::string_view name = text.substr(0, open);
  const Numbers numbers = numbers_of(text, open);
  const auto needs = [&](std::size_t count) {
    if (numbers.count != count) refuse(text, open);
  };
  if (name == "Replicate" || name == "R") {
    needs(0);
    return replicate();
  }
  if (name == "Shard" || name == "S") {
    needs(1);
    return shard(numbers.values[0]);
  }
  if (name != "BlockCyclic" && name != "StridedShard") refuse(text, 0);
  needs(2);
  if (name == "StridedShard") return strided_shard(numbers.values[0], numbers.values[1]);
  return block_cyclic(numbers.values[0], numbers.values[1]);
}

std::vector<Placement> parse_placements(std::string_view text) {
  std::vector<Placement> placements;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    std::string_view entry = text.substr(begin, i - begin);
    if (entry.starts_with(' ')) entry.remove_prefix(1);
    placements.push_back(parse_placement(entry));
    begin = i + 1;
  }
  return placements;
}

}  // namespace tenstride::distributed
