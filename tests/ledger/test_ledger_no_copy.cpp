// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "tenstride/copy/copy.hpp"
#include "tenstride/copy/lazy.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/numpy.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

template <class Call>
std::string refusal(const Call& call) {
  try {
    const NoCopy none;
    (void)call();
  } catch (const NoCopyError& error) {
    return error.what();
  }
  return "";
}

TEST(NoCopy, SaysWhatWouldHaveBeenCopiedAndWhy) {
  const Tensor x = zeros({2, 3});
  std::string line;
  const std::string text = refusal([&] {
    line = std::to_string(Caller::current().line() + 1);
    return x.t().contiguous();
  });
  EXPECT_EQ(text,
            "contiguous: (3,2):(1,3)+0 float32 must not be copied inside NoCopy: strides (1,3) are not the "
            "row-major (2,1); 24 B would be read and 24 B written as (3,2):(2,1)+0 float32 "
            "(test_ledger_no_copy.cpp:" +
                line + "); use a view, copy before the scope, or let the place copy by NoCopy::Allow");
}

TEST(NoCopy, HasTheFactsAsFields) {
  const NoCopy none;
  try {
    (void)arange(6).to(DType::float64);
    FAIL() << "nothing was thrown";
  } catch (const NoCopyError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::runtime);
    EXPECT_EQ(error.refused().operation, "to");
    EXPECT_EQ(error.refused().reason, "int64 to float64");
    EXPECT_EQ(error.refused().bytes_written, 48);
  }
}

TEST(NoCopy, LetsViewsFillsAndReadingPass) {
  Tensor x = arange(24).view({2, 3, 4});
  const NoCopy none;
  (void)x.permute({2, 0, 1}).unsqueeze(0).squeeze();
  (void)x.reshape({6, 4}).flatten().contiguous();
  (void)x.to(DType::int64);
  (void)rearrange(x, "a b c -> (a b) c");
  (void)zeros({0, 4}).t().clone();
  (void)zeros({4, 4});
  (void)eye(3);
  (void)x.permute({2, 1, 0}).tolist();
  (void)x.permute({2, 1, 0}).to_vector<float>();
  (void)x.permute({2, 1, 0}).to_string();
  (void)x.select(0, 0).select(0, 0).select(0, 0).item();
  const Tensor large = zeros({300, 300});
  (void)(large == large.t());
  x.fill_(3);
  x.index_put_({1}, 4);
  EXPECT_EQ(x.select(0, 1).to_vector<int>(), std::vector<int>(12, 4));
}

/// Every operation that copies, on a tensor of shape (4,6) whose axes are exchanged.
TEST(NoCopy, RefusesEveryOperationThatCopies) {
  const Tensor x = arange(24).view({6, 4}).t();
  const std::vector<std::pair<const char*, std::function<void()>>> calls{
      {"contiguous", [&] { (void)x.contiguous(); }},
      {"clone", [&] { (void)x.clone(); }},
      {"to", [&] { (void)x.to(DType::int8); }},
      {"reshape", [&] { (void)x.reshape({24}); }},
      {"reshape", [&] { (void)x.reshape_as(zeros({24})); }},
      {"flatten", [&] { (void)x.flatten(); }},
      {"ravel", [&] { (void)x.ravel(); }},
      {"flip", [&] { (void)x.flip({0}); }},
      {"rot90", [&] { (void)x.rot90(); }},
      {"roll", [&] { (void)x.roll({1}, {0}); }},
      {"roll", [&] { (void)x.roll({1}); }},
      {"repeat",
       [&] {
         (void)x.repeat({2, 1});
       }},
      {"tile", [&] { (void)x.tile({2}); }},
      {"repeat_interleave", [&] { (void)x.repeat_interleave(2); }},
      {"repeat_interleave",
       [&] {
         (void)x.repeat_interleave(tensor({1, 2, 0, 1}), 0);
       }},
      {"tril", [&] { (void)x.tril(); }},
      {"triu", [&] { (void)x.triu(); }},
      {"cat",
       [&] {
         (void)cat({x, x});
       }},
      {"stack",
       [&] {
         (void)stack({x, x}, 1);
       }},
      {"hstack",
       [&] {
         (void)hstack({x, x});
       }},
      {"block_diag",
       [&] {
         (void)block_diag({x, x});
       }},
      {"index",
       [&] {
         (void)x.index({tensor({1, 0})});
       }},
      {"index", [&] { (void)x.index({x == 3}); }},
      {"permute_copy",
       [&] {
         (void)permute_copy(x, {1, 0});
       }},
      {"rearrange", [&] { (void)rearrange(x, "a b -> (a b)"); }},
      {"repeat", [&] { (void)repeat(x, "a b -> (a b) 2"); }},
      {"pack",
       [&] {
         (void)pack({x, x}, "a *");
       }},
      {"materialize", [&] { (void)lazy(x).reshape({24}).materialize(); }},
      {"convert", [&] { (void)convert(x, DType::float32, {}); }},
      {"materialize", [&] { (void)materialize(x, row_major(x.shape()), x.dtype()); }},
  };
  for (const auto& [name, call] : calls) {
    const std::string text = refusal([&] {
      call();
      return 0;
    });
    EXPECT_TRUE(text.starts_with(std::string(name) + ": ")) << name << " gave \"" << text << '"';
  }
}

TEST(NoCopy, LeavesTheDestinationAsItWas) {
  const Tensor source = arange(12).view({4, 3}).t();
  Tensor x = zeros({3, 4}, {.dtype = DType::int64});
  const auto is_untouched = [&] { return x.equal(zeros({3, 4}, {.dtype = DType::int64})); };
  EXPECT_NE(refusal([&] { return x.copy_(source); }), "");
  EXPECT_TRUE(is_untouched());
  EXPECT_NE(refusal([&] { return x.index_put_({tensor({2, 0})}, source.narrow(0, 0, 2)); }), "");
  EXPECT_TRUE(is_untouched());
  EXPECT_NE(refusal([&] { return x.index_put_({0}, source.select(0, 1)); }), "");
  EXPECT_TRUE(is_untouched());
  EXPECT_NE(refusal([&] { return x.index_put_({source == 3}, 1); }), "");
  EXPECT_TRUE(is_untouched());
  EXPECT_NE(refusal([&] { return x.resize_({100}); }), "");
  EXPECT_TRUE(is_untouched());
  Tensor y = arange(12);
  Tensor front = y.narrow(0, 0, 6);
  EXPECT_NE(refusal([&] { return numpy::copyto(front, y.narrow(0, 3, 6)); }), "");
  EXPECT_TRUE(y.equal(arange(12)));
}

TEST(NoCopy, AsksForNoMemoryBeforeItRefuses) {
  const Tensor x = zeros({2, 3}).t();
  const CopyLedger ledger;
  EXPECT_NE(refusal([&] { return x.contiguous(); }), "");
  EXPECT_NE(refusal([&] { return x.clone(); }), "");
  EXPECT_NE(refusal([&] { return x.reshape({6}); }), "");
  EXPECT_EQ(ledger.totals(), LedgerTotals{});
}

TEST(NoCopy, CountsWhatNamedPlacesCopy) {
  const Tensor x = zeros({2, 3});
  NoCopy outer;
  NoCopy none;
  {
    const NoCopy::Allow allowed("batching");
    (void)x.clone();
    (void)x.t().contiguous();
  }
  for (int i = 0; i < 3; ++i) {
    const NoCopy::Allow allowed("decoding");
    (void)x.to(DType::int8);
  }
  EXPECT_THROW((void)x.clone(), NoCopyError);
  for (const NoCopy* scope : {&outer, &none}) {
    ASSERT_EQ(scope->allowed().size(), 2U);
    EXPECT_EQ(scope->allowed()[0].place, "batching");
    EXPECT_EQ(scope->allowed()[0].copies, 2U);
    EXPECT_EQ(scope->allowed()[0].bytes_written, 48);
    EXPECT_EQ(scope->allowed()[1].place, "decoding");
    EXPECT_EQ(scope->allowed()[1].copies, 3U);
    EXPECT_EQ(scope->allowed()[1].bytes_read, 72);
    EXPECT_EQ(scope->allowed()[1].bytes_written, 18);
  }
}

TEST(NoCopy, TheInnermostScopeDecides) {
  const Tensor x = zeros({2, 3});
  const CopyLedger ledger;
  const NoCopy::Allow early("nothing forbids yet");
  (void)x.clone();
  {
    const NoCopy none;
    EXPECT_THROW((void)x.clone(), NoCopyError);
    const NoCopy::Allow allowed("here");
    (void)x.clone();
    {
      const NoCopy again;
      EXPECT_THROW((void)x.clone(), NoCopyError);
    }
    (void)x.clone();
  }
  (void)x.clone();
  EXPECT_EQ(ledger.totals().copies, 4U);
  EXPECT_EQ(ledger.entries()[1].allowed, "here");
}

TEST(NoCopy, HoldsOnMetaToo) {
  const NoCopy none;
  EXPECT_THROW((void)zeros({1000000, 1000000}, {.device = Device::meta}).t().contiguous(), NoCopyError);
}

TEST(NoCopy, IsOverWhenItsScopeIs) {
  const Tensor x = zeros({2, 3});
  EXPECT_NE(refusal([&] { return x.clone(); }), "");
  (void)x.clone();
}

TEST(NoScramble, NamesTheTransposeThatWasMeant) {
  const Tensor x = zeros({2, 3});
  const NoScramble strict;
  const auto message_of = [](const auto& call) -> std::string {
    try {
      (void)call();
    } catch (const ScrambleError& error) {
      return error.what();
    }
    return "";
  };
  const std::string sentence = to_string(*find_scramble({2, 3}, {3, 2}));
  EXPECT_EQ(
      message_of([&] {
        return x.reshape({3, 2});
      }),
      "reshape: " + sentence + " (inside NoScramble; where it is meant, NoScramble::Allow lets it pass)");
  EXPECT_EQ(message_of([&] {
              return x.view({-1, 2});
            }),
            "view: " + sentence + " (inside NoScramble; where it is meant, NoScramble::Allow lets it pass)");
  EXPECT_EQ(message_of([&] { return x.t().reshape({2, 3}); }).substr(0, 9), "reshape: ");
  EXPECT_EQ(message_of([&] { return x.reshape({2, 3}); }), "");
  EXPECT_EQ(message_of([&] { return x.reshape({6}); }), "");
  EXPECT_EQ(message_of([&] { return x.reshape({1, 2, 3, 1}); }), "");
  EXPECT_EQ(message_of([&] { return zeros({3, 3}).reshape({3, 3}); }), "");
  EXPECT_EQ(message_of([&] { return stack({x, x}, 2); }), "");
  EXPECT_EQ(message_of([&] { return (NoScramble::Allow(), x.reshape({3, 2})); }), "");
}

}  // namespace
}  // namespace tenstride
