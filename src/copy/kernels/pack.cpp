// SPDX-License-Identifier: Apache-2.0
#include "copy/kernels/pack.hpp"

#include <algorithm>
#include <cstring>

#include "copy/kernels/kernels.hpp"

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
  const std::size_t part = table.panel_rows / table.side_by_side;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    for (std::size_t side = 0; side < table.side_by_side; ++side) {
      std::byte* const panel = pack.buffer + table.panel_offsets[side * table.panels() + p];
      const Index* const rows = &table.rows[p * table.panel_rows + side * part];
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        for (std::size_t r = 0; r < table.filled_rows; ++r)
          std::memcpy(panel + table.columns[c] + r * item, pack.src + rows[r] + c * item, item);
      }
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

/// Where loads of `bytes` bytes begin that together have all of `ascending`, each before `end`.
std::vector<Index> windows_of(const std::vector<Index>& ascending, Index bytes, Index end) {
  std::vector<Index> windows;
  for (const Index needed : ascending) {
    if (windows.empty() || needed >= windows.back() + bytes) windows.push_back(std::min(needed, end - bytes));
  }
  return windows;
}

/// The steps of a vector whose bytes come from `needed`.
class VectorSteps {
 public:
  VectorSteps(const std::vector<Index>& needed, std::size_t width, Index read, Index end) : needed_(needed) {
    std::vector<Index> ascending = needed;
    std::sort(ascending.begin(), ascending.end());
    windows_ = windows_of(ascending, read, end);
    window_bytes_ = read;
    steps_ = windows_.size();
    if (width != halved_width || read < static_cast<Index>(width)) return;
    std::vector<Index> halves = windows_of(ascending, read / 2, end);
    if ((halves.size() + 1) / 2 >= steps_) return;
    is_whole_ = false;
    window_bytes_ = read / 2;
    steps_ = (halves.size() + 1) / 2;
    if (halves.size() % 2 != 0) halves.push_back(halves.back());
    windows_ = std::move(halves);
  }

  [[nodiscard]] bool is_whole() const { return is_whole_; }

  /// Appends the steps to a program whose vectors have `width` bytes.
  void append_to(PermuteProgram& program, std::size_t width) const {
    std::vector<bool> is_done(needed_.size(), false);
    const std::size_t each = windows_.size() / steps_;
    for (std::size_t s = 0; s < steps_; ++s) {
      PermuteProgram::Step step;
      step.src_offset = static_cast<std::int32_t>(windows_[s * each]);
      step.second_offset = static_cast<std::int32_t>(
          is_whole_ ? windows_[s] + static_cast<Index>(halved_width / 2) : windows_[s * each + 1]);
      std::vector<std::uint8_t> lanes(width, 0x80);
      for (std::size_t lane = 0; lane < needed_.size(); ++lane) {
        for (std::size_t w = 0; w < each && !is_done[lane]; ++w) {
          const Index at = needed_[lane] - windows_[s * each + w];
          if (at < 0 || at >= window_bytes_) continue;
          is_done[lane] = true;
          lanes[lane] = static_cast<std::uint8_t>(at + static_cast<Index>(w) * window_bytes_);
          step.lane_mask |= std::uint64_t{1} << lane;
        }
      }
      program.lanes.insert(program.lanes.end(), lanes.begin(), lanes.end());
      program.steps.push_back(step);
    }
  }

 private:
  const std::vector<Index>& needed_;
  /// Where each load begins: one for each step, or two.
  std::vector<Index> windows_;
  Index window_bytes_ = 0;
  std::size_t steps_ = 0;
  bool is_whole_ = true;
};

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
  for (std::size_t done = 0; done < bytes; done += width) {
    const std::size_t dst_offset = std::min(done, bytes - written);
    for (std::size_t i = 0; i < written; ++i) {
      const std::size_t at = dst_offset + i;
      needed[i] = static_cast<Index>(at / src_bytes.size()) * src_step + src_bytes[at % src_bytes.size()];
    }
    const VectorSteps steps(needed, width, read, end);
    const std::size_t first_step = program.steps.size();
    steps.append_to(program, width);
    program.vectors.push_back({static_cast<std::uint32_t>(dst_offset), static_cast<std::uint32_t>(first_step),
                               static_cast<std::uint32_t>(program.steps.size()), steps.is_whole()});
  }
  return program;
}

const PackKernels& portable_pack_kernels() {
  static constexpr PackKernels table{
      "portable", 64, TENSTRIDE_ITEMS(pack_panels), pack_rows, pack_permuted, 16, false, pack_gathered};
  return table;
}

}  // namespace tenstride::copy
