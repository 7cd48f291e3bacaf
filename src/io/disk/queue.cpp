// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "base/message.hpp"
#include "io/disk/request.hpp"

namespace tenstride::io {

#ifndef TENSTRIDE_HAS_URING
std::unique_ptr<DiskQueue> make_uring_queue(std::size_t) {
  return nullptr;
}
#endif

std::unique_ptr<DiskQueue> make_disk_queue(std::size_t depth) {
  constexpr std::size_t max_depth = 4096;
  if (depth < 1 || depth > max_depth) {
    throw ValueError(tenstride::detail::message("disk queue: depth ", depth, " must be 1..", max_depth));
  }
  const char* const name = std::getenv("TENSTRIDE_IO");
  if (name == nullptr || std::string_view(name) != "threads") {
    if (std::unique_ptr<DiskQueue> queue = make_uring_queue(depth)) return queue;
  }
  return make_thread_queue(depth);
}

}  // namespace tenstride::io
