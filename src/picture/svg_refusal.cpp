// SPDX-License-Identifier: Apache-2.0
// A refused view: its elements in the order that the view would have, and the steps between them, of which
// one stride would have to be all.
#include "picture/scene.hpp"

#include "tenstride/layout/text.hpp"

namespace tenstride::detail {
namespace {

constexpr Index max_elements = 24;

/// The tensor whose values are shown: the last on that storage.
const PictureTensor* tensor_on(const Picture& picture, std::size_t storage) {
  for (std::size_t i = picture.tensors.size(); i-- > 0;) {
    if (picture.tensors[i].storage == storage) return &picture.tensors[i];
  }
  return nullptr;
}

}  // namespace

Index draw_refusal(Canvas& canvas, const Scene& scene, const PictureRefusal& refusal, Index y) {
  const Layout& from = refusal.obstacle.from;
  const std::string title = shortened(refusal.title, 70);
  canvas.text(margin, y + 14, title, "t");
  const Index dot = margin + mono_width(title, 15) + 22;
  canvas.path(message("M ", dot - 5, " ", y + 4, " l 10 10 m 0 -10 l -10 10"), "class=\"bad\"");
  const std::string reason = "refused: " + reason_of(refusal.obstacle);
  canvas.text(dot + 12, y + 14, reason, "s no");
  canvas.reach(dot + 12 + sans_width(reason, 13) + margin, 0);
  const Index count = std::min(numel(from), max_elements);
  std::vector<Index> positions;
  for (Index n = 0; n < count; ++n) positions.push_back(position(from, unravel(n, from.shape)));
  const std::string order = message("in the order of ", to_string(refusal.obstacle.to),
                                    " the steps through the storage are not one stride:");
  canvas.text(margin, y + 36, order, "s");
  canvas.reach(margin + sans_width(order, 13) + margin, 0);

  const PictureTensor* const tensor = tensor_on(scene.picture, refusal.storage);
  const Index space = 26;
  y += 48;
  // The usual step is that of the fastest axis.
  Index usual = 0;
  for (std::size_t d = from.rank(); d-- > 0 && usual == 0;) {
    if (from.shape[d] > 1) usual = from.strides[d];
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Index x = margin + static_cast<Index>(i) * (scene.cell_width + space);
    const Index byte = positions[i] * static_cast<Index>(item_size(refusal.dtype));
    const Root root = root_of(scene.picture, refusal.storage, byte);
    canvas.rect(x, y + 6, scene.cell_width, cell_height,
                message("rx=\"4\" class=\"c\" fill=\"", to_hex(scene.colors.of(root)), "\""));
    const std::string words = tensor != nullptr ? value_at(*tensor, positions[i]) : std::string();
    canvas.text(x + scene.cell_width / 2, y + 25, words, "v", Anchor::middle);
    canvas.text(x + scene.cell_width / 2, y + cell_height + 18, number_of(positions[i]), "p", Anchor::middle);
    if (i + 1 < positions.size()) {
      const Index step = positions[i + 1] - positions[i];
      canvas.text(x + scene.cell_width + space / 2, y + 25, message(step < 0 ? "−" : "+", magnitude(step)),
                  step == usual ? "p" : "x", Anchor::middle);
    }
    canvas.reach(x + scene.cell_width + margin, 0);
  }
  if (numel(from) > max_elements) {
    const Index x = margin + max_elements * (scene.cell_width + space) - 8;
    canvas.text(x, y + 25, "⋯", "l");
    canvas.reach(x + 16 + margin, 0);
  }
  return y + cell_height + 50;
}

}  // namespace tenstride::detail
