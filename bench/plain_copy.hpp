// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "team.hpp"

namespace tenstride::bench {

/// A routine that copies contiguous bytes: a yardstick.
struct PlainCopy {
  std::string name;
  void (*copy)(std::byte* dst, const std::byte* src, std::size_t bytes);
};

/// The plain copies of this machine: memcpy, which comes first; ordinary stores of each width; streaming
/// stores of the greatest width, sequential and to four pages alternately.
std::vector<PlainCopy> plain_copies();

/// A routine that sets all bytes to one value: a yardstick.
struct PlainFill {
  std::string name;
  void (*fill)(std::byte* dst, unsigned char value, std::size_t bytes);
};
/// The plain fills of this machine: memset, which comes first, and ordinary and streaming stores of each
/// width.
std::vector<PlainFill> plain_fills();

/// A routine that reads all bytes: the yardstick of a reduction.
struct PlainRead {
  std::string name;
  void (*read)(const std::byte* src, std::size_t bytes);
};
/// The plain reads of this machine, by its widest loads: sequential, and of four pages alternately.
std::vector<PlainRead> plain_reads();

// Each member of the team takes one run of whole pages.
void copy_with(Team& team, const PlainCopy& plain, std::byte* dst, const std::byte* src, std::size_t bytes);
void fill_with(Team& team, const PlainFill& plain, std::byte* dst, unsigned char value, std::size_t bytes);
void read_with(Team& team, const PlainRead& plain, const std::byte* src, std::size_t bytes);

}  // namespace tenstride::bench
