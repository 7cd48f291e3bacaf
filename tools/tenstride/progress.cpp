// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "convert.hpp"

namespace tenstride::cli {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double measure_memcpy(Index bytes) {
  const auto size = static_cast<std::size_t>(std::clamp<Index>(bytes, 1, Index{256} << 20));
  std::vector<char> src(size, 1), dst(size, 2);  // both touched: page faults are no part of a plain copy
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const double start = now();
    std::memcpy(dst.data(), src.data(), size);
    src[0] = dst[size - 1];  // the copy is used, so that it is made
    best = std::min(best, now() - start);
  }
  return 2 * static_cast<double>(size) / 1e9 / std::max(best, 1e-9);
}

Progress::Progress() : start_(now()) {}

Progress::~Progress() {
  if (is_drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::show(Index rows_done, Index rows) {
  constexpr int width = 40;
  if (!is_error_terminal() || now() - start_ < 1) return;
  is_drawn_ = true;
  const double share = static_cast<double>(rows_done) / static_cast<double>(std::max<Index>(rows, 1));
  std::string bar(static_cast<std::size_t>(share * width), '=');
  bar.resize(width, ' ');
  std::fprintf(stderr, "\r[%s] %3.0f%%", bar.c_str(), 100 * share);
  std::fflush(stderr);
}

}  // namespace tenstride::cli
