// SPDX-License-Identifier: Apache-2.0
// A picture of OpenCV (https://opencv.org) becomes the input of a network: channels first, RGB, float32 in
// 0..1, by one copy.
#include <array>
#include <iostream>
#include <memory>
#include <opencv2/core.hpp>

#include "tenstride/core.hpp"

namespace {

/// The pixels as (rows,columns,channels), also of a part of a picture, whose rows do not touch. The tensor
/// keeps the picture's memory.
tenstride::Tensor of_opencv(const cv::Mat& picture) {
  CV_Assert(picture.depth() == CV_8U && picture.dims == 2);
  const auto owner = std::make_shared<cv::Mat>(picture);  // counts a reference, copies nothing
  const auto row = static_cast<tenstride::Index>(picture.step[0]);
  return tenstride::from_blob(owner->data, {picture.rows, picture.cols, picture.channels()},
                              {row, picture.channels(), 1}, tenstride::DType::uint8,
                              [owner](void* /*data*/) {});
}

}  // namespace

int main() {
  cv::Mat whole(480, 640, CV_8UC3);  // cv::imread gives one, too
  for (int row = 0; row < whole.rows; ++row) {
    for (int column = 0; column < whole.cols; ++column) {
      whole.at<cv::Vec3b>(row, column) = {static_cast<uchar>(row % 256), static_cast<uchar>(column % 256), 7};
    }
  }
  const cv::Mat picture = whole(cv::Rect(100, 50, 224, 224));

  const tenstride::Tensor pixels = of_opencv(picture);
  // BGR to RGB is a view with a negative stride, which the one copy takes along.
  const tenstride::Tensor rgb(
      pixels.storage(),
      {pixels.shape(), {pixels.stride(0), pixels.stride(1), -1}, pixels.storage_offset() + 2},
      pixels.dtype());
  const std::array<double, 1> scale{1.0 / 255};
  const tenstride::Tensor input =
      tenstride::convert(rgb.permute({2, 0, 1}), tenstride::DType::float32, {.scale = scale});

  std::cout << "pixels  " << pixels.layout() << "  shared with OpenCV: " << std::boolalpha
            << (pixels.data<std::uint8_t>() == picture.data) << '\n'
            << "input   " << input.layout() << ' ' << name(input.dtype()) << '\n';
  const auto factor = static_cast<float>(scale[0]);
  const auto last = picture.at<cv::Vec3b>(223, 10);
  return input.at<float>(2, 223, 10) == static_cast<float>(last[0]) * factor &&
                 input.at<float>(0, 0, 0) == static_cast<float>(last[2]) * factor
             ? 0
             : 1;
}
