// SPDX-License-Identifier: Apache-2.0
#include "support/allocation_count.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

// Replaces the allocation functions of the whole test program. They do what the standard's do (malloc and
// free, so that sanitizers keep watch) and count, each thread for itself.
namespace {

thread_local std::size_t allocation_count = 0;

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  ++allocation_count;
  return memory;
}

}  // namespace

std::size_t tenstride::testing::allocations_of_this_thread() noexcept {
  return allocation_count;
}

void* operator new(std::size_t size) {
  return counted(std::malloc(std::max<std::size_t>(size, 1)));
}
void* operator new[](std::size_t size) {
  return counted(std::malloc(std::max<std::size_t>(size, 1)));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(unit, std::max<std::size_t>((size + unit - 1) / unit * unit, unit)));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (...) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
