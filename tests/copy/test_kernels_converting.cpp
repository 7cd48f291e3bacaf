// SPDX-License-Identifier: Apache-2.0
// Kernels that convert while they deinterleave or transpose, with each instruction set, between guard pages,
// against the definition of the conversion.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "support/guarded_kernel.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride {
namespace {

using copy::Arithmetic;
using copy::ConvertingKernels;
using copy::TransposePanel;
using testing::Guarded;
using testing::Kernels;
using testing::line;
using testing::text;

/// Sources of any bits, with NaN and numbers out of range; all bytes of the destinations are compared.
struct Arena {
  Guarded in{std::size_t{1} << 18};
  Guarded out{std::size_t{1} << 19};
  Guarded wanted{std::size_t{1} << 19};

  Arena() { in.fill_randomly(1); }

  void clear() const {
    std::memset(out.begin(), 1, out.size());
    std::memset(wanted.begin(), 1, wanted.size());
  }
  [[nodiscard]] bool agrees() const { return std::memcmp(out.begin(), wanted.begin(), out.size()) == 0; }
};

constexpr std::array<float, 4> scales{0.0078125F, -3.1F, 1e37F, 0.3333F};
constexpr std::array<float, 4> shifts{-1.0F, 0.1F, 7.0F, 1e-9F};

/// Returns one element by the definition of the conversion.
void convert_one(DType to, DType from, std::byte* out, const std::byte* in, const float* scale,
                 const float* shift) {
  visit(to, [&]<class To>(std::type_identity<To>) {
    visit(from, [&]<class From>(std::type_identity<From>) {
      const From value = load_element<From>(in);
      if (scale == nullptr) {
        store_element<To>(out, convert_element<To>(value));
      } else if constexpr (sizeof(From) <= 4 && !is_complex_element<From> && !is_complex_element<To>) {
        store_element<To>(out, scale_element<To>(value, *scale, *shift));
      }
    });
  });
}

void check_deinterleaved(const Arena& arena, ConvertingKernels::Deinterleave kernel, DType to,
                         std::size_t channels, std::size_t lines, Arithmetic arithmetic, std::size_t skew) {
  const bool is_scaled = arithmetic == Arithmetic::scaled;
  const std::size_t count = lines * line / item_size(to);
  const std::size_t pitch = (lines + 1) * line;
  const std::size_t out_bytes = (channels - 1) * pitch + lines * line;
  for (const bool is_at_front : {true, false}) {
    const std::byte* const in =
        is_at_front ? arena.in.at_front(skew) : arena.in.at_back(count * channels, skew);
    arena.clear();
    kernel(is_at_front ? arena.out.at_front() : arena.out.at_back(out_bytes), pitch, in, count,
           is_scaled ? scales.data() : nullptr, is_scaled ? shifts.data() : nullptr);
    std::byte* const wanted = is_at_front ? arena.wanted.at_front() : arena.wanted.at_back(out_bytes);
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t i = 0; i < count; ++i) {
        convert_one(to, DType::uint8, wanted + c * pitch + i * item_size(to), in + i * channels + c,
                    is_scaled ? &scales[c] : nullptr, is_scaled ? &shifts[c] : nullptr);
      }
    }
    ASSERT_TRUE(arena.agrees()) << name(to) << text({channels, lines, is_scaled ? 1U : 0U, skew});
  }
}

TEST(ConvertingKernels, Deinterleave) {
  const Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t type = 0; type < dtype_count; ++type) {
      const auto to = static_cast<DType>(type);
      for (std::size_t channels = 2; channels <= 4; ++channels) {
        for (const Arithmetic arithmetic : {Arithmetic::none, Arithmetic::scaled}) {
          const auto kernel = kernels->converting->deinterleave(to, DType::uint8, channels, arithmetic);
          if (kernel == nullptr) continue;
          for (const std::size_t lines : {1U, 2U, 3U, 15U, 29U, 30U, 61U}) {
            for (std::size_t skew = 0; skew < line; skew += lines == 3 ? 1 : 21)
              check_deinterleaved(arena, kernel, to, channels, lines, arithmetic, skew);
          }
        }
      }
    }
  }
}

void check_interleaved(const Arena& arena, ConvertingKernels::Interleave kernel, DType from,
                       std::size_t channels, std::size_t lines, Arithmetic arithmetic, std::size_t skew) {
  const bool is_scaled = arithmetic == Arithmetic::scaled;
  const std::size_t count = lines * line;
  const std::size_t pitch = count * item_size(from) + 12;
  const std::size_t in_bytes = (channels - 1) * pitch + count * item_size(from);
  for (const bool is_at_front : {true, false}) {
    const std::byte* const in = is_at_front ? arena.in.at_front(skew) : arena.in.at_back(in_bytes, skew);
    arena.clear();
    kernel(is_at_front ? arena.out.at_front() : arena.out.at_back(count * channels), in,
           static_cast<Index>(pitch), count, is_scaled ? scales.data() : nullptr,
           is_scaled ? shifts.data() : nullptr);
    std::byte* const wanted = is_at_front ? arena.wanted.at_front() : arena.wanted.at_back(count * channels);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < channels; ++c) {
        convert_one(DType::uint8, from, wanted + i * channels + c, in + c * pitch + i * item_size(from),
                    is_scaled ? &scales[c] : nullptr, is_scaled ? &shifts[c] : nullptr);
      }
    }
    ASSERT_TRUE(arena.agrees()) << name(from) << text({channels, lines, is_scaled ? 1U : 0U, skew});
  }
}

TEST(ConvertingKernels, Interleave) {
  const Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t type = 0; type < dtype_count; ++type) {
      const auto from = static_cast<DType>(type);
      for (std::size_t channels = 2; channels <= 4; ++channels) {
        for (const Arithmetic arithmetic : {Arithmetic::none, Arithmetic::scaled}) {
          const auto kernel = kernels->converting->interleave(DType::uint8, from, channels, arithmetic);
          if (kernel == nullptr) continue;
          for (std::size_t lines = 1; lines <= 4; ++lines) {
            for (std::size_t skew = 0; skew < line; skew += lines == 2 ? 1 : 21)
              check_interleaved(arena, kernel, from, channels, lines, arithmetic, skew);
          }
        }
      }
    }
  }
}

TEST(ConvertingKernels, ReturnNullForPairsWithoutAKernel) {
  for (const Kernels* kernels : copy::available_kernels()) {
    EXPECT_EQ(kernels->converting->deinterleave(DType::float32, DType::uint8, 5, Arithmetic::none), nullptr);
    EXPECT_EQ(kernels->converting->deinterleave(DType::float32, DType::int16, 3, Arithmetic::none), nullptr);
    EXPECT_EQ(kernels->converting->transpose(DType::complex64, DType::uint8).run, nullptr);
  }
}

void check_transpose(const Arena& arena, const ConvertingKernels::Transpose& kernel, DType to, DType from,
                     std::size_t lines, std::size_t skew) {
  const std::size_t rows = kernel.column_bytes / item_size(to);
  const std::size_t columns = lines * line / item_size(from);
  const std::size_t in_pitch = lines * line + 5;
  const std::size_t in_bytes = (rows - 1) * in_pitch + lines * line;
  const std::size_t out_pitch = kernel.column_bytes + line;
  const std::size_t out_bytes = (columns - 1) * out_pitch + kernel.column_bytes;
  for (const bool is_at_front : {true, false}) {
    const std::byte* const in = is_at_front ? arena.in.at_front(skew) : arena.in.at_back(in_bytes, skew);
    arena.clear();
    TransposePanel panel;
    panel.dst = is_at_front ? arena.out.at_front() : arena.out.at_back(out_bytes);
    panel.dst_pitch = static_cast<Index>(out_pitch);
    panel.rows.first = in;
    panel.rows.pitch = static_cast<Index>(in_pitch);
    panel.next_rows = panel.rows;
    panel.lines = lines;
    kernel.run(panel);
    std::byte* const wanted = is_at_front ? arena.wanted.at_front() : arena.wanted.at_back(out_bytes);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        convert_one(to, from, wanted + c * out_pitch + r * item_size(to),
                    in + r * in_pitch + c * item_size(from), nullptr, nullptr);
      }
    }
    ASSERT_TRUE(arena.agrees()) << name(to) << " of " << name(from) << text({lines, skew});
  }
}

TEST(ConvertingKernels, TransposeBetweenGuards) {
  const Arena arena;
  for (const Kernels* kernels : copy::available_kernels()) {
    for (std::size_t pair = 0; pair < dtype_count * dtype_count; ++pair) {
      const auto to = static_cast<DType>(pair / dtype_count);
      const auto from = static_cast<DType>(pair % dtype_count);
      const auto kernel = kernels->converting->transpose(to, from);
      if (kernel.run == nullptr) continue;
      const std::size_t fits =
          (arena.out.size() - line) * item_size(from) / ((kernel.column_bytes + line) * line);
      for (std::size_t lines = 1; lines <= std::min<std::size_t>(fits, 18); ++lines) {
        for (std::size_t skew = 0; skew < line; skew += lines == 2 ? 7 : 63)
          check_transpose(arena, kernel, to, from, lines, skew);
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
