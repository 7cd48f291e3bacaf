// SPDX-License-Identifier: Apache-2.0
#include "tenstride/checksum/checksum.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "checksum/keys.hpp"
#include "support/copy_oracle.hpp"
#include "support/layouts.hpp"
#include "support/refusal.hpp"
#include "support/slow.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/random/random.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using oracle::Random;
using testing::refusal;

/// The definition: the words of every element, one by one, at the positions of the given layout.
Checksum slow_checksum(const Tensor& x, const Layout& where) {
  Checksum result;
  const std::size_t item = x.itemsize();
  const std::size_t word_bytes = std::min<std::size_t>(item, 4);
  const std::vector<Index> in_memory = testing::positions(x.layout());
  const std::vector<Index> in_whole = testing::positions(where);
  for (std::size_t n = 0; n < in_memory.size(); ++n) {
    const std::byte* const at = x.storage_data() + in_memory[n] * static_cast<Index>(item);
    for (std::size_t k = 0; k * word_bytes < item; ++k) {
      std::uint32_t word = 0;
      for (std::size_t i = 0; i < word_bytes; ++i)
        word |= std::to_integer<std::uint32_t>(at[k * word_bytes + i]) << (8 * i);
      const std::uint64_t position = static_cast<std::uint64_t>(in_whole[n]) * (item / word_bytes) + k;
      for (std::size_t sum = 0; sum < 2; ++sum)
        result.words[sum] += checksums::checksum_term(position, word, sum);
    }
  }
  return result;
}

/// A fresh tensor of random bytes.
Tensor random_bytes(const Dims& shape, DType type, unsigned seed) {
  Tensor x = empty(shape, {.dtype = type});
  Random random(seed);
  const oracle::Bytes bytes = random.bytes(x.nbytes());
  if (!bytes.empty()) std::memcpy(x.mutable_storage_data(), bytes.data(), bytes.size());
  return x;
}

TEST(Checksum, OfPartsAddUpToThatOfTheWhole) {
  const Tensor x = random_bytes({100, 7}, DType::float32, 1);
  Checksum sum;
  for (Index row = 0; row < 100; row += 10)
    sum += checksum(x.narrow(0, row, 10), narrow(row_major({100, 7}), 0, row, 10));
  EXPECT_EQ(sum, checksum(x));
  EXPECT_EQ(to_string(checksum(arange(6, {.dtype = DType::float32}))), "4908bee0692dedb29fd873803cd55182");
  EXPECT_EQ(to_string(Checksum{{0x123456789abcdef0U, 1}}), "123456789abcdef00000000000000001");
}

/// Recorded from the NumPy function in docs/convert.md: 1000 elements whose bytes are
/// `(n * 2654435761 >> 13) & 255`, of bool the lowest bit of that.
TEST(Checksum, IsThatOfTheNumPyDefinition) {
  struct Recorded {
    DType type;
    const char* digits;
  };
  constexpr std::array recorded{Recorded{DType::bool_, "50ea7a18b55cfdbe1ac147555455e418"},
                                Recorded{DType::uint8, "48ca5103bcce58fa710fa6f8d7ee1938"},
                                Recorded{DType::int8, "48ca5103bcce58fa710fa6f8d7ee1938"},
                                Recorded{DType::uint16, "be789b44a3edf90fcdfe6afd38a598f3"},
                                Recorded{DType::int16, "be789b44a3edf90fcdfe6afd38a598f3"},
                                Recorded{DType::uint32, "bcfc7f23849ebe2f8170a5dc589014d1"},
                                Recorded{DType::int32, "bcfc7f23849ebe2f8170a5dc589014d1"},
                                Recorded{DType::uint64, "5a9a1e30a1f59d270975fbf257bfa44d"},
                                Recorded{DType::int64, "5a9a1e30a1f59d270975fbf257bfa44d"},
                                Recorded{DType::float16, "be789b44a3edf90fcdfe6afd38a598f3"},
                                Recorded{DType::bfloat16, "be789b44a3edf90fcdfe6afd38a598f3"},
                                Recorded{DType::float32, "bcfc7f23849ebe2f8170a5dc589014d1"},
                                Recorded{DType::float64, "5a9a1e30a1f59d270975fbf257bfa44d"},
                                Recorded{DType::complex64, "5a9a1e30a1f59d270975fbf257bfa44d"},
                                Recorded{DType::complex128, "68c359509c0923d1eb566e1a943e0e69"},
                                Recorded{DType::float8_e4m3fn, "48ca5103bcce58fa710fa6f8d7ee1938"},
                                Recorded{DType::float8_e5m2, "48ca5103bcce58fa710fa6f8d7ee1938"},
                                Recorded{DType::complex32, "bcfc7f23849ebe2f8170a5dc589014d1"}};
  static_assert(recorded.size() == dtype_count);
  for (const Recorded& one : recorded) {
    Tensor x = empty({1000}, {.dtype = one.type});
    for (std::size_t n = 0; n < x.nbytes(); ++n) {
      const std::uint64_t bits = n * 2654435761U >> 13 & (one.type == DType::bool_ ? 1U : 255U);
      x.mutable_storage_data()[n] = static_cast<std::byte>(bits);
    }
    EXPECT_EQ(to_string(checksum(x)), one.digits) << name(one.type);
  }
}

TEST(Checksum, IsThatOfTheDefinitionForEveryLayout) {
  const Tensor storage = random_bytes({2000}, DType::int16, 2);
  std::vector<Layout> layouts = testing::small_layouts(3, 3);
  for (const Layout& odd : testing::odd_layouts()) layouts.push_back(odd);
  for (const Layout& layout : layouts) {
    const Tensor x(storage.storage(), layout, DType::int16);
    ASSERT_EQ(checksum(x), slow_checksum(x, row_major(x.shape()))) << to_string(layout.shape);
    ASSERT_EQ(checksum(x), checksum(x.clone(MemoryFormat::contiguous))) << to_string(layout.shape);
  }
}

TEST(Checksum, IsThatOfTheDefinitionForRandomLayoutsAndPositions) {
  Random random(3);
  for (int round = 0; round < 400; ++round) {
    const auto type = static_cast<DType>(random.between(0, static_cast<Index>(dtype_count) - 1));
    const Dims shape = oracle::random_shape(random, static_cast<std::size_t>(random.between(0, 5)), 3000);
    const oracle::Placed placed = oracle::random_layout(random, shape, true);
    const oracle::Placed where = oracle::random_layout(random, shape, false);
    const Tensor storage = random_bytes({placed.storage}, type, static_cast<unsigned>(round));
    const Tensor x(storage.storage(), placed.layout, type);
    ASSERT_EQ(checksum(x), slow_checksum(x, row_major(shape))) << to_string(shape) << " round " << round;
    ASSERT_EQ(checksum(x, where.layout), slow_checksum(x, where.layout))
        << to_string(shape) << " round " << round;
  }
}

TEST(Checksum, IsOfTheValuesThatConjugatedAndNegatedViewsShow) {
  for (const DType type : {DType::complex32, DType::complex64, DType::complex128}) {
    const Tensor z = randn({40, 30}, {.dtype = DType::complex128}).to(type);
    EXPECT_EQ(checksum(z.conj()), checksum(z.conj().resolve_conj()));
    EXPECT_NE(checksum(z.conj()), checksum(z));
    EXPECT_EQ(checksum(z.neg_view().conj().t()),
              checksum(z.neg_view().conj().t().resolve_neg().resolve_conj().contiguous()));
    EXPECT_EQ(checksum(z.conj().imag()), checksum(z.conj().imag().resolve_neg()));
  }
}

/// Cuts the box at random until it is small or luck ends it.
void cut(Random& random, const Dims& first, const Dims& shape, std::vector<std::pair<Dims, Dims>>& boxes) {
  const auto axis = static_cast<std::size_t>(random.between(0, static_cast<Index>(shape.size()) - 1));
  if (shape[axis] < 2 || random.one_in(12)) {
    boxes.emplace_back(first, shape);
    return;
  }
  const Index extent = random.between(1, shape[axis] - 1);
  Dims lower = shape;
  lower[axis] = extent;
  Dims upper = shape;
  upper[axis] -= extent;
  Dims middle = first;
  middle[axis] += extent;
  cut(random, first, lower, boxes);
  cut(random, middle, upper, boxes);
}

TEST(Checksum, IsTheSumOverRandomBoxesInRandomOrder) {
  Random random(4);
  for (const DType type : {DType::uint8, DType::float32, DType::float64, DType::complex128}) {
    for (int round = 0; round < 10; ++round) {
      const Dims shape{random.between(1, 20), random.between(1, 30), random.between(1, 100)};
      const Tensor dense = random_bytes({shape[2], shape[0], shape[1]}, type, static_cast<unsigned>(round));
      const Tensor x = dense.permute({1, 2, 0});
      std::vector<std::pair<Dims, Dims>> boxes;
      cut(random, {0, 0, 0}, shape, boxes);
      std::shuffle(boxes.begin(), boxes.end(), random.engine());
      Checksum sum;
      for (const auto& [first, extents] : boxes) {
        Tensor part = x;
        Layout positions = row_major(shape);
        for (std::size_t d = 0; d < 3; ++d) {
          part = part.narrow(static_cast<Index>(d), first[d], extents[d]);
          positions = narrow(positions, static_cast<Index>(d), first[d], extents[d]);
        }
        sum = sum + checksum(random.one_in(2) ? part : part.contiguous(), positions);
      }
      EXPECT_EQ(sum, checksum(x)) << boxes.size() << " boxes of " << to_string(shape);
    }
  }
}

/// Both words, as each is to detect a change alone.
void expect_both_differ(const Checksum& a, const Checksum& b, const std::string& what) {
  EXPECT_NE(a.words[0], b.words[0]) << what;
  EXPECT_NE(a.words[1], b.words[1]) << what;
}

TEST(Checksum, DetectsEveryFlippedBit) {
  for (const DType type : {DType::uint8, DType::float16, DType::float32, DType::float64, DType::complex128}) {
    Tensor x = random_bytes({130}, type, 5);
    const Checksum before = checksum(x);
    for (std::size_t bit = 0; bit < 8 * x.nbytes(); ++bit) {
      std::byte& byte = x.mutable_storage_data()[bit / 8];
      byte ^= std::byte{1} << (bit % 8);
      expect_both_differ(before, checksum(x), "bit " + std::to_string(bit));
      byte ^= std::byte{1} << (bit % 8);
    }
    EXPECT_EQ(checksum(x), before);
  }
}

TEST(Checksum, DetectsExchangedElements) {
  Tensor x = arange(200, {.dtype = DType::uint8});
  const Checksum before = checksum(x);
  std::byte* const bytes = x.mutable_storage_data();
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::swap(bytes[i], bytes[j]);
      expect_both_differ(before, checksum(x), std::to_string(i) + " and " + std::to_string(j));
      std::swap(bytes[i], bytes[j]);
    }
  }
}

TEST(Checksum, DetectsWhatIsShiftedPermutedOrLost) {
  const Tensor x = random_bytes({16, 16, 16}, DType::uint8, 6);
  const Checksum before = checksum(x);
  for (const Dims& order : testing::all_orders(3)) {
    if (order != Dims{0, 1, 2}) expect_both_differ(before, checksum(x.permute(order)), to_string(order));
  }
  const Tensor flat = x.view({4096});
  for (const Index shift : {1, 2, 8, 63, 64, 65, 128, 2048, 4095})
    expect_both_differ(before, checksum(roll(flat, {shift})), "shifted by " + std::to_string(shift));
  for (Index axis = 0; axis < 3; ++axis)
    expect_both_differ(before, checksum(x.flip({axis})), "flipped " + std::to_string(axis));
  expect_both_differ(checksum(zeros({4096})), checksum(zeros({4095})), "zeros lost");
  // Halves that hold the same numbers in another order.
  const Tensor halves = cat({flat, roll(flat, {1})});
  expect_both_differ(checksum(halves), checksum(roll(halves, {4096})), "halves exchanged");
  // Positive and negative zeros exchanged: nothing but signs changes.
  Tensor signs = zeros({300});
  for (Index i = 0; i < 300; i += 2) signs.mutable_data<float>()[i] = -0.0F;
  expect_both_differ(checksum(signs), checksum(roll(signs, {1})), "signs");
}

TEST(Checksum, OfNothingIsZeroAndOfRankZeroThatOfOneElement) {
  EXPECT_EQ(to_string(checksum(zeros({3, 0, 2}))), std::string(32, '0'));
  EXPECT_EQ(checksum(Tensor()), Checksum{});
  const Tensor one = full({}, 1.5);
  EXPECT_EQ(checksum(one), checksum(one.view({1, 1})));
  EXPECT_EQ(checksum(one), slow_checksum(one, row_major({})));
}

TEST(Checksum, RefusesOtherShapesAndTensorsWithoutMemory) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(refusal<ShapeError>([&] {
              return checksum(x, row_major({3, 2}));
            }),
            "checksum: the positions' shape (3,2) must be that of the part (shape (2,3))");
  EXPECT_EQ(refusal<RuntimeError>([&] {
              return checksum(zeros({2, 3}, {.device = Device::meta}));
            }),
            "checksum: a meta tensor has no elements to be read (shape (2,3))");
}

TEST(ChecksumThreads, GiveWhatOneThreadGives) {
  const Tensor x = arange(1500000, {.dtype = DType::int32}).view({150, 200, 50});  // 6 tasks
  for (const Tensor& view : {x, x.permute({2, 0, 1}), x.flip({1}), x.slice(1, 3, 190, 2)}) {
    Checksum serial;
    {
      const ThreadScope scope(1);
      serial = checksum(view);
    }
    const ThreadScope scope(4);
    EXPECT_EQ(checksum(view), serial);
  }
}

}  // namespace
}  // namespace tenstride
