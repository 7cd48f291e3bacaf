// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/copy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tensor/unchecked.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/numpy.hpp"

namespace tenstride {
namespace {

template <typename E, typename F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// 0, 1, 2, … of a shape, written element by element.
Tensor counted(const Dims& shape, DType dtype = DType::int32) {
  Tensor result = empty(shape, {.dtype = DType::int32});
  auto* const values = result.mutable_data<std::int32_t>();
  for (Index i = 0; i < result.numel(); ++i) values[i] = static_cast<std::int32_t>(i);
  return dtype == DType::int32 ? result : result.to(dtype);
}

/// The element at a row-major number, read through the layout by hand.
std::int32_t element(const Tensor& x, Index n) {
  const Index at = position(x.layout(), unravel(n, x.shape()));
  return reinterpret_cast<const std::int32_t*>(x.storage_data())[at];
}

std::vector<std::int32_t> elements(const Tensor& x) {
  std::vector<std::int32_t> result;
  for (Index n = 0; n < x.numel(); ++n) result.push_back(element(x, n));
  return result;
}

template <typename T>
concept Writable = requires(T& t, const Tensor& other) {
  t.fill_(0);
}
|| requires(T& t, const Tensor& other) {
  t.copy_(other);
}
|| requires(T& t) {
  t.mutable_data_ptr();
};

TEST(CopyInto, BroadcastsAndConverts) {
  Tensor dst = zeros({2, 3}, {.dtype = DType::float64});
  dst.copy_(counted({3}));
  EXPECT_EQ(dst.to_vector<double>(), (std::vector<double>{0, 1, 2, 0, 1, 2}));
}

TEST(CopyInto, WritesOnlyTheView) {
  Tensor x = counted({4, 6});
  Tensor view = x.slice(1, 1, 6, 2);
  view.fill_(-1);
  for (Index n = 0; n < 24; ++n) EXPECT_EQ(element(x, n), n % 6 % 2 == 1 ? -1 : n);
}

TEST(CopyInto, IsRightWhereAnOverlapIsNotSeen) {
  // Columns of a matrix are not dense: PyTorch does not look whether they overlap.
  Tensor x = counted({3, 5});
  Tensor dst = x.narrow(1, 1, 4);
  dst.copy_(x.narrow(1, 0, 4));
  for (Index i = 0; i < 15; ++i) EXPECT_EQ(element(x, i), i % 5 == 0 ? i : i - 1);
}

TEST(CopyInto, RefusesASourceThatSharesAPartOfTheMemory) {
  Tensor x = counted({4});
  Tensor tail = x.narrow(0, 1, 3);
  EXPECT_EQ(
      message_of<RuntimeError>([&] { tail.copy_(x.narrow(0, 0, 3)); }),
      "copy_: what is written to ((3), strides (1), offset 1) and what is read ((3), strides (1), offset "
      "0) must not share memory (some elements of the input tensor and the written-to tensor refer to a "
      "single memory location); clone() the second first");
  Tensor square = counted({2, 2});
  EXPECT_THROW(square.copy_(square.transpose(0, 1)), RuntimeError);
  EXPECT_THROW(square.copy_(square.select(0, 0)), RuntimeError);
  EXPECT_THROW(square.view({1, 2, 2}).copy_(square), RuntimeError);
  square.copy_(square.view({2, 2}));  // all of it, in the same order
  square.copy_(square.view(DType::float32).view(DType::int32));
  x.narrow(0, 0, 2).copy_(x.narrow(0, 2, 2));  // beside it
  EXPECT_EQ(element(x, 1), 3);
}

TEST(CopyInto, ComparesAddressesNotStorages) {
  std::array<std::int32_t, 15> memory{};
  std::iota(memory.begin(), memory.end(), 0);
  Tensor x = from_blob(memory.data(), {3, 5}, DType::int32);
  const Tensor y = from_blob(memory.data() + 1, {3, 4}, {5, 1}, DType::int32);
  Tensor row = x.select(0, 0);
  EXPECT_EQ(
      message_of<RuntimeError>([&] { row.narrow(0, 0, 4).copy_(y.select(0, 0)); }),
      "copy_: what is written to ((4), strides (1), offset 0) and what is read ((4), strides (1), offset "
      "0) must not share memory (some elements of the input tensor and the written-to tensor refer to a "
      "single memory location); clone() the second first");
  x.narrow(1, 0, 4).copy_(y);
  for (Index i = 0; i < 15; ++i) EXPECT_EQ(element(x, i), i % 5 == 4 ? i : i + 1);
  row.copy_(from_blob(memory.data(), {5}, DType::int32));             // the same view
  x.select(0, 1).copy_(from_blob(memory.data(), {5}, DType::int32));  // beside it
  EXPECT_EQ(element(x, 9), 4);
}

TEST(CopyTo, IsRightWhereSourceAndDestinationOverlap) {
  for (const Index shift : {1, 3, 7}) {
    Tensor x = counted({40});
    Tensor dst = x.narrow(0, shift, 40 - shift);
    numpy::copyto(dst, x.narrow(0, 0, 40 - shift));
    for (Index i = 0; i < 40; ++i) EXPECT_EQ(element(x, i), i < shift ? i : i - shift);
    Tensor y = counted({40});
    Tensor front = y.narrow(0, 0, 40 - shift);
    numpy::copyto(front, y.narrow(0, shift, 40 - shift));
    for (Index i = 0; i < 40; ++i) EXPECT_EQ(element(y, i), i < 40 - shift ? i + shift : i);
  }
}

TEST(CopyTo, TransposesASquareOntoItself) {
  Tensor x = counted({50, 50});
  numpy::copyto(x, x.transpose(0, 1));
  for (Index i = 0; i < 50; ++i) {
    for (Index j = 0; j < 50; ++j) ASSERT_EQ(element(x, i * 50 + j), j * 50 + i);
  }
}

TEST(CopyTo, RefusesAHigherKindOfNumbers) {
  Tensor x = counted({2});
  EXPECT_EQ(message_of<TypeError>([&] { numpy::copyto(x, zeros({2})); }),
            "copyto: dtype float32 must go into int32 within its kind (casting='same_kind'); convert it with "
            ".to(dtype)");
}

TEST(CopyInto, FindsOverlapAcrossElementTypes) {
  Tensor x = counted({8});
  Tensor bytes = x.view(DType::uint8);
  bytes.copy_(x.view(DType::uint8).index({Slice{{}, {}, -1}}));  // the same bytes, backwards
  const auto* const raw = reinterpret_cast<const unsigned char*>(x.data_ptr());
  EXPECT_EQ(raw[31 - 28], 7);  // byte 28, the low byte of element 7, comes to byte 3
}

TEST(CopyInto, RandomOverlapsAgreeWithACopyMadeFirst) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const auto pick = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    Tensor x = counted({400});
    const Dims shape{pick(1, 4), pick(1, 5), pick(1, 6)};
    const auto view = [&]() {
      Layout layout = row_major(shape);
      if (pick(0, 1) == 1) {  // a permuted layout of the same shape
        layout = transpose(row_major({shape[2], shape[1], shape[0]}), 0, 2);
      }
      layout.offset = pick(0, 100);
      for (Index& stride : layout.strides) stride *= 2;
      return with_layout(x, layout);
    };
    Tensor dst = view();
    const Tensor src = view();
    const std::vector<std::int32_t> wanted = elements(src);
    dst.copy_(src);
    ASSERT_EQ(elements(dst), wanted) << round;
  }
}

TEST(CopyInto, RefusesAnExpandedDestination) {
  Tensor x = zeros({3, 1}).expand({3, 4});
  EXPECT_EQ(
      message_of<RuntimeError>([&] {
        x.copy_(ones({3, 4}));
      }),
      "copy_: the destination must not have several elements in one place, axis 1 of size 4 has stride 0 "
      "((3,4):(1,0)+0); use .clone() first");
}

TEST(CopyInto, RefusesShapesThatDoNotBroadcast) {
  Tensor x = zeros({2, 3});
  EXPECT_EQ(message_of<ShapeError>([&] { x.copy_(zeros({4})); }),
            "broadcast_to: size 3 at position 1 must be 4, the size of axis 0; only axes of size 1 expand "
            "(shape (4) "
            "to (2,3))");
}

TEST(CopyInto, ReadOnlyTensorsCannotBeWritten) {
  const Tensor x = zeros({2, 2});
  Tensor guarded = x.read_only().select(0, 0);
  EXPECT_EQ(message_of<StorageError>([&] { guarded.fill_(1); }),
            "tensor: a read-only view must not be written to (shape (2)); use .clone() first");
  EXPECT_TRUE(guarded.is_read_only());
  EXPECT_FALSE(guarded.clone().is_read_only());
  static_assert(!Writable<const Tensor> && Writable<Tensor>);
}

TEST(Contiguous, GivesItselfWhereNothingChanges) {
  const Tensor x = counted({3, 4});
  EXPECT_TRUE(x.contiguous().is_same(x));
  EXPECT_TRUE(x.to(DType::int32).is_same(x));
  EXPECT_FALSE(x.contiguous(MemoryFormat::contiguous, CopyRule::always).shares_storage(x));
}

TEST(Contiguous, NeverRefusesWithTheReason) {
  const Tensor x = counted({3, 4}).transpose(0, 1);
  EXPECT_EQ(message_of<ValueError>([&] { (void)x.contiguous(MemoryFormat::contiguous, CopyRule::never); }),
            "contiguous: copy = never, but the strides are not those of the format ((4,3):(1,4)+0); allow "
            "the copy with "
            "copy = if_needed");
  EXPECT_THROW((void)x.reshape({12}, CopyRule::never), ViewError);
  EXPECT_EQ(message_of<ValueError>([&] { (void)x.to({.dtype = DType::float32, .copy = CopyRule::never}); }),
            "to: copy = never, but the dtype changes ((4,3):(1,4)+0); allow the copy with copy = if_needed");
}

TEST(Conjugate, IsCarriedOutByEveryCopy) {
  Tensor x = tensor({std::complex<double>(1, 2), std::complex<double>(3, -4)}, {.dtype = DType::complex64});
  const Tensor y = x.conj();
  EXPECT_TRUE(y.is_conj());
  EXPECT_TRUE(y.shares_storage(x));
  EXPECT_EQ(y[0].item(), Scalar(std::complex<double>(1, -2)));
  const Tensor resolved = y.resolve_conj();
  EXPECT_FALSE(resolved.is_conj());
  EXPECT_EQ(resolved.to_vector<std::complex<float>>(), (std::vector<std::complex<float>>{{1, -2}, {3, 4}}));
  EXPECT_TRUE(y.conj().is_same(x));
  Tensor z = x.conj();
  z.fill_(std::complex<double>(0, 1));
  EXPECT_EQ(x[0].item(), Scalar(std::complex<double>(0, -1)));
  EXPECT_EQ(message_of<RuntimeError>([&] { (void)y.view(DType::float32); }),
            "view: a tensor whose conjugation is pending must be resolved first; use .resolve_conj()");
}

TEST(Negation, IsCarriedOutByEveryCopy) {
  Tensor x = tensor({std::complex<double>(1, 2), std::complex<double>(3, -4)}, {.dtype = DType::complex64});
  Tensor y = x.conj().imag();
  EXPECT_TRUE(y.is_neg());
  EXPECT_TRUE(y.shares_storage(x));
  EXPECT_EQ(y[0].item(), Scalar(-2.0));
  const Tensor resolved = y.resolve_neg();
  EXPECT_TRUE(resolved.is_resolved());
  EXPECT_EQ(resolved.to_vector<float>(), (std::vector<float>{-2, 4}));
  EXPECT_EQ(y.to(DType::int8).to_vector<std::int8_t>(), (std::vector<std::int8_t>{-2, 4}));
  EXPECT_TRUE(y.neg_view().is_same(x.imag()));
  y.fill_(5);
  EXPECT_EQ(x[0].item(), Scalar(std::complex<double>(1, -5)));
  y.copy_(tensor({7, -8}));
  EXPECT_EQ(x[1].item(), Scalar(std::complex<double>(3, 8)));
  EXPECT_EQ(message_of<RuntimeError>([&] { (void)y.view(DType::int32); }),
            "view: a tensor whose negation is pending must be resolved first; use .resolve_neg()");
  EXPECT_EQ(message_of<RuntimeError>([&] { (void)ones({2}, {.dtype = DType::bool_}).neg_view(); }),
            "_neg_view: a bool has no negative; to invert a mask use ~ or logical_not");
}

TEST(Negation, ComesBeforeAConversionAndAfterOne) {
  Tensor bytes = tensor({0, 1, 200}, {.dtype = DType::uint8}).neg_view();
  EXPECT_EQ(bytes.to_vector<float>(), (std::vector<float>{0, 255, 56}));
  bytes.copy_(tensor({1.5, 2.0, 3.0}));
  EXPECT_EQ(bytes.to_vector<int>(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(bytes.neg_view().to_vector<int>(), (std::vector<int>{255, 254, 253}));
}

TEST(Convert, ScalesPerIndexOfAnAxisInOnePass) {
  const Tensor image = counted({2, 3, 2}, DType::uint8).permute({2, 0, 1});
  const std::vector<double> scale{0.5, 2};
  const std::vector<double> shift{1, -1};
  const Tensor result = convert(image, DType::float32, {.scale = scale, .shift = shift, .axis = 0});
  EXPECT_TRUE(result.is_contiguous());
  for (Index c = 0; c < 2; ++c) {
    for (Index i = 0; i < 6; ++i) {
      const auto value = static_cast<double>(2 * i + c);
      const double wanted = value * scale[static_cast<std::size_t>(c)] + shift[static_cast<std::size_t>(c)];
      EXPECT_EQ(result.to_vector<float>()[static_cast<std::size_t>(c * 6 + i)], static_cast<float>(wanted));
    }
  }
  EXPECT_EQ(message_of<ShapeError>([&] {
              const std::vector<double> three{1, 2, 3};
              (void)convert(image, DType::float32, {.scale = three, .axis = 0});
            }),
            "convert: 3 numbers for scale or shift must be 1 or 2, the size of axis 0 (shape (2,2,3))");
}

TEST(Meta, HasShapesAndNoElements) {
  const Tensor x = empty({1 << 20, 1 << 20, 1 << 10}, {.device = Device::meta});
  const Tensor y = x.permute({2, 0, 1}).contiguous();
  EXPECT_EQ(y.shape(), (Dims{1 << 10, 1 << 20, 1 << 20}));
  EXPECT_TRUE(y.is_contiguous());
  EXPECT_FALSE(y.shares_storage(x));
  EXPECT_EQ(x.data_ptr(), nullptr);
  EXPECT_EQ(message_of<RuntimeError>([&] { (void)x.to(Device::cpu); }),
            "to: a meta tensor has no elements to be copied to the cpu (shape (1048576,1048576,1024)); make "
            "one there with empty_like");
  EXPECT_EQ(message_of<RuntimeError>([] { zeros({2}).copy_(empty({2}, {.device = Device::meta})); }),
            "copy_: a meta tensor has no elements to be copied (shape (2))");
}

TEST(CopyThreads, ManyThreadsViewAndCopyOneStorage) {
  const Tensor x = counted({64, 300});
  const std::vector<std::int32_t> wanted = elements(x.transpose(0, 1));
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&x, &wanted] {
      for (int i = 0; i < 20; ++i) {
        const Tensor copy = x.permute({1, 0}).contiguous();
        ASSERT_EQ(copy.to_vector<std::int32_t>(), wanted);
        ASSERT_TRUE(x.view({-1}).shares_storage(x));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(x.storage().use_count(), 1U);
}

TEST(CopyThreads, DisjointPartsOfOneStorageAreWrittenAtOnce) {
  Tensor x = zeros({8, 5000}, {.dtype = DType::int32});
  std::vector<std::thread> threads;
  for (Index t = 0; t < 8; ++t) {
    threads.emplace_back([&x, t] { x.select(0, t).fill_(t); });
  }
  for (std::thread& thread : threads) thread.join();
  for (Index n = 0; n < x.numel(); n += 97) ASSERT_EQ(element(x, n), n / 5000);
}

}  // namespace
}  // namespace tenstride
