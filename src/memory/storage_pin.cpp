// SPDX-License-Identifier: Apache-2.0
#include "memory/storage_pin.hpp"

namespace tenstride::detail {

void pin(const Storage& storage) noexcept {
  // The identity of a storage is its block.
  auto* const block = static_cast<StorageBlock*>(const_cast<void*>(storage.id()));
  if (block != nullptr) block->grow = nullptr;
}

}  // namespace tenstride::detail
