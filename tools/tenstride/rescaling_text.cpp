// SPDX-License-Identifier: Apache-2.0
#include "rescaling_text.hpp"

namespace tenstride::cli {
namespace {

std::string fill_text(const io::Rescaling& rescaling) {
  return rescaling.fill.is_floating_point() ? "NaN" : rescaling.fill.to_string();
}

}  // namespace

std::string missing_line(const io::Rescaling& rescaling, Index missing, Index elements) {
  if (!rescaling.has_missing()) return {};
  return std::to_string(missing) + " of " + std::to_string(elements) + " elements are missing in x (" +
         io::missing_text(rescaling) + "), " + fill_text(rescaling) + " in the result\n";
}

std::string missing_line(const io::Rescaling& rescaling) {
  if (!rescaling.has_missing()) return {};
  return "elements of x that are missing (" + io::missing_text(rescaling) + ") become " +
         fill_text(rescaling) + '\n';
}

}  // namespace tenstride::cli
