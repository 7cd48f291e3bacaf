// SPDX-License-Identifier: Apache-2.0
// What can be written into which kind of file, and files that are written in place.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

using Names = std::vector<std::string>;

template <typename Error>
std::string refused(const std::string& path, const std::vector<NamedTensor>& tensors,
                    const SaveTensorsOptions& options = {}) {
  return refusal<Error>([&] {
    save_tensor_file(path, tensors, options);
    return 0;
  });
}

TEST(SaveTensorFile, RefusesWhatNoKindHolds) {
  const Scratch scratch;
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(refused<ValueError>(scratch.path("x.txt"), {{"", x}}),
            "save: the path (" + scratch.path("x.txt") + ") must end in " + writable_suffixes());
  EXPECT_EQ(refused<ValueError>(scratch.path("x.npz"), {}), "save: there must be a tensor to be written");
  EXPECT_EQ(refused<ValueError>(scratch.path("x.npy"), {{"a", x}, {"b", x}}),
            "save: 2 tensors must go to a file that holds several, as .npz and .safetensors do, not to a "
            ".npy file");
  EXPECT_EQ(refused<ValueError>(scratch.path("x.raw"), {{"a", x}, {"b", x}}),
            "save: 2 tensors must go to a file that holds several, as .npz and .safetensors do, not to a "
            "file without "
            "a header");
  for (const char* const path : {"x.npz", "x.safetensors"}) {
    EXPECT_EQ(refused<ValueError>(scratch.path(path), {{"a", x}, {"a", x}}),
              "save: the name \"a\" must stand once in a file");
  }
  EXPECT_EQ(refused<ValueError>(scratch.path("x.npz"), {{"a", x, {"y"}}}),
            "save: 1 names of axes must be as many as the 2 axes of (2,3)");
  EXPECT_EQ(refused<ValueError>(scratch.path("x.safetensors"), {{"a", x}, {"", x}}),
            "save: the name \"\" of a tensor must be one, and not __metadata__");
  EXPECT_EQ(
      refused<ValueError>(scratch.path("x.safetensors"), {{"a", x}}, {.order = ElementOrder::column_major}),
      "save: elements of a safetensors file must be row-major (order C)");
  EXPECT_EQ(refused<ValueError>(scratch.path("x.npy"), {{"", x}}, {.is_compressed = true}),
            "save: compression must " + obstacle_to_compression(FileKind::npy));
  EXPECT_TRUE(obstacle_to_compression(FileKind::npy)
                  .starts_with("go with .npz, .tif or .tiff, not with npy (codec compresses .zarr"));
  EXPECT_EQ(obstacle_to_compression(FileKind::npz), "");
  EXPECT_EQ(refused<TypeError>(scratch.path("x.npz"), {{"a", x.to(DType::bfloat16)}}),
            refused<TypeError>(scratch.path("x.npy"), {{"", x.to(DType::bfloat16)}}));
  EXPECT_EQ(
      refused<TypeError>(scratch.path("x.safetensors"), {{"a", x.to(DType::complex128)}}),
      "save: elements of complex128 (\"a\") must be of a type that safetensors has; use .to(complex64)");
  EXPECT_EQ(refused<RuntimeError>(scratch.path("x.npz"),
                                  {{"a", Tensor(Storage::meta(4), row_major({1}), DType::int32)}}),
            refused<RuntimeError>(scratch.path("x.safetensors"),
                                  {{"a", Tensor(Storage::meta(4), row_major({1}), DType::int32)}}));
  EXPECT_EQ(scratch.names(), Names{});
}

TEST(SaveTensorFile, RefusesAttributesOfManyLevels) {
  const Scratch scratch;
  const auto nested = [](std::size_t levels) {
    return R"({"a":)" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  for (const char* const path : {"x.npz", "x.safetensors", "x.nii", "x.tif", "x.zarr"}) {
    EXPECT_EQ(refused<ValueError>(scratch.path(path), {{"a", zeros({2, 3}), {}, nested(100000)}}),
              "save: the attributes must have at most 64 levels of objects and lists");
    save_tensor_file(scratch.path(path), {{"a", zeros({2, 3}), {}, nested(64)}});
  }
}

TEST(SaveTensorFile, ReplacesOnlyWhereThatIsAllowed) {
  const Scratch scratch;
  const Tensor x = arange(6).view({2, 3});
  for (const char* const name : {"x.npy", "x.npz", "x.safetensors", "x.raw"}) {
    const std::string path = scratch.file(name, "kept");
    EXPECT_EQ(refused<FileError>(path, {{"", x}}),
              "save: \"" + path + "\" exists already and must not be replaced (Overwrite::refuse)");
    EXPECT_EQ(read_bytes(path), "kept");
    save_tensor_file(path, {{"", x}}, {.overwrite = Overwrite::replace});
    EXPECT_NE(read_bytes(path), "kept");
  }
  EXPECT_EQ(scratch.names(), (Names{"x.npy", "x.npz", "x.raw", "x.safetensors"}));
  const std::string nowhere = scratch.path("none/x.npz");
  EXPECT_TRUE(refused<FileError>(nowhere, {{"", x}}).starts_with("save: \"" + nowhere + "\" "));
}

TEST(SaveTensorFile, RawFilesAreTheElements) {
  const Scratch scratch;
  const Tensor x = arange(6).to(DType::uint8).view({2, 3});
  save_tensor_file(scratch.path("rows.raw"), {{"", x.t()}});
  EXPECT_EQ(read_bytes(scratch.path("rows.raw")), std::string("\0\3\1\4\2\5", 6));
  save_tensor_file(scratch.path("columns.bin"), {{"", x.t()}}, {.order = ElementOrder::column_major});
  EXPECT_EQ(read_bytes(scratch.path("columns.bin")), std::string("\0\1\2\3\4\5", 6));
}

TEST(SaveTensorFile, NpyFilesAreThoseOfSaveNpy) {
  const Scratch scratch;
  const Tensor x = arange(24).view({2, 3, 4}).permute({2, 0, 1});
  for (const ElementOrder order : {ElementOrder::row_major, ElementOrder::column_major}) {
    save_tensor_file(scratch.path("x.npy"), {{"name", x}}, {.overwrite = Overwrite::replace, .order = order});
    save_npy(scratch.path("y.npy"), x, {.order = order, .overwrite = Overwrite::replace});
    EXPECT_TRUE(read_bytes(scratch.path("x.npy")) == read_bytes(scratch.path("y.npy")));
  }
}

TEST(TensorFileWriter, WritesElementsInPlace) {
  const Scratch scratch;
  const std::string path = scratch.path("m.safetensors");
  {
    TensorFileWriter writer(path, FileKind::safetensors,
                            {{.name = "bytes", .shape = {3}, .dtype = DType::uint8},
                             {.name = "t", .shape = {3, 2}, .dtype = DType::float64},
                             {.name = "none", .shape = {0}, .dtype = DType::int16}});
    EXPECT_TRUE(writer.tensor(0).equal(zeros({3}, {.dtype = DType::uint8})));
    EXPECT_TRUE(writer.tensor(1).equal(zeros({3, 2}, {.dtype = DType::float64})));
    EXPECT_EQ(writer.tensor(2).numel(), 0);
    EXPECT_THROW(static_cast<void>(writer.tensor(3)), std::out_of_range);
    writer.tensor(1).copy_(arange(6).view({2, 3}).t());
    writer.tensor(0).fill_(9);
    EXPECT_FALSE(std::ranges::count(scratch.names(), "m.safetensors"));
    writer.commit();
  }
  EXPECT_EQ(scratch.names(), Names{"m.safetensors"});
  EXPECT_TRUE(open_tensor_file(path + "::bytes").equal(full({3}, 9, {.dtype = DType::uint8})));
  EXPECT_TRUE(open_tensor_file(path + "::t").equal(arange(6).view({2, 3}).t().to(DType::float64)));
}

TEST(TensorFileWriter, LeavesNothingWithoutCommit) {
  const Scratch scratch;
  {
    TensorFileWriter writer(scratch.path("x.npy"), FileKind::npy, {{.name = "", .shape = {1000}}});
    writer.tensor().fill_(1);
  }
  EXPECT_EQ(scratch.names(), Names{});
}

TEST(TensorFileWriter, RefusesBeforeThereIsAFile) {
  const Scratch scratch;
  const auto refused_shape = [&](const Dims& shape) {
    return refusal<OverflowError>([&] {
      const TensorFileWriter writer(scratch.path("x.safetensors"), FileKind::safetensors,
                                    {{.name = "", .shape = shape}}, Overwrite::refuse, "convert");
      return 0;
    });
  };
  EXPECT_TRUE(refused_shape({Index{1} << 40, Index{1} << 40}).starts_with("convert: "));
  EXPECT_TRUE(refused_shape({Index{1} << 62}).starts_with("convert: "));
  scratch.file("x.npy", "kept");
  EXPECT_EQ(
      refusal<FileError>([&] {
        const TensorFileWriter writer(scratch.path("x.npy"), FileKind::npy, {{.name = "", .shape = {1}}});
        return 0;
      }),
      "save: \"" + scratch.path("x.npy") + "\" exists already and must not be replaced (Overwrite::refuse)");
  EXPECT_EQ(scratch.names(), Names{"x.npy"});
}

TEST(WrittenKinds, ByTheEndsOfNames) {
  EXPECT_EQ(kind_of_name("x.npy"), FileKind::npy);
  EXPECT_EQ(kind_of_name("d.npy/x.safetensors"), FileKind::safetensors);
  EXPECT_EQ(kind_of_name("x.bin"), FileKind::raw);
  EXPECT_EQ(kind_of_name("x.raw"), FileKind::raw);
  EXPECT_EQ(kind_of_name("x.nii"), FileKind::nifti);
  EXPECT_EQ(kind_of_name("x.jpg"), FileKind::unknown);
  EXPECT_EQ(kind_of_name(".npy"), FileKind::unknown);
  EXPECT_EQ(kind_of_name("x.npy "), FileKind::unknown);
  EXPECT_EQ(kind_of_name(""), FileKind::unknown);
  for (const std::string& suffix : written_suffixes()) {
    EXPECT_NE(kind_of_name("x" + suffix), FileKind::unknown) << suffix;
    EXPECT_NE(writable_suffixes().find(suffix), std::string::npos) << suffix;
  }
}

TEST(WrittenKinds, OrdersAndNames) {
  const auto rows = ElementOrder::row_major, columns = ElementOrder::column_major;
  for (const FileKind kind : {FileKind::npy, FileKind::npz, FileKind::raw}) {
    EXPECT_EQ(written_order(kind, rows), rows);
    EXPECT_EQ(written_order(kind, columns), columns);
  }
  EXPECT_EQ(written_order(FileKind::safetensors, rows), rows);
  EXPECT_EQ(written_order(FileKind::nifti, rows), columns);
  EXPECT_EQ(refusal<ValueError>([&] { return written_order(FileKind::safetensors, columns, "convert"); }),
            "convert: elements of a safetensors file must be row-major (order C)");
  EXPECT_TRUE(has_tensor_names(FileKind::npz) && has_tensor_names(FileKind::safetensors));
  EXPECT_FALSE(has_tensor_names(FileKind::npy) || has_tensor_names(FileKind::raw) ||
               has_tensor_names(FileKind::unknown));
  EXPECT_TRUE(is_written_flat(FileKind::safetensors) && is_written_flat(FileKind::npy) &&
              is_written_flat(FileKind::raw) && is_written_flat(FileKind::nifti));
  EXPECT_FALSE(is_written_flat(FileKind::npz) || is_written_flat(FileKind::png) ||
               is_written_flat(FileKind::unknown));
}

TEST(WrittenKinds, HeadsAreWhatFilesBeginWith) {
  const Scratch scratch;
  const Tensor x = arange(6).view({2, 3});
  for (const auto& [name, kind] : {std::pair("x.npy", FileKind::npy), std::pair("x.raw", FileKind::raw),
                                   std::pair("x.safetensors", FileKind::safetensors)}) {
    save_tensor_file(scratch.path(name), {{"", x}});
    const std::string head = flat_head(kind, {.name = "", .shape = x.shape(), .dtype = x.dtype()});
    EXPECT_EQ(read_bytes(scratch.path(name)).substr(0, head.size()), head) << name;
    EXPECT_EQ(read_bytes(scratch.path(name)).size(), head.size() + x.nbytes()) << name;
  }
}

TEST(WrittenKinds, SupportedFormatsSayWhatIsWritten) {
  std::string written;
  for (const FormatSupport& format : supported_formats()) {
    EXPECT_EQ(format.is_read, format.name != "NIfTI-packed") << format.name;  // which is read as NIfTI
    if (format.is_written) written += format.name + ' ';
  }
  for (const std::string name : {"npy ", "npz ", "safetensors ", "NIfTI ", "raw "}) {
    EXPECT_NE(written.find(name), std::string::npos) << written;
  }
  EXPECT_EQ(written.find("JPEG"), std::string::npos);
  for (const std::string name : {"npy", "npz", "safetensors"}) {
    EXPECT_NE(known_kinds().find(name), std::string::npos) << known_kinds();
  }
  EXPECT_EQ(known_kinds().find("raw"), std::string::npos);
}

}  // namespace
}  // namespace tenstride::io
