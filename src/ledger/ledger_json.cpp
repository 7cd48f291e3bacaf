// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "ledger/place.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ledger/ledger.hpp"

/// Ledgers as JSON. Written without a JSON library, as there is little of it.
namespace tenstride {
namespace {

/// The text as a JSON string. Bytes beyond ASCII are passed on as UTF-8; a file name that is not UTF-8 stays
/// as it is.
std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      result += c;
    } else {
      result += "\\u00";
      result += digits[static_cast<unsigned char>(c) >> 4U];
      result += digits[static_cast<unsigned char>(c) & 15U];
    }
  }
  return result + '"';
}

/// A number with a decimal point and no exponent, which some readers do not accept.
std::string number(double value) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 9);
  return {digits, end.ptr};
}
std::string number(Index value) {
  return std::to_string(value);
}
std::string number(std::size_t value) {
  return std::to_string(value);
}

using Members = std::initializer_list<std::pair<std::string_view, std::string>>;

std::string object(const Members& members) {
  std::string text = "{";
  for (const auto& [key, value] : members) {
    if (text.size() > 1) text += ',';
    text += quoted(key) + ':' + value;
  }
  return text + '}';
}

std::string side(const std::optional<Layout>& layout, DType dtype) {
  if (!layout) return "null";
  return object({{"layout", quoted(to_string(*layout))}, {"dtype", quoted(name(dtype))}});
}

std::string link_of(const LedgerEntry& entry) {
  if (!entry.link) return "null";
  return object({{"from", quoted(name(entry.link->from))},
                 {"to", quoted(name(entry.link->to))},
                 {"memory", quoted(name(entry.link->memory))},
                 {"blocking", entry.link->blocking == Blocking::blocking ? "true" : "false"}});
}

std::string to_json(const LedgerEntry& entry) {
  const ScriptPlace place = detail::place_of(entry);
  return object({{"kind", quoted(name(entry.kind))},
                 {"operation", quoted(entry.operation)},
                 {"reason", quoted(entry.reason)},
                 {"src", side(entry.src, entry.src_dtype)},
                 {"dst", side(entry.dst, entry.dst_dtype)},
                 {"device", quoted(name(entry.device))},
                 {"bytes_read", number(entry.bytes_read)},
                 {"bytes_written", number(entry.bytes_written)},
                 {"bytes_allocated", number(entry.bytes_allocated)},
                 {"kernel", quoted(entry.kernel)},
                 {"link", link_of(entry)},
                 {"start", number(entry.start)},
                 {"seconds", number(entry.seconds)},
                 {"file", quoted(detail::file_text(place))},
                 {"line", std::to_string(place.line)},
                 {"function", quoted(place.function)},
                 {"allowed", quoted(entry.allowed)}});
}

template <class Write>
std::string list(const CopyLedger& ledger, const Write& write) {
  std::string text = "[";
  for (const LedgerEntry& entry : ledger.entries()) {
    if (text.size() > 1) text += ',';
    text += write(entry);
  }
  return text + ']';
}

}  // namespace

std::string to_json(const CopyLedger& ledger) {
  const LedgerTotals& totals = ledger.totals();
  return object({{"entries", list(ledger, [](const LedgerEntry& entry) { return to_json(entry); })},
                 {"totals", object({{"copies", number(totals.copies)},
                                    {"fills", number(totals.fills)},
                                    {"allocations", number(totals.allocations)},
                                    {"scrambles", number(totals.scrambles)},
                                    {"transfers", number(totals.transfers)},
                                    {"reductions", number(totals.reductions)},
                                    {"bytes_read", number(totals.bytes_read)},
                                    {"bytes_written", number(totals.bytes_written)},
                                    {"bytes_allocated", number(totals.bytes_allocated)},
                                    {"bytes_transferred", number(totals.bytes_transferred)},
                                    {"bytes_reduced", number(totals.bytes_reduced)},
                                    {"peak_bytes", number(totals.peak_bytes)},
                                    {"seconds", number(totals.seconds)}})},
                 {"left_out", number(ledger.left_out())}});
}

std::string to_trace(const CopyLedger& ledger) {
  return list(ledger, [](const LedgerEntry& entry) {
    return object({{"name", quoted(entry.operation)},
                   {"cat", quoted(name(entry.kind))},
                   {"ph", "\"X\""},
                   {"ts", number(entry.start * 1e6)},
                   {"dur", number(entry.seconds * 1e6)},
                   {"pid", "1"},
                   {"tid", "1"},
                   {"args", to_json(entry)}});
  });
}

}  // namespace tenstride
