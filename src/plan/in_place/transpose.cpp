// SPDX-License-Identifier: Apache-2.0
#include "plan/in_place/transpose.hpp"

#include <algorithm>
#include <utility>

namespace tenstride::detail {
namespace {

/// More scratch memory gains nothing: this keeps the copies of up to 4 threads within their L2 caches.
constexpr Index max_useful_scratch = Index{1} << 20;
/// The longest part of an item that is held at a time; cycles of longer parts are not faster.
constexpr Index max_part_bytes = Index{64} << 10;
/// The largest divisor that is tried. Larger ones make runs longer, but not noticeably faster.
constexpr Index max_divisor = 4096;

Index matrix_bytes(const Transposition& t) {
  return t.rows * t.columns * t.item;
}
double total_bytes(const Transposition& t) {
  return static_cast<double>(t.batch) * static_cast<double>(matrix_bytes(t));
}
Index all_bytes(const Transposition& t) {
  return t.batch * matrix_bytes(t);
}

Index min_for_cycles(const Transposition& t) {
  return bitmap_bytes(t.rows * t.columns) + std::min(t.item, Index{64});
}

/// The smallest scratch memory of a decomposition: a row, or a panel of one column with its first item
/// repeated, or a bitmap of the rows and a part of one.
Index min_for_decomposition(const Transposition& t) {
  const Index row = t.columns * t.item;
  return std::max({row, (t.rows + 1) * t.item, bitmap_bytes(t.rows) + std::min(row, Index{64})});
}

InPlaceStep step_of(InPlaceMethod method, const Transposition& t, Index scratch, Index passes) {
  return {method, t.batch, {t.rows, t.columns}, {1, 0}, t.item, scratch, passes * all_bytes(t)};
}

using Choice = std::optional<CostedSteps>;

void take_cheaper(Choice& best, Choice other) {
  if (other && (!best || other->cost < best->cost)) best = std::move(other);
}

Choice by_scratch(const Transposition& t, Index extra) {
  if (matrix_bytes(t) > extra) return {};
  return within(scratch_step(t.batch, {t.rows, t.columns}, {1, 0}, t.item), extra);
}

Choice by_tiles(const Transposition& t, Index extra) {
  if (t.rows != t.columns || 2 * t.item > extra) return {};
  const Index scratch = std::min({extra, std::max(2 * t.item, max_useful_scratch), 2 * matrix_bytes(t)});
  return CostedSteps{2.5 * total_bytes(t), {step_of(InPlaceMethod::tiles, t, scratch, 2)}};
}

Choice by_cycles(const Transposition& t, Index extra) {
  if (min_for_cycles(t) > extra) return {};
  const Index bitmap = bitmap_bytes(t.rows * t.columns);
  const Index scratch = std::min(extra, 4 * (bitmap + std::min(t.item, max_part_bytes)));
  const double part = static_cast<double>(std::min(t.item, scratch - bitmap));
  // Each item begins with a cache miss: 96 MB take 1.06 times as long as a plain copy with items of 2400 B,
  // 1.9 times with 640 B, 2.0 times with 240 B, and about 6 times with 64 B (Sapphire Rapids, 2 threads,
  // other programs running).
  return CostedSteps{total_bytes(t) * (1 + 300 / part), {step_of(InPlaceMethod::cycles, t, scratch, 1)}};
}

Choice by_decomposition(const Transposition& t, Index extra) {
  const Index min_bytes = min_for_decomposition(t);
  if (min_bytes > extra) return {};
  const Index wide = std::max(Index{256} / t.item, Index{1});
  const Index scratch = std::min(extra, std::max(min_bytes, 4 * (t.rows + wide) * wide * t.item));
  const double panel = static_cast<double>(std::min(scratch / (t.rows + 1), Index{64}));
  return CostedSteps{total_bytes(t) * 10 * std::max(64 / std::max(panel, 1.0) / 2, 1.0),
                     {step_of(InPlaceMethod::decomposition, t, scratch, 7)}};
}

/// 1, the two largest divisors of n up to `limit`, and the two largest up to a quarter of that,
/// whose panels stay in the cache. Example: of 4000 up to 43: 1, 40, 32, 10, 8.
std::vector<Index> divisors(Index n, Index limit) {
  std::vector<Index> result{1};
  for (const Index highest : {limit, limit / 4}) {
    int left = 2;
    for (Index d = std::min({highest, n - 1, max_divisor}); d > 1 && left > 0; --d) {
      if (n % d != 0) continue;
      result.push_back(d);
      --left;
    }
  }
  return result;
}

Choice in_one_step(const Transposition& t, Index extra) {
  Choice best = by_scratch(t, extra);
  take_cheaper(best, by_tiles(t, extra));
  take_cheaper(best, by_cycles(t, extra));
  return best;
}

/// Transposes by panels that fit the scratch memory: (rows1, rows2, columns1, columns2) → (rows1, columns1,
/// rows2, columns2) within panels of rows2 rows, → (columns1, rows1, rows2, columns2) by whole tiles, →
/// (columns1, columns2, rows1, rows2) within panels of columns2 columns.
Choice by_panels(const Transposition& t, Index extra) {
  Choice best;
  for (const Index rows2 : divisors(t.rows, extra / (t.columns * t.item))) {
    for (const Index columns2 : divisors(t.columns, extra / (t.rows * t.item))) {
      if (rows2 == 1 && columns2 == 1) continue;
      const Index rows1 = t.rows / rows2;
      const Index columns1 = t.columns / columns2;
      Choice all = CostedSteps{};
      const auto add = [&](const Transposition& part) {
        if (!all || part.rows == 1 || part.columns == 1) return;
        const Choice one = in_one_step(part, extra);
        if (!one) {
          all.reset();
          return;
        }
        all->cost += one->cost;
        all->steps.insert(all->steps.end(), one->steps.begin(), one->steps.end());
      };
      add({t.batch * rows1, rows2, columns1, columns2 * t.item});
      add({t.batch, rows1, columns1, rows2 * columns2 * t.item});
      add({t.batch * columns1, t.rows, columns2, t.item});
      take_cheaper(best, std::move(all));
    }
  }
  return best;
}

}  // namespace

Index block_bytes(const InPlaceStep& step) {
  Index result = step.item_bytes;
  for (const Index extent : step.shape) result *= extent;
  return result;
}

InPlaceStep scratch_step(Index batch, const Dims& shape, const Dims& order, Index item) {
  InPlaceStep step{InPlaceMethod::scratch, batch, shape, order, item, 0, 0};
  step.bytes_moved = 2 * batch * block_bytes(step);
  return step;
}

CostedSteps within(InPlaceStep step, Index extra) {
  const Index block = block_bytes(step);
  const Index useful = std::min(extra, std::max(block, max_useful_scratch));
  step.scratch_bytes = std::min(useful / block, step.batch) * block;
  // 96 MB take 2.3 times as long as a plain copy by blocks of 960 KB, 1.9 times by blocks of 256 KB, 1.4
  // times by items of 64 B (Sapphire Rapids, 2 threads, 2 MiB of L2 cache each, other programs running).
  const double factor = block > max_useful_scratch / 2 ? 2.3 : 1.9;
  return {factor * static_cast<double>(step.bytes_moved / 2), {std::move(step)}};
}

Index bitmap_bytes(Index items) {
  return (items + 63) / 64 * 8;
}

Index min_scratch(const Transposition& t) {
  Index min_bytes = std::min({matrix_bytes(t), min_for_cycles(t), min_for_decomposition(t)});
  if (t.rows == t.columns) min_bytes = std::min(min_bytes, 2 * t.item);
  return min_bytes;
}

Choice cheapest_steps(const Transposition& t, Index extra) {
  // Panels sometimes need less, but the minimum that an error message names has to hold for every method.
  if (extra < min_scratch(t)) return {};
  Choice best = in_one_step(t, extra);
  take_cheaper(best, by_decomposition(t, extra));
  take_cheaper(best, by_panels(t, extra));
  return best;
}

}  // namespace tenstride::detail
