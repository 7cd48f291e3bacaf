// SPDX-License-Identifier: Apache-2.0
#include "io/large/result_mark.hpp"

#include <sys/xattr.h>

#include <array>
#include <cstring>

#include "io/large/plan_hash.hpp"

namespace tenstride::io {
namespace {

constexpr const char* attribute = "user.tenstride.result";

/// What the attribute holds, in the machine's order of bytes.
struct Mark {
  std::uint64_t result_hash = 0;
  std::uint64_t source_nbytes = 0;
  std::int64_t source_mtime_ns = 0;
  std::uint64_t source_header_hash = 0;
  std::array<std::uint64_t, 2> checksum{};
};
static_assert(sizeof(Mark) == 48, "no padding, whose bytes would be anything");

Mark mark_of(const FileJob& job, const Binding& binding, const Checksum& sum) {
  return {result_hash(job), binding.source_nbytes, binding.source_mtime_ns, binding.header_hash, sum.words};
}

}  // namespace

void mark_result(const std::string& path, const FileJob& job, const Binding& binding, const Checksum& sum) {
  const Mark mark = mark_of(job, binding, sum);
  static_cast<void>(setxattr(path.c_str(), attribute, &mark, sizeof mark, 0));
}

std::optional<Checksum> find_result(const FileJob& job, const Binding& binding) {
  Mark found;
  if (getxattr(job.destination.c_str(), attribute, &found, sizeof found) != ssize_t{sizeof found})
    return std::nullopt;
  const Mark wanted = mark_of(job, binding, Checksum{found.checksum});
  if (std::memcmp(&found, &wanted, sizeof found) != 0) return std::nullopt;
  return Checksum{found.checksum};
}

}  // namespace tenstride::io
