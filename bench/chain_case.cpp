// SPDX-License-Identifier: Apache-2.0
#include "chain_case.hpp"

#include <cstring>

namespace tenstride::bench {
namespace {

constexpr auto permute = ChainStep::Kind::permute;
constexpr auto reshape = ChainStep::Kind::reshape;

/// (batch, heads, tokens, features of a head).
struct Attention {
  Index b, h, t, d;
};
/// (batch, channels, height, width), cut into squares of `p`.
struct Images {
  Index b, c, h, w, p;
};

ChainCase merged_heads(const Attention& n, DType type) {
  return {"b h t d -> b t (h d)",         type,
          {n.b, n.h, n.t, n.d},           {{permute, {0, 2, 1, 3}}, {reshape, {n.b, n.t, n.h * n.d}}},
          {{"b h t d -> b t (h d)", {}}}, true};
}

/// The output of attention heads, for a layer whose input has the tokens first.
ChainCase tokens_first(const Attention& n, DType type) {
  return {"permute, reshape, permute: heads merged, tokens first",
          type,
          {n.b, n.h, n.t, n.d},
          {{permute, {0, 2, 1, 3}}, {reshape, {n.b, n.t, n.h * n.d}}, {permute, {1, 0, 2}}},
          {{"b h t d -> b t (h d)", {}}, {"b t c -> t b c", {}}},
          true};
}

/// Images as rows of patches: the patches first, each with its pixels channel by channel.
ChainCase patches_first(const Images& n, DType type) {
  const Index rows = n.h / n.p;
  const Index columns = n.w / n.p;
  return {"permute, reshape, permute: patches first",
          type,
          {n.b, n.c, rows, n.p, columns, n.p},
          {{permute, {0, 2, 4, 3, 5, 1}},
           {reshape, {n.b, rows * columns, n.p * n.p * n.c}},
           {permute, {1, 0, 2}}},
          {{"b c h p w q -> b (h w) (p q c)", {}}, {"b n x -> n b x", {}}},
          false};
}

/// A channel shuffle: the channels are moved last, mixed in two groups, and moved to the front again.
ChainCase shuffled_channels(const Images& n, DType type) {
  const Index g = n.c / 2;
  return {"permute, reshape, permute, reshape: channels last, in groups, first again",
          type,
          {n.b, n.c, n.h, n.w},
          {{permute, {0, 2, 3, 1}},
           {reshape, {n.b, n.h * n.w, 2, g}},
           {permute, {0, 3, 2, 1}},
           {reshape, {n.b, n.c, n.h, n.w}}},
          {{"b c h w -> b h w c", {}},
           {"b h w (k c) -> b (h w) k c", {{"k", 2}}},
           {"b x k c -> b c k x", {}},
           {"b c k (h w) -> b (c k) h w", {{"h", n.h}}}},
          false};
}

}  // namespace

std::vector<ChainCase> chain_cases(Scope scope) {
  constexpr DType f32 = DType::float32;
  constexpr DType f16 = DType::float16;
  std::vector<ChainCase> all;
  if (scope == Scope::smoke) {
    const Attention tiny{3, 2, 5, 4};
    const Images picture{2, 4, 6, 9, 3};
    all = {merged_heads(tiny, f32), tokens_first(tiny, f16), patches_first(picture, f32),
           shuffled_channels(picture, f32)};
  } else {
    const Attention large{32, 16, 512, 64};
    const Attention small{2, 8, 64, 64};
    const Images pictures{64, 3, 512, 512, 16};
    const Images maps{32, 128, 64, 64, 16};
    all = {merged_heads(large, f32),     merged_heads(large, f16),    merged_heads(small, f32),
           tokens_first(large, f32),     tokens_first(large, f16),    tokens_first(small, f32),
           patches_first(pictures, f32), shuffled_channels(maps, f32)};
  }
  std::vector<ChainCase> chosen;
  for (ChainCase& one : all) {
    one.name += ", " + shape_name(one.shape, one.type);
    if (scope != Scope::quick || one.is_quick) chosen.push_back(std::move(one));
  }
  return chosen;
}

Expected expected_chain(const ChainJob& job) {
  Expected expected;
  expected.type = job.what.type;
  expected.elements = count_elements(job.what.shape);
  expected.define = [&job](Index position, std::byte* element) {
    std::vector<Dims> shapes{job.what.shape};
    for (const ChainStep& step : job.what.steps) {
      Dims next = step.dims;
      for (std::size_t d = 0; d < next.size() && step.kind == permute; ++d) {
        next[d] = shapes.back()[static_cast<std::size_t>(step.dims[d])];
      }
      shapes.push_back(next);
    }
    // A reshape does not change row-major positions.
    for (std::size_t k = job.what.steps.size(); k-- > 0;) {
      const ChainStep& step = job.what.steps[k];
      if (step.kind == reshape) continue;
      Dims index = shapes[k];
      for (std::size_t d = step.dims.size(); d-- > 0;) {
        index[static_cast<std::size_t>(step.dims[d])] = position % shapes[k + 1][d];
        position /= shapes[k + 1][d];
      }
      position = 0;
      for (std::size_t d = 0; d < index.size(); ++d) position = position * shapes[k][d] + index[d];
    }
    const std::size_t item = item_size(job.what.type);
    std::memcpy(element, job.src + static_cast<std::size_t>(position) * item, item);
  };
  return expected;
}

}  // namespace tenstride::bench
