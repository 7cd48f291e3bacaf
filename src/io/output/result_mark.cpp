// SPDX-License-Identifier: Apache-2.0
#include "io/output/result_mark.hpp"

#include <sys/xattr.h>

#include <array>

namespace tenstride::io {
namespace {

constexpr const char* attribute = "user.tenstride.result";

/// What the attribute holds, in the machine's order of bytes.
using Mark = std::array<std::uint64_t, 4>;

Mark mark_of(const Binding& binding) {
  return {binding.result_hash, binding.source_nbytes, static_cast<std::uint64_t>(binding.source_mtime_ns),
          binding.header_hash};
}

}  // namespace

void mark_result(const std::string& path, const Binding& binding) {
  const Mark mark = mark_of(binding);
  static_cast<void>(setxattr(path.c_str(), attribute, mark.data(), sizeof mark, 0));
}

bool is_marked_result(const std::string& path, const Binding& binding) {
  Mark found{};
  const ssize_t nbytes = getxattr(path.c_str(), attribute, found.data(), sizeof found);
  return nbytes == ssize_t{sizeof found} && found == mark_of(binding);
}

}  // namespace tenstride::io
