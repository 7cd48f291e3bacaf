// SPDX-License-Identifier: Apache-2.0
#include "drawn_computations.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "draw.hpp"
#include "tenstride/layout/views.hpp"

namespace tenstride::bench {
namespace {

constexpr std::array types{DType::uint8,    DType::int16,   DType::int32,  DType::int64,
                           DType::bfloat16, DType::float32, DType::float64};
constexpr std::array reductions{Reduction::sum, Reduction::mean, Reduction::prod,
                                Reduction::min, Reduction::max,  Reduction::any};
constexpr std::array arithmetic_kinds{ComputationKind::add, ComputationKind::multiply,
                                      ComputationKind::maximum, ComputationKind::less};

/// How the elements of a tensor stand in memory.
enum class Standing : unsigned char { contiguous, permuted, sliced, broadcast };
constexpr std::array standings{Standing::contiguous, Standing::permuted, Standing::sliced,
                               Standing::broadcast};
constexpr std::array<const char*, 4> names_of_standings{"contiguous", "permuted", "sliced", "broadcast"};

/// A view of the shape, of memory that it has for itself, and what is to be said of it. `axis` is that which
/// is sliced or broadcast.
ComputationInput input_of(Draw& draw, const Dims& shape, Standing standing, std::size_t axis,
                          std::string& name) {
  const std::size_t rank = shape.size();
  Dims source = shape;
  switch (standing) {
    case Standing::contiguous:
      break;
    case Standing::permuted: {
      const Dims order = draw.shuffled(rank);
      for (std::size_t d = 0; d < rank; ++d) source[static_cast<std::size_t>(order[d])] = shape[d];
      name += " " + permutation_name(order);
      return {source, permute(row_major(source), order)};
    }
    case Standing::sliced: {
      const auto step = static_cast<Index>(1 + draw.one_of(3));
      source[axis] = shape[axis] * step + static_cast<Index>(draw.one_of(9));
      const Layout view = slice(row_major(source), static_cast<Index>(axis), 0, source[axis], step);
      name += " ::" + std::to_string(step) + "[" + std::to_string(axis) + "]";
      return {source, narrow(view, static_cast<Index>(axis), 0, shape[axis])};
    }
    case Standing::broadcast: {
      source[axis] = 1;
      name += " expand[" + std::to_string(axis) + "]";
      return {source, expand(row_major(source), shape)};
    }
  }
  return {source, row_major(source)};
}

std::string axes_text(const Dims& axes) {
  std::string text = " over ";
  for (std::size_t i = 0; i < axes.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(axes[i]);
  return text;
}

std::string family(const char* what, Standing standing) {
  return std::string("drawn ") + what + ", " + names_of_standings[static_cast<std::size_t>(standing)];
}

/// 1 to 5 axes; 2 at least where they are permuted or one of them is broadcast.
std::size_t rank_for(Draw& draw, Standing standing) {
  const bool needs_two = standing == Standing::permuted || standing == Standing::broadcast;
  return needs_two ? 2 + draw.one_of(4) : 1 + draw.one_of(5);
}

/// Extents of which `elements` stand in memory: an axis that is broadcast comes to them. It is short:
/// elements of a longer one would be read so often that a read of their lines is no yardstick.
Dims shape_of(Draw& draw, std::size_t rank, Index elements, Standing standing, std::size_t axis) {
  if (standing != Standing::broadcast) return draw.extents(rank, elements);
  Dims shape;
  const Dims others = draw.extents(rank - 1, elements);
  for (std::size_t d = 0; d < rank; ++d) {
    shape.push_back(d == axis ? static_cast<Index>(2 + draw.one_of(7)) : others[d < axis ? d : d - 1]);
  }
  return shape;
}

ComputationCase reduction(Draw& draw, Standing standing) {
  ComputationCase drawn;
  drawn.family = family("reductions", standing);
  drawn.reduction = draw.any(reductions);
  drawn.type = draw.any(types);
  while (drawn.reduction == Reduction::mean && !is_floating_point(drawn.type)) drawn.type = draw.any(types);
  const std::size_t rank = rank_for(draw, standing);
  const std::size_t axis = draw.one_of(rank);
  const Dims shape = shape_of(draw, rank, draw.elements(drawn.type), standing, axis);
  drawn.name = computation_name(drawn) + " of " + shape_name(shape, drawn.type);
  drawn.inputs.push_back(input_of(draw, shape, standing, axis, drawn.name));
  while (drawn.axes.empty()) {
    for (std::size_t d = 0; d < rank; ++d) {
      if (draw.one_of(2) == 0) drawn.axes.push_back(static_cast<Index>(d));
    }
  }
  drawn.name += axes_text(drawn.axes);
  return drawn;
}

ComputationCase arithmetic(Draw& draw, Standing standing) {
  ComputationCase drawn;
  drawn.family = family("arithmetic", standing);
  drawn.kind = draw.any(arithmetic_kinds);
  drawn.type = draw.any(types);
  const std::size_t rank = rank_for(draw, standing);
  // Three tensors of 8 to 256 MiB together.
  const Dims shape = draw.extents(rank, std::max<Index>(draw.elements(drawn.type) / 3, 4));
  drawn.name = computation_name(drawn) + " of " + shape_name(shape, drawn.type);
  drawn.inputs.push_back({shape, row_major(shape)});
  drawn.inputs.push_back(input_of(draw, shape, standing, draw.one_of(rank), drawn.name));
  return drawn;
}

template <class Make>
std::vector<ComputationCase> drawn(std::size_t count, std::uint64_t seed, Scope scope, const Make& make) {
  Draw draw(seed, scope);
  std::vector<ComputationCase> cases;
  for (std::size_t i = 0; i < count; ++i) cases.push_back(make(draw, standings[i % standings.size()]));
  return cases;
}

}  // namespace

std::vector<ComputationCase> drawn_reductions(std::size_t count, std::uint64_t seed, Scope scope) {
  return drawn(count, seed, scope, reduction);
}

std::vector<ComputationCase> drawn_arithmetic(std::size_t count, std::uint64_t seed, Scope scope) {
  return drawn(count, seed, scope, arithmetic);
}

}  // namespace tenstride::bench
