// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "files/descriptor.hpp"
#include "files/output_target.hpp"
#include "io/output/resumable_output.hpp"

namespace tenstride::io {

Binding bind_source(const std::string& source, std::uint64_t header_nbytes, std::uint64_t plan_hash,
                    std::string_view operation) {
  const auto refuse = [&](const auto&... pieces) {
    throw FileError(tenstride::detail::message(operation, ": \"", source, "\" ", pieces...), source);
  };
  const Descriptor file(open(source.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) refuse("must be a file that can be opened", system_reason(errno));
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0) refuse("must be a file that can be read", system_reason(errno));
  if (!S_ISREG(facts.st_mode)) refuse("must be a regular file");
  const auto nbytes = static_cast<std::uint64_t>(facts.st_size);
  if (nbytes < header_nbytes)
    refuse("must have a header of ", header_nbytes, " bytes, not ", nbytes, " in all");
  // FNV-1a: short, and a changed byte always changes it.
  std::uint64_t hash = 0xCBF29CE484222325U;
  std::vector<unsigned char> bytes(
      static_cast<std::size_t>(std::min<std::uint64_t>(header_nbytes, 1U << 16)));
  for (std::uint64_t done = 0; done < header_nbytes;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), header_nbytes - done));
    const ssize_t count = pread(file.get(), bytes.data(), wanted, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse("must be a file that can be read", system_reason(errno));
    if (count == 0) refuse("must not become shorter while it is read");
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      hash = (hash ^ bytes[i]) * 0x100000001B3U;
    done += static_cast<std::uint64_t>(count);
  }
  const std::int64_t mtime = std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec;
  return {source, nbytes, mtime, hash, plan_hash};
}

std::string hash_text(std::uint64_t hash) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 15U];
  return text;
}

}  // namespace tenstride::io
