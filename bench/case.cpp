// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tenstride/layout/views.hpp"

namespace tenstride::bench {
namespace {

constexpr std::size_t line = 64;

/// The shape for a smoke run, of about 2,000 elements at most. Short axes (channels) stay as they are, so
/// that the same kernels are chosen.
Dims tiny(const Dims& shape) {
  static constexpr Index max_extents[] = {0, 1500, 41, 13, 7, 5, 4};
  const Index max_extent = shape.size() < std::size(max_extents) ? max_extents[shape.size()] : 3;
  Dims result = shape;
  for (std::size_t d = 0; d < result.size(); ++d) {
    if (result[d] > 16 || result[d] > max_extent) {
      result[d] = max_extent - static_cast<Index>(d % 2) - result[d] % 2;
    }
  }
  return result;
}

CopyCase make(const CopySpec& spec, Scope scope) {
  CopyCase made;
  made.family = spec.family;
  made.name = spec.name;
  made.src_type = spec.src_type;
  made.dst_type = spec.dst_type;
  made.source = scope == Scope::smoke && !spec.is_small ? tiny(spec.source) : spec.source;
  made.view = spec.view(row_major(made.source));
  made.flipped = spec.flipped;
  if (spec.scales) {
    made.scale_axis = spec.scale_axis;
    for (Index i = 0; i < made.view.shape[spec.scale_axis]; ++i) {
      made.scale.push_back(1.0 / (255.0 * (0.2 + 0.01 * static_cast<double>(i))));
      made.shift.push_back(-0.4 - 0.05 * static_cast<double>(i));
    }
  }
  return made;
}

/// An axis that leads to different elements.
struct Axis {
  std::size_t extent;
  std::size_t stride;
};
/// The view's axes without those of extent 1 and of stride 0, the smallest stride first.
std::vector<Axis> axes_by_stride(const Layout& view) {
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    if (view.shape[d] != 1 && view.strides[d] != 0) {
      axes.push_back(
          {static_cast<std::size_t>(view.shape[d]), static_cast<std::size_t>(std::abs(view.strides[d]))});
    }
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  return axes;
}

}  // namespace

std::size_t CopyCase::source_bytes() const {
  return static_cast<std::size_t>(count_elements(source)) * item_size(src_type);
}

std::size_t CopyCase::destination_bytes() const {
  return static_cast<std::size_t>(elements()) * item_size(dst_type);
}

std::size_t CopyCase::bytes_read() const {
  std::size_t bytes = item_size(src_type);
  for (const Axis& axis : axes_by_stride(view)) bytes *= axis.extent;
  return bytes;
}

std::size_t bytes_of_lines(const Layout& view, DType type) {
  // A block grows while the strides skip no whole cache line; further axes count blocks.
  std::size_t block = item_size(type);
  std::size_t blocks = 1;
  for (const Axis& axis : axes_by_stride(view)) {
    const std::size_t stride = axis.stride * item_size(type);
    if (blocks == 1 && stride <= std::max(line, block)) {
      block += (axis.extent - 1) * stride;
    } else {
      blocks *= axis.extent;
    }
  }
  return blocks == 1 ? block : blocks * ((block + line - 1) / line * line);
}

std::vector<CopyCase> copy_cases(Scope scope) {
  std::vector<CopySpec> specs;
  add_table_cases(specs);
  add_permutation_cases(specs);
  add_type_cases(specs);
  add_program_cases(specs);
  add_size_cases(specs);
  std::vector<CopyCase> cases;
  for (const CopySpec& spec : specs) {
    if (scope != Scope::quick || spec.is_quick) cases.push_back(make(spec, scope));
  }
  return cases;
}

std::function<Layout(const Layout&)> permuted(const Dims& order) {
  return [order](const Layout& source) { return permute(source, order); };
}

std::string permutation_name(const Dims& order) {
  std::string text = "permute(";
  for (std::size_t d = 0; d < order.size(); ++d) {
    if (d > 0) text += ',';
    text += std::to_string(order[d]);
  }
  return text + ")";
}

std::string shape_name(const Dims& shape, DType type) {
  std::string text;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d > 0) text += 'x';
    text += std::to_string(shape[d]);
  }
  return text + " " + std::string(name(type));
}

}  // namespace tenstride::bench
