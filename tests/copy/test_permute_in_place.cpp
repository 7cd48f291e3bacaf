// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/permute_in_place.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "support/refusal.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using testing::refusal;

/// Elements of which no two neighbours are alike, row-major from the element `offset` of a longer storage on.
Tensor numbered(const Dims& shape, DType dtype, Index offset = 0) {
  const Layout layout = row_major(shape);
  const std::size_t bytes = static_cast<std::size_t>(numel(layout) + offset + 5) * item_size(dtype);
  Storage storage = Storage::allocate(bytes);
  std::mt19937 random(static_cast<unsigned>(bytes));
  for (std::size_t i = 0; i < bytes; i += 4) {
    const auto number = static_cast<std::uint32_t>(random());
    std::memcpy(storage.mutable_data() + i, &number, std::min(bytes - i, sizeof number));
  }
  return Tensor(storage, {layout.shape, layout.strides, offset}, dtype);
}

std::vector<std::byte> bytes_of(const Storage& storage) {
  return {storage.data(), storage.data() + storage.nbytes()};
}

/// The storage's bytes as they are to be: those of `elements`, row-major, from the offset on, others as they
/// were.
std::vector<std::byte> expected_bytes(const Tensor& before, const Tensor& elements) {
  std::vector<std::byte> result = bytes_of(before.storage());
  const Tensor dense = elements.contiguous(MemoryFormat::contiguous, CopyRule::always);
  const auto offset = static_cast<std::size_t>(before.storage_offset()) * before.element_size();
  if (before.nbytes() != 0) std::memcpy(result.data() + offset, dense.data_ptr(), before.nbytes());
  return result;
}

/// The smallest `extra_bytes` of a contiguous tensor.
std::size_t least(const Tensor& x, const Dims& dims) {
  return static_cast<std::size_t>(min_extra_bytes(x.shape(), dims, static_cast<Index>(x.element_size())));
}

void expect_permuted(Tensor x, const Dims& dims, std::size_t extra) {
  const Tensor view = x.permute(dims);
  const std::vector<std::byte> expected = expected_bytes(x, view);
  const Index offset = x.storage_offset();
  const std::string text = to_string(x.layout()) + " by " + ::testing::PrintToString(dims.to_vector()) +
                           " of " + std::to_string(x.element_size()) + " B with " + std::to_string(extra) +
                           " B:\n" + permute_plan(x, dims, {extra}).to_string();
  EXPECT_EQ(&permute_(x, dims, {extra}), &x);
  EXPECT_EQ(x.shape(), view.shape()) << text;
  EXPECT_TRUE(x.is_contiguous()) << text;
  EXPECT_EQ(x.storage_offset(), offset);
  EXPECT_TRUE(x.shares_storage(view));
  EXPECT_TRUE(bytes_of(x.storage()) == expected) << text;
}

constexpr DType types[] = {DType::uint8, DType::bfloat16, DType::float32, DType::int64, DType::complex128};

TEST(PermuteInPlace, IsAsInItsExample) {
  Tensor x = arange(6).view({2, 3});
  permute_(x, {1, 0});
  EXPECT_EQ(x.to_string(), "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])");
}

TEST(PermuteInPlace, GivesWhatPermuteGivesForAllOrdersAndAnyScratch) {
  constexpr Index extents[] = {0, 1, 1, 2, 3, 4, 5, 6, 7};
  std::mt19937 random(1);
  for (std::size_t rank = 1; rank <= 6; ++rank) {
    Dims order = Dims::of_size(rank);
    std::iota(order.begin(), order.end(), Index{0});
    do {
      const int shapes = rank < 5 ? 8 : 1;
      for (int i = 0; i < shapes; ++i) {
        Dims shape;
        for (std::size_t d = 0; d < rank; ++d) shape.push_back(extents[(random() % (rank > 4 ? 6 : 8)) + 1]);
        if (random() % 16 == 0) shape[0] = extents[0];
        const Tensor x = numbered(shape, types[random() % 5], static_cast<Index>(random() % 4));
        const auto lowest = least(x, order);
        for (const std::size_t extra : {lowest, lowest + 13, lowest * 3, std::size_t{1} << 20}) {
          expect_permuted(x, order, extra);
        }
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(PermuteInPlace, TransposesMatricesOfAllSizesWithAnyScratch) {
  for (Index rows = 1; rows < 24; ++rows) {
    for (Index columns = 1; columns < 24; ++columns) {
      const Tensor x = numbered({rows, columns}, types[(rows + columns) % 5], 1);
      const auto lowest = least(x, {1, 0});
      for (const std::size_t factor : {1U, 2U, 3U, 4U, 9U}) expect_permuted(x, {1, 0}, lowest * factor);
    }
  }
}

TEST(PermuteInPlace, TransposesBatchesOfItemsByEachMethod) {
  struct Case {
    Dims shape;
    Dims dims;
    DType dtype;
    std::size_t extra;
    InPlaceMethod method;
  };
  const Case cases[] = {
      {{5, 40, 30, 2}, {0, 2, 1, 3}, DType::float32, 1 << 16, InPlaceMethod::scratch},
      {{3, 64, 64, 3}, {0, 2, 1, 3}, DType::uint8, 1 << 10, InPlaceMethod::tiles},
      {{2, 37, 37}, {0, 2, 1}, DType::float32, 777, InPlaceMethod::tiles},
      {{2, 29, 31, 1000}, {0, 2, 1, 3}, DType::float32, 10000, InPlaceMethod::cycles},
      {{29, 31, 9000}, {1, 0, 2}, DType::float32, 1000, InPlaceMethod::cycles},
      {{211, 307}, {1, 0}, DType::float32, 4096, InPlaceMethod::decomposition},
      {{2, 202, 505}, {0, 2, 1}, DType::bfloat16, 1100, InPlaceMethod::decomposition},
      {{303, 202, 3}, {1, 0, 2}, DType::uint8, 1000, InPlaceMethod::decomposition},
      {{240, 360}, {1, 0}, DType::float32, 16384, InPlaceMethod::scratch},
  };
  for (const Case& c : cases) {
    const Tensor x = numbered(c.shape, c.dtype, 3);
    const InPlacePlan plan = permute_plan(x, c.dims, {c.extra});
    EXPECT_EQ(plan.steps[0].method, c.method) << plan.to_string();
    EXPECT_LE(plan.scratch_bytes, static_cast<Index>(c.extra));
    expect_permuted(x, c.dims, c.extra);
  }
}

TEST(PermuteInPlace, TakesAnyDenseOrderOfAxes) {
  for (const Dims& dims : {Dims{0, 1, 2}, Dims{1, 2, 0}, Dims{2, 1, 0}}) {
    for (const Dims& lying : {Dims{2, 0, 1}, Dims{1, 0, 2}}) {
      const Tensor x = numbered({4, 6, 5}, DType::float32, 2).permute(lying);
      expect_permuted(x, dims, 1 << 20);
      expect_permuted(x, dims, 64);
    }
  }
  // Back to where it was: nothing moves.
  Tensor x = numbered({4, 6}, DType::float32).t();
  EXPECT_TRUE(permute_plan(x, {1, 0}).steps.empty());
  EXPECT_EQ(permute_plan(x, {1, 0}).to_string(), "nothing moves");
  expect_permuted(x, {1, 0}, 0);
}

TEST(PermuteInPlace, PermutesManyGroupsOfAxes) {
  const Dims dims{7, 5, 3, 1, 6, 4, 2, 0};
  const Tensor x = numbered({2, 3, 2, 2, 3, 2, 2, 3}, DType::float32, 1);
  for (const std::size_t extra : {least(x, dims), least(x, dims) * 3, std::size_t{1} << 20}) {
    expect_permuted(x, dims, extra);
  }
}

TEST(PermuteInPlace, KeepsPendingConjugatesAndNegatives) {
  Tensor x = numbered({3, 4}, DType::complex64).conj();
  const Tensor expected = x.t().clone(MemoryFormat::contiguous);
  permute_(x, {1, 0});
  EXPECT_TRUE(x.is_conj());
  EXPECT_EQ(std::memcmp(x.resolve_conj().data_ptr(), expected.resolve_conj().data_ptr(), x.nbytes()), 0);
}

TEST(PermuteInPlace, ChangesTheMemoryFormatAndBack) {
  for (const std::size_t extra : {std::size_t{2000}, std::size_t{1} << 20}) {
    Tensor x = numbered({2, 3, 20, 14}, DType::float32, 1);
    const Tensor before = x.clone();
    const std::vector<std::byte> bytes = bytes_of(x.storage());
    EXPECT_EQ(&to_memory_format_(x, MemoryFormat::channels_last, {extra}), &x);
    EXPECT_TRUE(x.is_contiguous(MemoryFormat::channels_last));
    EXPECT_EQ(x.shape(), before.shape());
    EXPECT_EQ(std::memcmp(x.clone(MemoryFormat::contiguous).data_ptr(), before.data_ptr(), x.nbytes()), 0);
    to_memory_format_(x, MemoryFormat::contiguous, {extra});
    EXPECT_TRUE(x.is_contiguous());
    EXPECT_TRUE(bytes_of(x.storage()) == bytes);
  }
  Tensor x = numbered({2, 3, 4, 5, 6}, DType::bfloat16);
  const Tensor before = x.clone();
  to_memory_format_(x, MemoryFormat::channels_last_3d);
  EXPECT_TRUE(x.is_contiguous(MemoryFormat::channels_last_3d));
  EXPECT_EQ(std::memcmp(x.clone(MemoryFormat::contiguous).data_ptr(), before.data_ptr(), x.nbytes()), 0);
}

TEST(PermuteInPlace, IsSeenByTensorsOnTheSameStorageInTheirOldLayout) {
  Tensor x = arange(6).view({2, 3});
  const Tensor other = x;
  permute_(x, {1, 0});
  EXPECT_EQ(other.to_string(), "tensor([[0, 3, 1],\n        [4, 2, 5]])");
}

TEST(PermuteInPlace, GivesTheSameBytesWithAnyNumberOfThreads) {
  struct Case {
    Dims shape;
    std::size_t extra;
  };
  for (const Case& c : {Case{{300, 250, 1}, 1 << 15}, Case{{320, 320, 3}, 1 << 20},
                        Case{{40, 30, 300}, 1 << 20}, Case{{211, 307, 2}, 1 << 15}}) {
    for (const int threads : {1, 2, 3}) {
      const ThreadScope scope(threads);
      expect_permuted(numbered(c.shape, DType::float32), {1, 0, 2}, c.extra);
    }
  }
}

TEST(PermuteInPlace, TakesNoMoreMemoryThanItSays) {
  for (const std::size_t extra : {std::size_t{3000}, std::size_t{10000}, std::size_t{60000}}) {
    Tensor x = numbered({211, 307}, DType::float32);
    const InPlacePlan plan = permute_plan(x, {1, 0}, {extra});
    CopyLedger ledger;
    permute_(x, {1, 0}, {extra});
    ledger.close();
    EXPECT_EQ(ledger.totals().allocations, 1U);
    EXPECT_EQ(ledger.totals().peak_bytes, plan.scratch_bytes);
    EXPECT_LE(ledger.totals().peak_bytes, static_cast<Index>(extra));
  }
}

TEST(PermuteInPlace, IsInTheLedgerStepByStep) {
  Tensor x = numbered({240, 360}, DType::float32);
  const InPlacePlan plan = permute_plan(x, {1, 0}, {16384});
  CopyLedger ledger;
  permute_(x, {1, 0}, {16384});
  ledger.close();
  EXPECT_EQ(ledger.totals().copies, plan.steps.size());
  EXPECT_EQ(ledger.totals().bytes_read, plan.bytes_moved);
  EXPECT_EQ(ledger.totals().bytes_written, plan.bytes_moved);
  const LedgerEntry& last = ledger.entries().back();
  EXPECT_EQ(last.operation, "permute_");
  EXPECT_EQ(last.kernel, name(plan.steps.back().method));
  EXPECT_EQ(last.reason, "the elements change places in their own memory");
}

TEST(PermuteInPlace, MovesNothingInsideNoCopy) {
  Tensor x = arange(6).view({2, 3});
  {
    const NoCopy none;
    EXPECT_THROW(permute_(x, {1, 0}), NoCopyError);
  }
  EXPECT_EQ(x.to_string(), "tensor([[0, 1, 2],\n        [3, 4, 5]])");
}

TEST(PermuteInPlace, ChangesOnlyTheLayoutOnMeta) {
  Tensor x = empty({4, 6}, {.device = Device::meta});
  permute_(x, {1, 0});
  EXPECT_EQ(x.layout(), row_major({6, 4}));
}

TEST(PermuteInPlace, SaysWhyItRefuses) {
  Tensor gaps = zeros({4, 6}).slice(1, 0, 3);
  EXPECT_EQ(
      refusal<RuntimeError>([&] {
        permute_(gaps, {1, 0});
      }),
      "permute_: a tensor of (4,3):(6,1)+0 must be dense (each element in a place of its own, no gap "
      "between them, no stride negative); use .permute(...).contiguous() or .contiguous(memory_format), "
      "which take memory for a second tensor");
  Tensor small = zeros({4, 6}, {.dtype = DType::uint8});
  EXPECT_EQ(
      refusal<ValueError>([&] {
        permute_(small, {1, 0}, {3});
      }),
      "permute_: extra_bytes 3 must be at least 9 (as they lie in memory, axes of shape (4,6) go by (1,0), "
      "elements of 1 B)");
  EXPECT_EQ(refusal<RuntimeError>([&] {
              permute_(small, {1, 1});
            }),
            refusal<RuntimeError>([&] {
              static_cast<void>(small.permute({1, 1}));
            }));
  Tensor constant = zeros({4, 6}).read_only();
  EXPECT_EQ(refusal<StorageError>([&] {
              permute_(constant, {1, 0});
            }),
            refusal<StorageError>([&] { static_cast<void>(constant.mutable_storage_data()); }));
  EXPECT_EQ(refusal<ValueError>([&] { to_memory_format_(small, MemoryFormat::preserve); }),
            "to_memory_format_: the format preserve must be one that says where elements lie (contiguous, "
            "channels_last or channels_last_3d)");
  EXPECT_EQ(refusal<ShapeError>([&] { to_memory_format_(small, MemoryFormat::channels_last); }),
            "to_memory_format_: memory format channels_last must meet rank 4, not 2 (shape (4,6))");
}

TEST(InPlacePlan, IsAsInItsExample) {
  EXPECT_EQ(plan_in_place({4, 6}, {1, 0}, 4, 1 << 20).to_string(),
            "scratch: 1 block of (4,6) by (1,0), items of 4 B, 96 B of scratch, 192 B moved");
  EXPECT_EQ(min_extra_bytes({4, 6}, {1, 0}, 1), 9);
  EXPECT_EQ(min_extra_bytes({4, 6}, {0, 1}, 1), 0);
  EXPECT_EQ(default_extra_bytes(1 << 20), std::size_t{1} << 20);
  EXPECT_EQ(default_extra_bytes(1'000'000'000), 10'000'000U);
}

TEST(InPlacePlan, HasNoPlanBelowTheLeastAndOneFromItOn) {
  const Dims orders[] = {{2, 1, 0}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}};
  for (const Dims& shape : {Dims{7, 11, 13}, Dims{64, 64, 3}, Dims{12, 18, 30}}) {
    for (const Dims& order : orders) {
      const Index lowest = min_extra_bytes(shape, order, 4);
      EXPECT_LE(plan_in_place(shape, order, 4, lowest).scratch_bytes, lowest);
      EXPECT_THROW(plan_in_place(shape, order, 4, lowest - 1), ValueError);
    }
  }
}

// 64 MiB of memory; left to `make slow`.
TEST(HugeInPlace, PermutesByEachMethod) {
  expect_permuted(numbered({4096, 4096}, DType::float32), {1, 0}, 1 << 20);
  expect_permuted(numbered({4000, 4200}, DType::float32), {1, 0}, 1 << 20);
  expect_permuted(numbered({4001, 4201}, DType::float32), {1, 0}, 1 << 18);
  expect_permuted(numbered({100, 300, 500}, DType::float32), {2, 1, 0}, 1 << 20);
}

}  // namespace
}  // namespace tenstride
