// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "team.hpp"

namespace tenstride::bench {

/// A way to move bytes that do not change their order: the yardstick.
struct PlainCopy {
  std::string name;
  void (*copy)(std::byte* dst, const std::byte* src, std::size_t bytes);
};

/// memcpy, ordinary stores of every width this machine has, and by the widest streaming stores in order and
/// to four pages in turn. The first is memcpy.
std::vector<PlainCopy> plain_copies();

/// A way to write one byte everywhere.
struct PlainFill {
  std::string name;
  void (*fill)(std::byte* dst, unsigned char value, std::size_t bytes);
};
/// memset, and ordinary and streaming stores of every width this machine has. The first is memset.
std::vector<PlainFill> plain_fills();

/// A way to read every byte: what a reduction cannot do without.
struct PlainRead {
  std::string name;
  void (*read)(const std::byte* src, std::size_t bytes);
};
/// By the widest loads this machine has, in order and of four pages in turn.
std::vector<PlainRead> plain_reads();

/// Each member of the team moves one run of whole pages.
void copy_with(Team& team, const PlainCopy& plain, std::byte* dst, const std::byte* src, std::size_t bytes);
void fill_with(Team& team, const PlainFill& plain, std::byte* dst, unsigned char value, std::size_t bytes);
void read_with(Team& team, const PlainRead& plain, const std::byte* src, std::size_t bytes);

}  // namespace tenstride::bench
