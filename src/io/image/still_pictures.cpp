// SPDX-License-Identifier: Apache-2.0
#include "io/image/still_pictures.hpp"

#include <algorithm>

#include "base/message.hpp"

namespace tenstride::io {

std::string StillPictures::begin(std::size_t number) {
  const auto [first, nbytes] = parts_[number];
  if (first > file_.size()) {
    return tenstride::detail::message("begins at byte ", first, ", which must lie in the file of ",
                                      file_.size(), " bytes");
  }
  decoder_ = make_();
  begun_ = number;
  return decoder_->begin(file_.subspan(first, std::min<std::uint64_t>(nbytes, file_.size() - first)));
}

ListedImage StillPictures::picture(std::size_t number) {
  std::string wrong = begin(number);
  return wrong.empty() ? ListedImage{decoder_->info(), {}} : ListedImage{{}, std::move(wrong)};
}

std::string StillPictures::decode(std::size_t number, std::byte* rows) {
  if (decoder_ == nullptr || begun_ != number) {
    std::string wrong = begin(number);
    if (!wrong.empty()) return wrong;
  }
  const std::unique_ptr<ImageDecoder> decoder = std::move(decoder_);
  return decoder->decode(rows);
}

}  // namespace tenstride::io
