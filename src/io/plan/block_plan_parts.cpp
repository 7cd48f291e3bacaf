// SPDX-License-Identifier: Apache-2.0
#include "io/plan/block_plan_parts.hpp"

#include <algorithm>

#include "base/cache_line.hpp"
#include "io/plan/boxes.hpp"

namespace tenstride {

Dims tile_counts(const Dims& shape, const Dims& tile) {
  Dims counts = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) counts[d] = (shape[d] + tile[d] - 1) / tile[d];
  return counts;
}

Box tile_box(const Dims& shape, const Dims& tile, Index number) {
  Box box{shape, tile};
  for (std::size_t d = shape.size(); d-- > 0;) {
    const Index count = (shape[d] + tile[d] - 1) / tile[d];
    box.first[d] = number % count * tile[d];
    number /= count;
    box.extents[d] = std::min(tile[d], shape[d] - box.first[d]);
  }
  return box;
}

namespace detail {
namespace {

constexpr Index mebibyte = Index{1} << 20;

Index round_down(Index value, Index unit) {
  return value / unit * unit;
}
Index round_up(Index value, Index unit) {
  return (value + unit - 1) / unit * unit;
}

/// The smallest number that is at least `min_value` and congruent to `stride` modulo `unit`.
Index congruent(Index min_value, Index stride, Index unit) {
  const Index beyond = (stride - min_value) % unit;
  return min_value + (beyond < 0 ? beyond + unit : beyond);
}

/// A buffer in which every run has the same offset in a page as in the file, with room for the pages at its
/// ends.
TileBuffer page_buffer(FileRuns runs, Index item, Index page) {
  TileBuffer buffer{.runs = std::move(runs), .pitch = {}, .nbytes = 0, .is_in_place = true};
  const Index unit = page / item;
  buffer.pitch = Dims::filled(buffer.runs.extents.size(), 0);
  Index next = buffer.runs.span + 2 * unit;
  for (std::size_t d = buffer.pitch.size(); d-- > 0;) {
    buffer.pitch[d] = congruent(next, buffer.runs.strides[d], unit);
    next = buffer.pitch[d] * buffer.runs.extents[d];
  }
  buffer.nbytes = round_up(next * item, page) + 2 * page;
  return buffer;
}

TileBuffer dense_buffer(FileRuns runs, Index item) {
  TileBuffer buffer{.runs = std::move(runs), .pitch = {}, .nbytes = 0, .is_in_place = false};
  buffer.pitch = dense_pitch(buffer.runs);
  buffer.nbytes = buffer.runs.count() * buffer.runs.span * item;
  return buffer;
}

bool fits_a_group(const Dims& extents, const Dims& strides, Index item, Index page, Index group_bytes) {
  return group_buffer(extents, strides, item, page).nbytes <= group_bytes;
}

/// The axis along which source elements lie closest.
std::optional<std::size_t> fastest_axis(const Dims& extents, const Dims& src_strides) {
  std::optional<std::size_t> fastest;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1 || src_strides[d] == 0) continue;
    if (!fastest || std::abs(src_strides[d]) < std::abs(src_strides[*fastest])) fastest = d;
  }
  return fastest;
}

/// The largest part that fits: the innermost axes whole, and as many indices as fit of the next one; at least
/// a cache line of axis `in_lines`. The result does not fit where no part does.
template <class Fits>
Dims part_that_fits(const Dims& extents, const Dims& strides, std::optional<std::size_t> in_lines, Index item,
                    const Fits& fits) {
  Dims part = extents;
  for (std::size_t cut = 0; cut < part.size() && !fits(part); ++cut) {
    if (strides[cut] == 0) continue;  // a reduced axis is not cut
    const Index min_value =
        cut == in_lines ? std::min(extents[cut], std::max<Index>(1, line_bytes / item)) : 1;
    part[cut] = min_value;
    if (!fits(part)) continue;
    Index enough = min_value, beyond = extents[cut];
    while (beyond - enough > 1) {
      const Index middle = enough + (beyond - enough) / 2;
      part[cut] = middle;
      (fits(part) ? enough : beyond) = middle;
    }
    part[cut] = enough >= 32 ? round_down(enough, 16) : enough;  // whole cache lines on the other side
    break;
  }
  return part;
}

}  // namespace

BlockBudget budget_of(const BlockProblem& problem, const BlockLimits& limits) {
  BlockBudget budget;
  budget.memory = limits.memory;
  const bool has_room_for_pages = limits.memory >= 256 * limits.disk.page;
  budget.page = has_room_for_pages ? limits.disk.page : 1;
  const Index unit = std::max(budget.page, problem.dst_item);
  // Measured on a virtio disk, 4 to 8 MB in flight are best for reading and writing: requests of 1 MiB reach
  // 3.5 GB/s with 4 and 8 in flight, 2.7 with 32; of 256 KiB 3.3 with 16 and 32, 2.5 with 64; of 112 KiB 1.9
  // with 16, 2.5 with 32, 2.7 with 64.
  budget.request_bytes = round_down(std::clamp<Index>(limits.memory / 256, unit, mebibyte / 4), unit);
  budget.requests_in_flight = has_room_for_pages ? std::clamp<Index>(limits.memory / (8 * unit), 4, 64) : 4;
  // Groups of 8 MiB: a copy of one takes about 3 ms, so that writing begins soon and the next group is ready
  // in time.
  const Index min_group = 4 * unit;
  budget.group_bytes = std::clamp<Index>(round_down(limits.memory / 16, unit), min_group, 8 * mebibyte);
  return budget;
}

TileBuffer tile_buffer(const Dims& extents, const Dims& strides, Index item, Index begin, Index page) {
  FileRuns runs = runs_of_box(extents, strides, disk_page / item);
  const bool is_in_place =
      page > 1 && page % item == 0 && begin % item == 0 && runs.span * item >= in_place_pages * page;
  return is_in_place ? page_buffer(std::move(runs), item, page) : dense_buffer(std::move(runs), item);
}

TileBuffer group_buffer(const Dims& extents, const Dims& strides, Index item, Index page) {
  FileRuns runs = runs_of_box(extents, strides, 0);
  return page > 1 ? page_buffer(std::move(runs), item, page) : dense_buffer(std::move(runs), item);
}

Index bounce_slot_bytes(const TileBuffer& full, Index item, Index page, Index request_bytes) {
  const Index run = full.is_in_place ? in_place_pages * page : round_up(full.runs.span * item, page);
  return std::min(run, request_bytes) + page;
}

BlockProblem reading_problem(const Layout& layout, Index item, Index begin) {
  BlockProblem problem;
  problem.src = problem.dst = layout;
  problem.positions = row_major(layout.shape);
  problem.src_item = problem.dst_item = item;
  problem.src_begin = problem.dst_begin = begin;
  return problem;
}

Index position_of(const Dims& index, const Layout& layout) {
  Index position = layout.offset;
  for (std::size_t d = 0; d < index.size(); ++d) position += index[d] * layout.strides[d];
  return position;
}

std::vector<Box> cut_into_groups(const Box& box, const Dims& strides, const Dims& src_strides, Index item,
                                 Index page, Index group_bytes) {
  const auto fits = [&](const Dims& part) { return fits_a_group(part, strides, item, page, group_bytes); };
  Dims part = part_that_fits(box.extents, strides, fastest_axis(box.extents, src_strides), item, fits);
  const auto run = [&](const Dims& extents) { return runs_of_box(extents, strides, 0).span; };
  if (!fits(part) || run(part) < run(box.extents)) {
    part = part_that_fits(box.extents, strides, std::nullopt, item, fits);
  }
  return io::cut_box(box, part);
}

std::vector<Dims> tile_candidates(const BlockProblem& problem, Index elements) {
  const Dims& shape = problem.src.shape;
  const std::size_t rank = shape.size();
  const auto fastest_first = [&](const Dims& strides) {
    std::vector<std::size_t> axes;
    for (std::size_t d = 0; d < rank; ++d) {
      if (problem.dst.strides[d] != 0) axes.push_back(d);
    }
    std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(strides[a]) < std::abs(strides[b]);
    });
    return axes;
  };
  const std::vector<std::size_t> by_src = fastest_first(problem.src.strides);
  const std::vector<std::size_t> by_dst = fastest_first(problem.dst.strides);
  std::vector<Dims> candidates;
  const auto whole = [&](std::size_t src_axes, std::size_t dst_axes) {
    Dims tile = Dims::filled(rank, 1);
    for (std::size_t d = 0; d < rank; ++d) {
      if (problem.dst.strides[d] == 0) tile[d] = shape[d];
    }
    for (std::size_t i = 0; i < src_axes; ++i) tile[by_src[i]] = shape[by_src[i]];
    for (std::size_t i = 0; i < dst_axes; ++i) tile[by_dst[i]] = shape[by_dst[i]];
    return tile;
  };
  const auto volume = [](const Dims& tile) {
    double product = 1;
    for (const Index extent : tile) product *= static_cast<double>(extent);
    return product;
  };
  // The size of about equal parts of an axis that are about `part` long.
  const auto balanced = [&](std::size_t axis, Index part) {
    const Index extent = std::clamp<Index>(part, 1, shape[axis]);
    const Index parts = (shape[axis] + extent - 1) / extent;
    return (shape[axis] + parts - 1) / parts;
  };
  for (std::size_t k = 0; k <= by_src.size(); ++k) {
    for (std::size_t l = 0; l <= by_dst.size(); ++l) {
      const Dims tile = whole(k, l);
      const double room = static_cast<double>(elements) / volume(tile);
      if (room < 1) continue;
      const auto next = [&](const std::vector<std::size_t>& axes) -> std::optional<std::size_t> {
        for (const std::size_t axis : axes) {
          if (tile[axis] < shape[axis]) return axis;
        }
        return std::nullopt;
      };
      const std::optional<std::size_t> a = next(by_src), b = next(by_dst);
      if (!a) {
        candidates.push_back(tile);
        continue;
      }
      const auto max_part = static_cast<Index>(std::min(room, 9e15));
      for (Index part = 1;; part = std::max(part + 1, part * 5 / 4)) {
        Dims candidate = tile;
        candidate[*a] = balanced(*a, std::min(part, max_part));
        const auto left = static_cast<Index>(std::min(room / static_cast<double>(candidate[*a]), 9e15));
        if (left >= 1 && *a != *b) candidate[*b] = balanced(*b, left);
        if (left >= 1) candidates.push_back(std::move(candidate));
        if (part >= shape[*a] || part >= max_part) break;
      }
    }
  }
  return candidates;
}

}  // namespace detail
}  // namespace tenstride
