// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

#include "support/refusal.hpp"
#include "tenstride/io/dlpack.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::refusal;

constexpr DLDataType float32_type{2, 32, 1};

/// A structure of another library's: counts how often it is given back.
template <typename Managed>
struct Foreign {
  Managed managed{};
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  int given_back = 0;

  Foreign(void* data, std::vector<std::int64_t> sizes, std::vector<std::int64_t> steps,
          DLDataType dtype = float32_type)
      : shape(std::move(sizes)), strides(std::move(steps)) {
    managed.dl_tensor.data = data;
    managed.dl_tensor.device = {dlpack_cpu, 0};
    managed.dl_tensor.ndim = static_cast<std::int32_t>(shape.size());
    managed.dl_tensor.dtype = dtype;
    managed.dl_tensor.shape = shape.empty() ? nullptr : shape.data();
    managed.dl_tensor.strides = strides.empty() ? nullptr : strides.data();
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Foreign*>(self->manager_ctx)->given_back; };
    if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) managed.version = dlpack_version;
  }
  DLTensor& dl() { return managed.dl_tensor; }
};
using Versioned = Foreign<DLManagedTensorVersioned>;
using Unversioned = Foreign<DLManagedTensor>;

/// What is said, after checking that the structure was given back once.
template <typename Error = RuntimeError, typename Managed>
std::string refused(Foreign<Managed>& foreign) {
  const std::string said = refusal<Error>([&] { return from_dlpack(&foreign.managed); });
  EXPECT_EQ(foreign.given_back, 1) << said;
  return said;
}

TEST(Dlpack, HandsOutTheExample) {
  const Tensor x = arange(6).view({2, 3}).t();
  const DlpackVersioned out = to_dlpack(x);
  EXPECT_EQ(out->version.major, 1U);
  EXPECT_EQ(out->version.minor, 1U);
  EXPECT_EQ(out->flags, 0U);
  const DLTensor& dl = out->dl_tensor;
  EXPECT_EQ(dl.data, x.data_ptr());
  EXPECT_EQ(dl.byte_offset, 0U);
  EXPECT_EQ(dl.device.type, 1);
  EXPECT_EQ(dl.device.id, 0);
  ASSERT_EQ(dl.ndim, 2);
  EXPECT_EQ(dl.shape[0], 3);
  EXPECT_EQ(dl.shape[1], 2);
  EXPECT_EQ(dl.strides[0], 1);
  EXPECT_EQ(dl.strides[1], 3);
  EXPECT_EQ(dl.dtype, (DLDataType{0, 64, 1}));
}

TEST(Dlpack, KeepsTheStorageAliveUntilGivenBack) {
  Tensor x = arange(6);
  const Storage storage = x.storage();
  DlpackVersioned versioned = to_dlpack(x);
  DlpackUnversioned old = to_dlpack_unversioned(x);
  x = Tensor();
  EXPECT_EQ(storage.use_count(), 3U);
  versioned.reset();
  EXPECT_EQ(storage.use_count(), 2U);
  old.reset();
  EXPECT_EQ(storage.use_count(), 1U);
}

TEST(Dlpack, WhatWasHandedOutStaysWhereItIs) {
  Tensor x = arange(6);
  x.resize_({7});
  const DlpackVersioned out = to_dlpack(x);
  x.resize_({3});
  EXPECT_EQ(
      refusal<StorageError>([&] {
        x.resize_({8});
        return 0;
      }),
      "storage: 64 bytes must be at most 56: adopted, mapped and exported memory cannot grow; use .clone() "
      "first");
  EXPECT_EQ(out->dl_tensor.data, x.data_ptr());
}

/// The strides that a structure has: 1 where an axis has fewer than 2 elements.
Dims told_strides(const Tensor& x) {
  Dims strides = x.strides();
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (x.shape()[axis] < 2) strides[axis] = 1;
  }
  return strides;
}

TEST(Dlpack, AStrideThatNoStepIsTakenAlongIsOne) {
  const Tensor base = empty({500});
  const auto strides = [&](const Dims& shape, const Dims& steps) {
    return from_dlpack(to_dlpack(base.as_strided(shape, steps)).release()).strides();
  };
  // As PyTorch 2.6 gives.
  EXPECT_EQ(strides({1}, {3}), (Dims{1}));
  EXPECT_EQ(strides({1, 4}, {100, 1}), (Dims{1, 1}));
  EXPECT_EQ(strides({2, 1, 3}, {50, 7, 1}), (Dims{50, 1, 1}));
  EXPECT_EQ(strides({0, 3}, {5, 2}), (Dims{1, 2}));
  EXPECT_EQ(strides({2, 2}, {0, 0}), (Dims{0, 0}));
}

TEST(Dlpack, RoundTripsKeepMemoryLayoutAndType) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_dlpack(to_dlpack(dtype)), dtype) << name(dtype);
    const Tensor base = empty({4, 6}, {.dtype = dtype});
    for (const Tensor& x : {base, base.t(), base.narrow(0, 1, 2), base.select(1, 3), base.unsqueeze(1),
                            base.expand({3, 4, 6}), Tensor(base.storage(), {{}, {}, 7}, dtype),
                            Tensor(base.storage(), {{4, 3}, {-6, -2}, 23}, dtype)}) {
      for (const Tensor& y :
           {from_dlpack(to_dlpack(x).release()), from_dlpack(to_dlpack_unversioned(x).release())}) {
        EXPECT_EQ(y.shape(), x.shape());
        EXPECT_EQ(y.strides(), told_strides(x));
        EXPECT_EQ(y.dtype(), x.dtype());
        EXPECT_EQ(y.data_ptr(), x.data_ptr());
        EXPECT_FALSE(y.is_read_only());
      }
    }
  }
}

TEST(Dlpack, TakesMemoryOverAndGivesItBackOnce) {
  std::vector<float> data{0, 1, 2, 3, 4, 5};
  Versioned foreign(data.data(), {2, 3}, {3, 1});
  {
    Tensor x = from_dlpack(&foreign.managed);
    const Tensor row = x.select(0, 1);
    x.fill_(7);
    x = Tensor();
    EXPECT_EQ(foreign.given_back, 0);
    EXPECT_EQ(row.to_vector<float>(), (std::vector<float>{7, 7, 7}));
  }
  EXPECT_EQ(foreign.given_back, 1);
  EXPECT_EQ(data[0], 7.0F);
}

TEST(Dlpack, MissingStridesAreRowMajorAndTheOffsetCounts) {
  std::vector<float> data{0, 1, 2, 3, 4, 5, 6};
  Unversioned foreign(data.data(), {2, 3}, {});
  foreign.dl().byte_offset = sizeof(float);
  const Tensor x = from_dlpack(&foreign.managed);
  EXPECT_EQ(to_string(x.layout()), "(2,3):(3,1)+0");
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Dlpack, NegativeStridesBeginTheStorageAtTheLowestElement) {
  std::vector<float> data{0, 1, 2, 3, 4, 5};
  Versioned foreign(data.data() + 5, {2, 3}, {-3, -1});
  const Tensor x = from_dlpack(&foreign.managed);
  EXPECT_EQ(to_string(x.layout()), "(2,3):(-3,-1)+5");
  EXPECT_EQ(x.storage().data(), reinterpret_cast<std::byte*>(data.data()));
  EXPECT_EQ(x.storage().nbytes(), 24U);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{5, 4, 3, 2, 1, 0}));
}

TEST(Dlpack, RankZeroAndNoElements) {
  float one = 3;
  Versioned scalar(&one, {}, {});
  EXPECT_EQ(from_dlpack(&scalar.managed).item<float>(), 3.0F);
  EXPECT_EQ(scalar.given_back, 1);
  Versioned none(nullptr, {2, 0, 3}, {});
  EXPECT_EQ(to_string(from_dlpack(&none.managed).layout()), "(2,0,3):(3,3,1)+0");
  EXPECT_EQ(none.given_back, 1);
  EXPECT_EQ(to_dlpack(empty({0, 3}))->dl_tensor.data, nullptr);
}

TEST(Dlpack, ReadOnlyIsSaidAndHeeded) {
  const Tensor x = arange(3).read_only();
  DlpackVersioned out = to_dlpack(x);
  EXPECT_EQ(out->flags, dlpack_read_only);
  Tensor y = from_dlpack(out.release());
  EXPECT_TRUE(y.is_read_only());
  EXPECT_EQ(refusal<StorageError>([&] { return y.fill_(1); }),
            "storage: a read-only storage must not be written to; use .clone() first");
  EXPECT_EQ(
      refusal<StorageError>([&] { return to_dlpack_unversioned(x); }),
      "to_dlpack: a read-only tensor must be handed out in the versioned form, the old one cannot say so "
      "(shape (3)); use .clone() first");
  EXPECT_EQ(to_dlpack(x.clone(), DlpackMemory::copied)->flags, dlpack_copied);
}

TEST(Dlpack, RefusesToHandOutWhatItCannotSay) {
  EXPECT_EQ(refusal<RuntimeError>([] { return to_dlpack(empty({2}, {.device = Device::meta})); }),
            "to_dlpack: a tensor on meta has no memory and must be on the cpu (shape (2))");
  EXPECT_EQ(
      refusal<RuntimeError>([] { return to_dlpack(empty({2}, {.dtype = DType::complex64}).conj()); }),
      "to_dlpack: a conjugate view must be resolved, DLPack cannot tell it from other elements (shape (2)); "
      "use .resolve_conj() first");
}

TEST(Dlpack, RefusesAnotherDeviceByName) {
  float one = 3;
  Versioned cuda(&one, {1}, {1});
  cuda.dl().device = {2, 3};
  EXPECT_EQ(refused(cuda),
            "from_dlpack: a tensor on cuda:3 must be on the cpu; move it there first, e.g. by .cpu()");
  Unversioned unknown(&one, {1}, {1});
  unknown.dl().device = {99, 0};
  EXPECT_EQ(
      refused(unknown),
      "from_dlpack: a tensor on device type 99:0 must be on the cpu; move it there first, e.g. by .cpu()");
  EXPECT_EQ(dlpack_device_name({10, 1}), "rocm:1");
  EXPECT_EQ(dlpack_device_name({-1, 0}), "device type -1:0");
  EXPECT_EQ(dlpack_device_name({5, 0}), "device type 5:0");
}

TEST(Dlpack, RefusesAnotherMajorVersionAndPaddedElements) {
  float one = 3;
  Versioned future(&one, {1}, {1});
  future.managed.version = {2, 0};
  EXPECT_EQ(refused(future), "from_dlpack: version 2.0 of DLPack must be 1.x");
  Versioned later(&one, {1}, {1});
  later.managed.version = {1, 9};
  EXPECT_EQ(from_dlpack(&later.managed).item<float>(), 3.0F);
  Versioned padded(&one, {1}, {1});
  padded.managed.flags = dlpack_padded;
  EXPECT_EQ(refused(padded),
            "from_dlpack: elements shorter than a byte that are padded to one must be handed over as uint8");
}

TEST(Dlpack, RefusesElementsItHasNot) {
  const std::string types =
      " must be of one of tenstride's types: bool, (u)int8 to (u)int64, float16, bfloat16, float32, float64, "
      "complex64, complex128, float8_e4m3fn, float8_e5m2, complex32";
  const auto said = [](DLDataType dtype) {
    double one = 3;
    Versioned foreign(&one, {1}, {1}, dtype);
    return refused(foreign);
  };
  EXPECT_EQ(said({2, 128, 1}), "from_dlpack: elements of the DLPack type float (bits: 128)" + types);
  EXPECT_EQ(said({5, 16, 1}), "from_dlpack: elements of the DLPack type complex (bits: 16)" + types);
  EXPECT_EQ(said({6, 1, 1}), "from_dlpack: elements of the DLPack type bool (bits: 1)" + types);
  EXPECT_EQ(said({17, 4, 1}), "from_dlpack: elements of the DLPack type float4_e2m1fn (bits: 4)" + types);
  EXPECT_EQ(said({200, 8, 1}),
            "from_dlpack: elements of the DLPack type with the code 200 (bits: 8)" + types);
  EXPECT_EQ(
      said({2, 32, 4}),
      "from_dlpack: elements of 4 lanes (float, 32 bits) must be single numbers, of 1 lane; hand them over "
      "with an axis of 4 instead");
}

TEST(Dlpack, RefusesShapesThatCannotBe) {
  float one = 3;
  constexpr Index most = std::numeric_limits<Index>::max();
  constexpr Index least = std::numeric_limits<Index>::min();
  Versioned negative_rank(&one, {1}, {1});
  negative_rank.dl().ndim = -1;
  EXPECT_EQ(refused(negative_rank), "from_dlpack: a rank of -1 must be in 0..64");
  Versioned large_rank(&one, std::vector<std::int64_t>(65, 1), {});
  EXPECT_EQ(refused(large_rank), "from_dlpack: a rank of 65 must be in 0..64");
  Versioned no_shape(&one, {1}, {1});
  no_shape.dl().shape = nullptr;
  EXPECT_EQ(refused(no_shape), "from_dlpack: a tensor of rank 1 must have a shape (null)");
  Versioned no_data(nullptr, {1}, {1});
  EXPECT_EQ(refused(no_data), "from_dlpack: data must not be null where there are elements (shape (1))");
  Versioned negative_size(&one, {2, -1}, {1, 1});
  refused<ShapeError>(negative_size);
  Versioned many(&one, {most, most}, {1, 1});
  refused<OverflowError>(many);
  Versioned far(&one, {3}, {most});
  refused<OverflowError>(far);
  Versioned low(&one, {2}, {least});
  refused<OverflowError>(low);
  Versioned low_bytes(&one, {2}, {least}, {1, 8, 1});
  refused<OverflowError>(low_bytes);
  Versioned outside(&one, {2}, {most / 4 - 1});
  outside.dl().byte_offset = std::uint64_t{1} << 63;
  EXPECT_EQ(refused(outside),
            "from_dlpack: the elements must lie inside the address space (shape (2), strides "
            "(2305843009213693950), byte_offset 9223372036854775808)");
  Versioned below(&one, {2}, {-(most / 16)}, {1, 64, 1});
  EXPECT_EQ(refused(below),
            "from_dlpack: the elements must lie inside the address space (shape (2), strides "
            "(-576460752303423487), byte_offset 0)");
}

TEST(Dlpack, RefusesDataThatIsNotAligned) {
  alignas(16) std::array<std::byte, 32> bytes{};
  Versioned odd(bytes.data() + 2, {1}, {1});
  EXPECT_EQ(
      refused(odd),
      "from_dlpack: the first element must lie at a multiple of 4 bytes for float32 (it lies 2 beyond one); "
      "hand over an aligned copy instead");
  Versioned offset(bytes.data(), {1}, {1});
  offset.dl().byte_offset = 1;
  refused(offset);
  Versioned pair(bytes.data() + 4, {1}, {1}, {5, 64, 1});
  EXPECT_EQ(from_dlpack(&pair.managed).item<std::complex<float>>(), std::complex<float>());
}

TEST(Dlpack, WhatHasNoDeleterIsOnlyBorrowed) {
  float one = 3;
  Versioned foreign(&one, {1}, {1});
  foreign.managed.deleter = nullptr;
  EXPECT_EQ(from_dlpack(&foreign.managed).item<float>(), 3.0F);
  EXPECT_EQ(refusal<RuntimeError>([] { return from_dlpack(static_cast<DLManagedTensor*>(nullptr)); }),
            "from_dlpack: a tensor must be given (null)");
  EXPECT_EQ(
      refusal<RuntimeError>([] { return from_dlpack(static_cast<DLManagedTensorVersioned*>(nullptr)); }),
      "from_dlpack: a tensor must be given (null)");
}

}  // namespace
}  // namespace tenstride::io
