// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "support/allocation_count.hpp"
#include "tenstride/layout/coalesce.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/layout/reshape.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/layout/views.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

// A view of up to 8 axes takes nothing from the heap. (The split family returns vectors, and is not meant.)
namespace tenstride {
namespace {

using testing::allocations_in;
using testing::allocations_of_this_thread;

TEST(Allocation, IsCounted) {
  EXPECT_EQ(allocations_in([] { return std::vector<int>(3); }), 1U);
  EXPECT_EQ(allocations_in([] { return Dims::filled(8, 1); }), 0U);
  EXPECT_EQ(allocations_in([] { return Dims::filled(9, 1); }), 1U);
  struct alignas(128) Wide {
    char bytes[128];
  };
  EXPECT_EQ(allocations_in([] { return std::vector<Wide>(1); }), 1U);
}

template <typename Thing>
struct Operation {
  std::string_view name;
  Thing (*run)(const Thing&);
};

/// Each takes a layout of rank 2..8 and gives one of rank 0..8.
constexpr Operation<Layout> layout_operations[] = {
    {"permute",
     [](const Layout& x) {
       Dims order = Dims::filled(x.rank(), 0);
       for (std::size_t i = 0; i < x.rank(); ++i) order[i] = static_cast<Index>(x.rank() - 1 - i);
       return permute(x, order);
     }},
    {"transpose", [](const Layout& x) { return transpose(x, 0, -1); }},
    {"swapaxes", [](const Layout& x) { return swapaxes(x, 0, 1); }},
    {"movedim",
     [](const Layout& x) {
       return movedim(x, {0, 1}, {-1, 0});
     }},
    {"reverse_axes", [](const Layout& x) { return reverse_axes(x); }},
    {"matrix_transpose", [](const Layout& x) { return matrix_transpose(x); }},
    {"squeeze", [](const Layout& x) { return squeeze(x); }},
    {"squeeze one", [](const Layout& x) { return squeeze(x, 1); }},
    {"squeeze several",
     [](const Layout& x) {
       return squeeze(x, {0, 1});
     }},
    {"unsqueeze", [](const Layout& x) { return unsqueeze(select(x, 0, 0), -1); }},
    {"expand", [](const Layout& x) { return expand(select(x, 0, 0), x.shape); }},
    {"select", [](const Layout& x) { return select(x, 0, 0); }},
    {"narrow", [](const Layout& x) { return narrow(x, -1, 0, 1); }},
    {"slice", [](const Layout& x) { return slice(x, 0, 0, {}, 2); }},
    {"index",
     [](const Layout& x) {
       static constexpr std::array<BasicIndex, 4> entries{Slice{{}, {}, -1}, NewAxis{}, Ellipsis{},
                                                          Index{-1}};
       return index(x, entries);
     }},
    {"as_strided", [](const Layout& x) { return as_strided(x.shape, x.strides, 0, 1'000'000); }},
    {"diagonal", [](const Layout& x) { return diagonal(x); }},
    {"unfold", [](const Layout& x) { return unfold(select(x, 0, 0), 0, 1, 1); }},
    {"flip_view",
     [](const Layout& x) {
       return flip_view(x, {0, 1});
     }},
    {"view",
     [](const Layout& x) {
       return view(x, {-1, x.shape.back()});
     }},
    {"flatten", [](const Layout& x) { return flatten(x); }},
    {"unflatten",
     [](const Layout& x) {
       return unflatten(select(x, 0, 0), 0, {1, -1});
     }},
    {"view_dtype", [](const Layout& x) { return view_dtype(x, 4, 1); }},
    {"view_as_real", [](const Layout& x) { return view_as_real(select(x, 0, 0)); }},
    {"coalesce", [](const Layout& x) { return coalesce(x); }},
    {"broadcast_shapes",
     [](const Layout& x) {
       return row_major(broadcast_shapes(x.shape, {1, 1}));
     }},
    {"layout_like", [](const Layout& x) { return layout_like(x, MemoryFormat::preserve, "clone"); }},
};

/// Row-major layouts of rank 2 to 8.
std::vector<Layout> layouts() {
  std::vector<Layout> result;
  Dims shape{2};
  for (const Index size : {3, 1, 2, 1, 3, 1, 2}) {
    shape.push_back(size);
    result.push_back(row_major(shape));
  }
  return result;
}

TEST(Allocation, IsNoneInAViewOfALayoutOfRankUpTo8) {
  for (const Layout& x : layouts()) {
    for (const auto& [name, run] : layout_operations) {
      EXPECT_EQ(allocations_in([&, run = run] { return run(x); }), 0U) << name << " of " << to_string(x);
    }
  }
}

TEST(Allocation, IsNoneInAQuestionToALayoutOfRankUpTo8) {
  for (const Layout& x : layouts()) {
    const Dims shape{numel(x)};
    const Dims index = Dims::filled(x.rank(), 0);
    const std::size_t before = allocations_of_this_thread();
    const bool agree = is_contiguous(x) && is_non_overlapping_and_dense(x) && is_provably_unique(x) &&
                       reach(x).has_value() && index_at(x, 1).has_value() && position(x, index) == 0 &&
                       overlap(x, x) == Overlap::identical && try_view(x, shape).has_value() &&
                       suggested_memory_format(x) == MemoryFormat::contiguous;
    const std::size_t taken = allocations_of_this_thread() - before;
    EXPECT_TRUE(agree) << to_string(x);
    EXPECT_EQ(taken, 0U) << to_string(x);
  }
}

constexpr Operation<Tensor> tensor_operations[] = {
    {"copying the handle", [](const Tensor& x) { return x; }},
    {"alias", [](const Tensor& x) { return x.alias(); }},
    {"detach", [](const Tensor& x) { return x.detach(); }},
    {"permute",
     [](const Tensor& x) {
       return x.permute({2, 0, 1});
     }},
    {"transpose", [](const Tensor& x) { return x.transpose(0, 2); }},
    {"movedim", [](const Tensor& x) { return x.movedim(0, -1); }},
    {"T", [](const Tensor& x) { return x[0].T(); }},
    {"mT", [](const Tensor& x) { return x.mT(); }},
    {"t", [](const Tensor& x) { return x[0].t(); }},
    {"squeeze", [](const Tensor& x) { return x.squeeze(); }},
    {"unsqueeze", [](const Tensor& x) { return x.unsqueeze(1); }},
    {"expand",
     [](const Tensor& x) {
       return x.expand({5, 2, 3, 4});
     }},
    {"broadcast_to",
     [](const Tensor& x) {
       return x.broadcast_to({5, 2, 3, 4});
     }},
    {"as_strided",
     [](const Tensor& x) {
       return x.as_strided({2, 2}, {1, 2}, 1);
     }},
    {"select", [](const Tensor& x) { return x.select(0, 1); }},
    {"narrow", [](const Tensor& x) { return x.narrow(2, 1, 2); }},
    {"slice", [](const Tensor& x) { return x.slice(2, 0, {}, 2); }},
    {"diagonal", [](const Tensor& x) { return x.diagonal(); }},
    {"index",
     [](const Tensor& x) {
       return x.index({Slice{{}, {}, -1}, NewAxis{}, Ellipsis{}, -1});
     }},
    {"unfold", [](const Tensor& x) { return x.unfold(2, 2, 1); }},
    {"view",
     [](const Tensor& x) {
       return x.view({6, -1});
     }},
    {"view as another type", [](const Tensor& x) { return x.view(DType::uint8); }},
    {"reshape where it is a view",
     [](const Tensor& x) {
       return x.reshape({4, 6});
     }},
    {"flatten where it is a view", [](const Tensor& x) { return x.flatten(1); }},
    {"ravel where it is a view", [](const Tensor& x) { return x.ravel(); }},
    {"unflatten",
     [](const Tensor& x) {
       return x.unflatten(2, {2, 2});
     }},
    {"contiguous where it is", [](const Tensor& x) { return x.contiguous(); }},
    {"to its own type", [](const Tensor& x) { return x.to(DType::float32); }},
    {"atleast_3d", [](const Tensor& x) { return x[0][0].atleast_3d(); }},
    {"conj of a real tensor", [](const Tensor& x) { return x.conj(); }},
};

TEST(Allocation, IsNoneInAViewOfATensorOfRankUpTo8) {
  const Tensor x = zeros({2, 3, 4});
  for (const auto& [name, run] : tensor_operations) {
    const Tensor y = run(x);
    EXPECT_TRUE(y.shares_storage(x)) << name;
    EXPECT_EQ(allocations_in([&, run = run] { return run(x); }), 0U) << name;
  }
}

}  // namespace
}  // namespace tenstride
