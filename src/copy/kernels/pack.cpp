// SPDX-License-Identifier: Apache-2.0
#include "copy/kernels/pack.hpp"

#include <algorithm>
#include <cstring>

namespace tenstride::copy {

namespace {

/// Writes all lines of the runs.
void write_all(OutgoingRuns& out) {
  while (out.left > 0 || out.next()) {
    std::memcpy(out.to, out.from, out.left * line_bytes);
    out.left = 0;
  }
}

template <std::size_t item>
void pack_panels(Pack& pack) {
  const PackTable& table = *pack.table;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      std::byte* const column = pack.buffer + table.panel_offsets[p] + table.columns[c];
      for (std::size_t r = 0; r < table.filled_rows; ++r)
        std::memcpy(column + r * item, pack.src + table.rows[p * table.panel_rows + r] + c * item, item);
    }
  }
  if (pack.lines_per_step != 0) write_all(pack.out);
}

/// Calls copy(to, from) for each row.
template <class Copy>
void for_each_row(Pack& pack, const Copy& copy) {
  const PackTable& table = *pack.table;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    std::byte* to = pack.buffer + table.panel_offsets[p];
    const std::byte* from = pack.src + table.rows[p];
    for (std::size_t i = 0; i < table.repeats; ++i) {
      copy(to, from);
      to += table.buffer_step;
      from += table.src_step;
    }
  }
  if (pack.lines_per_step != 0) write_all(pack.out);
}

void pack_rows(Pack& pack) {
  const std::size_t bytes = pack.table->bytes;
  for_each_row(pack, [=](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
}

void pack_gathered(Pack& pack) {
  const PackTable& table = *pack.table;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    std::byte* to = pack.buffer + table.panel_offsets[p];
    const std::byte* const from = pack.src + table.rows[p];
    for (const Index piece : table.pieces) {
      std::memcpy(to, from + piece, table.bytes);
      to += table.bytes;
    }
  }
  if (pack.lines_per_step != 0) write_all(pack.out);
}

void pack_permuted(Pack& pack) {
  const std::vector<std::uint16_t>& order = pack.table->src_bytes;
  for_each_row(pack, [&](std::byte* to, const std::byte* from) {
    for (std::size_t b = 0; b < order.size(); ++b) to[b] = from[order[b]];
  });
}

}  // namespace

PermuteProgram make_program(const std::vector<std::uint16_t>& src_bytes, std::size_t rows, Index src_step,
                            std::size_t width) {
  const std::size_t bytes = src_bytes.size() * rows;
  const auto [first, last] = std::minmax_element(src_bytes.begin(), src_bytes.end());
  const Index reach = static_cast<Index>(rows - 1) * src_step;
  PermuteProgram program;
  program.rows = rows;
  program.bytes = bytes;
  program.lowest = *first + std::min<Index>(reach, 0);
  const Index end = *last + 1 + std::max<Index>(reach, 0);
  program.span = static_cast<std::size_t>(end - program.lowest);
  const std::size_t written = std::min(width, bytes);
  const auto read = static_cast<Index>(std::min(width, program.span));
  std::vector<Index> needed(written);
  std::vector<Index> ascending(written);
  for (std::size_t done = 0; done < bytes; done += width) {
    const std::size_t dst_offset = std::min(done, bytes - written);
    for (std::size_t i = 0; i < written; ++i) {
      const std::size_t at = dst_offset + i;
      needed[i] = static_cast<Index>(at / src_bytes.size()) * src_step + src_bytes[at % src_bytes.size()];
    }
    ascending = needed;
    std::sort(ascending.begin(), ascending.end());
    const std::size_t first_step = program.steps.size();
    for (std::size_t i = 0; i < written;) {
      const Index first_taken = ascending[i];
      const Index begin = std::min(first_taken, end - read);
      while (i < written && ascending[i] < begin + read) ++i;
      PermuteProgram::Step step{static_cast<std::int32_t>(begin), 0};
      for (std::size_t lane = 0; lane < width; ++lane) {
        const bool is_taken = lane < written && needed[lane] >= first_taken && needed[lane] < begin + read;
        if (is_taken) step.lane_mask |= std::uint64_t{1} << lane;
        program.lanes.push_back(is_taken ? static_cast<std::uint8_t>(needed[lane] - begin) : 0x80);
      }
      program.steps.push_back(step);
    }
    program.vectors.push_back({static_cast<std::uint32_t>(dst_offset), static_cast<std::uint32_t>(first_step),
                               static_cast<std::uint32_t>(program.steps.size())});
  }
  return program;
}

const PackKernels& portable_pack_kernels() {
  static constexpr PackKernels table{
      "portable",
      64,
      {pack_panels<1>, pack_panels<2>, pack_panels<4>, pack_panels<8>, pack_panels<16>},
      pack_rows,
      pack_permuted,
      16,
      true,
      pack_gathered,
      true};
  return table;
}

}  // namespace tenstride::copy
