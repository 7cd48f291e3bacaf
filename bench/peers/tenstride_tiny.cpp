// SPDX-License-Identifier: Apache-2.0
#include "tenstride_tiny.hpp"

#include <array>
#include <memory>
#include <new>

#include "tenstride/copy/run_plan.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/plan/copy_plan.hpp"
#include "tenstride/tensor/factory.hpp"

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

/// Memory for a tensor that is constructed and destroyed in place.
struct Place {
  alignas(Tensor) std::array<std::byte, sizeof(Tensor)> bytes;
  [[nodiscard]] Tensor& tensor() { return *std::launder(reinterpret_cast<Tensor*>(bytes.data())); }
};

/// `step` consumes a tensor and gives one of the same shape by the view operations that `what` names. The
/// figure is the cost of all of them and of the destructor. The tensor moves between two places, so that no
/// result is assigned. Pre: the count is even.
template <class F>
Tiny move_through(std::string what, const Tensor& x, F step) {
  return {std::move(what), [x, step](std::int64_t count) {
            Place here;
            Place there;
            const auto go = [&step](Place& from, Place& to) {
              new (to.bytes.data()) Tensor(step(std::move(from.tensor())));
              from.tensor().~Tensor();
              keep(to);
            };
            new (here.bytes.data()) Tensor(x);
            for (std::int64_t i = 0; i < count; i += 2) {
              go(here, there);
              go(there, here);
            }
            here.tensor().~Tensor();
          }};
}

void add_views(std::vector<Tiny>& all) {
  const Tensor x = empty({2, 3, 4, 5});
  const Tensor y = empty({2, 1, 4, 5});
  const Tensor m = empty({6, 8});
  const auto view = [&](const char* what, auto f) {
    all.push_back(repeat_call(std::string("view, rank 4: ") + what, f));
  };
  view("copy of the handle", [x] { return Tensor(x); });
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
  view("index {0, 1:}", [x] { return x.index({0, Slice{1, {}}}); });
  view("contiguous as a no-op", [x] { return x.contiguous(); });
  view("is_contiguous", [x] { return x.is_contiguous(); });
}

void add_move(std::vector<Tiny>& all) {
  const Tensor x = empty({2, 3, 4, 5});
  all.push_back(
      move_through("view, rank 4: move of the handle", x, [](Tensor&& t) { return Tensor(std::move(t)); }));
}

void add_layouts(std::vector<Tiny>& all) {
  const Layout x = row_major({2, 3, 4, 5});
  const auto layout = [&](const char* what, auto f) {
    all.push_back(repeat_call(std::string("layout, rank 4: ") + what, [x, f] {
      keep(x);  // the compiler must not compute the result once for all calls
      return f(x);
    }));
  };
  layout("copy", [](const Layout& l) { return Layout(l); });
  layout("permute", [](const Layout& l) { return permute(l, {0, 2, 3, 1}); });
  layout("transpose", [](const Layout& l) { return transpose(l, 1, 2); });
  layout("slice", [](const Layout& l) { return slice(l, 2, 1, 3); });
  layout("select", [](const Layout& l) { return select(l, 1, 1); });
  layout("unsqueeze", [](const Layout& l) { return unsqueeze(l, 1); });
  layout("try_view", [](const Layout& l) { return try_view(l, {6, 20}); });
  layout("is_contiguous", [](const Layout& l) { return is_contiguous(l); });
}

/// A 64x64 transpose by a plan that was made before.
Tiny bare_transpose() {
  const Tensor square = zeros({64, 64});
  Tensor dst = empty({64, 64});
  const CopyPlan ready =
      plan_copy(dst.layout(), dst.dtype(), square.t().layout(), square.dtype(), {.max_threads = 1});
  return {"small: transpose of 64x64 float32, ready plan into warm memory",
          [square, dst, ready](std::int64_t count) mutable {
            std::byte* const to = dst.mutable_storage_data();
            for (std::int64_t i = 0; i < count; ++i) run_plan(ready, to, square.storage_data());
          }};
}

void add_small(std::vector<Tiny>& all) {
  const Tensor x = zeros({2, 3, 4});
  const Tensor permuted = x.permute({2, 0, 1});
  const Tensor square = zeros({64, 64});
  const std::vector<Tensor> two{zeros({2, 3}), zeros({2, 3})};
  Tensor warm = empty({64, 64});
  const auto small = [&](const char* what, auto f) {
    all.push_back(repeat_call(std::string("small: ") + what, f));
  };
  small("empty {2,3}", [] { return empty({2, 3}); });
  small("zeros {2,3}", [] { return zeros({2, 3}); });
  small("clone of {2,3,4}", [x] { return x.clone(); });
  small("permute + contiguous of {2,3,4}", [x] { return x.permute({2, 0, 1}).contiguous(); });
  small("reshape of a permuted {2,3,4}", [permuted] { return permuted.reshape({24}); });
  small("to(float16) of {2,3,4}", [x] { return x.to(DType::float16); });
  small("transpose + contiguous of 64x64 float32", [square] { return square.t().contiguous(); });
  all.push_back({"small: copy_ of a transposed 64x64 float32 into warm memory",
                 [square, warm](std::int64_t count) mutable {
                   const Tensor transposed_square = square.t();
                   for (std::int64_t i = 0; i < count; ++i) warm.copy_(transposed_square);
                 }});
  all.push_back(bare_transpose());
  small("cat of two {2,3}", [two] { return cat(two, 0); });
  small("stack of two {2,3}", [two] { return stack(two, 0); });
  small("flip of {2,3,4}", [x] { return x.flip({0}); });
  small("eq of {2,3,4}", [x] { return x == x; });
  small("item", [s = zeros({})] { return s.item<float>(); });
}

/// The cost of calls inside ledgers and bans. The same calls outside are among those above.
void add_ledgers(std::vector<Tiny>& all) {
  const Tensor x = zeros({2, 3, 4});
  const auto inside = [&](const char* what, auto open, auto f) {
    all.push_back({std::string("ledger: ") + what, [open, f](std::int64_t count) {
                     [[maybe_unused]] const auto scope = open();
                     for (std::int64_t i = 0; i < count; ++i) {
                       auto result = f();
                       keep(result);
                     }
                   }});
  };
  const auto nothing = [] { return 0; };
  const auto ledger = [] { return std::make_unique<CopyLedger>(0); };
  const auto ban = [] { return std::make_unique<NoCopy>(); };
  inside("NoCopy::Allow where nothing is open", nothing, [] {
    const NoCopy::Allow allowed("here");
    return 0;
  });
  inside("view of {2,3,4} inside a ledger", ledger, [x] { return x.view({6, 4}); });
  inside("clone of {2,3,4} inside a ledger", ledger, [x] { return x.clone(); });
  inside("view of {2,3,4} inside NoCopy", ban, [x] { return x.view({6, 4}); });
  inside("clone of {2,3,4} inside NoCopy::Allow", ban, [x] {
    const NoCopy::Allow allowed("here");
    return x.clone();
  });
}

}  // namespace

std::vector<Tiny> tenstride_tiny() {
  std::vector<Tiny> all;
  add_views(all);
  add_move(all);
  add_layouts(all);
  add_small(all);
  add_ledgers(all);
  return all;
}

}  // namespace tenstride::bench
