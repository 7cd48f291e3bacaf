// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <gtest/gtest.h>

#include "io/ends/write_tensor.hpp"
#include "io/hdf5/filters.hpp"
#include "io/hdf5/hdf5_sink.hpp"
#include "io/hdf5/hdf5_source.hpp"
#include "support/hdf5.hpp"
#include "support/refusal.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::hdf5_infos;
using testing::load_hdf5;
using testing::recorded_hdf5;
using testing::refusal;
using testing::Scratch;

const std::vector<std::pair<std::string, DType>> hdf5_numbers{
    {"u1", DType::uint8},      {"i1", DType::int8},    {"u2", DType::uint16},  {"i2", DType::int16},
    {"u4", DType::uint32},     {"i4", DType::int32},   {"u8", DType::uint64},  {"i8", DType::int64},
    {"f2", DType::float16},    {"f4", DType::float32}, {"f8", DType::float64}, {"c8", DType::complex64},
    {"c16", DType::complex128}};

/// 0, 1, 2, …; k + (k+1)j; k % 2.
Tensor counted(const Dims& shape, DType dtype) {
  const Tensor count = arange(count_elements(shape)).view(shape);
  if (dtype == DType::bool_) {
    Tensor odd = empty(shape, {.dtype = dtype});
    for (Index i = 0; i < odd.numel(); ++i) odd.mutable_data<bool>()[i] = i % 2 != 0;
    return odd;
  }
  if (!is_complex(dtype)) return count.to(dtype);
  Tensor result = count.to(dtype);
  result.imag().copy_(arange(1, count_elements(shape) + 1).view(shape));
  return result;
}

/// Writes tensors by a plan of flat elements.
void write_flat(const std::string& path, const std::vector<NewTensor>& tensors,
                const std::vector<Tensor>& elements) {
  const FlatFile plan = plan_hdf5(tensors, "save");
  std::string bytes(plan.nbytes, '\0');
  plan.head.copy(bytes.data(), plan.head.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (elements[i].nbytes() == 0) continue;
    std::memcpy(bytes.data() + plan.parts[i].begin, elements[i].data_ptr(), elements[i].nbytes());
  }
  std::ofstream(path, std::ios::binary) << bytes;
}

void write_chunks(const std::string& path, const std::vector<NewTensor>& tensors,
                  const std::vector<Tensor>& elements, const ChunkOptions& options = {}) {
  const auto file = create_hdf5(path, tensors, options, Overwrite::replace, "save");
  for (std::size_t i = 0; i < tensors.size(); ++i) write_tensor(file->sink(i), elements[i]);
  file->commit();
}

TEST(Hdf5, ReadsEveryTypeInBothOrders) {
  const Scratch scratch;
  const auto infos = hdf5_infos(scratch.file("types.h5", recorded_hdf5("types")));
  ASSERT_EQ(infos.size(), 27U);
  EXPECT_TRUE(load_hdf5(infos.at("bool")).equal(counted({2, 3}, DType::bool_)));
  for (const auto& [code, dtype] : hdf5_numbers) {
    for (const std::string group : {"little/", "big/"}) {
      const FileInfo& info = infos.at(group + code);
      EXPECT_EQ(info.dtype, dtype) << group << code;
      EXPECT_EQ(info.storage, ElementStorage::flat);
      EXPECT_EQ(info.is_byte_swapped, group == "big/" && item_size(dtype) > 1) << group << code;
      EXPECT_TRUE(load_hdf5(info).equal(counted({2, 3}, dtype))) << group << code;
    }
  }
}

TEST(Hdf5, ReadsEveryStorage) {
  const Scratch scratch;
  const auto infos = hdf5_infos(scratch.file("storage.h5", recorded_hdf5("storage")));
  const Tensor wanted = counted({5, 7}, DType::int32);
  const std::map<std::string, std::string> codecs{{"plain", ""},
                                                  {"deflate", "deflate(6)"},
                                                  {"shuffle", "deflate(6), shuffle"},
                                                  {"fletcher", "fletcher32, deflate(6), shuffle"},
                                                  {"lzf", "lzf, shuffle"},
                                                  {"big", "deflate(6), shuffle"},
                                                  {"scaleoffset", "scaleoffset"}};
  for (const auto& [name, codec] : codecs) {
    const FileInfo& info = infos.at(name);
    EXPECT_EQ(info.storage, ElementStorage::chunked);
    EXPECT_EQ(info.codec, codec) << name;
    EXPECT_EQ(info.chunk, (Dims{2, 4})) << name;
    EXPECT_TRUE(load_hdf5(info).equal(wanted)) << name;
  }
  EXPECT_TRUE(load_hdf5(infos.at("compact")).equal(wanted));
  EXPECT_EQ(load_hdf5(infos.at("scalar")).item<double>(), 2.5);
  EXPECT_EQ(load_hdf5(infos.at("empty")).shape(), (Dims{0, 3}));
  Tensor partly = full({5, 7}, 1.5, {.dtype = DType::float32});
  partly.narrow(0, 2, 2).narrow(1, 0, 4).copy_(arange(8).view({2, 4}));
  EXPECT_TRUE(load_hdf5(infos.at("missing")).equal(partly));
  EXPECT_TRUE(load_hdf5(infos.at("unallocated")).equal(full({5, 7}, -3, {.dtype = DType::int16})));
}

TEST(Hdf5, ReadsFilesBehindAUserBlock) {
  const Scratch scratch;
  const auto infos = hdf5_infos(scratch.file("user.h5", recorded_hdf5("user_block")));
  const Tensor wanted = counted({5, 7}, DType::int32);
  EXPECT_TRUE(load_hdf5(infos.at("flat")).equal(wanted));
  EXPECT_TRUE(load_hdf5(infos.at("chunked")).equal(wanted));
}

TEST(Hdf5, DecodesEveryFilter) {
  const Scratch scratch;
  const auto infos = hdf5_infos(scratch.file("filters.h5", recorded_hdf5("filters")));
  const Tensor wanted = counted({30, 40}, DType::int32);
  const std::map<std::string, std::string> codecs{
      {"blosc", "blosc"},         {"bzip2", "bzip2"},     {"lz4", "lz4"},
      {"zstd", "zstd"},           {"bits", "bitshuffle"}, {"bits_lz4", "bitshuffle"},
      {"bits_zstd", "bitshuffle"}};
  ASSERT_EQ(infos.size(), codecs.size());
  for (const auto& [name, codec] : codecs) {
    EXPECT_EQ(infos.at(name).codec, codec);
    EXPECT_TRUE(load_hdf5(infos.at(name)).equal(wanted)) << name;
  }
}

TEST(Hdf5, ReadsFieldsOfCompounds) {
  const Scratch scratch;
  const auto infos = hdf5_infos(scratch.file("compounds.h5", recorded_hdf5("compounds")));
  ASSERT_EQ(infos.size(), 12U);
  for (const std::string dataset : {"flat.", "chunks."}) {
    EXPECT_TRUE(load_hdf5(infos.at(dataset + "x")).equal(counted({2, 3}, DType::float32)));
    EXPECT_TRUE(load_hdf5(infos.at(dataset + "n")).equal(counted({2, 3}, DType::int32)));
    EXPECT_TRUE(load_hdf5(infos.at(dataset + "in.a")).equal(counted({2, 3, 2, 3}, DType::int16)));
    EXPECT_TRUE(load_hdf5(infos.at(dataset + "in.b")).equal(counted({2, 3}, DType::float64)));
    EXPECT_EQ(infos.at(dataset + "text").obstacle, "have a type that tenstride has, not strings");
  }
  EXPECT_TRUE(load_hdf5(infos.at("enumeration")).equal(counted({2, 3}, DType::int16)));
  EXPECT_EQ(infos.at("enumeration").attributes, R"({"enum":{"GREEN":5,"RED":0}})");
  EXPECT_TRUE(load_hdf5(infos.at("array")).equal(counted({4, 2, 3}, DType::float32)));
}

TEST(Hdf5, FollowsLinks) {
  const Scratch scratch;
  const auto infos = hdf5_infos(scratch.file("x.h5", recorded_hdf5("links")));
  std::vector<std::string> names;
  for (const auto& [name, info] : infos) {
    names.push_back(name);
    EXPECT_TRUE(load_hdf5(info).equal(counted({2, 3}, DType::int32))) << name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a/data", "group/data", "self/data", "soft", "virtual"}));
}

TEST(Hdf5, SaysWhatItCannotRead) {
  const Scratch scratch;
  const auto infos = hdf5_infos(scratch.file("obstacles.h5", recorded_hdf5("obstacles")));
  std::map<std::string, std::string> obstacles;
  for (const auto& [name, info] : infos) obstacles[name] = info.obstacle;
  const std::string folder = infos.at("good").path.substr(0, infos.at("good").path.rfind('/') + 1);
  const std::string missing =
      "(open: \"" + folder + "other.h5\" must be a file that can be opened (No such file or directory))";
  EXPECT_EQ(
      obstacles,
      (std::map<std::string, std::string>{
          {"compound.x", ""},
          {"compound.y", ""},
          {"external", "have its elements in the file, not in other files"},
          {"good", ""},
          {"group/outside",
           "lead to an object that can be opened, it is a link to \"/x\" in the file \"other.h5\" " +
               missing},
          {"group/soft", ""},
          {"null", "have elements, it is empty (a null dataspace)"},
          {"strings", "have a type that tenstride has, not strings"},
          {"virtual",
           "have all sources of its elements, \"x\" of the file \"other.h5\" cannot be read " + missing}}));
  EXPECT_EQ(
      refusal<FileError>([&] { return open_hdf5_source(infos.at("strings").path, "strings"); }),
      "load: \"" + infos.at("strings").path + "::strings\" must have a type that tenstride has, not strings");
}

TEST(Hdf5, ReadsAttributes) {
  const Scratch scratch;
  const auto infos = hdf5_infos(scratch.file("a.h5", recorded_hdf5("attributes")));
  std::string zeros = "0.0";
  for (int i = 1; i < 65; ++i) zeros += ",0.0";
  EXPECT_EQ(
      infos.at("data").attributes,
      R"({"units":"K","numbers":[1.5,NaN,-Infinity],"single":0.1,"large":18446744073709551615,"flag":true,)"
      R"("texts":["a","b"],"bytes":"a)"
      "\xef\xbf\xbd\",\"long\":[" +
          zeros + R"(],"null":[]})");
  EXPECT_EQ(infos.at("data").axis_names, (std::vector<std::string>{"row", ""}));
}

TEST(Hdf5, ReadsNetcdf) {
  const Scratch scratch;
  const auto infos = hdf5_infos(scratch.file("n.nc", recorded_hdf5("netcdf")));
  ASSERT_EQ(infos.size(), 4U);
  const FileInfo& t2m = infos.at("t2m");
  EXPECT_EQ(t2m.axis_names, (std::vector<std::string>{"time", "lat", "lon"}));
  EXPECT_EQ(t2m.scale, 0.5);
  EXPECT_EQ(t2m.shift, 10);
  EXPECT_EQ(t2m.attributes, R"({"_FillValue":-99,"scale_factor":0.5,"add_offset":10.0})");
  EXPECT_TRUE(load_hdf5(t2m).equal(counted({2, 2, 3}, DType::int16)));
  EXPECT_EQ(infos.at("lat").axis_names, (std::vector<std::string>{"lat"}));
  EXPECT_EQ(infos.at("group/inner").axis_names, (std::vector<std::string>{"lon"}));
}

TEST(Hdf5, WritesWhatItReads) {
  const Scratch scratch;
  std::vector<NewTensor> tensors;
  std::vector<Tensor> elements;
  for (const DType dtype :
       {DType::bool_, DType::uint8, DType::int8, DType::uint16, DType::int16, DType::uint32, DType::int32,
        DType::uint64, DType::int64, DType::float16, DType::bfloat16, DType::float32, DType::float64,
        DType::complex32, DType::complex64, DType::complex128}) {
    for (const Dims& shape : {Dims{}, Dims{0, 3}, Dims{5, 7}, Dims{3, 1, 4}}) {
      tensors.push_back({.name = std::string(name(dtype)) + "/" + std::to_string(shape.size()) +
                                 std::to_string(count_elements(shape)),
                         .shape = shape,
                         .dtype = dtype});
      elements.push_back(counted(shape, dtype));
    }
  }
  write_flat(scratch.path("flat.h5"), tensors, elements);
  write_chunks(scratch.path("chunks.h5"), tensors, elements);
  write_chunks(scratch.path("plain.h5"), tensors, elements, {.codec = "none"});
  for (const std::string file : {"flat.h5", "chunks.h5", "plain.h5"}) {
    const auto infos = hdf5_infos(scratch.path(file));
    ASSERT_EQ(infos.size(), tensors.size()) << file;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const FileInfo& info = infos.at(tensors[i].name);
      EXPECT_EQ(info.dtype, tensors[i].dtype);
      EXPECT_TRUE(load_hdf5(info).equal(elements[i])) << file << " " << info.name;
    }
  }
}

TEST(Hdf5, PlansFlatFilesWithMetadataFirst) {
  const std::vector<NewTensor> tensors{
      {.name = "a", .shape = {3}, .dtype = DType::uint8},
      {.name = "large", .shape = {100000, 1000000}, .dtype = DType::float32}};
  const FlatFile plan = plan_hdf5(tensors, "save");
  EXPECT_LT(plan.head.size(), 16384U);
  EXPECT_GE(plan.parts[0].begin, plan.head.size());
  EXPECT_EQ(plan.parts[1].begin % 64, 0U);
  EXPECT_EQ(plan.nbytes, plan.parts[1].begin + 400000000000U);
}

TEST(Hdf5, WritesNamesOfAxesAndAttributes) {
  const Scratch scratch;
  const std::string attributes =
      R"({"units":"K","list":[1,2],"mixed":[1.5,NaN],"strict":[1.5,"NaN"],"texts":["a","ö"],"_FillValue":-9})";
  const std::string read = R"({"units":"K","list":[1,2],"mixed":[1.5,NaN],"strict":[1.5,NaN],)"
                           R"("texts":["a","ö"],"_FillValue":-9,"scale_factor":0.5,"add_offset":0.0})";
  const std::vector<NewTensor> tensors{
      {.name = "t2m",
       .shape = {2, 3, 4},
       .dtype = DType::int16,
       .axis_names = {"time", "lat", "lon"},
       .attributes = attributes,
       .scale = 0.5},
      {.name = "lat", .shape = {3}, .dtype = DType::float64, .axis_names = {"lat"}},
      {.name = "group/v", .shape = {3, 4}, .dtype = DType::uint8, .axis_names = {"lat", "lon"}},
      {.name = "square", .shape = {4, 4}, .dtype = DType::uint8, .axis_names = {"k", "k"}},
      {.name = "part", .shape = {2, 4}, .dtype = DType::uint8, .axis_names = {"", "p"}}};
  std::vector<Tensor> elements;
  for (const NewTensor& tensor : tensors) elements.push_back(counted(tensor.shape, tensor.dtype));
  write_flat(scratch.path("flat.nc"), tensors, elements);
  write_chunks(scratch.path("chunks.nc"), tensors, elements);
  for (const std::string file : {"flat.nc", "chunks.nc"}) {
    const auto infos = hdf5_infos(scratch.path(file));
    ASSERT_EQ(infos.size(), tensors.size());
    for (const NewTensor& tensor : tensors) {
      std::vector<std::string> names = tensor.axis_names;
      if (names[0].empty()) names[0] = tensor.name + "_axis0";
      EXPECT_EQ(infos.at(tensor.name).axis_names, names);
    }
    EXPECT_EQ(infos.at("t2m").attributes, read);
    EXPECT_EQ(infos.at("t2m").scale, 0.5);
  }
}

TEST(Hdf5, WritesChunksAsAsked) {
  const Scratch scratch;
  const NewTensor tensor{.name = "x", .shape = {50, 60}, .dtype = DType::float32};
  const Tensor x = counted(tensor.shape, tensor.dtype);
  const std::map<std::string, std::string> codecs{{"", "deflate(4), shuffle"},
                                                  {"none", ""},
                                                  {"gzip", "deflate(4)"},
                                                  {"deflate:9+shuffle", "deflate(9), shuffle"}};
  for (const auto& [asked, written] : codecs) {
    const std::string path = scratch.path("x.h5");
    const auto file =
        create_hdf5(path, {tensor}, {.chunk = {16, 100}, .codec = asked}, Overwrite::replace, "save");
    write_tensor(file->sink(0), x);
    EXPECT_TRUE(load_chunks(*file->read_back(0)).equal(x));
    file->commit();
    const FileInfo info = hdf5_infos(path).at("x");
    EXPECT_EQ(info.codec, written);
    EXPECT_EQ(info.chunk, (Dims{16, 60}));
    EXPECT_TRUE(load_hdf5(info).equal(x));
  }
}

TEST(Hdf5, LeavesNothingWithoutCommit) {
  const Scratch scratch;
  {
    const auto file =
        create_hdf5(scratch.path("x.h5"), {{.name = "x", .shape = {4}}}, {}, Overwrite::refuse, "save");
  }
  EXPECT_TRUE(scratch.names().empty());
}

TEST(Hdf5, RefusesWhatItCannotWrite) {
  const auto plan = [](NewTensor tensor) { return plan_hdf5({std::move(tensor)}, "save"); };
  EXPECT_EQ(
      refusal<TypeError>([&] { return plan({.name = "x", .shape = {2}, .dtype = DType::float8_e5m2}); }),
      "save: HDF5 must be given elements of a type that it has, not float8_e5m2");
  EXPECT_EQ(refusal<ValueError>([&] { return plan({.name = "a//b", .shape = {2}}); }),
            "save: the name \"a//b\" must be one of groups and a dataset, as group/data");
  EXPECT_EQ(refusal<ValueError>([&] { return plan({.name = "x", .shape = Dims::filled(33, 1)}); }),
            "save: a tensor in HDF5 must have at most 32 axes, not 33 (\"x\")");
  EXPECT_EQ(
      refusal<ValueError>([] { return parse_hdf5_codec("zstd:3", "save"); }),
      "save: the codec \"zstd:3\" of an HDF5 file must be \"none\", or \"gzip\" with a level of 1 to 9 and "
      "\"+shuffle\", as gzip:4+shuffle");
}

TEST(Hdf5, ShufflesBytes) {
  const std::string items = "aAbBcCx";
  std::string shuffled(items.size(), ' ');
  std::string back(items.size(), ' ');
  shuffle_bytes(std::as_writable_bytes(std::span(shuffled)), std::as_bytes(std::span(items)), 2);
  EXPECT_EQ(shuffled, "abcABCx");
  unshuffle_bytes(std::as_writable_bytes(std::span(back)), std::as_bytes(std::span(shuffled)), 2);
  EXPECT_EQ(back, items);
}

}  // namespace
}  // namespace tenstride::io
#endif
