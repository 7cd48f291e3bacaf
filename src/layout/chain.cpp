// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/chain.hpp"

#include "base/message.hpp"
#include "tenstride/layout/text.hpp"

/// Chains, their cuts and their plans in words.
namespace tenstride {
namespace {

std::string block_name(Index number) {
  if (number < 26) return {static_cast<char>('A' + number)};
  return "A" + std::to_string(number);
}

std::string stride_text(const Atom& atom) {
  const std::string text = std::to_string(atom.stride);
  return atom.block == in_memory ? text : text + "@" + block_name(atom.block);
}

std::string axes_text(const ChainCut& cut) {
  if (cut.first_axis == cut.last_axis) return detail::message("axis ", cut.first_axis);
  const char* const between = cut.operation == std::string_view("diagonal") ? " and " : "..";
  return detail::message("axes ", cut.first_axis, between, cut.last_axis);
}

}  // namespace

std::string to_string(const ChainCut& cut) {
  Index count = 1;
  for (const Index extent : cut.atoms) count *= extent;
  std::string text = detail::message(cut.operation, ": ", cut.from, " to ", cut.to, " cuts across ",
                                     axes_text(cut), "\n  atoms  ", cut.atoms);
  if (!cut.wanted.empty()) {
    text += detail::message(", wanted as ", cut.wanted, ": of ", cut.atoms.back(), " and ", cut.wanted.back(),
                            " neither divides the other");
  } else if (cut.operation == std::string_view("diagonal")) {
    text += ": no two of them run in step";
  } else {
    text += ": the part begins or ends inside the faster ones";
  }
  return text + detail::message("\n  takes  a copy that lays these ", count, " indexes in a row");
}

std::string to_string(const ChainPlan& plan) {
  std::string text;
  for (std::size_t i = 0; i < plan.copies.size(); ++i) {
    const ChainCopy& copy = plan.copies[i];
    text += detail::message("copy ", i + 1, "  ", numel(copy.dst), " elements  ", to_string(copy.src), " -> ",
                            to_string(copy.dst), "\n");
  }
  return text + (plan.is_view() ? "view    " : "result  ") + to_string(plan.result);
}

std::string Chain::to_string() const {
  std::string extents;
  std::string strides;
  for (std::size_t d = 0; d < rank(); ++d) {
    const AtomList list = atoms_.of_axis(d);
    const bool is_nested = list.size() > 1;
    if (d > 0) extents += ",", strides += ",";
    if (is_nested) extents += "(", strides += "(";
    if (list.empty()) extents += "1", strides += "0";
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) extents += ",", strides += ",";
      extents += std::to_string(list[i].extent);
      strides += stride_text(list[i]);
    }
    if (is_nested) extents += ")", strides += ")";
  }
  std::string text = detail::message("(", extents, "):(", strides, ")+", atoms_.offset());
  for (std::size_t b = 0; b < atoms_.blocks().size(); ++b) {
    const detail::Block& block = atoms_.blocks()[b];
    text += detail::message(b == 0 ? " with " : ", ", block_name(static_cast<Index>(b)), " = ",
                            block.inner.extents(), ":", block.inner.strides());
    if (block.offset != 0) text += detail::message(" from ", block.offset);
  }
  if (!copies_.empty()) {
    text += detail::message(" behind ", copies_.size(), copies_.size() == 1 ? " copy" : " copies");
  }
  return text;
}

std::string to_string(const Chain& chain) {
  return chain.to_string();
}

}  // namespace tenstride
