// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tenstride/base/dtype.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/memory/storage.hpp"

namespace tenstride {

/// Whether what may give the tensor itself or a view copies: where there is no other way, in any case, or not
/// at all (an exception then).
enum class CopyRule : unsigned char { if_needed, always, never };

/// Whether the caller waits for a transfer between devices: PyTorch's `non_blocking`.
enum class Blocking : unsigned char { blocking, non_blocking };

/// `to(...)`: what to change, and whether to copy even where nothing changes.
struct ToOptions {
  std::optional<DType> dtype{};
  std::optional<Device> device{};
  MemoryFormat memory_format = MemoryFormat::preserve;
  CopyRule copy = CopyRule::if_needed;
  /// What becomes of a tensor with elements that is to go to a device without memory here.
  AbsentDevice absent = AbsentDevice::refuse;
  Blocking blocking = Blocking::blocking;
};

}  // namespace tenstride
