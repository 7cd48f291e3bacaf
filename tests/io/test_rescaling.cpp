// SPDX-License-Identifier: Apache-2.0
// Elements that mean others than they are, as files say, on their way to another file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/permuted_file.hpp"
#include "support/refusal.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::refusal;
using testing::Scratch;

enum class Bytes : unsigned char { native, swapped };

template <typename Number>
void put(std::string& file, std::size_t begin, Number value, Bytes order) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  if (order == Bytes::swapped) std::reverse(bytes.begin(), bytes.end());
  file.replace(begin, sizeof value, bytes);
}

/// A NIfTI-1 file of (3,2) int16 -2, -1, …, 3, an element x of which means 0.5 * x + 10.
std::string scaled_nifti(Bytes order) {
  std::string file(364, '\0');
  put(file, 0, std::int32_t{348}, order);
  file.replace(344, 3, "n+1");
  put(file, 108, 352.0F, order);
  put(file, 40, std::int16_t{2}, order);
  put(file, 42, std::int16_t{3}, order);
  put(file, 44, std::int16_t{2}, order);
  put(file, 70, std::int16_t{4}, order);
  put(file, 72, std::int16_t{16}, order);
  put(file, 112, 0.5F, order);
  put(file, 116, 10.0F, order);
  for (std::size_t n = 0; n < 6; ++n)
    put(file, 352 + 2 * n, static_cast<std::int16_t>(static_cast<int>(n) - 2), order);
  return file;
}

Tensor counted(DType dtype) {
  return arange(24).view({2, 3, 4}).to(dtype);
}

const std::string of_netcdf =
    R"({"units":"K","_FillValue":7,"scale_factor":0.25,"add_offset":-3.0,"valid_range":[0,20]})";

/// 0.25 * x - 3, by which `of_netcdf` says what elements mean; NaN of 7 and of what lies above 20.
Tensor meant(DType dtype) {
  const Tensor x = counted(DType::float64);
  Tensor result = empty(x.shape(), {.dtype = DType::float64});
  for (Index n = 0; n < x.numel(); ++n) {
    const bool is_missing = n == 7 || n > 20;
    result.mutable_data<double>()[n] = is_missing ? NAN : 0.25 * static_cast<double>(n) - 3;
  }
  return result.to(dtype);
}

/// Any NaN is as good as another.
bool is_same(const Tensor& found, const Tensor& wanted) {
  if (found.shape() != wanted.shape() || found.dtype() != wanted.dtype()) return false;
  const Tensor a = found.to(DType::float64).contiguous(), b = wanted.to(DType::float64).contiguous();
  for (Index n = 0; n < a.numel(); ++n) {
    const double x = a.data<double>()[n], y = b.data<double>()[n];
    if (x != y && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

constexpr std::uint64_t memory = std::uint64_t{16} << 20;

FileOptions rescaled() {
  FileOptions options = testing::file_options(memory);
  options.is_rescaled = true;
  return options;
}

FileOptions scaled_by(double scale, double shift) {
  FileOptions options = testing::file_options(memory);
  options.scale = {scale};
  options.shift = {shift};
  options.dtype = DType::float32;
  return options;
}

TEST(Rescaling, ElementsOfNiftiBecomeWhatTheyMean) {
  const Scratch scratch;
  for (const Bytes order : {Bytes::native, Bytes::swapped}) {
    const std::string source = scratch.file("x.nii", scaled_nifti(order));
    permute_file(source, "x.t()", scratch.path("y.npy"), rescaled());
    const Tensor y = load_npy(scratch.path("y.npy"));
    ASSERT_EQ(y.dtype(), DType::float32);
    ASSERT_EQ(y.shape(), (Dims{2, 3}));
    for (Index n = 0; n < 6; ++n) {
      EXPECT_EQ(y.contiguous().data<float>()[n], 0.5F * static_cast<float>(n - 2) + 10) << n;
    }
  }
}

TEST(Rescaling, NiftiThatWasScaledSaysNoScaling) {
  const Scratch scratch;
  for (const Bytes order : {Bytes::native, Bytes::swapped}) {
    const std::string source = scratch.file("x.nii", scaled_nifti(order));
    ASSERT_TRUE(read_file_info(source).is_scaled());
    for (const FileOptions& options : {rescaled(), scaled_by(3, 1)}) {
      permute_file(source, "x", scratch.path("y.nii"), options);
      const FileInfo info = read_file_info(scratch.path("y.nii"));
      EXPECT_FALSE(info.is_scaled());
      EXPECT_EQ(info.attributes.find("scl_"), std::string::npos) << info.attributes;
      EXPECT_NE(info.attributes.find("pixdim"), std::string::npos) << info.attributes;
    }
    permute_file(source, "x.t()", scratch.path("y.nii"), testing::file_options(memory));
    EXPECT_EQ(read_file_info(scratch.path("y.nii")).scale, 0.5) << "elements that are only moved";
  }
}

TEST(Rescaling, ElementsInChunksBecomeWhatTheyMean) {
  const std::vector<std::pair<DType, DType>> types{
      {DType::int16, DType::float32},  {DType::uint8, DType::float32},   {DType::int32, DType::float64},
      {DType::uint64, DType::float64}, {DType::float32, DType::float32}, {DType::float64, DType::float64}};
  for (const std::string kind : {"nc", "zarr"}) {
    for (const auto& [stored, wanted] : types) {
      const Scratch scratch;
      const std::string source = scratch.path("x." + kind);
      save_tensor_file(source, {{"t", counted(stored), {}, of_netcdf}});
      ASSERT_EQ(read_file_info(source).scale, 0.25) << kind;
      permute_file(source, "x", scratch.path("y.npy"), rescaled());
      EXPECT_TRUE(is_same(load_npy(scratch.path("y.npy")), meant(wanted))) << kind << name(stored);
      FileOptions half = rescaled();
      half.dtype = DType::float16;
      permute_file(source, "x", scratch.path("y.npy"), half);
      EXPECT_TRUE(is_same(load_npy(scratch.path("y.npy")), meant(DType::float16))) << kind << name(stored);
    }
  }
}

TEST(Rescaling, ChunksThatWereScaledSayNoScalingAndTheFillValueOfTheResult) {
  for (const std::string kind : {"nc", "zarr"}) {
    for (const FileOptions& options : {rescaled(), scaled_by(3, 1)}) {
      const Scratch scratch;
      save_tensor_file(scratch.path("x." + kind), {{"t", counted(DType::int16), {}, of_netcdf}});
      permute_file(scratch.path("x." + kind), "x", scratch.path("y." + kind), options);
      const FileInfo info = read_file_info(scratch.path("y." + kind));
      EXPECT_FALSE(info.is_scaled());
      const std::string fill = options.is_rescaled ? R"(,"_FillValue":NaN)" : "";
      EXPECT_EQ(info.attributes.size(), std::string(R"({"units":"K"})").size() + fill.size())
          << info.attributes;
      EXPECT_EQ(info.attributes.find("_FillValue") != std::string::npos, options.is_rescaled) << kind;
      EXPECT_EQ(info.dtype, DType::float32);
    }
  }
}

TEST(Rescaling, WithoutAScalingElementsAreConverted) {
  const Scratch scratch;
  save_npy(scratch.path("x.npy"), counted(DType::int16));
  permute_file(scratch.path("x.npy"), "x", scratch.path("y.npy"), rescaled());
  EXPECT_TRUE(load_npy(scratch.path("y.npy")).equal(counted(DType::float32)));
}

TEST(Rescaling, EachTensorMeansWhatItSaysItself) {
  const Scratch scratch;
  const std::string file = scratch.path("x.h5"), result = scratch.path("y.h5");
  save_tensor_file(file, {{"a", counted(DType::int16), {}, of_netcdf},
                          {"b", counted(DType::int32), {}, of_netcdf},
                          {"c", counted(DType::int16)}});
  const FileResult done = permute_file(file, "x", result, rescaled());
  EXPECT_TRUE(is_same(load_tensor_file(read_file_info(result + "::a")), meant(DType::float32)));
  EXPECT_TRUE(is_same(load_tensor_file(read_file_info(result + "::b")), meant(DType::float64)));
  EXPECT_TRUE(is_same(load_tensor_file(read_file_info(result + "::c")), counted(DType::float32)));
  EXPECT_EQ(done.missing, 8U);
}

/// Of every type, over parts and layouts, against `is_missing` and one element at a time.
TEST(Rescaling, EveryElementIsWhatTheDefinitionSays) {
  for (const DType stored : {DType::int8, DType::uint8, DType::int16, DType::uint64, DType::float16,
                             DType::float32, DType::float8_e4m3fn}) {
    for (const DType wanted : {DType::float32, DType::float16, DType::int64, DType::float8_e4m3fn}) {
      Rescaling meant;
      meant.stored = stored;
      meant.missing = {Scalar(3), Scalar(8)};
      meant.highest = Scalar(10);
      meant.dtype = wanted;
      meant.fill = is_integer(wanted) ? Scalar(-1) : Scalar(std::numeric_limits<double>::quiet_NaN());
      const Tensor src = remainder(arange(600 * 700), 13).view({700, 600}).to(stored).t();
      Tensor dst = empty(src.shape(), {.dtype = wanted});
      const Index count = rescale_elements(dst, src, meant, "test");
      const Tensor read = src.to(DType::float64).contiguous(), found = dst.to(DType::float64);
      Index missing = 0;
      for (Index n = 0; n < found.numel(); ++n) {
        const double given = read.data<double>()[n], result = found.data<double>()[n];
        const bool is_missing = given == 3 || given == 8 || given > 10;
        ASSERT_EQ(meant.is_missing(Scalar(given)), is_missing);
        missing += is_missing ? 1 : 0;
        if (is_missing) {
          ASSERT_TRUE(is_integer(wanted) ? result == -1 : std::isnan(result)) << name(stored) << name(wanted);
        } else {
          ASSERT_EQ(result, given) << name(stored) << name(wanted);
        }
      }
      EXPECT_EQ(count, missing);
    }
  }
}

TEST(Rescaling, WhatIsKeptStaysAsItIsStored) {
  const Scratch scratch;
  const std::string file = scratch.path("x.h5"), result = scratch.path("y.h5");
  save_tensor_file(
      file, {{"a", counted(DType::int16), {}, of_netcdf}, {"b", counted(DType::int16), {}, of_netcdf}});
  const std::vector<TensorMove> moves{{read_file_info(file + "::a"), "x", "a"},
                                      {read_file_info(file + "::b"), "x", "b", MoveKind::keep}};
  run(plan_permute_files(moves, result, rescaled()));
  EXPECT_TRUE(is_same(load_tensor_file(read_file_info(result + "::a")), meant(DType::float32)));
  const FileInfo kept = read_file_info(result + "::b");
  EXPECT_TRUE(load_tensor_file(kept).equal(counted(DType::int16)));
  EXPECT_EQ(kept.attributes, of_netcdf);
}

TEST(Rescaling, Refusals) {
  const Scratch scratch;
  const std::string source = scratch.file("x.nii", scaled_nifti(Bytes::native));
  const auto refused = [&](const std::string& chain, const FileOptions& options) {
    return refusal<ValueError>(
        [&] { return plan_permute_file(source, chain, scratch.path("y.npy"), options); });
  };
  FileOptions both = rescaled();
  both.shift = {1};
  EXPECT_EQ(refused("x", both),
            "permute_file: scale and shift of the file must not go with others (leave rescale or scale and "
            "shift out)");
  const std::string only_move = "\" must only move elements to be rescaled: ";
  EXPECT_EQ(refused("x.sum(0)", rescaled()), "permute_file: \"x.sum(0)" + only_move + "it reduces axes");
  EXPECT_EQ(refused("x.to(torch.int8)", rescaled()),
            "permute_file: \"x.to(torch.int8)" + only_move + "it converts to int8");
  save_tensor_file(scratch.path("c.nc"), {{"t", counted(DType::complex64), {}, of_netcdf}});
  EXPECT_EQ(obstacle_to_rescaling("x", read_file_info(scratch.path("c.nc"))),
            "x is complex64, and whether a shift of -3.0 is of the imaginary part too is not known");
}

}  // namespace
}  // namespace tenstride::io
