// SPDX-License-Identifier: Apache-2.0
#include "arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <string>

#include "tenstride/base/element.hpp"

namespace tenstride::bench {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::uint32_t exact_limit(DType type) {
  switch (type) {
    case DType::bool_:
      return 1;
    case DType::float8_e5m2:
      return 7;
    case DType::float8_e4m3fn:
      return 15;
    case DType::uint8:
    case DType::int8:
      return 127;
    case DType::bfloat16:
      return 255;
    case DType::float16:
      return 2047;
    case DType::uint16:
    case DType::int16:
      return 32767;
    default:
      return (1U << 24) - 1;
  }
}

}  // namespace

Arena::~Arena() {
  release();
}

void Arena::release() noexcept {
  if (data_ != nullptr) munmap(data_, size_);
  data_ = nullptr;
  size_ = 0;
  forget();
}

void Arena::require(std::size_t bytes) {
  const std::size_t wanted = (bytes + 2 * huge_page - 1) / huge_page * huge_page;
  if (wanted <= size_) return;
  release();
  void* const memory =
      mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, wanted, MADV_HUGEPAGE);
  std::memset(memory, 0, wanted);
  data_ = static_cast<std::byte*>(memory);
  size_ = wanted;
}

void Arena::fill(DType type, std::size_t elements, std::uint32_t mask) {
  const std::size_t bytes = elements * item_size(type);
  require(bytes);
  if (filled_type_ == type && filled_mask_ == mask && filled_bytes_ >= bytes) return;
  visit(type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < elements; ++i) {
      const std::uint32_t value = pattern(i, mask);
      if constexpr (is_complex_element<T>) {
        using Part = typename T::value_type;
        store_element<T>(data_ + i * sizeof(T),
                         T(convert_element<Part>(value), convert_element<Part>(value ^ (mask & 5U))));
      } else {
        store_element<T>(data_ + i * sizeof(T), convert_element<T>(value));
      }
    }
  });
  filled_type_ = type;
  filled_mask_ = mask;
  filled_bytes_ = bytes;
}

std::uint32_t exact_mask(DType from, DType to) {
  return std::min(exact_limit(from), exact_limit(to));
}

std::size_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  while (file >> key) {
    std::size_t kilobytes = 0;
    if (key == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace tenstride::bench
