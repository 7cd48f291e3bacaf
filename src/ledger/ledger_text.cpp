// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <vector>

#include "ledger/place.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ledger/ledger.hpp"

/// Ledgers as text.
namespace tenstride {
namespace {

using detail::message;

std::string side_text(const std::optional<Layout>& layout, DType dtype) {
  if (!layout) return "-";
  return message(to_string(*layout), " ", name(dtype));
}

std::string bytes_text(Index bytes) {
  return bytes == 0 ? "-" : message(bytes, " B");
}

std::string milliseconds_text(const LedgerEntry& entry) {
  const bool is_timed =
      entry.device.has_memory() && (entry.kind == LedgerKind::copy || entry.kind == LedgerKind::fill ||
                                    entry.kind == LedgerKind::reduction);
  if (!is_timed) return "-";
  char digits[32];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, entry.seconds * 1e3, std::chars_format::fixed, 3);
  return std::string(digits, end.ptr) + " ms";
}

using Row = std::vector<std::string>;

Row row_of(const LedgerEntry& entry, std::size_t number) {
  return {std::to_string(number),
          entry.operation,
          std::string(name(entry.kind)),
          side_text(entry.src, entry.src_dtype),
          side_text(entry.dst, entry.kind == LedgerKind::scramble ? entry.src_dtype : entry.dst_dtype),
          bytes_text(entry.bytes_read),
          bytes_text(entry.bytes_written),
          bytes_text(entry.bytes_allocated),
          entry.kernel.empty() ? "-" : entry.kernel,
          milliseconds_text(entry),
          detail::place_text(entry)};
}

/// Appends a cell, filled up to a column's width. The width counts bytes, which is right for ASCII: only a
/// file name may hold other characters.
void pad(std::string& text, const std::string& cell, std::size_t width) {
  text += cell;
  text.append(width - cell.size() + 2, ' ');
}

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  return message(count, " ", count == 1 ? one : many);
}

}  // namespace

std::string to_text(const CopyLedger& ledger) {
  std::vector<Row> rows{
      {"", "operation", "kind", "from", "to", "read", "written", "allocated", "kernel", "time", "place"}};
  for (const LedgerEntry& entry : ledger.entries()) rows.push_back(row_of(entry, rows.size()));
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (std::size_t n = 0; n < rows.size() && rows.size() > 1; ++n) {
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) pad(text, rows[n][i], widths[i]);
    text += rows[n].back() + '\n';
    if (n == 0) continue;
    const LedgerEntry& entry = ledger.entries()[n - 1];
    const std::string indent(widths[0] + 4, ' ');
    if (!entry.reason.empty()) text += indent + entry.reason + '\n';
    if (!entry.allowed.empty()) text += indent + "allowed: " + entry.allowed + '\n';
  }
  const LedgerTotals& totals = ledger.totals();
  if (ledger.left_out() > 0) text += message("… and ", ledger.left_out(), " more\n");
  if (rows.size() > 1) text += '\n';
  text +=
      message(plural(totals.copies, "copy", "copies"), ", ", totals.bytes_read, " B read, ",
              totals.bytes_written, " B written; ", plural(totals.allocations, "allocation", "allocations"),
              ", ", totals.bytes_allocated, " B, at most ", totals.peak_bytes, " B at the same time\n");
  if (totals.transfers > 0) {
    text += message(plural(totals.transfers, "transfer", "transfers"), ", ", totals.bytes_transferred,
                    " B over the link\n");
  }
  if (totals.reductions > 0) {
    text += message(plural(totals.reductions, "reduction", "reductions"), ", ", totals.bytes_reduced,
                    " B read\n");
  }
  if (totals.scrambles > 0) text += plural(totals.scrambles, "scramble", "scrambles") + '\n';
  return text;
}

}  // namespace tenstride
