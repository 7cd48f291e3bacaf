// SPDX-License-Identifier: Apache-2.0
// The atoms of a chain, one row for each of its steps: a frame is an axis, a box in it an atom.
#include "picture/scene.hpp"

#include "picture/walk.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::detail {
namespace {

constexpr Index row_height = 58;
constexpr Index box_height = 30;
constexpr std::size_t max_atoms = 24;

struct Known {
  Atom atom;
  std::size_t hue = 0;
};

/// An atom keeps its colour; parts of one that is split have that of the whole.
class Hues {
 public:
  std::size_t of(const Atom& atom) {
    for (const Known& known : known_) {
      if (known.atom.block == atom.block && is_part(atom, known.atom)) return known.hue;
    }
    known_.push_back({atom, known_.size()});
    return known_.back().hue;
  }

 private:
  static bool is_part(const Atom& part, const Atom& whole) {
    if (part.stride == 0 || whole.stride == 0) return part == whole;
    const auto step = static_cast<Index>(magnitude(part.stride));
    const auto base = static_cast<Index>(magnitude(whole.stride));
    return step % base == 0 && part.extent <= whole.extent &&
           step / base < std::max<Index>(whole.extent, 1) &&
           (step == base || whole.extent % (step / base) == 0);
  }
  std::vector<Known> known_;
};

}  // namespace

std::string svg_of_atoms(const Picture& picture) {
  require_chain(picture);
  Canvas canvas;
  Hues hues;
  Index label_width = 0;
  std::vector<std::size_t> rows;
  for (const Index entry :
       shown_indices(static_cast<Index>(picture.chains.size()), picture_limits::tensors)) {
    if (entry != left_out) rows.push_back(static_cast<std::size_t>(entry));
  }
  for (const std::size_t row : rows) {
    label_width = std::max(label_width, mono_width(shortened(picture.chains[row].title, 40), 15));
  }
  const Index left = margin + label_width + 28;
  Index widest = 0;
  std::vector<Index> widths;
  std::string description;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const PictureChain& row = picture.chains[rows[r]];
    const Index y = margin + static_cast<Index>(r) * row_height;
    canvas.text(margin, y + 26, shortened(row.title, 40), "t");
    Index x = left;
    std::size_t drawn = 0;
    for (std::size_t d = 0; d < row.chain.rank() && drawn < max_atoms; ++d) {
      const AtomList atoms = row.chain.atoms(static_cast<Index>(d));
      const Index start = x;
      x += 5;
      for (std::size_t i = 0; i < atoms.size() && drawn < max_atoms; ++i, ++drawn) {
        const Atom atom = atoms[i];
        std::string words = message(atom.extent, ":", atom.stride);
        if (atom.block != in_memory) words += message('@', static_cast<char>('A' + atom.block % 26));
        const Index width = std::max<Index>(mono_width(words, 13) + 16, 48);
        canvas.rect(x, y + 6, width, box_height,
                    message("rx=\"4\" class=\"c\" fill=\"", to_hex(hue_color(hues.of(atom), 0.6)), "\""));
        canvas.text(x + width / 2, y + 26, words, "v", Anchor::middle);
        x += width + 5;
      }
      if (atoms.empty()) {
        canvas.text(x + 10, y + 26, "1", "l", Anchor::middle);
        x += 25;
      }
      canvas.rect(start, y + 1, x - start, box_height + 10, "rx=\"7\" class=\"f\"");
      x += 12;
    }
    if (drawn >= max_atoms) canvas.text(x, y + 26, "⋯", "l");
    widths.push_back(x);
    widest = std::max(widest, x);
    description += message(shortened(row.title, 40), ": ", row.chain.to_string(), ". ");
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Chain& chain = picture.chains[rows[r]].chain;
    const Index y = margin + static_cast<Index>(r) * row_height;
    const std::size_t copies = chain.plan().copies.size();
    const std::string cost = copies == 0 ? "a view" : copies == 1 ? "one copy" : message(copies, " copies");
    canvas.raw(message("<circle cx=\"", widest + 16, "\" cy=\"", y + 13, "\" r=\"5\" class=\"",
                       copies == 0 ? "view" : "copy", "\"/>\n"));
    canvas.text(widest + 28, y + 18, cost + ", if it ends here", "s");
    canvas.text(widest + 10, y + 38, shortened(chain.to_string(), 48), "l");
    canvas.reach(widest + 10 + mono_width(shortened(chain.to_string(), 48), 13) + margin, 0);
    canvas.reach(widest + 28 + sans_width(cost + ", if it ends here", 13) + margin, 0);
  }
  canvas.reach(0, margin + static_cast<Index>(rows.size()) * row_height + 4);
  return canvas.document("Axes as lists of atoms, extent:stride, through a chain", description);
}

}  // namespace tenstride::detail
