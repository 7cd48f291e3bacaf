// SPDX-License-Identifier: Apache-2.0
// Scratch memory of a way.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "copy/kernels/lines.hpp"

namespace tenstride::copy {

/// Uninitialized bytes that begin at the start of a cache line.
class LineBuffer {
 public:
  LineBuffer() = default;
  explicit LineBuffer(std::size_t bytes)
      : bytes_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{line_bytes}))), size_(bytes) {}

  [[nodiscard]] std::byte* data() const { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete (bytes, std::align_val_t{line_bytes}); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_ = 0;
};

}  // namespace tenstride::copy
