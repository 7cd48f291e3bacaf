// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ledger/ledger.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "memory/watch.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/copy/lazy.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/numpy.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/ops/reduce_pattern.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

constexpr unsigned line_after(Caller here = Caller::current()) {
  return here.line() + 1;
}

TEST(CopyLedger, IsTheExampleOfItsHeader) {
  const Tensor x = zeros({2, 3});
  const CopyLedger ledger;
  const Tensor y = x.t().contiguous();
  EXPECT_EQ(ledger.totals().copies, 1U);
}

TEST(CopyLedger, TellsAllOfACopy) {
  const Tensor x = zeros({2, 3});
  const CopyLedger ledger;
  const unsigned line = line_after();
  const Tensor y = x.t().contiguous();
  ASSERT_EQ(ledger.entries().size(), 1U);
  const LedgerEntry& entry = ledger.entries()[0];
  EXPECT_EQ(entry.kind, LedgerKind::copy);
  EXPECT_EQ(entry.operation, "contiguous");
  EXPECT_EQ(entry.reason, "strides (1,3) are not the row-major (2,1)");
  EXPECT_EQ(entry.src, x.t().layout());
  EXPECT_EQ(entry.dst, y.layout());
  EXPECT_EQ(entry.src_dtype, DType::float32);
  EXPECT_EQ(entry.dst_dtype, DType::float32);
  EXPECT_EQ(entry.device, Device::cpu);
  EXPECT_EQ(entry.bytes_read, 24);
  EXPECT_EQ(entry.bytes_written, 24);
  EXPECT_EQ(entry.bytes_allocated, 24);
  EXPECT_EQ(entry.kernel, "small");
  ASSERT_NE(entry.plan, nullptr);
  EXPECT_EQ(entry.plan->to_string(),
            plan_copy(y.layout(), DType::float32, x.t().layout(), DType::float32).to_string());
  EXPECT_GE(entry.start, 0);
  EXPECT_GT(entry.seconds, 0);
  EXPECT_EQ(entry.caller.line(), line);
  EXPECT_TRUE(std::string_view(entry.caller.file_name()).ends_with("test_ledger.cpp"));
  EXPECT_EQ(entry.allowed, "");
}

TEST(CopyLedger, ListsNeitherViewsNorCopiesOfNothing) {
  const Tensor x = zeros({2, 3});
  const Tensor none = zeros({0, 3});
  const CopyLedger ledger;
  (void)x.t().view({3, 2}).reshape({3, 2}).contiguous();
  (void)x.reshape({6}).flatten().ravel().to(DType::float32).select(0, 1).contiguous();
  EXPECT_EQ(ledger.totals().copies, 1U);  // the transpose's contiguous
  const std::size_t before = ledger.totals().copies;
  (void)none.clone();
  (void)none.t().contiguous(MemoryFormat::contiguous, CopyRule::always);
  EXPECT_EQ(ledger.totals().copies, before);
}

/// The reason of the only copy of a call.
template <class Call>
std::string reason_of(const Call& call) {
  const CopyLedger ledger;
  (void)call();
  if (ledger.totals().copies != 1) return std::to_string(ledger.totals().copies) + " copies";
  for (const LedgerEntry& entry : ledger.entries()) {
    if (entry.kind == LedgerKind::copy) return entry.operation + ": " + entry.reason;
  }
  return "no entry";
}

TEST(CopyLedger, GivesReasons) {
  const Tensor x = zeros({2, 3, 4});
  const Tensor t = x.permute({0, 2, 1});
  EXPECT_EQ(reason_of([&] {
              return t.reshape({2, 12});
            }),
            "reshape: no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 12");
  EXPECT_EQ(reason_of([&] { return t.reshape_as(zeros({24}, {.device = Device::meta})); }),
            "reshape: no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 12");
  EXPECT_EQ(reason_of([&] { return x.reshape({24}, CopyRule::always); }),
            "reshape: copy = always was asked for");
  EXPECT_EQ(reason_of([&] { return t.flatten(); }),
            "flatten: no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 12");
  EXPECT_EQ(reason_of([&] { return t.ravel(); }), "ravel: strides (12,1,4) are not the row-major (12,3,1)");
  EXPECT_EQ(reason_of([&] { return x.contiguous(MemoryFormat::contiguous, CopyRule::always); }),
            "contiguous: copy = always was asked for");
  EXPECT_EQ(reason_of([&] {
              return zeros({1, 2, 3, 4}).contiguous(MemoryFormat::channels_last);
            }),
            "contiguous: strides (24,12,4,1) are not the channels_last (24,1,8,2)");
  EXPECT_EQ(reason_of([&] { return x.to(DType::float64); }), "to: float32 to float64");
  EXPECT_EQ(reason_of([&] { return x.to({.copy = CopyRule::always}); }), "to: copy = always was asked for");
  EXPECT_EQ(reason_of([&] { return x.clone(); }), "clone: clone always copies");
  EXPECT_EQ(reason_of([&] { return x.flip({0}); }), "flip: flip always copies");
  EXPECT_EQ(reason_of([&] { return transpose_copy(x, 0, 1); }),
            "transpose_copy: transpose_copy always copies");
  EXPECT_EQ(reason_of([&] { return zeros({2}, {.dtype = DType::complex64}).conj().resolve_conj(); }),
            "resolve_conj: the conjugation is carried out");
  EXPECT_EQ(reason_of([&] { return rearrange(x, "a b c -> a (c b)"); }),
            "rearrange: no view: axis 1 consists of (4,3):(1,4), which do not nest");
  EXPECT_EQ(reason_of([&] {
              return lazy(x).permute({0, 2, 1}).reshape({2, 12}).materialize();
            }),
            "materialize: no view: axis 1 consists of (4,3):(1,4), which do not nest");
  EXPECT_EQ(reason_of([&] { return numpy::reshape(numpy::transpose(x), {24}); }),
            "reshape: no view of (4,3,2):(1,4,12) has the shape (24) in order C");
  EXPECT_EQ(reason_of([&] { return x.index({tensor({1, 0})}); }), "index: index always copies");
  Tensor y = arange(6);
  EXPECT_EQ(reason_of([&] { return y.copy_(arange(6)); }), "copy_: copy_ always copies");
}

TEST(CopyLedger, TellsWhyOverlappingMemoryIsCopiedTwice) {
  Tensor x = arange(6);
  const CopyLedger ledger;
  Tensor front = x.narrow(0, 0, 5);
  numpy::copyto(front, x.narrow(0, 1, 5));
  ASSERT_EQ(ledger.totals().copies, 2U);
  EXPECT_EQ(ledger.entries()[0].reason, "source and destination lie in the same memory");
  EXPECT_EQ(ledger.entries()[0].operation, "copyto");
  EXPECT_EQ(ledger.entries()[1].reason, "copyto always copies");
}

TEST(CopyLedger, TellsTheCutOfAChain) {
  const Tensor x = arange(24).view({4, 6});
  const Lazy chain = lazy(x).transpose(0, 1).reshape({8, 3}).transpose(0, 1).reshape({4, 6});
  const CopyLedger ledger;
  const Tensor y = chain.materialize();
  ASSERT_EQ(ledger.totals().copies, chain.plan().copies.size());
  ASSERT_GE(ledger.totals().copies, 1U);
  EXPECT_EQ(ledger.entries()[0].operation, "materialize");
  EXPECT_TRUE(ledger.entries()[0].reason.starts_with("reshape: (6,4) to (8,3) cuts across axes 0..1; atoms"))
      << ledger.entries()[0].reason;
}

TEST(CopyLedger, HasAllocationsAndFills) {
  const CopyLedger ledger;
  const Tensor x = empty({2, 3});
  const Tensor y = zeros({4});
  ASSERT_EQ(ledger.entries().size(), 2U);
  EXPECT_EQ(ledger.entries()[0].kind, LedgerKind::allocation);
  EXPECT_EQ(ledger.entries()[0].operation, "empty");
  EXPECT_EQ(ledger.entries()[0].bytes_allocated, 24);
  EXPECT_EQ(ledger.entries()[1].kind, LedgerKind::fill);
  EXPECT_EQ(ledger.entries()[1].operation, "zeros");
  EXPECT_EQ(ledger.entries()[1].bytes_allocated, 16);
  EXPECT_EQ(ledger.entries()[1].bytes_written, 16);
  EXPECT_EQ(ledger.entries()[1].bytes_read, 0);
  EXPECT_EQ(ledger.totals().copies, 0U);
  EXPECT_EQ(ledger.totals().fills, 1U);
  EXPECT_EQ(ledger.totals().allocations, 2U);
}

TEST(CopyLedger, CountsTheBytesAliveAtTheSameTime) {
  const Tensor before = zeros({1000});
  const CopyLedger ledger;
  {
    const Tensor a = empty({100});
    const Tensor b = empty({50});
    EXPECT_EQ(ledger.totals().peak_bytes, 600);
  }
  const Tensor c = empty({120});
  EXPECT_EQ(ledger.totals().peak_bytes, 600);
  const Tensor d = before.clone();
  EXPECT_EQ(ledger.totals().peak_bytes, 480 + 4000);
  EXPECT_EQ(ledger.totals().bytes_allocated, 400 + 200 + 480 + 4000);
}

TEST(CopyLedger, TellsOfAGrowingStorage) {
  Tensor x = zeros({4});
  const CopyLedger ledger;
  x.resize_({8});
  EXPECT_EQ(ledger.totals().copies, 1U);
  EXPECT_EQ(ledger.totals().bytes_written, 16);
  EXPECT_EQ(ledger.entries()[0].operation, "resize_");
  EXPECT_EQ(ledger.entries()[0].reason, "the storage grows, and its bytes move");
}

TEST(CopyLedger, HoldsThePartsOfAJoin) {
  const std::vector<Tensor> parts(3, zeros({2, 2}));
  const CopyLedger ledger;
  const Tensor joined = cat(parts, 1);
  ASSERT_EQ(ledger.entries().size(), 4U);
  EXPECT_EQ(ledger.entries()[0].kind, LedgerKind::allocation);
  EXPECT_EQ(ledger.entries()[0].operation, "cat");
  EXPECT_EQ(ledger.entries()[0].bytes_allocated, 48);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(ledger.entries()[i].operation, "cat");
    EXPECT_EQ(ledger.entries()[i].bytes_written, 16);
  }
}

TEST(CopyLedger, HoldsPiecesAsTheyWereAskedFor) {
  const std::vector<Tensor> columns(4, ones({20000, 1}));
  const CopyLedger ledger;
  const Tensor joined = cat(columns, 1);
  EXPECT_EQ(ledger.totals().copies, 4U);
  EXPECT_EQ(ledger.totals().bytes_written, 4 * 80000);
  EXPECT_EQ(ledger.totals().allocations, 1U);
  EXPECT_EQ(ledger.entries().back().kernel, "pieces");
  EXPECT_TRUE(joined.equal(ones({20000, 4})));
}

TEST(CopyLedger, NamesTheWayThatWasTaken) {
  const auto kernel_of = [](const auto& call) {
    const CopyLedger ledger;
    (void)call();
    return ledger.entries().back().kernel;
  };
  const Tensor x = zeros({512, 512});
  EXPECT_EQ(kernel_of([&] { return x.clone(); }), "contiguous");
  EXPECT_EQ(kernel_of([] { return zeros({2048, 2048}).t().contiguous(); }), "tiles");
  EXPECT_EQ(kernel_of([&] { return zeros({512, 1}).repeat({1, 512}); }), "fill");
  EXPECT_EQ(kernel_of([&] { return x.tril(); }), "triangle");
  EXPECT_EQ(kernel_of([&] { return x.index({tensor({1, 0, 5})}); }), "boxes");
  EXPECT_EQ(kernel_of([&] { return x.index({x == 0}); }), "mask");
}

TEST(CopyLedger, HoldsTheResultOfAReduction) {
  const Tensor x = ones({40, 30, 20});
  const auto totals_of = [](const Tensor& from) {
    const CopyLedger ledger;
    const NoCopy none;
    (void)reduce(from, "a b c -> b a", Reduction::sum);
    (void)reduce_axes(from.permute({2, 1, 0}), {1}, Reduction::max);
    for (const LedgerEntry& entry : ledger.entries()) EXPECT_EQ(entry.operation, "reduce");
    return ledger.totals();
  };
  LedgerTotals totals = totals_of(x);
  EXPECT_EQ(totals.copies, 0U);
  EXPECT_EQ(totals.allocations, 2U);
  EXPECT_EQ(totals.reductions, 2U);
  EXPECT_EQ(totals.bytes_reduced, 2 * 40 * 30 * 20 * 4);
  totals.seconds = 0;  // as on meta
  EXPECT_EQ(totals, totals_of(zeros({40, 30, 20}, {.device = Device::meta})));
}

TEST(CopyLedger, CountsNoMoreThanAnIndexHolds) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const Tensor x = empty({1}, {.dtype = DType::uint8, .device = Device::meta}).expand({most});
  CopyLedger ledger;
  const Tensor y = x.contiguous();
  EXPECT_EQ(ledger.totals().bytes_read, most);
  const Tensor z = y.clone();
  EXPECT_EQ(ledger.totals().bytes_read, most);
  EXPECT_EQ(ledger.totals().peak_bytes, most);
}

TEST(CopyLedger, OuterLedgersSeeWhatInnerOnesSee) {
  const Tensor x = zeros({2, 3});
  CopyLedger outer;
  {
    const CopyLedger inner;
    (void)x.clone();
    EXPECT_EQ(inner.totals().copies, 1U);
  }
  (void)x.clone();
  EXPECT_EQ(outer.totals().copies, 2U);
  outer.clear();
  EXPECT_EQ(outer.totals(), LedgerTotals{});
  EXPECT_TRUE(outer.entries().empty());
  (void)x.clone();
  EXPECT_EQ(outer.totals().copies, 1U);
}

TEST(CopyLedger, CountsWhatItDoesNotKeep) {
  const std::vector<Tensor> parts(5, zeros({3}));
  const CopyLedger ledger(2);
  (void)cat(parts);
  EXPECT_EQ(ledger.totals().copies, 5U);
  EXPECT_EQ(ledger.entries().size(), 2U);
  EXPECT_EQ(ledger.left_out(), 4U);
}

TEST(CopyLedger, HandsThePlaceThroughTheRefOverloads) {
  const CopyLedger ledger;
  const unsigned line = line_after();
  (void)zeros({2, 3}).t().reshape({6});
  (void)zeros({2, 3}).t().contiguous();
  ASSERT_EQ(ledger.entries().size(), 4U);
  EXPECT_EQ(ledger.entries()[1].caller.line(), line);
  EXPECT_EQ(ledger.entries()[3].caller.line(), line + 1);
}

TEST(CopyLedger, NotesScrambles) {
  const Tensor x = zeros({2, 3});
  const CopyLedger ledger;
  (void)x.view({3, 2});
  (void)x.reshape({3, -1});
  (void)x.reshape({2, 3});
  (void)x.reshape({6});
  (void)(NoScramble::Allow(), x.view({3, 2}));
  const unsigned line = line_after();
  (void)lazy(x).reshape({3, 2}).view({2, 3});
  EXPECT_EQ(ledger.totals().scrambles, 4U);
  ASSERT_EQ(ledger.entries().size(), 4U);
  EXPECT_EQ(ledger.entries()[2].operation, "reshape");
  EXPECT_EQ(ledger.entries()[2].caller.line(), line);
  EXPECT_EQ(ledger.entries()[3].operation, "view");
  EXPECT_EQ(ledger.entries()[0].operation, "view");
  EXPECT_EQ(ledger.entries()[1].operation, "reshape");
  EXPECT_EQ(ledger.entries()[0].reason, to_string(*find_scramble({2, 3}, {3, 2})));
}

TEST(CopyLedger, IsReadAfterItHasEnded) {
  CopyLedger outer;
  CopyLedger inner;
  const Tensor x = zeros({2, 3});
  outer.close();
  (void)x.t().contiguous();
  inner.close();
  inner.close();
  (void)x.t().contiguous();
  EXPECT_EQ(outer.totals().copies, 0U);
  EXPECT_EQ(inner.totals().copies, 1U);
  EXPECT_EQ(inner.entries().size(), 2U);
}

TEST(CopyLedger, TellsTheLineOfAScript) {
  const ScriptPlace place{"/home/someone/train.py", "step", 12};
  CopyLedger ledger;
  const Tensor x = zeros({2, 3});
  {
    const detail::ScriptScope scope(place);
    (void)x.t().contiguous();
  }
  (void)x.t().contiguous();
  EXPECT_NE(to_text(ledger).find("train.py:12"), std::string::npos);
  EXPECT_NE(to_json(ledger).find(R"("file":"train.py","line":12,"function":"step")"), std::string::npos);
  ASSERT_EQ(ledger.entries().size(), 3U);
  EXPECT_FALSE(ledger.entries()[0].script);
  EXPECT_TRUE(ledger.entries()[1].script);
  EXPECT_FALSE(ledger.entries()[2].script);
}

}  // namespace
}  // namespace tenstride
