// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tenstride/tensor/factory.hpp"

namespace tenstride {

/// The numbers PyTorch's CPU generator gives: the Mersenne Twister mt19937 (Matsumoto and Nishimura, 1998).
/// A value: a copy goes on from the same state. Not to be used by two threads at once.
/// Example: `Generator(5489).random() == 3499211612`.
class TENSTRIDE_API Generator {
 public:
  static constexpr std::uint64_t default_seed = 67280421310721;

  /// Only the lower 32 bits of the seed count, as in PyTorch.
  explicit Generator(std::uint64_t seed = default_seed) { manual_seed(seed); }
  Generator& manual_seed(std::uint64_t seed);
  /// The seed it began with.
  [[nodiscard]] std::uint64_t initial_seed() const noexcept { return seed_; }

  /// 32 random bits.
  std::uint32_t random() {
    if (next_ == state_size) refill();
    std::uint32_t word = state_[next_++];
    word ^= word >> 11U;
    word ^= (word << 7U) & 0x9d2c5680U;
    word ^= (word << 15U) & 0xefc60000U;
    return word ^ (word >> 18U);
  }
  /// The next `count` of them.
  void random(std::uint32_t* words, std::size_t count);
  /// 64 random bits; the first 32 are the upper ones.
  std::uint64_t random64() {
    const std::uint64_t upper = random();
    return upper << 32U | random();
  }
  /// A number of the standard normal distribution (Box and Muller, 1958): numbers come in pairs, the second
  /// one is kept for the next call.
  double normal();

 private:
  static constexpr std::size_t state_size = 624;
  void refill();

  std::array<std::uint32_t, state_size> state_{};
  std::size_t next_ = state_size;
  std::uint64_t seed_ = default_seed;
  std::optional<double> kept_normal_{};
};

/// Seeds the generator that all functions below use where they are given none. It is shared by all threads,
/// which take turns: each call draws its numbers in one piece.
TENSTRIDE_API void manual_seed(std::uint64_t seed);
/// The seed of that generator.
TENSTRIDE_API std::uint64_t initial_seed();

/// The functions below give the numbers of PyTorch 2.6 on the CPU, bit for bit: `manual_seed(0)` and
/// `rand({3})` give 0.4963, 0.7682, 0.0885. Elements are drawn in the order in which they lie in memory. On
/// meta nothing is drawn. The one liberty is the last digits of `randn`: see there.

/// From [0, 1), multiples of 2^-24 (float32), 2^-53 (float64), 2^-11 (float16), 2^-8 (bfloat16); both parts
/// of a complex number. Throws RuntimeError for other types.
TENSTRIDE_API Tensor rand(const Dims& size, const TensorOptions& options = {},
                          Caller caller = Caller::current());
TENSTRIDE_API Tensor rand(const Dims& size, Generator& generator, const TensorOptions& options = {},
                          Caller caller = Caller::current());
TENSTRIDE_API Tensor rand_like(const Tensor& input, const LikeOptions& options = {},
                               Caller caller = Caller::current());
TENSTRIDE_API Tensor rand_like(const Tensor& input, Generator& generator, const LikeOptions& options = {},
                               Caller caller = Caller::current());

/// From the standard normal distribution; a complex number has variance 1, half of it in either part. Throws
/// RuntimeError for types that are neither floating nor complex, and for float8.
/// PyTorch draws fewer than 16 numbers one by one, more in blocks of 16. Logarithm, sine and cosine of the
/// blocks are, for float32, those of its AVX2 kernel (other processors' PyTorch differs in the last bits);
/// for the other types they are the C library's, which may differ in the last bit between its versions.
TENSTRIDE_API Tensor randn(const Dims& size, const TensorOptions& options = {},
                           Caller caller = Caller::current());
TENSTRIDE_API Tensor randn(const Dims& size, Generator& generator, const TensorOptions& options = {},
                           Caller caller = Caller::current());
TENSTRIDE_API Tensor randn_like(const Tensor& input, const LikeOptions& options = {},
                                Caller caller = Caller::current());
TENSTRIDE_API Tensor randn_like(const Tensor& input, Generator& generator, const LikeOptions& options = {},
                                Caller caller = Caller::current());

/// Whole numbers from [low, high), of int64 unless told. Throws RuntimeError where low >= high, where the
/// type does not reach so far, and for complex types and float8. Example: `randint(0, 10, {2, 3})`.
TENSTRIDE_API Tensor randint(Index low, Index high, const Dims& size, const TensorOptions& options = {},
                             Caller caller = Caller::current());
TENSTRIDE_API Tensor randint(Index low, Index high, const Dims& size, Generator& generator,
                             const TensorOptions& options = {}, Caller caller = Caller::current());
/// Integers from [0, high).
TENSTRIDE_API Tensor randint(Index high, const Dims& size, const TensorOptions& options = {},
                             Caller caller = Caller::current());

// Drawing elements into an existing tensor, in the order in which they lie in memory; all return the tensor.
// Throw RuntimeError where several elements share memory (an expanded axis).

/// From [from, to): floating and complex types, both parts of a complex number. Throws RuntimeError where
/// from > to, where the type does not reach so far, and for other types.
/// Example: `uniform_(x, 2, 5)` after `manual_seed(1)` begins with 4.2729.
TENSTRIDE_API Tensor& uniform_(Tensor& self, double from, double to, Generator& generator,
                               Caller caller = Caller::current());
TENSTRIDE_API Tensor& uniform_(Tensor& self, double from = 0, double to = 1,
                               Caller caller = Caller::current());

/// From the normal distribution: as `randn`, times `std`, plus `mean` (in both parts of a complex number).
/// Throws RuntimeError where std < 0, and for types that `randn` refuses.
TENSTRIDE_API Tensor& normal_(Tensor& self, double mean, double std, Generator& generator,
                              Caller caller = Caller::current());
TENSTRIDE_API Tensor& normal_(Tensor& self, double mean = 0, double std = 1,
                              Caller caller = Caller::current());

/// Whole numbers: of integer types from 0 to the largest, of floating types from 0 to 2^digits, both
/// included. Throws RuntimeError for complex types, float8, and uint16, uint32 and uint64.
TENSTRIDE_API Tensor& random_(Tensor& self, Generator& generator, Caller caller = Caller::current());
TENSTRIDE_API Tensor& random_(Tensor& self, Caller caller = Caller::current());
/// From [low, high); without `high` up to the largest of the numbers above. Throws as `randint`.
/// Example: `random_(x, 2, 5)` gives 2, 3 and 4.
TENSTRIDE_API Tensor& random_(Tensor& self, Index low, std::optional<Index> high, Generator& generator,
                              Caller caller = Caller::current());
TENSTRIDE_API Tensor& random_(Tensor& self, Index low, std::optional<Index> high,
                              Caller caller = Caller::current());

/// The numbers 0..n-1 shuffled, of int64 unless told. Throws ShapeError where n < 0, RuntimeError where the
/// type does not hold them all, and for bool, complex types and float8.
TENSTRIDE_API Tensor randperm(Index n, const TensorOptions& options = {}, Caller caller = Caller::current());
TENSTRIDE_API Tensor randperm(Index n, Generator& generator, const TensorOptions& options = {},
                              Caller caller = Caller::current());

}  // namespace tenstride
