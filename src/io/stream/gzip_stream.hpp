// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tenstride::io {

/// A gzip file of one member, from its first byte to its last.
class GzipStream {
 public:
  using Take = std::function<void(std::span<const std::byte>)>;
  /// `take` gets the bytes of the file, in pieces of 1 MiB at most. Throws FileError where this build has
  /// nothing that compresses; `path` is for it.
  GzipStream(const std::string& path, std::string_view operation, Take take);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Nothing can be written any more.
  void end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenstride::io
