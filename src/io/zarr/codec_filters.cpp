// SPDX-License-Identifier: Apache-2.0
// numcodecs' filters: elements of one type become elements of another.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "io/zarr/codec_libraries.hpp"
#include "io/zarr/refuse.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::io {
namespace {

/// Elements that are decoded together, as numbers that hold all of their type: integers modulo 2^64, floats
/// as doubles.
constexpr std::size_t block_count = 512;
template <class Wide>
using WideBlock = std::array<Wide, block_count>;

template <class T>
inline constexpr bool is_wide_float = std::is_same_v<T, double>;

/// A number of the type of a filter; floats become integers by way of 64 bits.
template <class Wide, class T>
Wide widened(T value) {
  if constexpr (is_wide_float<Wide>) {
    return convert_element<double>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::uint64_t>(convert_element<std::int64_t>(value));
  }
}

template <class T, class Wide>
T narrowed(Wide value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T> && !is_wide_float<Wide>) {
    return static_cast<T>(value);
  } else {
    return convert_element<T>(value);
  }
}

template <class T>
void reverse_bytes(T& value) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  std::reverse(bytes.begin(), bytes.end());
  std::memcpy(&value, bytes.data(), sizeof value);
}

template <class Wide>
void load_block(ZarrElement element, const std::byte* from, std::size_t count, WideBlock<Wide>& block) {
  visit(element.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (!is_complex_element<T>) {
      using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
      for (std::size_t i = 0; i < count; ++i) {
        Stored value;
        std::memcpy(&value, from + i * sizeof value, sizeof value);
        if (element.byte_order == ByteOrder::swapped) reverse_bytes(value);
        block[i] = widened<Wide>(value);
      }
    }
  });
}

template <class Wide>
void store_block(const WideBlock<Wide>& block, std::size_t count, ZarrElement element, std::byte* to) {
  visit(element.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (!is_complex_element<T>) {
      for (std::size_t i = 0; i < count; ++i) {
        T value = narrowed<T>(block[i]);
        if (element.byte_order == ByteOrder::swapped) reverse_bytes(value);
        std::memcpy(to + i * sizeof value, &value, sizeof value);
      }
    }
  });
}

/// A double as the type holds it.
double rounded_to(DType type, double value) {
  if (type == DType::float32) return static_cast<float>(value);
  return type == DType::float16 ? convert_element<double>(convert_element<float16>(value)) : value;
}

/// Decodes block by block; `change` is called with the numbers of each.
template <class Wide, class Change>
void decode_blocks(const ZarrCodec& codec, std::span<const std::byte> in, std::byte* out,
                   const Change& change) {
  const std::size_t src_item = item_size(codec.encoded.dtype), dst_item = item_size(codec.decoded.dtype);
  const std::size_t count = in.size() / src_item;
  WideBlock<Wide> block{};
  for (std::size_t first = 0; first < count; first += block_count) {
    const std::size_t size = std::min(block_count, count - first);
    load_block(codec.encoded, in.data() + first * src_item, size, block);
    change(std::span(block).first(size));
    store_block(block, size, codec.decoded, out + first * dst_item);
  }
}

void decode_delta(const ZarrCodec& codec, std::span<const std::byte> in, std::byte* out) {
  const DType type = codec.decoded.dtype;
  if (!is_floating_point(type)) {
    std::uint64_t sum = 0;
    decode_blocks<std::uint64_t>(codec, in, out, [&](std::span<std::uint64_t> block) {
      for (std::uint64_t& number : block) number = sum += number;
    });
    return;
  }
  double sum = 0;
  bool is_first = true;  // 0 + -0 would be 0
  decode_blocks<double>(codec, in, out, [&](std::span<double> block) {
    for (double& number : block) {
      const double step = rounded_to(type, number);
      sum = is_first ? step : rounded_to(type, sum + step);
      is_first = false;
      number = sum;
    }
  });
}

/// As NumPy computes it: integers by doubles, floats in their own type.
void decode_scale(const ZarrCodec& codec, std::span<const std::byte> in, std::byte* out) {
  const DType type = is_floating_point(codec.encoded.dtype) ? codec.encoded.dtype : DType::float64;
  const double scale = rounded_to(type, codec.scale), offset = rounded_to(type, codec.offset);
  decode_blocks<double>(codec, in, out, [&](std::span<double> block) {
    for (double& number : block) number = rounded_to(type, rounded_to(type, number / scale) + offset);
  });
}

void decode_types(const ZarrCodec& codec, std::span<const std::byte> in, std::byte* out) {
  if (is_floating_point(codec.encoded.dtype) || is_floating_point(codec.decoded.dtype)) {
    decode_blocks<double>(codec, in, out, [](std::span<double>) {});
  } else {
    decode_blocks<std::uint64_t>(codec, in, out, [](std::span<std::uint64_t>) {});
  }
}

/// The first byte says how many bits of the last are none; of each other the highest bit is the first
/// element.
std::size_t decode_bits(std::span<const std::byte> in, std::span<std::byte> out, std::string_view path) {
  const std::size_t missing = in.empty() ? 0 : std::to_integer<std::size_t>(in[0]);
  if (in.empty() || missing > 7 || (missing > 0 && in.size() < 2)) {
    refuse_zarr(path, "has ", in.size(),
                " bytes of packed bits, which must begin with the number, 0 to 7, of those "
                "that the last byte lacks");
  }
  const std::size_t count = (in.size() - 1) * 8 - missing;
  if (count > out.size()) {
    refuse_zarr(path, "has ", count, " packed bits, which must be at most ", out.size());
  }
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = in[1 + i / 8] >> (7 - i % 8) & std::byte{1};
  }
  return count;
}

}  // namespace

bool is_zarr_filter(ZarrCodecKind kind) {
  return kind == ZarrCodecKind::delta || kind == ZarrCodecKind::fixedscaleoffset ||
         kind == ZarrCodecKind::astype || kind == ZarrCodecKind::packbits;
}

std::size_t filtered_nbytes(const ZarrCodec& codec, std::size_t nbytes) {
  constexpr std::size_t max_counted = std::size_t{1} << 62;
  if (codec.kind == ZarrCodecKind::packbits) return 1 + (nbytes + 7) / 8;
  const std::size_t count = nbytes / item_size(codec.decoded.dtype), item = item_size(codec.encoded.dtype);
  return count > max_counted / item ? max_counted : count * item;
}

std::size_t decode_filter(const ZarrCodec& codec, std::span<const std::byte> in, std::span<std::byte> out,
                          std::string_view path) {
  if (codec.kind == ZarrCodecKind::packbits) return decode_bits(in, out, path);
  const std::size_t item = item_size(codec.encoded.dtype);
  const std::size_t count = in.size() / item, max_count = out.size() / item_size(codec.decoded.dtype);
  if (in.size() % item != 0 || count > max_count) {
    refuse_zarr(path, "has ", in.size(), " bytes that the filter ", zarr_codec_name(codec.kind),
                " decodes, which must be whole elements of ", name(codec.encoded.dtype), ", at most ",
                max_count);
  }
  if (codec.kind == ZarrCodecKind::delta) {
    decode_delta(codec, in, out.data());
  } else if (codec.kind == ZarrCodecKind::fixedscaleoffset) {
    decode_scale(codec, in, out.data());
  } else {
    decode_types(codec, in, out.data());
  }
  return count * item_size(codec.decoded.dtype);
}

}  // namespace tenstride::io
