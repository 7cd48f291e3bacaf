// SPDX-License-Identifier: Apache-2.0
// Conversions between guard pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "support/guarded_kernel.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride {
namespace {

using copy::Stores;
using testing::Guarded;
using testing::Kernels;
using testing::line;
using testing::text;

/// Small numbers that every type can hold; the tests named Convert have the special values of each pair.
void write_numbers(DType type, std::byte* at, std::size_t count) {
  visit(type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      store_element<T>(at + i * sizeof(T), convert_element<T>(static_cast<double>((i * 37 + 11) % 100)));
    }
  });
}

/// Streaming stores only from the start of a cache line on.
std::span<const Stores> allowed_stores(const std::byte* target) {
  static constexpr std::array all{Stores::ordinary, Stores::streaming, Stores::streaming_sequential};
  return std::span(all).first(reinterpret_cast<std::uintptr_t>(target) % line == 0 ? 2 : 1);
}

TEST(GuardedKernels, ConvertEveryPairWithEveryTailAtEveryAlignment) {
  const Guarded in(4096);
  const Guarded out(4096);
  const std::vector<std::byte> blank(4096, std::byte{0xab});
  std::vector<std::byte> wanted(4096);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t pair = 0; pair < dtype_count * dtype_count; ++pair) {
      const auto to = static_cast<DType>(pair / dtype_count);
      const auto from = static_cast<DType>(pair % dtype_count);
      const auto convert = kernels->convert(to, from);
      for (std::size_t count = 0; count <= 70; ++count) {
        const std::size_t in_bytes = count * item_size(from);
        const std::size_t out_bytes = count * item_size(to);
        for (std::size_t skew = 0; skew < line; skew += count == 67 ? 1 : 63) {
          const bool is_at_front = (count + skew) % 2 == 0;
          std::byte* const source = is_at_front ? in.at_front(skew) : in.at_back(in_bytes, skew);
          std::byte* const target =
              is_at_front ? out.at_front(line - 1 - skew) : out.at_back(out_bytes, line - 1 - skew);
          for (const Stores stores : allowed_stores(target)) {
            std::memcpy(out.begin(), blank.data(), blank.size());
            std::memcpy(wanted.data(), blank.data(), blank.size());
            write_numbers(from, source, count);
            convert(target, source, count, stores);
            copy::portable_convert(to, from)(wanted.data() + (target - out.begin()), source, count,
                                             Stores::ordinary);
            ASSERT_EQ(std::memcmp(out.begin(), wanted.data(), out.size()), 0)
                << kernels->name << ' ' << name(from) << " -> " << name(to) << text({count, skew});
          }
        }
      }
    }
  }
}

/// Long rows, whose lines are written to several pages alternately.
TEST(GuardedKernels, ConvertEveryPairByAlternatingPages) {
  constexpr std::size_t most = std::size_t{1} << 17;
  const Guarded in(most * 16);
  const Guarded out(most);
  std::vector<std::byte> wanted(most);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t pair = 0; pair < dtype_count * dtype_count; ++pair) {
      const auto to = static_cast<DType>(pair / dtype_count);
      const auto from = static_cast<DType>(pair % dtype_count);
      const auto convert = kernels->convert(to, from);
      for (const std::size_t lines : {255U, 256U, 257U, 600U}) {
        const std::size_t count = lines * line / item_size(to) + 1;
        std::byte* const source = in.at_back(count * item_size(from));
        std::byte* const target = out.at_front();
        write_numbers(from, source, count);
        std::memset(target, 0xab, (lines + 2) * line);
        std::memset(wanted.data(), 0xab, (lines + 2) * line);
        convert(target, source, count, Stores::streaming);
        copy::portable_convert(to, from)(wanted.data(), source, count, Stores::ordinary);
        ASSERT_EQ(std::memcmp(target, wanted.data(), (lines + 2) * line), 0)
            << kernels->name << ' ' << name(from) << " -> " << name(to) << text({lines});
      }
    }
  }
}

/// The conversions with scale and shift: of every count, between guards on all four sides.
TEST(GuardedKernels, ScaleEveryPairWithEveryTail) {
  const Guarded in(4096);
  const Guarded out(4096);
  const Guarded scales(4096);
  const Guarded shifts(4096);
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t pair = 0; pair < dtype_count * dtype_count; ++pair) {
      const auto to = static_cast<DType>(pair / dtype_count);
      const auto from = static_cast<DType>(pair % dtype_count);
      for (const copy::Numbers numbers : {copy::Numbers::one, copy::Numbers::each}) {
        const auto run = kernels->scale(to, from, numbers);
        if (run == nullptr) continue;
        for (std::size_t count = 1; count <= 70; ++count) {
          for (const bool is_at_front : {true, false}) {
            const auto block = [&](const Guarded& guarded, std::size_t bytes) {
              return is_at_front ? guarded.at_front() : guarded.at_back(bytes);
            };
            const std::size_t held = numbers == copy::Numbers::one ? 1 : count;
            auto* const scale = reinterpret_cast<float*>(block(scales, held * sizeof(float)));
            auto* const shift = reinterpret_cast<float*>(block(shifts, held * sizeof(float)));
            for (std::size_t i = 0; i < held; ++i) {
              scale[i] = static_cast<float>(i % 3) + 0.5F;
              shift[i] = static_cast<float>(i % 4);
            }
            std::byte* const source = block(in, count * item_size(from));
            std::byte* const target = block(out, count * item_size(to));
            write_numbers(from, source, count);
            std::memset(out.begin(), 0xab, out.size());
            run(target, source, count, scale, shift, allowed_stores(target).back());
            visit(to, [&]<class To>(std::type_identity<To>) {
              visit(from, [&]<class From>(std::type_identity<From>) {
                for (std::size_t i = 0; i < count; ++i) {
                  const std::size_t at = held == 1 ? 0 : i;
                  const auto wanted =
                      scale_element<To>(load_element<From>(source + i * sizeof(From)), scale[at], shift[at]);
                  ASSERT_EQ(std::memcmp(target + i * sizeof(To), &wanted, sizeof(To)), 0)
                      << kernels->name << ' ' << name(from) << " -> " << name(to) << text({count, i});
                }
              });
            });
            const auto untouched = std::count(out.begin(), out.begin() + out.size(), std::byte{0xab});
            ASSERT_GE(static_cast<std::size_t>(untouched), out.size() - count * item_size(to));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
