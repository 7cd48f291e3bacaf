// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tenstride::io {

/// Pages of a file that were written in part: what they hold is kept until they are full, so that whole pages
/// can be written and none has to be read back.
class KeptPages {
 public:
  /// Pages of `page` bytes, of which `most` are kept; `end` is the length of the file, whose last page is
  /// full with what it has.
  KeptPages(std::size_t page, std::size_t most, std::uint64_t end) : page_(page), most_(most), end_(end) {}

  /// Whether anything of the page is kept.
  [[nodiscard]] bool contains(std::uint64_t page_begin) const { return pages_.contains(page_begin); }
  /// What the file has of the page. Pre: not contains(page_begin).
  void load(std::uint64_t page_begin, std::span<const std::byte> content);
  /// Adds bytes at `begin` of the file to the page they are in, and copies all that is known of that page to
  /// `image`, which is the page. Pre: the bytes are of one page. A page that is full then is kept no longer.
  void merge(std::uint64_t begin, std::span<const std::byte> bytes, std::byte* image);
  /// Gives up the pages kept longest, as many as are too many. Pre: all writes are done.
  void shrink();
  /// Takes the page for one that was given up, because something else has written to it.
  void lose(std::uint64_t page_begin) { lost_.insert(page_begin); }
  /// Whether the page was given up: what it held must be read back.
  [[nodiscard]] bool is_lost(std::uint64_t page_begin) const { return lost_.contains(page_begin); }

 private:
  struct Page {
    std::vector<std::byte> content;
    std::size_t filled = 0;
  };
  Page& page_at(std::uint64_t page_begin);

  std::size_t page_;
  std::size_t most_;
  std::uint64_t end_;
  std::unordered_map<std::uint64_t, Page> pages_;
  std::deque<std::uint64_t> order_;  ///< as they came; some may be gone
  std::unordered_set<std::uint64_t> lost_;
};

}  // namespace tenstride::io
