// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/image/codec.hpp"

namespace tenstride::io {

/// Where a picture lies, as the index of its file says; it may be outside of the file, or longer.
struct PicturePart {
  std::uint64_t begin = 0;
  std::uint64_t nbytes = 0;
};

/// Pictures in a file that have nothing to do with one another.
class StillPictures final : public ImageFile {
 public:
  using MakeDecoder = std::unique_ptr<ImageDecoder> (*)();

  StillPictures(std::span<const std::byte> file, std::vector<PicturePart> parts, MakeDecoder make)
      : file_(file), parts_(std::move(parts)), make_(make) {}
  /// One, which is the whole file.
  StillPictures(std::span<const std::byte> file, MakeDecoder make)
      : StillPictures(file, {{0, file.size()}}, make) {}

  [[nodiscard]] std::size_t size() const override { return parts_.size(); }
  ListedImage picture(std::size_t number) override;
  std::string decode(std::size_t number, std::byte* rows) override;

 private:
  /// Reads the header of a picture by a new decoder. Returns what is wrong, or nothing ("").
  std::string begin(std::size_t number);

  std::span<const std::byte> file_;
  std::vector<PicturePart> parts_;
  MakeDecoder make_;
  std::unique_ptr<ImageDecoder> decoder_{};
  /// The picture that the decoder is at, and has not decoded yet.
  std::size_t begun_ = 0;
};

}  // namespace tenstride::io
