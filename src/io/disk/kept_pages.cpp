// SPDX-License-Identifier: Apache-2.0
#include "io/disk/kept_pages.hpp"

#include <algorithm>
#include <cstring>

namespace tenstride::io {

KeptPages::Page& KeptPages::page_at(std::uint64_t page_begin) {
  const auto [found, is_new] = pages_.try_emplace(page_begin);
  if (is_new) {
    found->second.content.resize(page_);
    order_.push_back(page_begin);
  }
  return found->second;
}

void KeptPages::load(std::uint64_t page_begin, std::span<const std::byte> content) {
  Page& page = page_at(page_begin);
  std::copy(content.begin(), content.end(), page.content.begin());
  lost_.erase(page_begin);
}

void KeptPages::merge(std::uint64_t begin, std::span<const std::byte> bytes, std::byte* image) {
  const std::uint64_t page_begin = begin / page_ * page_;
  Page& page = page_at(page_begin);
  std::memcpy(page.content.data() + (begin - page_begin), bytes.data(), bytes.size());
  std::memcpy(image, page.content.data(), page_);
  page.filled += bytes.size();
  if (page.filled >= std::min<std::uint64_t>(page_, end_ - page_begin)) pages_.erase(page_begin);
}

void KeptPages::shrink() {
  while (!order_.empty() && (pages_.size() > most_ || !pages_.contains(order_.front()))) {
    if (pages_.erase(order_.front()) > 0) lost_.insert(order_.front());
    order_.pop_front();
  }
}

}  // namespace tenstride::io
