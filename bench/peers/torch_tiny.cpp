// SPDX-License-Identifier: Apache-2.0
#include "torch_tiny.hpp"

#include <ATen/ATen.h>

namespace tenstride::bench {
namespace {

template <class F>
Tiny repeat_call(std::string what, F f) {
  return {std::move(what), [f](std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i) {
              auto result = f();
              keep(result);
            }
          }};
}

void add_views(std::vector<Tiny>& all) {
  const at::Tensor x = at::empty({2, 3, 4, 5});
  const at::Tensor y = at::empty({2, 1, 4, 5});
  const at::Tensor m = at::empty({6, 8});
  const auto view = [&](const char* what, auto f) {
    all.push_back(repeat_call(std::string("view, rank 4: ") + what, f));
  };
  view("copy of the handle", [x] { return at::Tensor(x); });
  view("view", [x] { return x.view({6, 20}); });
  view("permute", [x] { return x.permute({0, 2, 3, 1}); });
  view("transpose", [x] { return x.transpose(1, 2); });
  view("movedim", [x] { return x.movedim(1, 3); });
  view("slice", [x] { return x.slice(2, 1, 3); });
  view("narrow", [x] { return x.narrow(2, 1, 2); });
  view("select", [x] { return x.select(1, 1); });
  view("unsqueeze", [x] { return x.unsqueeze(1); });
  view("squeeze", [y] { return y.squeeze(1); });
  view("expand", [y] { return y.expand({2, 3, 4, 5}); });
  view("as_strided", [x] { return x.as_strided({2, 2}, {1, 2}, 3); });
  view("reshape as a view", [x] { return x.reshape({24, 5}); });
  view("flatten as a view", [x] { return x.flatten(); });
  view("unflatten", [x] { return x.unflatten(2, {2, 2}); });
  view("diagonal", [x] { return x.diagonal(0, 2, 3); });
  view("unfold", [x] { return x.unfold(3, 2, 1); });
  view("t of a matrix", [m] { return m.t(); });
  view("index {0, 1:}", [x] { return x.select(0, 0).slice(0, 1); });
  view("contiguous as a no-op", [x] { return x.contiguous(); });
  view("is_contiguous", [x] { return x.is_contiguous(); });
}

void add_small(std::vector<Tiny>& all) {
  const at::Tensor x = at::zeros({2, 3, 4});
  const at::Tensor permuted = x.permute({2, 0, 1});
  const at::Tensor square = at::zeros({64, 64});
  const std::vector<at::Tensor> two{at::zeros({2, 3}), at::zeros({2, 3})};
  const auto small = [&](const char* what, auto f) {
    all.push_back(repeat_call(std::string("small: ") + what, f));
  };
  small("empty {2,3}", [] { return at::empty({2, 3}); });
  small("zeros {2,3}", [] { return at::zeros({2, 3}); });
  small("clone of {2,3,4}", [x] { return x.clone(); });
  small("permute + contiguous of {2,3,4}", [x] { return x.permute({2, 0, 1}).contiguous(); });
  small("reshape of a permuted {2,3,4}", [permuted] { return permuted.reshape({24}); });
  small("to(float16) of {2,3,4}", [x] { return x.to(at::kHalf); });
  small("transpose + contiguous of 64x64 float32", [square] { return square.t().contiguous(); });
  all.push_back({"small: copy_ of a transposed 64x64 float32 into warm memory",
                 [square, warm = at::empty({64, 64})](std::int64_t count) {
                   const at::Tensor transposed_square = square.t();
                   for (std::int64_t i = 0; i < count; ++i) warm.copy_(transposed_square);
                 }});
  small("cat of two {2,3}", [two] { return at::cat(two, 0); });
  small("stack of two {2,3}", [two] { return at::stack(two, 0); });
  small("flip of {2,3,4}", [x] { return x.flip({0}); });
  small("eq of {2,3,4}", [x] { return x.eq(x); });
  small("item", [s = at::zeros({})] { return s.item<float>(); });
}

}  // namespace

std::vector<Tiny> torch_tiny() {
  std::vector<Tiny> all;
  add_views(all);
  add_small(all);
  return all;
}

}  // namespace tenstride::bench
