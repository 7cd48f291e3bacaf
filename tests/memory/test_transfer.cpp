// SPDX-License-Identifier: Apache-2.0
#include "tenstride/memory/transfer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/refusal.hpp"
#include "tenstride/calibration/bandwidth.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/tensor/factory.hpp"

/// What crosses a link and what is copied beside it, as aten/src/ATen/native/cuda/Copy.cu of PyTorch 2.6 has
/// it.
namespace tenstride {
namespace {

using testing::refusal;

constexpr Device cuda_0(DeviceKind::cuda, 0);
constexpr Device cuda_1(DeviceKind::cuda, 1);

Tensor on(Device device, const Dims& sizes, DType dtype = DType::float32) {
  return empty(sizes, {.dtype = dtype, .device = device});
}

/// "transfer 24 B pageable", "copy 24 B to 6 B on cuda:0", one for each entry that moves elements.
std::vector<std::string> moves(const CopyLedger& ledger) {
  std::vector<std::string> lines;
  for (const LedgerEntry& entry : ledger.entries()) {
    if (entry.kind == LedgerKind::transfer) {
      lines.push_back("transfer " + std::to_string(entry.bytes_read) + " B: " + to_string(*entry.link));
    } else if (entry.kind == LedgerKind::copy) {
      lines.push_back("copy " + std::to_string(entry.bytes_read) + " B to " +
                      std::to_string(entry.bytes_written) + " B on " + name(entry.device));
    }
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Transfer, OfWhatIsDenseGoesAsItLies) {
  const Tensor x = on(Device::meta, {2, 3});
  const CopyLedger ledger;
  const Tensor y = x.to(cuda_0);
  const Tensor t = x.t().to(cuda_0);
  EXPECT_EQ(y.device(), cuda_0);
  EXPECT_EQ(t.strides(), (Dims{1, 3}));
  EXPECT_EQ(moves(ledger), (Lines{"transfer 24 B: cpu to cuda:0, pageable, blocking",
                                  "transfer 24 B: cpu to cuda:0, pageable, blocking"}));
  EXPECT_EQ(ledger.totals().transfers, 2U);
  EXPECT_EQ(ledger.totals().bytes_transferred, 48);
  EXPECT_EQ(ledger.totals().copies, 0U);
}

TEST(Transfer, OfWhatHasGapsIsMadeContiguousFirst) {
  const Tensor x = on(Device::meta, {4, 8}).index({Slice{}, Slice{0, 8, 2}});
  const CopyLedger ledger;
  EXPECT_TRUE(x.to(cuda_0).is_contiguous());
  EXPECT_EQ(moves(ledger),
            (Lines{"copy 64 B to 64 B on meta", "transfer 64 B: cpu to cuda:0, pageable, blocking"}));
  EXPECT_EQ(ledger.entries()[1].reason,
            "made contiguous on cpu before the transfer: strides (8,2) are not the row-major (4,1)");
}

TEST(Transfer, InAnotherOrderIsLaidOutOnBothSides) {
  const Tensor x = on(Device::meta, {1, 2, 3, 4});
  const CopyLedger ledger;
  (void)x.to(ToOptions{.device = cuda_0, .memory_format = MemoryFormat::channels_last});
  EXPECT_EQ(moves(ledger),
            (Lines{"transfer 96 B: cpu to cuda:0, pageable, blocking", "copy 96 B to 96 B on cuda:0"}));
}

TEST(Transfer, ConvertsBeforeWhereItIsWaitedForAndElseThere) {
  const Tensor x = on(Device::meta, {6}, DType::uint8);
  ToOptions options{.dtype = DType::float32, .device = cuda_0};
  const CopyLedger ledger;
  (void)x.to(options);
  options.blocking = Blocking::non_blocking;
  (void)x.to(options);
  EXPECT_EQ(moves(ledger),
            (Lines{"copy 6 B to 24 B on meta", "transfer 24 B: cpu to cuda:0, pageable, blocking",
                   "transfer 6 B: cpu to cuda:0, pageable, non-blocking", "copy 6 B to 24 B on cuda:0"}));
}

TEST(Transfer, BackConvertsHereWhereItIsWaitedFor) {
  const Tensor x = on(cuda_0, {6}, DType::float16);
  ToOptions options{.dtype = DType::float32, .device = Device::cpu};
  const CopyLedger ledger;
  const Tensor waited = x.to(options);
  options.blocking = Blocking::non_blocking;
  const Tensor not_waited = x.to(options);
  EXPECT_TRUE(waited.is_meta() && not_waited.is_meta()) << "the cpu without memory";
  EXPECT_FALSE(waited.is_pinned());
  EXPECT_TRUE(not_waited.is_pinned());
  EXPECT_EQ(moves(ledger),
            (Lines{"transfer 12 B: cuda:0 to cpu, pageable, blocking", "copy 12 B to 24 B on meta",
                   "copy 12 B to 24 B on cuda:0", "transfer 24 B: cuda:0 to cpu, pinned, non-blocking"}));
}

TEST(Transfer, BetweenDevicesIsOne) {
  const Tensor x = on(cuda_0, {4, 8}).index({Slice{}, Slice{0, 8, 2}});
  const CopyLedger ledger;
  (void)x.to(cuda_1);
  EXPECT_EQ(moves(ledger), Lines{"transfer 64 B: cuda:0 to cuda:1, peer, blocking"});
}

TEST(Transfer, ReadsPinnedMemoryUnlessACopyIsSent) {
  const Tensor x = on(Device::meta, {4, 8}).pin_memory();
  EXPECT_TRUE(x.is_pinned() && x.pin_memory().is_same(x));
  const CopyLedger ledger;
  (void)x.to(cuda_0);
  (void)x.index({Slice{}, Slice{0, 8, 2}}).to(cuda_0);
  EXPECT_EQ(moves(ledger),
            (Lines{"transfer 128 B: cpu to cuda:0, pinned, blocking", "copy 64 B to 64 B on meta",
                   "transfer 64 B: cpu to cuda:0, pageable, blocking"}));
}

TEST(Transfer, IsWhatCopyDoesBetweenDevices) {
  Tensor y = on(cuda_0, {2, 3});
  const Tensor x = zeros({3});
  const CopyLedger ledger;
  y.copy_(x);
  EXPECT_EQ(moves(ledger),
            (Lines{"copy 24 B to 24 B on meta", "transfer 24 B: cpu to cuda:0, pageable, blocking"}));
}

TEST(Transfer, IsRefusedInsideNoCopy) {
  const Tensor x = on(Device::meta, {2, 3});
  const NoCopy none;
  EXPECT_THROW((void)x.to(cuda_0), NoCopyError);
}

TEST(Transfer, PinsNothingThatHasElements) {
  EXPECT_EQ(refusal<RuntimeError>([] { return zeros({2}).pin_memory(); }),
            "pin_memory: there must be a device that reads pinned memory, and tenstride has none; stay on "
            "the cpu, or "
            "foretell it: `tenstride explain`, or x.to(\"meta\") first");
  EXPECT_EQ(refusal<RuntimeError>([] { return on(cuda_0, {2}).pin_memory(); }),
            "pin_memory: a tensor on cuda:0 must be on the cpu: only its memory can be pinned");
}

TEST(Transfer, TakesTheTimeOfItsLink) {
  ::unsetenv("TENSTRIDE_LINK");
  EXPECT_DOUBLE_EQ(transfer_seconds(6'000'000'000, LinkMemory::pageable), 1 + 1e-5);
  ::setenv("TENSTRIDE_LINK", "12:50", 1);
  EXPECT_EQ(link_speed(), (LinkSpeed{.pageable = 12e9, .pinned = 50e9}));
  ::setenv("TENSTRIDE_LINK", "12.5:50:300", 1);
  EXPECT_EQ(link_speed(), (LinkSpeed{.pageable = 12.5e9, .pinned = 50e9, .peer = 300e9}));
  for (const char* text : {"", "fast", "0:1", "-1", "1:2:3:4", "1;2", "nan", "inf"}) {
    ::setenv("TENSTRIDE_LINK", text, 1);
    EXPECT_EQ(link_speed(), LinkSpeed{}) << text;
  }
  ::unsetenv("TENSTRIDE_LINK");

  const Tensor x = on(Device::meta, {1000, 1000});
  const CopyLedger ledger;
  (void)x.to(cuda_0);
  Bandwidth bandwidth;
  bandwidth.link.pageable = 4e9;
  EXPECT_DOUBLE_EQ(forecast_seconds(ledger, bandwidth), 1e-5 + 4e6 / 4e9);
}

TEST(ExplainTransfer, TellsTheLinkTheBytesAndTheCopiesBesideIt) {
  const Explanation explained = explain("x = torch.zeros(4, 8)\ny = x[:, ::2].to('cuda')");
  ASSERT_FALSE(explained.evaluation.failure) << explained.message;
  const Step& step = explained.evaluation.steps.back();
  EXPECT_EQ(step.kind, StepKind::transfer);
  EXPECT_EQ(to_string(*step.link), "cpu to cuda:0, pageable, blocking");
  EXPECT_EQ(step.bytes_transferred, 64);
  EXPECT_EQ(step.bytes_moved, 128);
  EXPECT_EQ(step.reason,
            "cpu to cuda:0, pageable, blocking; one more copy, made contiguous on cpu before the transfer: "
            "strides (8,2) "
            "are not the row-major (4,1)");
  EXPECT_EQ(step.hint, "lay it out once before, or send the whole and slice on cuda:0");
  EXPECT_EQ(explained.evaluation.totals.transfers, 1U);
  EXPECT_EQ(explained.evaluation.totals.bytes_transferred, 64);
  EXPECT_EQ(explained.evaluation.totals.peak_bytes, 128) << "on the cpu";
  EXPECT_EQ(explained.evaluation.totals.peak_device_bytes, 64);
}

std::string hint_of(std::string_view program) {
  const Explanation explained = explain(program);
  EXPECT_FALSE(explained.evaluation.failure) << program << ": " << explained.message;
  for (const Step& step : explained.evaluation.steps) {
    if (!step.hint.empty()) return step.hint;
  }
  return "";
}

TEST(ExplainTransfer, HintsAtWhatItNeedNotCost) {
  EXPECT_EQ(hint_of("torch.zeros(2, 3).cuda()"), "");
  EXPECT_EQ(hint_of("(torch.zeros(2, 3, dtype=torch.uint8).float() / 255).to('cuda')"),
            "float32 crosses the link, 4 x the bytes of the uint8 it was made of in step 2: send uint8 and "
            "convert on "
            "cuda:0");
  EXPECT_EQ(hint_of("torch.zeros(2, 3, dtype=torch.uint8).to('cuda:1', torch.float32)"),
            "float32 crosses the link, 4 x the bytes of the uint8 it was made of: send uint8 and convert on "
            "cuda:1");
  EXPECT_EQ(hint_of("torch.zeros(2, 3, dtype=torch.uint8).to('cuda').float()"), "");
  EXPECT_EQ(hint_of("torch.zeros(2, 3).pin_memory().cuda()"),
            "pin_memory() copied it once more, and waits for that: for one transfer .to() alone is faster; "
            "pin a buffer "
            "that is sent again, or let the loader pin");
  EXPECT_EQ(hint_of("torch.zeros(2, 3).cuda(non_blocking=True)"),
            "non_blocking has nothing to gain from pageable memory: the call waits until the bytes are in "
            "the driver's "
            "own buffer");
  EXPECT_EQ(hint_of("y = torch.zeros(2, 3, device='cuda')\ny.to('cpu', non_blocking=True)"),
            "non_blocking to the cpu: the elements are there only after torch.cuda.synchronize()");
}

TEST(ExplainTransfer, GoesOnWithoutElements) {
  const Explanation there = explain("x = torch.arange(3)\nx.cuda() * 2");
  ASSERT_FALSE(there.evaluation.failure) << there.message;
  EXPECT_EQ(there.evaluation.value.repr(), "tensor(..., device='cuda:0', size=(3,), dtype=torch.int64)");
  const Explanation back = explain("x = torch.arange(3)\ny = x.cuda().cpu() + x");
  ASSERT_FALSE(back.evaluation.failure) << back.message;
  EXPECT_EQ(back.evaluation.totals.transfers, 2U);
  EXPECT_EQ(back.note, "the value is left out: what comes back from another device has no elements here");
  const Explanation apart = explain("torch.arange(3).cuda() + torch.arange(3)");
  ASSERT_TRUE(apart.evaluation.failure);
  EXPECT_EQ(apart.message.substr(0, apart.message.find('\n')),
            "add: all tensors must be on one device, not cuda:0 and cpu");
}

TEST(ExplainTransfer, IsAnAssignmentToElementsToo) {
  const Explanation explained = explain("w = torch.zeros(3, device='cuda')\nw[1:] = torch.ones(2)");
  ASSERT_FALSE(explained.evaluation.failure) << explained.message;
  const Step& step = explained.evaluation.steps.back();
  EXPECT_EQ(step.kind, StepKind::transfer);
  EXPECT_EQ(step.bytes_transferred, 8);
  EXPECT_EQ(step.bytes_moved, 0);
}

TEST(ExplainTransfer, StandsInTextAndJson) {
  ::unsetenv("TENSTRIDE_LINK");
  const Explanation explained = explain("torch.zeros(2, 3).cuda(1)");
  EXPECT_EQ(to_text(explained),
            "1  torch.zeros(2, 3)  (2,3):(3,1)+0  float32  contiguous  new       24 B\n"
            "2  .cuda(1)           (2,3):(3,1)+0  float32  contiguous  transfer  24 B over the link: cpu to "
            "cuda:1, "
            "pageable, blocking\n\n"
            "tensor(..., device='cuda:1', size=(2, 3))\n\n"
            "no copy, 0 B moved, at most 24 B held\n"
            "1 transfer, 24 B over the link, about 0.01 ms at 6 GB/s (pageable); at most 24 B held on other "
            "devices\n");
  const std::string json = to_json(explained);
  EXPECT_NE(json.find(R"("kind":"transfer")"), std::string::npos);
  EXPECT_NE(
      json.find(R"("transfer":{"from":"cpu","to":"cuda:1","memory":"pageable","blocking":true,"bytes":24})"),
      std::string::npos)
      << json;
}

}  // namespace
}  // namespace tenstride
