// SPDX-License-Identifier: Apache-2.0
#include "io/format/result_origin.hpp"

#include <cstdlib>

#include "base/message.hpp"

namespace tenstride::io {

std::optional<std::size_t> ResultOrigin::place_of(std::size_t axis) const {
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (axes[d] && axes[d]->axis == axis) return d;
  }
  return std::nullopt;
}

const SourceAxis* ResultOrigin::reduced_axis(std::size_t axis) const {
  for (const std::optional<SourceAxis>& found : reduced) {
    if (found && found->axis == axis) return &*found;
  }
  return nullptr;
}

bool ResultOrigin::has_whole_axes() const {
  for (std::size_t axis = 0; axis < source.layout.rank(); ++axis) {
    const std::optional<std::size_t> place = place_of(axis);
    if (!place || !axes[*place]->is_whole()) return false;
  }
  return true;
}

bool ResultOrigin::has_same_axes() const {
  if (axes.size() != source.layout.rank()) return false;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (!axes[d] || axes[d]->axis != d || !axes[d]->is_whole()) return false;
  }
  return true;
}

std::string change_of_elements(const ResultOrigin& result) {
  if (!result.obstacle.empty()) return "elements are computed";
  if (result.is_scaled) return "elements are scaled";
  return result.reduction ? "elements are reduced" : std::string();
}

std::string axis_text(const FileInfo& source, std::size_t axis) {
  const bool has_name = axis < source.axis_names.size() && !source.axis_names[axis].empty();
  return has_name ? "axis " + source.axis_names[axis] : "axis " + std::to_string(axis);
}

std::string change_of_axis(const ResultOrigin& result, std::size_t axis) {
  const std::string text = axis_text(result.source, axis);
  const std::optional<std::size_t> place = result.place_of(axis);
  if (!place) return text + " is no axis of the result";
  const SourceAxis& found = *result.axes[*place];
  if (found.is_whole()) return {};
  if (found.step == -1 && found.extent == found.size) return text + " is flipped";
  if (found.extent > 1 && found.step != 1)
    return tenstride::detail::message(text, " has steps of ", found.step);
  return tenstride::detail::message(text, " has ", found.extent, " of ", found.size, " indices");
}

std::string change_of_axes(const ResultOrigin& result) {
  if (!result.obstacle.empty()) return "elements are computed";
  for (std::size_t axis = 0; axis < result.source.layout.rank(); ++axis) {
    if (std::string change = change_of_axis(result, axis); !change.empty()) return change;
  }
  if (result.has_same_axes()) return {};
  return result.axes.size() == result.source.layout.rank() ? "axes are permuted" : "there are new axes";
}

}  // namespace tenstride::io
