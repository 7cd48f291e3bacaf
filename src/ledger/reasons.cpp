// SPDX-License-Identifier: Apache-2.0
#include "ledger/reasons.hpp"

#include "base/message.hpp"

namespace tenstride::detail {

std::string reshape_reason(const Layout& from, const Dims& shape) {
  const std::optional<ViewObstacle> obstacle = why_not_view(from, shape);
  if (!obstacle) return "copy = always was asked for";
  return message("no view: axes ", obstacle->left_axis, " and ", obstacle->right_axis, " would merge, axis ",
                 obstacle->left_axis, " has stride ", obstacle->stride_found, " and must have ",
                 obstacle->stride_needed);
}

std::string format_reason(const Layout& from, MemoryFormat format, CopyRule copy) {
  if (copy == CopyRule::always && is_contiguous(from, format)) return "copy = always was asked for";
  if (format == MemoryFormat::contiguous) {
    return message("strides ", from.strides, " are not the row-major ", row_major_strides(from.shape));
  }
  return message("strides ", from.strides, " are not the ", name(format), " ",
                 format_strides(from.shape, format));
}

std::string cut_reason(const ChainCut& cut) {
  std::string text;
  const std::string lines = to_string(cut);
  // The last line is about the copy itself.
  for (std::size_t i = 0; i < lines.rfind('\n'); ++i) {
    const bool is_break = lines[i] == '\n';
    if (is_break) text += "; ";
    if (lines[i] != ' ' && !is_break) text += lines[i];
    if (lines[i] == ' ' && text.back() != ' ') text += ' ';
  }
  return text;
}

std::string chain_reason(const Chain& chain) {
  for (std::size_t d = 0; d < chain.rank(); ++d) {
    const AtomList atoms = chain.atoms(static_cast<Index>(d));
    for (std::size_t i = 1; i < atoms.size(); ++i) {
      if (atoms[i - 1].block == atoms[i].block && atoms[i - 1].stride == atoms[i].extent * atoms[i].stride)
        continue;
      return message("no view: axis ", d, " consists of ", atoms.extents(), ":", atoms.strides(),
                     ", which do not nest");
    }
  }
  return "no view: the axes are apart in memory";
}

}  // namespace tenstride::detail
