// SPDX-License-Identifier: Apache-2.0
#include "io/run/tile_copy.hpp"

#include <algorithm>
#include <span>

#include "copy/swap_bytes.hpp"
#include "io/ends/operation.hpp"
#include "io/plan/boxes.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

Dims minus(Dims a, const Dims& b) {
  for (std::size_t d = 0; d < a.size(); ++d) a[d] -= b[d];
  return a;
}

/// Converts and writes one tensor into another of the same shape. `first`: the index of its first element in
/// the plan.
void convert_into(Tensor& dst, const Tensor& src, const Dims& first, const Conversion& conversion) {
  ScaleShift arithmetic{conversion.scale, conversion.shift, static_cast<Index>(conversion.axis)};
  const auto cut = [&](std::span<const double> numbers) {
    if (numbers.size() <= 1) return numbers;
    return numbers.subspan(static_cast<std::size_t>(first[conversion.axis]),
                           static_cast<std::size_t>(src.size(static_cast<Index>(conversion.axis))));
  };
  arithmetic.scale = cut(arithmetic.scale);
  arithmetic.shift = cut(arithmetic.shift);
  Tensor converted = src;
  if (conversion.reduction) {
    for (const DType type : conversion.types) converted = converted.to(type);
    converted = reduce_axes(converted, conversion.reduced_axes, *conversion.reduction);
    for (const Index axis : conversion.reduced_axes) converted = converted.unsqueeze(axis);
    Tensor target = dst;
    for (const Index axis : conversion.reduced_axes) target = target.narrow(axis, 0, 1);
    copy_elements(target, converted, arithmetic);
    return;
  }
  for (std::size_t i = 0; i + 1 < conversion.types.size(); ++i) converted = converted.to(conversion.types[i]);
  copy_elements(dst, converted, arithmetic);
}

}  // namespace

Index convert_elements(Tensor& dst, const Tensor& src, const Dims& first, const Conversion& conversion) {
  if (conversion.rescaling != nullptr)
    return rescale_elements(dst, src, *conversion.rescaling, this_operation);
  // As many indices of the first long axis at a time that what lies between two conversions stays small.
  constexpr Index most = Index{1} << 18;  // elements: at most 4 MiB of any type
  const auto can_be_cut = [&](std::size_t axis) {
    const auto along = static_cast<Index>(axis);
    const Dims& reduced = conversion.reduced_axes;
    return src.size(along) > 1 && std::find(reduced.begin(), reduced.end(), along) == reduced.end();
  };
  std::size_t axis = 0;
  while (axis < first.size() && !can_be_cut(axis)) ++axis;
  const std::size_t kept_types = conversion.reduction ? conversion.types.size() + 1 : conversion.types.size();
  if (kept_types < 2 || src.numel() <= most || axis == first.size()) {
    convert_into(dst, src, first, conversion);
    return 0;
  }
  const auto along = static_cast<Index>(axis);
  const Index step = std::max<Index>(1, most / std::max<Index>(1, src.numel() / src.size(along)));
  for (Index begin = 0; begin < src.size(along); begin += step) {
    const Index count = std::min(step, src.size(along) - begin);
    Dims from = first;
    from[axis] += begin;
    Tensor part = dst.narrow(along, begin, count);
    convert_elements(part, src.narrow(along, begin, count), from, conversion);
  }
  return 0;
}

GroupPlace place_group(const Box& group, const Layout& dst, Index item, std::uint64_t begin, Index page) {
  GroupPlace place;
  place.buffer = tenstride::detail::group_buffer(group.extents, dst.strides, item, page);
  place.file_begin =
      begin + static_cast<std::uint64_t>(tenstride::detail::position_of(group.first, dst) * item);
  place.buffer_begin = static_cast<std::size_t>(place.file_begin % static_cast<std::uint64_t>(page));
  return place;
}

std::vector<Piece> pieces_of(const GroupPlace& place, Index item, std::byte* buffer) {
  std::vector<Piece> pieces;
  pieces.reserve(static_cast<std::size_t>(place.buffer.runs.count()));
  for_each_run(place.buffer.runs, place.buffer.pitch, [&](Index file, Index in_buffer) {
    pieces.push_back({place.file_begin + static_cast<std::uint64_t>(file * item),
                      static_cast<std::size_t>(place.buffer.runs.span * item),
                      buffer + place.buffer_begin + in_buffer * item});
  });
  return pieces;
}

Tensor group_tensor(const GroupPlace& place, const Box& group, const Dims& strides, DType dtype,
                    std::byte* buffer) {
  const Layout layout = box_in_buffer(group.extents, strides, place.buffer.runs, place.buffer.pitch);
  return tensor_on_memory(buffer + place.buffer_begin, layout, dtype);
}

Tensor tile_tensor(const LoadedTile& tile, const Dims& strides, DType dtype) {
  return tensor_on_memory(
      tile.data, box_in_buffer(tile.box.extents, strides, tile.buffer.runs, tile.buffer.pitch), dtype);
}

Index copy_part(Tensor& dst, const BlockPlan& plan, std::size_t pass, const LoadedTile& tile, const Box& part,
                const Conversion& conversion) {
  if (pass == 0) {
    const Tensor whole = tile_tensor(tile, plan.problem.src.strides, conversion.src);
    const Tensor src = part_of(whole, minus(part.first, tile.box.first), part.extents);
    return convert_elements(dst, src, part.first, conversion);
  }
  // The blocks that the part touches, each where its slot begins.
  const std::uint64_t begin = static_cast<std::uint64_t>(block_offset(plan, tile.box.first));
  const std::size_t rank = part.first.size();
  Box touched = part;
  Index count = 1, missing = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    const Index offset = part.first[d] - tile.box.first[d];
    touched.first[d] = offset / plan.block[d];
    touched.extents[d] = (offset + part.extents[d] - 1) / plan.block[d] - touched.first[d] + 1;
    count *= touched.extents[d];
  }
  for (Index number = 0; number < count; ++number) {
    const Box at = tile_box(touched.extents, Dims::filled(rank, 1), number);
    Box block = part, common = part;
    for (std::size_t d = 0; d < rank; ++d) {
      const Index tile_end = tile.box.first[d] + tile.box.extents[d];
      block.first[d] = tile.box.first[d] + (touched.first[d] + at.first[d]) * plan.block[d];
      const Index block_end = std::min(block.first[d] + plan.block[d], tile_end);
      block.extents[d] = block_end - block.first[d];
      common.first[d] = std::max(block.first[d], part.first[d]);
      common.extents[d] = std::min(block_end, part.first[d] + part.extents[d]) - common.first[d];
    }
    const std::byte* const slot =
        tile.data + (static_cast<std::uint64_t>(block_offset(plan, block.first)) - begin);
    const Tensor src = part_of(tensor_on_memory(slot, row_major(block.extents), conversion.src),
                               minus(common.first, block.first), common.extents);
    Tensor target = part_of(dst, minus(common.first, part.first), common.extents);
    missing += convert_elements(target, src, common.first, conversion);
  }
  return missing;
}

Layout positions_of(const BlockProblem& problem, const Box& box) {
  return {box.extents, problem.positions.strides,
          tenstride::detail::position_of(box.first, problem.positions)};
}

Checksum checksum_of(const Tensor& group, const BlockProblem& problem, const Box& box, const Dims& reduced) {
  Tensor written = group;
  Layout positions = positions_of(problem, box);
  for (const Index axis : reduced) {
    written = written.narrow(axis, 0, 1);
    positions.shape[static_cast<std::size_t>(axis)] = 1;
  }
  return checksum(written, positions);
}

void swap_bytes_of(const LoadedTile& tile, DType dtype) {
  const std::size_t width = item_size(component_type(dtype));
  const auto item = static_cast<Index>(item_size(dtype));
  auto* const data = const_cast<std::byte*>(tile.data);  // the reader's own buffer, which it does not look at
  for_each_run(tile.buffer.runs, tile.buffer.pitch, [&](Index, Index position) {
    std::byte* const run = data + position * item;
    swap_bytes(run, run, static_cast<std::size_t>(tile.buffer.runs.span * item), width);
  });
}

}  // namespace tenstride::io
