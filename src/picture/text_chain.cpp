// SPDX-License-Identifier: Apache-2.0
// The atoms of a chain and the walk of a copy as text.
#include "picture/text.hpp"
#include "picture/walk.hpp"

namespace tenstride::detail {
namespace {

constexpr std::size_t max_printed = 24;

std::string list_of(const std::vector<Visit>& visits, bool of_source) {
  std::string text;
  for (std::size_t n = 0; n < visits.size() && n < max_printed; ++n) {
    text += message(" ", of_source ? visits[n].src : visits[n].dst);
  }
  return visits.size() > max_printed ? text + " …" : text;
}

}  // namespace

std::string text_of_atoms(const Picture& picture) {
  require_chain(picture);
  std::size_t width = 0;
  for (const PictureChain& row : picture.chains)
    width = std::max(width, characters(shortened(row.title, 32)));
  std::string text;
  for (const Index entry :
       shown_indices(static_cast<Index>(picture.chains.size()), picture_limits::tensors)) {
    if (entry == left_out) {
      text += "…\n";
      continue;
    }
    const PictureChain& row = picture.chains[static_cast<std::size_t>(entry)];
    const std::string title = shortened(row.title, 32);
    text += title + std::string(width - characters(title), ' ');
    for (std::size_t d = 0; d < row.chain.rank(); ++d) {
      const AtomList atoms = row.chain.atoms(static_cast<Index>(d));
      text += "  [";
      for (std::size_t i = 0; i < atoms.size(); ++i) {
        text += message(i == 0 ? "" : " ", atoms[i].extent, ":", atoms[i].stride);
        if (atoms[i].block != in_memory) text += message("@", static_cast<char>('A' + atoms[i].block % 26));
      }
      text += atoms.empty() ? "1]" : "]";
    }
    const std::size_t copies = row.chain.plan().copies.size();
    text += copies == 0 ? "  a view\n" : copies == 1 ? "  one copy\n" : message("  ", copies, " copies\n");
  }
  return text;
}

std::string text_of_walk(const Picture& picture) {
  require_copies(picture);
  std::string text;
  for (std::size_t i = 0; i < picture.copies.size() && i < max_copies_drawn; ++i) {
    const PictureCopy& copy = picture.copies[i];
    const Nest nest = copy.plan.in_elements();
    const Walk walk = walk_of(nest);
    text += message(i == 0 ? "" : "\n", shortened(copy.title, 76), "\n  ",
                    loops_text(copy.plan.method(), nest), "\n");
    text += message("  reads ", list_of(walk.visits, true), "\n  writes", list_of(walk.visits, false), "\n");
    if (const std::string note = note_of(copy.plan, nest, walk); !note.empty()) text += "  (" + note + ")\n";
  }
  if (picture.copies.size() > max_copies_drawn) {
    text += message("… and ", picture.copies.size() - max_copies_drawn, " more copies\n");
  }
  return text;
}

}  // namespace tenstride::detail
