// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <opencv2/core.hpp>
#include <optional>

#include "../peer.hpp"
#include "matrices.hpp"
#include "tenstride/layout/coalesce.hpp"

namespace tenstride::bench {
namespace {

/// OpenCV's type for elements of the given size that are only moved: a type that OpenCV has a fast path for,
/// or as many channels of bytes as they have bytes.
int type_to_move(std::size_t item) {
  switch (item) {
    case 1:
      return CV_8UC1;
    case 2:
      return CV_16UC1;
    case 4:
      return CV_32SC1;
    case 8:
      return CV_64FC1;
    default:
      return CV_64FC2;
  }
}

std::optional<int> depth_of(DType type) {
  switch (type) {
    case DType::uint8:
      return CV_8U;
    case DType::int8:
      return CV_8S;
    case DType::uint16:
      return CV_16U;
    case DType::int16:
      return CV_16S;
    case DType::int32:
      return CV_32S;
    case DType::float32:
      return CV_32F;
    case DType::float64:
      return CV_64F;
    default:
      return std::nullopt;
  }
}

cv::Mat mat(const std::byte* data, Index rows, Index columns, int type, Index stride) {
  const std::size_t step = static_cast<std::size_t>(stride) * CV_ELEM_SIZE(type);
  return {static_cast<int>(rows), static_cast<int>(columns), type, const_cast<std::byte*>(data),
          rows == 1 ? std::size_t{cv::Mat::AUTO_STEP} : step};
}

/// (n, pixels, channels) to (n, channels, pixels) or back, by split and merge: one image at a time.
struct Channels {
  bool planes_to_pixels;
  Index images;
  Index pixels;
  int channels;
};

std::optional<Channels> as_channels(const Layout& view) {
  const Layout merged = coalesce(view);
  const std::size_t rank = merged.rank();
  if (rank < 2 || rank > 3 || merged.offset != 0) return std::nullopt;
  const Index images = rank == 3 ? merged.shape[0] : 1;
  const Index a = merged.shape[rank - 2];
  const Index b = merged.shape[rank - 1];
  const bool is_transpose = merged.strides[rank - 2] == 1 && merged.strides[rank - 1] == a &&
                            (rank == 2 || merged.strides[0] == a * b);
  if (!is_transpose) return std::nullopt;
  if (a <= 4) return Channels{false, images, b, static_cast<int>(a)};
  if (b <= 4) return Channels{true, images, a, static_cast<int>(b)};
  return std::nullopt;
}

Call by_channels(const CopyJob& job, const Channels& with) {
  const int type = type_to_move(item_size(job.what.src_type));
  const std::size_t item = item_size(job.what.src_type);
  const std::size_t plane = static_cast<std::size_t>(with.pixels) * item;
  const std::size_t image = plane * static_cast<std::size_t>(with.channels);
  // OpenCV allows rows of 2^31-1 pixels, but its loops are faster on a square.
  const auto columns = static_cast<int>(with.pixels % 4096 == 0 ? 4096 : with.pixels);
  const auto rows = static_cast<int>(with.pixels / columns);
  Call call;
  call.run = [=, src = const_cast<std::byte*>(job.src), dst = job.dst] {
    std::vector<cv::Mat> planes(static_cast<std::size_t>(with.channels));
    for (Index i = 0; i < with.images; ++i) {
      std::byte* const from = src + static_cast<std::size_t>(i) * image;
      std::byte* const to = dst + static_cast<std::size_t>(i) * image;
      std::byte* const of_planes = with.planes_to_pixels ? from : to;
      for (std::size_t c = 0; c < planes.size(); ++c) {
        planes[c] = cv::Mat(rows, columns, type, of_planes + c * plane);
      }
      cv::Mat pixels(rows, columns, CV_MAKETYPE(type, with.channels), with.planes_to_pixels ? to : from);
      if (with.planes_to_pixels) {
        cv::merge(planes, pixels);
      } else {
        cv::split(pixels, planes);
      }
    }
  };
  return call;
}

class OpenCv : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "OpenCV"; }
  [[nodiscard]] std::string version() const override { return CV_VERSION; }
  [[nodiscard]] bool uses_threads() const override { return true; }
  void set_threads(int count) override { cv::setNumThreads(count); }

  Call copy(const CopyJob& job) override {
    const CopyCase& what = job.what;
    if (what.scales()) return {};
    if (what.src_type != what.dst_type) return convert(job);
    if (!what.flipped.empty()) return flip(job);
    if (const auto channels = as_channels(what.view); channels && item_size(what.src_type) <= 8) {
      return by_channels(job, *channels);
    }
    return by_matrices(job);
  }

 private:
  static Call by_matrices(const CopyJob& job) {
    const auto matrices = as_matrices(job.what);
    if (!matrices || matrices->rows > INT_MAX || matrices->columns > INT_MAX) return {};
    const int type = type_to_move(item_size(job.what.src_type));
    const std::size_t item = item_size(job.what.src_type);
    Call call;
    call.run = [=, src = job.src, dst = job.dst, with = *matrices] {
      for (const Matrices::Place& place : with.places) {
        const std::byte* const from = src + static_cast<std::size_t>(place.src) * item;
        cv::Mat to = mat(dst + static_cast<std::size_t>(place.dst) * item, with.rows, with.columns, type,
                         with.dst_stride);
        if (with.transposed) {
          cv::transpose(mat(from, with.columns, with.rows, type, with.src_stride), to);
        } else {
          mat(from, with.rows, with.columns, type, with.src_stride).copyTo(to);
        }
      }
    };
    return call;
  }

  static Call convert(const CopyJob& job) {
    const CopyCase& what = job.what;
    const auto from = depth_of(what.src_type);
    const auto to = depth_of(what.dst_type);
    const Layout merged = coalesce(what.view);
    if (!from || !to || merged.rank() != 1 || merged.strides[0] != 1) return {};
    const Index columns = merged.shape[0] % 4096 == 0 ? 4096 : merged.shape[0];
    const cv::Mat src = mat(job.src, merged.shape[0] / columns, columns, CV_MAKETYPE(*from, 1), columns);
    const cv::Mat dst = mat(job.dst, merged.shape[0] / columns, columns, CV_MAKETYPE(*to, 1), columns);
    Call call;
    call.run = [src, dst, to = *to] { src.convertTo(dst, to); };
    return call;
  }

  static Call flip(const CopyJob& job) {
    const CopyCase& what = job.what;
    if (what.source.size() != 2) return {};
    const int type = type_to_move(item_size(what.src_type));
    const int how = what.flipped.size() == 2 ? -1 : static_cast<int>(what.flipped[0]);
    const cv::Mat src = mat(job.src, what.source[0], what.source[1], type, what.source[1]);
    const cv::Mat dst = mat(job.dst, what.source[0], what.source[1], type, what.source[1]);
    Call call;
    call.run = [src, dst, how] { cv::flip(src, dst, how); };
    return call;
  }
};

const bool added = add_peer(std::make_unique<OpenCv>());

}  // namespace
}  // namespace tenstride::bench
