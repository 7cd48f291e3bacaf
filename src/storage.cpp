// SPDX-License-Identifier: Apache-2.0
#include "tenstride/storage.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "message.hpp"

namespace tenstride {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
/// From here on the bytes stand apart from their block, aligned for huge pages.
constexpr std::size_t large = std::size_t{4} << 20;

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

[[noreturn]] void throw_no_memory(std::size_t nbytes) {
  throw StorageError(detail::message("storage: ", nbytes, " bytes must fit the memory that can be had"));
}

std::byte* allocate_bytes(std::size_t nbytes) {
  if (nbytes > SIZE_MAX / 2) throw_no_memory(nbytes);
  const std::size_t step = nbytes >= large ? huge_page : alignment;
  const std::size_t rounded = round_up(std::max<std::size_t>(nbytes, 1), step);
  void* const bytes = std::aligned_alloc(step, rounded);
  if (bytes == nullptr) throw_no_memory(nbytes);
  if (nbytes >= large) madvise(bytes, rounded, MADV_HUGEPAGE);
  return static_cast<std::byte*>(bytes);
}

/// A block and, unless large, its bytes in one piece of memory: the bytes begin one alignment after the
/// block.
struct alignas(alignment) OwnedBlock : detail::StorageBlock {
  bool bytes_apart = false;
};
static_assert(sizeof(OwnedBlock) == alignment);

void release_owned(detail::StorageBlock* block) {
  auto* const owned = static_cast<OwnedBlock*>(block);
  if (owned->bytes_apart) std::free(owned->data);
  owned->~OwnedBlock();
  std::free(owned);
}

void grow_owned(detail::StorageBlock* block, std::size_t nbytes) {
  auto* const owned = static_cast<OwnedBlock*>(block);
  std::byte* const bytes = allocate_bytes(nbytes);
  if (owned->nbytes > 0) std::memcpy(bytes, owned->data, owned->nbytes);
  if (owned->bytes_apart) std::free(owned->data);
  owned->data = bytes;
  owned->nbytes = nbytes;
  owned->bytes_apart = true;
}

struct AdoptedBlock : detail::StorageBlock {
  std::function<void(void*)> deleter;
};

void release_adopted(detail::StorageBlock* block) {
  auto* const adopted = static_cast<AdoptedBlock*>(block);
  if (adopted->deleter) adopted->deleter(adopted->data);
  delete adopted;
}

void release_meta(detail::StorageBlock* block) {
  delete block;
}
void grow_meta(detail::StorageBlock* block, std::size_t nbytes) {
  block->nbytes = nbytes;
}

}  // namespace

std::string_view name(Device device) {
  return device == Device::meta ? "meta" : "cpu";
}

Storage Storage::allocate(std::size_t nbytes) {
  if (nbytes > SIZE_MAX / 2) throw_no_memory(nbytes);
  const bool apart = nbytes >= large;
  const std::size_t inside = apart ? 0 : round_up(nbytes, alignment);
  void* const memory = std::aligned_alloc(alignment, sizeof(OwnedBlock) + inside);
  if (memory == nullptr) throw_no_memory(nbytes);
  auto* const block = new (memory) OwnedBlock;
  try {
    block->data = apart ? allocate_bytes(nbytes) : static_cast<std::byte*>(memory) + sizeof(OwnedBlock);
  } catch (...) {
    std::free(memory);
    throw;
  }
  block->nbytes = nbytes;
  block->bytes_apart = apart;
  block->release = release_owned;
  block->grow = grow_owned;
  return Storage(block);
}

Storage Storage::adopt(void* data, std::size_t nbytes, std::function<void(void*)> deleter, Access access) {
  auto block = std::make_unique<AdoptedBlock>();
  block->data = static_cast<std::byte*>(data);
  block->nbytes = nbytes;
  block->access = access;
  block->release = release_adopted;
  block->deleter = std::move(deleter);
  return Storage(block.release());
}

Storage Storage::meta(std::size_t nbytes) {
  auto block = std::make_unique<detail::StorageBlock>();
  block->nbytes = nbytes;
  block->device = Device::meta;
  block->release = release_meta;
  block->grow = grow_meta;
  return Storage(block.release());
}

void Storage::grow(std::size_t nbytes) {
  if (nbytes <= this->nbytes()) return;
  if (block_ == nullptr) {
    *this = allocate(nbytes);
    return;
  }
  if (block_->grow == nullptr || is_read_only()) {
    throw StorageError(detail::message("storage: ", nbytes, " bytes must be at most ", this->nbytes(),
                                       ": adopted and mapped memory cannot grow; use .clone() first"));
  }
  block_->grow(block_, nbytes);
}

void Storage::throw_read_only() {
  throw StorageError("storage: a read-only storage must not be written to; use .clone() first");
}

}  // namespace tenstride
