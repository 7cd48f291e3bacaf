// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/message.hpp"
#include "io/image/codec.hpp"

namespace tenstride::io {

/// In the place of what needs a library that this build lacks: says so of each picture.
class AbsentDecoder final : public ImageDecoder {
 public:
  explicit AbsentDecoder(std::string wrong) : wrong_(std::move(wrong)) {}
  std::string begin(std::span<const std::byte> /*file*/) override { return wrong_; }
  [[nodiscard]] ImageInfo info() const override { return {}; }
  std::string decode(std::byte* /*rows*/) override { return wrong_; }

 private:
  std::string wrong_;
};

inline std::unique_ptr<ImageDecoder> absent_decoder(std::string_view format, std::string_view library) {
  return std::make_unique<AbsentDecoder>(tenstride::detail::message(
      "is a ", format, " image, which must be read by ", library, ": this build of tenstride lacks it"));
}

}  // namespace tenstride::io
