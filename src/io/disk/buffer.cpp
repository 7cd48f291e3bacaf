// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/message.hpp"
#include "io/disk/disk.hpp"

namespace tenstride::io {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t system_page() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t round_up(std::size_t count, std::size_t page) {
  return (count + page - 1) / page * page;
}

/// What is mapped for a buffer: whole pages of the system.
std::size_t mapped_nbytes(std::size_t nbytes) {
  return round_up(nbytes, system_page());
}

}  // namespace

DiskBuffer::DiskBuffer(std::size_t nbytes, std::size_t page) : size_(nbytes) {
  if (nbytes == 0) return;
  // Huge pages save the system most of its work with large transfers; less than one of them is not worth 2
  // MiB.
  const bool has_huge_pages = nbytes >= huge_page;
  const std::size_t alignment = std::max({page, system_page(), has_huge_pages ? huge_page : std::size_t{1}});
  const std::size_t slack = alignment - system_page();
  const std::size_t kept = mapped_nbytes(nbytes);
  void* const mapped = nbytes > PTRDIFF_MAX - alignment
                           ? MAP_FAILED
                           : mmap(nullptr, kept + slack, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw StorageError(
        tenstride::detail::message("disk buffer: ", nbytes, " bytes must fit the memory that can be had"));
  }
  auto* const first = static_cast<std::byte*>(mapped);
  const std::size_t address = reinterpret_cast<std::uintptr_t>(mapped);
  const std::size_t before = round_up(address, alignment) - address;
  if (before > 0) munmap(first, before);
  if (slack > before) munmap(first + before + kept, slack - before);
  data_ = first + before;
  if (has_huge_pages) madvise(data_, kept, MADV_HUGEPAGE);
}

DiskBuffer::DiskBuffer(DiskBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

DiskBuffer& DiskBuffer::operator=(DiskBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

DiskBuffer::~DiskBuffer() {
  if (data_ != nullptr) munmap(data_, mapped_nbytes(size_));
}

}  // namespace tenstride::io
