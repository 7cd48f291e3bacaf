// SPDX-License-Identifier: Apache-2.0
#include "tenstride/memory/storage.hpp"

#include <cstring>
#include <memory>
#include <new>

#include "base/message.hpp"
#include "memory/watch.hpp"
#include "tenstride/memory/memory.hpp"

namespace tenstride {

constinit thread_local detail::Watch* detail::watch = nullptr;

namespace {

void tell_of(const detail::StorageBlock* block) {
  if (detail::watch != nullptr) [[unlikely]] {
    detail::watch->allocated(block, block->device, block->nbytes);
  }
}
void tell_end_of(const detail::StorageBlock* block) noexcept {
  if (detail::watch != nullptr) [[unlikely]] {
    detail::watch->released(block);
  }
}

/// A block and, unless large, its bytes in one piece of memory: the bytes begin 64 bytes after the block.
struct alignas(64) OwnedBlock : detail::StorageBlock {
  /// The length of that one piece.
  std::uint64_t acquired = 0;
  bool bytes_apart = false;
};
static_assert(sizeof(OwnedBlock) == 64);

/// The bytes from which on they stand apart from their block, so that they begin at a page.
constexpr std::uint64_t apart_from = std::uint64_t{1} << 20;

void release_owned(detail::StorageBlock* block) {
  tell_end_of(block);
  auto* const owned = static_cast<OwnedBlock*>(block);
  if (owned->bytes_apart) detail::release_memory(owned->data, owned->nbytes);
  const std::uint64_t acquired = owned->acquired;
  owned->~OwnedBlock();
  detail::release_memory(reinterpret_cast<std::byte*>(owned), acquired);
}

void grow_owned(detail::StorageBlock* block, std::uint64_t nbytes) {
  auto* const owned = static_cast<OwnedBlock*>(block);
  std::byte* const bytes = detail::acquire_memory(nbytes);
  if (owned->nbytes > 0) std::memcpy(bytes, owned->data, static_cast<std::size_t>(owned->nbytes));
  if (owned->bytes_apart) detail::release_memory(owned->data, owned->nbytes);
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

void release_foretold(detail::StorageBlock* block) {
  tell_end_of(block);
  delete block;
}
void grow_foretold(detail::StorageBlock* block, std::uint64_t nbytes) {
  block->nbytes = nbytes;
}

}  // namespace

Storage Storage::allocate(std::uint64_t nbytes) {
  const bool apart = nbytes >= apart_from;
  const std::uint64_t acquired = sizeof(OwnedBlock) + (apart ? 0 : nbytes);
  std::byte* const memory = detail::acquire_memory(acquired);
  auto* const block = new (memory) OwnedBlock;
  block->acquired = acquired;
  block->bytes_apart = apart;
  block->nbytes = nbytes;
  block->release = release_owned;
  block->grow = grow_owned;
  if (!apart) {
    block->data = memory + sizeof(OwnedBlock);
    Storage result(block);
    tell_of(block);
    return result;
  }
  try {
    block->data = detail::acquire_memory(nbytes);
  } catch (...) {
    detail::release_memory(memory, acquired);
    throw;
  }
  Storage result(block);
  tell_of(block);
  return result;
}

Storage Storage::adopt(void* data, std::uint64_t nbytes, std::function<void(void*)> deleter, Access access) {
  auto block = std::make_unique<AdoptedBlock>();
  block->data = static_cast<std::byte*>(data);
  block->nbytes = nbytes;
  block->access = access;
  block->release = release_adopted;
  block->deleter = std::move(deleter);
  return Storage(block.release());
}

Storage Storage::on(Device device, std::uint64_t nbytes) {
  if (device.has_memory()) return allocate(nbytes);
  auto block = std::make_unique<detail::StorageBlock>();
  block->nbytes = nbytes;
  block->device = device.placed();
  block->release = release_foretold;
  block->grow = grow_foretold;
  Storage result(block.release());
  tell_of(result.block_);
  return result;
}

Storage Storage::without_memory() const {
  Storage result = on(device().is_host() ? Device::meta : device(), nbytes());
  if (is_pinned()) result.set_pinned();
  return result;
}

void Storage::grow(std::uint64_t nbytes) {
  if (nbytes <= this->nbytes()) return;
  if (block_ == nullptr) {
    *this = allocate(nbytes);
    return;
  }
  if (block_->grow == nullptr || is_read_only()) {
    throw StorageError(
        detail::message("storage: ", nbytes, " bytes must be at most ", this->nbytes(),
                        ": adopted, mapped and exported memory cannot grow; use .clone() first"));
  }
  if (detail::watch != nullptr && this->nbytes() > 0) [[unlikely]] {
    detail::watch->moving(this->nbytes(), block_->device);
  }
  block_->grow(block_, nbytes);
  tell_of(block_);
}

void Storage::throw_read_only() {
  throw StorageError("storage: a read-only storage must not be written to; use .clone() first");
}

}  // namespace tenstride
