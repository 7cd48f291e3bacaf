// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/npy.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/test_data.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::from_hex;
using testing::read_bytes;
using testing::recorded_lines;
using testing::refusal;
using testing::Scratch;

/// What NumPy wrote, by name (see data/npy_record.py).
std::string recorded(const std::string& name) {
  static const auto lines = recorded_lines(testing::test_data("npy.txt"));
  return from_hex(lines.at(name).at(0));
}

const std::vector<std::pair<std::string, DType>> numbers{
    {"b1", DType::bool_},     {"u1", DType::uint8},      {"i1", DType::int8},    {"u2", DType::uint16},
    {"i2", DType::int16},     {"u4", DType::uint32},     {"i4", DType::int32},   {"u8", DType::uint64},
    {"i8", DType::int64},     {"f2", DType::float16},    {"f4", DType::float32}, {"f8", DType::float64},
    {"c8", DType::complex64}, {"c16", DType::complex128}};

/// The elements of the recorded files: 0, 1, 2, …; k + (k+1)j; k % 2.
Tensor recorded_elements(const Dims& shape, DType dtype) {
  const Tensor count = arange(count_elements(shape)).view(shape);
  if (dtype == DType::bool_) {
    Tensor odd = empty(shape, {.dtype = DType::bool_});
    auto* const to = odd.mutable_data<bool>();
    for (Index i = 0; i < odd.numel(); ++i) to[i] = i % 2 != 0;
    return odd;
  }
  if (!is_complex(dtype)) return count.to(dtype);
  Tensor result = count.to(dtype);
  result.imag().copy_(arange(1, count_elements(shape) + 1).view(shape));
  return result;
}

TEST(Npy, HeaderOfTheExample) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npy");
  save_npy(path, zeros({2, 3}));
  const NpyHeader header = read_npy_header(path);
  EXPECT_EQ(header.dtype, DType::float32);
  EXPECT_EQ(header.byte_order, ByteOrder::native);
  EXPECT_EQ(to_string(header.layout), "(2,3):(3,1)+0");
  EXPECT_EQ(header.data_begin, 128U);
  EXPECT_EQ(header.nbytes, 24U);
  EXPECT_EQ(header.version, 1);
}

TEST(Npy, WritesWhatNumpyWrites) {
  const Scratch scratch;
  for (const auto& [code, dtype] : numbers) {
    const Tensor x = recorded_elements({2, 3}, dtype);
    save_npy(scratch.path(code + "C"), x);
    save_npy(scratch.path(code + "F"), x, {.order = ElementOrder::column_major});
    EXPECT_EQ(read_bytes(scratch.path(code + "C")), recorded("native-" + code + "-C")) << code;
    EXPECT_EQ(read_bytes(scratch.path(code + "F")), recorded("native-" + code + "-F")) << code;
  }
}

TEST(Npy, WritesAnyShapeAsNumpyDoes) {
  const Scratch scratch;
  const std::vector<std::pair<std::string, Dims>> shapes{
      {"scalar", {}},
      {"0", {0}},
      {"1", {1}},
      {"5", {5}},
      {"0x3", {0, 3}},
      {"3x0", {3, 0}},
      {"1x4", {1, 4}},
      {"4x1", {4, 1}},
      {"2x1x3", {2, 1, 3}},
      {"2x3x1", {2, 3, 1}},
      {"2x2x2x2x2x2", Dims::filled(6, 2)},
      {"1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", Dims::filled(20, 1)}};
  for (const auto& [name, shape] : shapes) {
    const Tensor x = recorded_elements(shape, DType::int16);
    save_npy(scratch.path(name + "C"), x);
    save_npy(scratch.path(name + "F"), x, {.order = ElementOrder::column_major});
    EXPECT_EQ(read_bytes(scratch.path(name + "C")), recorded("shape-" + name + "-C")) << name;
    EXPECT_EQ(read_bytes(scratch.path(name + "F")), recorded("shape-" + name + "-F")) << name;
    EXPECT_TRUE(open_npy(scratch.path(name + "F")).equal(x)) << name;
    EXPECT_TRUE(load_npy(scratch.path(name + "C")).equal(x)) << name;
  }
}

TEST(Npy, ReadsEveryTypeOrderAndEndianness) {
  const Scratch scratch;
  for (const auto& [code, dtype] : numbers) {
    const Tensor wanted = recorded_elements({2, 3}, dtype);
    for (const std::string order : {"C", "F"}) {
      const Dims strides = order == "C" ? Dims{3, 1} : Dims{1, 2};
      const std::string path = scratch.file(code + order, recorded("native-" + code + "-" + order));
      for (const Tensor& got : {open_npy(path), load_npy(path)}) {
        EXPECT_EQ(got.dtype(), dtype);
        EXPECT_EQ(got.strides(), strides) << code << order;
        EXPECT_TRUE(got.equal(wanted)) << code << order;
      }
      if (item_size(dtype) == 1) continue;
      const std::string swapped = scratch.file("swapped", recorded("swapped-" + code + "-" + order));
      const Tensor got = load_npy(swapped);
      EXPECT_EQ(read_npy_header(swapped).byte_order, ByteOrder::swapped);
      EXPECT_EQ(got.dtype(), dtype);
      EXPECT_EQ(got.strides(), strides) << code << order;
      EXPECT_TRUE(got.equal(wanted)) << code << order;
    }
  }
}

TEST(Npy, ReadsTheThreeVersions) {
  const Scratch scratch;
  for (const int version : {1, 2, 3}) {
    const std::string path = scratch.file("x", recorded("version-" + std::to_string(version)));
    EXPECT_EQ(read_npy_header(path).version, version);
    EXPECT_TRUE(open_npy(path).equal(recorded_elements({2, 3}, DType::float32))) << version;
  }
}

TEST(Npy, LoadsALargeSwappedFile) {
  const Scratch scratch;
  const Tensor x = arange(300000).to(DType::float64).view({300, 1000});
  save_npy(scratch.path("x"), x);
  std::string bytes = read_bytes(scratch.path("x"));
  for (std::size_t i = 128; i < bytes.size(); i += 8) std::reverse(&bytes[i], &bytes[i] + 8);
  bytes.replace(bytes.find("'<f8'"), 5, "'>f8'");
  EXPECT_TRUE(load_npy(scratch.file("swapped", bytes)).equal(x));
}

TEST(Npy, RoundTripsEveryLayout) {
  const Scratch scratch;
  const Tensor base = arange(120).view({2, 3, 4, 5});
  const Storage storage = base.storage();
  const std::vector<Layout> layouts{
      {{}, {}, 7},
      {{0}, {1}, 0},
      {{3, 0, 2}, {1, 1, 1}, 5},
      {{2, 3, 4, 5}, {60, 20, 5, 1}, 0},
      {{5, 4, 3, 2}, {1, 5, 20, 60}, 0},
      {{3, 4}, {20, 2}, 1},         // padded
      {{4, 6}, {0, 1}, 3},          // expanded
      {{5, 3}, {-1, -10}, 119},     // negative
      {{1, 6, 1}, {77, 3, -5}, 2},  // odd strides along axes of 1
      {{7, 3}, {1, 1}, 0},          // windows
      {Dims::filled(10, 1), Dims::filled(10, 9), 11},
  };
  for (const Layout& layout : layouts) {
    const Tensor x(storage, layout, DType::int64);
    for (const ElementOrder order : {ElementOrder::row_major, ElementOrder::column_major}) {
      const std::string path = scratch.path("x.npy");
      save_npy(path, x, {order, Overwrite::replace});
      const Tensor got = open_npy(path);
      EXPECT_EQ(got.shape(), x.shape());
      EXPECT_EQ(got.tolist(), x.tolist()) << to_string(layout);
      const Layout wanted = order == ElementOrder::row_major || is_contiguous(column_major(x.shape()))
                                ? row_major(x.shape())
                                : column_major(x.shape());
      EXPECT_EQ(got.layout(), wanted) << to_string(layout);
    }
  }
}

TEST(Npy, CarriesOutConjugation) {
  const Scratch scratch;
  const Tensor x = recorded_elements({2, 3}, DType::complex64);
  save_npy(scratch.path("x"), x.conj());
  EXPECT_EQ(open_npy(scratch.path("x")).tolist(), x.conj().tolist());
}

TEST(Npy, MapModesReachTheFileOrNot) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npy");
  save_npy(path, arange(4));
  Tensor mapped = open_npy(path);
  EXPECT_EQ(refusal<StorageError>([&] { return mapped.fill_(1).dim(); }),
            "storage: a read-only storage must not be written to; use .clone() first");
  open_npy(path, MapMode::copy_on_write).fill_(9);
  EXPECT_TRUE(mapped.equal(arange(4)));
  open_npy(path, MapMode::read_write).fill_(9);
  EXPECT_TRUE(mapped.equal(full({4}, 9)));
  Tensor loaded = load_npy(path);
  loaded.fill_(1);
  EXPECT_TRUE(mapped.equal(full({4}, 9)));
}

TEST(Npy, TheMapOutlivesItsFile) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npy");
  save_npy(path, arange(1000));
  const Tensor part = open_npy(path).slice(0, 10, 20);
  save_npy(path, part, {.overwrite = Overwrite::replace});  // from the file into the same name
  EXPECT_TRUE(part.equal(arange(10, 20)));
  EXPECT_TRUE(open_npy(path).equal(arange(10, 20)));
  std::filesystem::remove(path);
  EXPECT_TRUE(part.equal(arange(10, 20)));
}

TEST(Npy, WriterIsAViewOfTheFile) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npy");
  const Tensor x = arange(12).view({3, 4});
  NpyWriter writer(path, {4, 3}, DType::float32, {.order = ElementOrder::column_major});
  EXPECT_EQ(writer.tensor().strides(), (Dims{1, 4}));
  EXPECT_TRUE(writer.tensor().equal(zeros({4, 3})));
  writer.tensor().copy_(x.t());
  EXPECT_EQ(scratch.names().size(), 1U);
  EXPECT_NE(scratch.names()[0], "x.npy");
  writer.commit();
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"x.npy"});
  EXPECT_TRUE(open_npy(path).equal(x.t().to(DType::float32)));
}

TEST(Npy, WriterWithoutCommitLeavesNothing) {
  const Scratch scratch;
  { NpyWriter(scratch.path("x.npy"), {1000}, DType::float32).tensor().fill_(1); }
  EXPECT_TRUE(scratch.names().empty());
}

TEST(NpyErrors, WhatCannotBeWritten) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npy");
  for (const DType dtype : {DType::bfloat16, DType::float8_e4m3fn, DType::float8_e5m2}) {
    EXPECT_EQ(refusal<TypeError>([&] { return save_npy(path, zeros({2}, {.dtype = dtype})), 0; }),
              "save_npy: elements of " + std::string(name(dtype)) +
                  " must be of a type that NumPy has; use .to(float32)");
  }
  EXPECT_EQ(refusal<RuntimeError>([&] { return save_npy(path, empty({2}, {.device = Device::meta})), 0; }),
            "save_npy: a meta tensor has no elements to be written (shape (2))");
  EXPECT_EQ(refusal<OverflowError>([&] {
              return NpyWriter(path, {Index{1} << 62, 2}, DType::int8).tensor().dim();
            }),
            "save_npy: 4611686018427387904 * 2 must fit a signed 64-bit integer");
  EXPECT_EQ(
      refusal<OverflowError>([&] { return NpyWriter(path, {Index{1} << 62}, DType::int64).tensor().dim(); }),
      "save_npy: 4611686018427387904 * 8 must fit a signed 64-bit integer");
  EXPECT_THROW(NpyWriter(path, {-1}, DType::int64), ShapeError);
  EXPECT_THROW(NpyWriter(path, {Index{1} << 59}, DType::int64), FileError);  // no disk has such room
  EXPECT_TRUE(scratch.names().empty());
}

TEST(NpyErrors, AnExistingFileStays) {
  const Scratch scratch;
  const std::string path = scratch.file("x.npy", "precious");
  EXPECT_EQ(refusal<FileError>([&] { return save_npy(path, zeros({2})), 0; }),
            "save_npy: \"" + path + "\" exists already and must not be replaced (Overwrite::refuse)");
  EXPECT_EQ(read_bytes(path), "precious");
  save_npy(path, zeros({2}), {.overwrite = Overwrite::replace});
  EXPECT_TRUE(open_npy(path).equal(zeros({2})));
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"x.npy"});
}

TEST(NpyErrors, WhatCannotBeMapped) {
  const Scratch scratch;
  const std::string swapped = scratch.file("swapped.npy", recorded("swapped-f4-C"));
  EXPECT_EQ(refusal<FileError>([&] { return open_npy(swapped); }),
            "open_npy: \"" + swapped +
                "\" must hold elements in this machine's byte order to be mapped, it holds float32 in the "
                "other; use "
                "load_npy");
  std::string bytes = recorded("native-f8-C");
  bytes.insert(20, " ");
  bytes[8] = static_cast<char>(bytes[8] + 1);
  const std::string odd = scratch.file("odd.npy", bytes);
  EXPECT_EQ(refusal<FileError>([&] { return open_npy(odd); }),
            "open_npy: \"" + odd +
                "\" has elements from byte 129 on, which must be a multiple of 8 to be mapped (float64); use "
                "load_npy");
  EXPECT_TRUE(load_npy(odd).equal(recorded_elements({2, 3}, DType::float64)));
  EXPECT_EQ(refusal<FileError>([&] { return open_npy(scratch.path("none.npy")); }),
            "open_npy: \"" + scratch.path("none.npy") +
                "\" must be a file that can be opened (No such file or directory)");
  EXPECT_EQ(refusal<FileError>([&] { return load_npy(scratch.folder().string()); }),
            "load_npy: \"" + scratch.folder().string() + "\" must be a regular file");
}

}  // namespace
}  // namespace tenstride::io
