// SPDX-License-Identifier: Apache-2.0
#include "copy/pack.hpp"

#include <algorithm>
#include <cstring>

namespace tenstride::copy {

bool OutgoingRuns::next() {
  for (;;) {
    if (begun > 0 && to != nullptr) {
      std::byte* const place = dst + places[begun - 1];
      const std::byte* const row = rows + static_cast<std::ptrdiff_t>(begun - 1) * pitch;
      const std::size_t shift = reinterpret_cast<std::uintptr_t>(place) % line;
      const std::size_t tail = (shift + bytes) % line;
      if (!ends) {
        std::memcpy(next_rows + static_cast<std::ptrdiff_t>(begun - 1) * pitch - line, row + bytes - line,
                    line);
      } else if (tail != 0 && !(begins && shift != 0 && shift + bytes < line)) {
        std::memcpy(place + bytes - tail, row + bytes - tail, tail);
      }
      to = nullptr;
    }
    if (begun == count) return false;
    std::byte* const place = dst + places[begun];
    const std::byte* const row = rows + static_cast<std::ptrdiff_t>(begun) * pitch;
    const std::size_t shift = reinterpret_cast<std::uintptr_t>(place) % line;
    ++begun;
    to = place - shift;
    from = row - shift;
    left = (shift + bytes) / line;
    if (begins && shift != 0) {
      std::memcpy(place, row, std::min(line - shift, bytes));
      if (left > 0) --left;
      to += line;
      from += line;
    }
    if (left > 0) return true;
  }
}

namespace {

void write_plainly(OutgoingRuns& out) {
  while (out.left > 0 || out.next()) {
    std::memcpy(out.to, out.from, out.left * OutgoingRuns::line);
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

void pack_rows_plainly(Pack& pack) {
  const PackTable& table = *pack.table;
  for (std::size_t p = pack.first_panel; p < pack.last_panel; ++p) {
    std::byte* to = pack.buffer + table.places[p];
    const std::byte* from = pack.src + table.rows[p];
    for (std::size_t i = 0; i < table.repeats; ++i) {
      std::memcpy(to, from, table.bytes);
      to += table.buffer_step;
      from += table.src_step;
    }
  }
  if (pack.lines_each != 0) write_plainly(pack.out);
}

}  // namespace

const PackKernels& portable_pack_kernels() {
  static constexpr PackKernels table{
      "portable",
      64,
      {pack_plainly<1>, pack_plainly<2>, pack_plainly<4>, pack_plainly<8>, pack_plainly<16>},
      pack_rows_plainly};
  return table;
}

}  // namespace tenstride::copy
