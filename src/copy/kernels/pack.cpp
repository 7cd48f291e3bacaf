// SPDX-License-Identifier: Apache-2.0
#include "copy/kernels/pack.hpp"

#include <algorithm>
#include <cstring>

namespace tenstride::copy {

namespace {

void write_plainly(OutgoingRuns& out) {
  while (out.left > 0 || out.next()) {
    std::memcpy(out.to, out.from, out.left * line_bytes);
    out.left = 0;
  }
}

template <std::size_t item>
void pack_plainly(Pack& pack) {
  const PackTable& table = *pack.table;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      std::byte* const column = pack.buffer + table.places[p] + table.columns[c];
      for (std::size_t r = 0; r < table.filled_rows; ++r)
        std::memcpy(column + r * item, pack.src + table.rows[p * table.panel_rows + r] + c * item, item);
    }
  }
  if (pack.lines_each != 0) write_plainly(pack.out);
}

/// Calls `copy(to, from)` with each row.
template <class Copy>
void each_row_plainly(Pack& pack, const Copy& copy) {
  const PackTable& table = *pack.table;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    std::byte* to = pack.buffer + table.places[p];
    const std::byte* from = pack.src + table.rows[p];
    for (std::size_t i = 0; i < table.repeats; ++i) {
      copy(to, from);
      to += table.buffer_step;
      from += table.src_step;
    }
  }
  if (pack.lines_each != 0) write_plainly(pack.out);
}

void pack_rows_plainly(Pack& pack) {
  const std::size_t bytes = pack.table->bytes;
  each_row_plainly(pack, [=](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
}

void pack_gathered_plainly(Pack& pack) {
  const PackTable& table = *pack.table;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    std::byte* to = pack.buffer + table.places[p];
    const std::byte* const from = pack.src + table.rows[p];
    for (const std::ptrdiff_t piece : table.pieces) {
      std::memcpy(to, from + piece, table.bytes);
      to += table.bytes;
    }
  }
  if (pack.lines_each != 0) write_plainly(pack.out);
}

void pack_permuted_plainly(Pack& pack) {
  const std::vector<std::uint16_t>& order = pack.table->from;
  each_row_plainly(pack, [&](std::byte* to, const std::byte* from) {
    for (std::size_t b = 0; b < order.size(); ++b) to[b] = from[order[b]];
  });
}

}  // namespace

PermuteProgram make_program(const std::vector<std::uint16_t>& from, std::size_t rows, std::ptrdiff_t src_step,
                            std::size_t width) {
  const std::size_t bytes = from.size() * rows;
  const auto [first, last] = std::minmax_element(from.begin(), from.end());
  const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(rows - 1) * src_step;
  PermuteProgram program;
  program.rows = rows;
  program.bytes = bytes;
  program.lowest = *first + std::min<std::ptrdiff_t>(reach, 0);
  const std::ptrdiff_t end = *last + 1 + std::max<std::ptrdiff_t>(reach, 0);
  program.span = static_cast<std::size_t>(end - program.lowest);
  const std::size_t written = std::min(width, bytes);
  const auto read = static_cast<std::ptrdiff_t>(std::min(width, program.span));
  std::vector<std::ptrdiff_t> needed(written);
  std::vector<std::ptrdiff_t> rising(written);
  for (std::size_t done = 0; done < bytes; done += width) {
    const std::size_t place = std::min(done, bytes - written);
    for (std::size_t i = 0; i < written; ++i) {
      const std::size_t at = place + i;
      needed[i] = static_cast<std::ptrdiff_t>(at / from.size()) * src_step + from[at % from.size()];
    }
    rising = needed;
    std::sort(rising.begin(), rising.end());
    const std::size_t first_step = program.steps.size();
    for (std::size_t i = 0; i < written;) {
      const std::ptrdiff_t first_taken = rising[i];
      const std::ptrdiff_t begin = std::min(first_taken, end - read);
      while (i < written && rising[i] < begin + read) ++i;
      PermuteProgram::Step step{static_cast<std::int32_t>(begin), 0};
      for (std::size_t lane = 0; lane < width; ++lane) {
        const bool is_taken = lane < written && needed[lane] >= first_taken && needed[lane] < begin + read;
        if (is_taken) step.taken |= std::uint64_t{1} << lane;
        program.lanes.push_back(is_taken ? static_cast<std::uint8_t>(needed[lane] - begin) : 0x80);
      }
      program.steps.push_back(step);
    }
    program.vectors.push_back({static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(first_step),
                               static_cast<std::uint32_t>(program.steps.size())});
  }
  return program;
}

const PackKernels& portable_pack_kernels() {
  static constexpr PackKernels table{
      "portable",
      64,
      {pack_plainly<1>, pack_plainly<2>, pack_plainly<4>, pack_plainly<8>, pack_plainly<16>},
      pack_rows_plainly,
      pack_permuted_plainly,
      16,
      true,
      pack_gathered_plainly,
      true};
  return table;
}

}  // namespace tenstride::copy
