// SPDX-License-Identifier: Apache-2.0
#include "tenstride/memory/device.hpp"

#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using testing::refusal;

constexpr Device cuda_0(DeviceKind::cuda, 0);

static_assert(Device() == Device::cpu && Device::cpu != Device::meta);
static_assert(Device(DeviceKind::cuda) != cuda_0 && Device(DeviceKind::cuda).placed() == cuda_0);
static_assert(Device(DeviceKind::cpu, 1).placed() == Device::cpu);
static_assert(Device::cpu.has_memory() && !Device::meta.has_memory() && !cuda_0.has_memory());
static_assert(Device::cpu.is_host() && Device::meta.is_host() && !cuda_0.is_host());
static_assert(sizeof(Device) == 2);

TEST(Device, IsReadAndWritten) {
  EXPECT_EQ(name(*Device::parse("cuda:1")), "cuda:1");
  EXPECT_EQ(to_string(*Device::parse("cuda:1")), "device(type='cuda', index=1)");
  EXPECT_EQ(to_string(*Device::parse("xpu")), "device(type='xpu')");
  for (const char* text : {"cpu", "meta", "cuda", "mps:0", "xpu:127", "cpu:0"}) {
    EXPECT_EQ(name(*Device::parse(text)), text);
  }
  // As PyTorch 2.6: no sign, no blank, no leading 0.
  for (const char* text :
       {"", ":", "cuda:", "cuda:x", "cuda:-1", "cuda:01", "cuda: 1", "cuda:1 ", "cuda:128", "CUDA", "gpu"}) {
    EXPECT_EQ(Device::parse(text), std::nullopt) << text;
  }
}

TEST(ForetoldTensor, HasSizesAndADeviceButNoElements) {
  const Tensor x = empty({2, 3}, {.device = Device(DeviceKind::cuda)});
  EXPECT_EQ(x.device(), cuda_0);
  EXPECT_FALSE(x.is_meta());
  EXPECT_FALSE(x.has_memory());
  EXPECT_EQ(x.storage().nbytes(), 24U);
  EXPECT_EQ(x.to_string(), "tensor(..., device='cuda:0', size=(2, 3))");
  EXPECT_EQ(refusal<RuntimeError>([&] { return x.tolist(); }),
            "tolist: a tensor foretold on cuda:0 has no elements to be read (shape (2,3))");
  EXPECT_EQ(refusal<RuntimeError>([&] {
              return zeros({2, 3}).copy_(x);
            }),
            "copy_: a tensor foretold on cuda:0 has no elements to be copied (shape (2,3))");
}

TEST(ForetoldTensor, StaysWhereItIs) {
  const Tensor x = empty({2, 3}, {.device = cuda_0});
  const Tensor results[] = {x.t(),
                            x.t().contiguous(),
                            x.clone(),
                            x + x,
                            x * 2,
                            x == x,
                            cat({x, x}),
                            x.to(DType::float64),
                            x.flip({0}),
                            x.index({Slice{0, 1, 1}}),
                            zeros_like(x),
                            x.repeat({2, 2}),
                            where(x == x, x, x)};
  for (const Tensor& result : results) EXPECT_EQ(result.device(), cuda_0);
  EXPECT_TRUE(x.to(Device(DeviceKind::cuda)).is_same(x));
}

TEST(ForetoldTensor, MeetsTensorsOfItsOwnDeviceAndNumbersOfTheCpu) {
  const Tensor x = empty({2}, {.device = cuda_0});
  EXPECT_EQ((x + zeros({})).device(), cuda_0);
  EXPECT_EQ((zeros({}) + x).device(), cuda_0);
  EXPECT_EQ((x < zeros({})).device(), cuda_0);
  EXPECT_EQ((zeros({}) == x).device(), cuda_0);
  EXPECT_EQ(refusal<RuntimeError>([&] { return x + zeros({2}); }),
            "add: all tensors must be on one device, not cuda:0 and cpu");
  EXPECT_EQ(refusal<RuntimeError>([&] { return zeros({2}) + x; }),
            "add: all tensors must be on one device, not cpu and cuda:0");
  EXPECT_EQ(refusal<RuntimeError>([&] { return x + empty({2}, {.device = Device(DeviceKind::cuda, 1)}); }),
            "add: all tensors must be on one device, not cuda:0 and cuda:1");
  EXPECT_EQ(refusal<RuntimeError>([&] { return where(x == x, zeros({2}), x); }),
            "where: all tensors must be on one device, not cuda:0 and cpu");
}

TEST(ForetoldTensor, IsNotMadeOfElements) {
  EXPECT_EQ(refusal<RuntimeError>([] { return zeros({2}).to(cuda_0); }),
            "to: device 'cuda:0' must have memory here, and tenstride holds memory on the cpu only; stay on "
            "the cpu and "
            "hand the tensor over by DLPack, or foretell the transfer: `tenstride explain`, or "
            "x.to(\"meta\") first");
  const Tensor foretold = zeros({2}).to(ToOptions{.device = cuda_0, .absent = AbsentDevice::foretell});
  EXPECT_EQ(foretold.device(), cuda_0);
}

}  // namespace
}  // namespace tenstride
