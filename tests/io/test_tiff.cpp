// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <span>
#include <thread>

#include "io/tiff/ome_images.hpp"
#include "io/tiff/tiff_sink.hpp"
#include "io/tiff/tiff_source.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"

namespace tenstride::io {
namespace {

using testing::Dice;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

std::vector<std::byte> drawn_elements(const Dims& shape, DType dtype) {
  std::vector<std::byte> result(static_cast<std::size_t>(count_elements(shape)) * item_size(dtype));
  Dice dice(result.size());
  for (std::byte& byte : result) byte = static_cast<std::byte>(dice.roll(dtype == DType::bool_ ? 2 : 256));
  return result;
}

void write_stack(const std::string& path, const Dims& shape, DType dtype, std::span<const std::byte> elements,
                 const TiffOptions& options = {}) {
  TiffWriter writer(path, shape, dtype, options);
  for (Index page = 0; page < writer.page_count(); ++page) {
    const std::size_t nbytes = writer.page_nbytes();
    writer.write_page(page, elements.subspan(static_cast<std::size_t>(page) * nbytes, nbytes));
  }
  writer.close();
}

/// All elements, row-major, by the definition of a grid of chunks.
std::vector<std::byte> read_all(const ChunkSource& source) {
  const ChunkGrid& grid = source.grid();
  const std::size_t item = item_size(source.dtype());
  std::vector<std::byte> result(static_cast<std::size_t>(count_elements(grid.shape)) * item);
  std::vector<std::byte> chunk(static_cast<std::size_t>(count_elements(grid.chunk)) * item);
  const Layout whole = row_major(grid.shape);
  const Dims counts = grid.counts();
  for (Index c = 0; c < count_elements(counts); ++c) {
    const Dims index = unravel(c, counts);
    source.read(index, chunk);
    for (Index e = 0; e < count_elements(grid.chunk); ++e) {
      Dims at = unravel(e, grid.chunk);
      bool is_inside = true;
      for (std::size_t d = 0; d < at.size(); ++d) {
        at[d] += index[d] * grid.chunk[d];
        is_inside = is_inside && at[d] < grid.shape[d];
      }
      if (!is_inside) continue;
      std::memcpy(result.data() + static_cast<std::size_t>(position(whole, at)) * item,
                  chunk.data() + static_cast<std::size_t>(e) * item, item);
    }
  }
  return result;
}

constexpr DType all_tiff_types[]{DType::bool_,     DType::uint8,     DType::int8,    DType::uint16,
                                 DType::int16,     DType::uint32,    DType::int32,   DType::uint64,
                                 DType::int64,     DType::float16,   DType::float32, DType::float64,
                                 DType::complex64, DType::complex128};

TEST(Tiff, FlatFilesAreReadBackAndCanBeMapped) {
  const Scratch scratch;
  const std::string path = scratch.path("x.tif");
  for (const DType dtype : all_tiff_types) {
    for (const Dims& shape : {Dims{13, 17}, Dims{5, 13, 17}, Dims{2, 3, 13, 17}, Dims{1, 13, 17}}) {
      const std::vector<std::byte> elements = drawn_elements(shape, dtype);
      write_stack(path, shape, dtype, elements, {.overwrite = Overwrite::replace});
      const TiffStack stack = open_tiff_stack(path);
      EXPECT_EQ(stack.shape, shape);
      EXPECT_EQ(stack.dtype, dtype);
      EXPECT_EQ(stack.note, "");
      EXPECT_EQ(stack.is_flat(), dtype != DType::bool_);
      if (stack.is_flat()) {
        EXPECT_EQ(stack.flat->begin, 64U);
        EXPECT_EQ(*stack.flat->layout, row_major(shape));
        EXPECT_EQ(read_bytes(path).substr(64, elements.size()),
                  std::string(reinterpret_cast<const char*>(elements.data()), elements.size()));
        EXPECT_EQ(read_all(TiffSource(stack)), elements);
      }
    }
  }
}

#ifdef TENSTRIDE_HAS_TIFF
TEST(Tiff, CompressedAndTiledFilesAreReadBack) {
  const Scratch scratch;
  const std::string path = scratch.path("x.tif");
  for (const DType dtype : all_tiff_types) {
    for (const Dims& shape : {Dims{37, 50}, Dims{3, 37, 50}, Dims{2, 37, 50, 3}}) {
      const std::vector<std::byte> elements = drawn_elements(shape, dtype);
      for (const TiffCompression compression :
           {TiffCompression::none, TiffCompression::deflate, TiffCompression::lzw}) {
        for (const Dims& tile : {Dims{}, Dims{16, 32}}) {
          std::vector<std::string> names{"z", "y", "x", "c"};
          names.resize(shape.size());
          if (shape.size() == 2) names = {"y", "x"};
          write_stack(path, shape, dtype, elements,
                      {.compression = compression,
                       .tile = tile,
                       .axis_names = names,
                       .overwrite = Overwrite::replace});
          const TiffSource source(open_tiff_stack(path));
          EXPECT_EQ(source.grid().shape, shape);
          EXPECT_EQ(source.stack().axis_names, names);
          EXPECT_EQ(read_all(source), elements);
        }
      }
    }
  }
}

TEST(Tiff, ChunksAreTilesAndStrips) {
  const Scratch scratch;
  const Dims shape{2, 40, 50, 3};
  const std::vector<std::byte> elements = drawn_elements(shape, DType::uint8);
  write_stack(scratch.path("tiles.tif"), shape, DType::uint8, elements, {.tile = {16, 32}});
  const TiffSource source(open_tiff_stack(scratch.path("tiles.tif")));
  EXPECT_EQ(source.grid().chunk, (Dims{1, 16, 32, 3}));
  EXPECT_EQ(source.chunk_layout(), row_major({1, 16, 32, 3}));
  EXPECT_EQ(source.stored_nbytes(), 2U * 3 * 2 * 16 * 32 * 3);
  write_stack(scratch.path("strips.tif"), {1100, 1000}, DType::uint8,
              drawn_elements({1100, 1000}, DType::uint8), {.compression = TiffCompression::deflate});
  const TiffSource strips(open_tiff_stack(scratch.path("strips.tif")));
  EXPECT_EQ(strips.grid().chunk, (Dims{1048, 1000}));
  std::vector<std::byte> chunk(1048 * 1000, std::byte{7});
  strips.read({1, 0}, chunk);
  EXPECT_EQ(std::count(chunk.begin() + 52 * 1000, chunk.end(), std::byte{0}), 996 * 1000);
}

TEST(Tiff, SeveralThreadsReadAtOnce) {
  const Scratch scratch;
  const Dims shape{40, 30, 20};
  const std::vector<std::byte> elements = drawn_elements(shape, DType::uint16);
  write_stack(scratch.path("x.tif"), shape, DType::uint16, elements, {.compression = TiffCompression::lzw});
  const TiffSource source(open_tiff_stack(scratch.path("x.tif")));
  std::vector<std::thread> threads;
  std::vector<int> is_equal(4);
  for (std::size_t t = 0; t < is_equal.size(); ++t) {
    threads.emplace_back([&, t] { is_equal[t] = read_all(source) == elements ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(is_equal, std::vector<int>(4, 1));
}
#endif

TEST(Tiff, NamesOfAxesAreKept) {
  const Scratch scratch;
  const std::string path = scratch.path("x.tif");
  const auto names_of = [&](const Dims& shape, const std::vector<std::string>& names, DType dtype) {
    write_stack(path, shape, dtype, drawn_elements(shape, dtype),
                {.axis_names = names, .overwrite = Overwrite::replace});
    const TiffStack stack = open_tiff_stack(path);
    EXPECT_EQ(stack.shape, shape);
    return stack.axis_names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of({2, 3, 4, 5, 6}, {"t", "z", "c", "y", "x"}, DType::uint8),
            (Names{"t", "z", "c", "y", "x"}));
  EXPECT_EQ(names_of({2, 3, 5, 6}, {"c", "t", "y", "x"}, DType::float32), (Names{"c", "t", "y", "x"}));
  EXPECT_EQ(names_of({2, 3, 5, 6}, {"z", "t", "y", "x"}, DType::int64), (Names{"z", "t", "y", "x"}));
  EXPECT_EQ(names_of({2, 5, 6, 2}, {"c", "y", "x", "s"}, DType::uint8), (Names{"c", "y", "x", "s"}));
  EXPECT_EQ(names_of({2, 5, 6}, {"depth", "y", "x"}, DType::uint8), (Names{"page", "y", "x"}));
  EXPECT_EQ(names_of({2, 3, 5, 6}, {}, DType::uint8), (Names{"", "", "y", "x"}));
  EXPECT_EQ(names_of({5, 6, 4}, {}, DType::uint16), (Names{"y", "x", "c"}));
  EXPECT_EQ(names_of({5, 6}, {"x", "y"}, DType::uint8), (Names{"x", "y"}));
  EXPECT_EQ(names_of({3, 5, 6}, {"y", "t", "x"}, DType::uint8), (Names{"y", "t", "x"}));
  EXPECT_EQ(names_of({5, 6, 4}, {"t", "x", "c"}, DType::uint8), (Names{"t", "x", "c"}));
}

TEST(Tiff, AxesOfDescriptions) {
  TiffFormat format;
  format.height = 5;
  format.width = 6;
  const auto axes = [&](const std::string& text) {
    const TiffPageAxes found = read_page_axes(text, format);
    std::string names;
    for (const std::string& one : found.names) names += one + " ";
    return names + tenstride::detail::to_text(found.sizes) + " " + std::to_string(found.count);
  };
  EXPECT_EQ(axes("ImageJ=1.53\nimages=6\nchannels=2\nslices=3\n"), "z c (3,2) 6");
  EXPECT_EQ(axes("ImageJ=1.53\nimages=6\n"), "page (6) 6");
  EXPECT_EQ(axes("ImageJ=1.53\nimages=6\nslices=4\n"), "() 0");
  EXPECT_EQ(axes("ImageJ=1.53\nimages=99999999999999999999\n"), "() 0");
  EXPECT_EQ(axes("ImageJ=1.53\nimages=4\nframes=4611686018427387905\nslices=4\n"), "() 0");
  EXPECT_EQ(axes(R"({"shape": [2, 3, 5, 6]})"), "  (2,3) 6");
  EXPECT_EQ(axes(R"({"shape": [2, 1, 5, 6], "axes": "TZYX"})"), "t z (2,1) 2");
  EXPECT_EQ(axes(R"({"shape": [2, 3, 6, 5]})"), "() 0");
  EXPECT_EQ(axes(R"({"shape": [4611686018427387905, 4, 5, 6]})"), "() 0");
  EXPECT_EQ(axes(R"({"shape": "all"})"), "() 0");
  const auto within = [&](const std::string& text) {
    std::string names;
    for (const std::string& one : read_page_axes(text, format).page_names) names += '<' + one + '>';
    return names;
  };
  EXPECT_EQ(within(R"({"shape": [5, 6], "axes": "TX"})"), "<t><x>");
  EXPECT_EQ(within(R"({"shape": [2, 5, 6], "axes": "YZX"})"), "<z><x>");
  EXPECT_EQ(within(R"({"shape": [5, 6], "axes": "QQ"})"), "<><>");
  EXPECT_EQ(within(R"({"shape": [5, 6], "axes": "XX"})"), "<><>");
  EXPECT_EQ(within(R"({"shape": [5, 6], "axes": "X"})"), "");
  EXPECT_EQ(within(R"({"shape": [5, 6]})"), "");
}

TEST(Tiff, ImagesOfOme) {
  TiffFormat format;
  format.height = 5;
  format.width = 6;
  const auto images = [&](const std::string& text) {
    const auto format_of = [&](const OmePlane& plane) {
      const bool is_there = plane.file.empty() || plane.file == "b.tif";
      return is_there && plane.page < 24 ? &format : nullptr;
    };
    std::string said;
    for (const OmeImage& image : read_ome_images(text, "a.tif", format_of)) {
      for (const std::string& one : image.axes.names) said += one + " ";
      said += tenstride::detail::to_text(image.axes.sizes) + " of";
      for (const OmePlane& plane : image.planes)
        said += " " + std::string(plane.file) + std::to_string(plane.page);
      said += ";";
    }
    return said;
  };
  const auto image = [](const std::string& pixels, const std::string& data = "<TiffData/>") {
    return R"(<Image><Pixels SizeX="6" SizeY="5" )" + pixels + ">" + data + "</Pixels></Image>";
  };
  const auto ome = [&](const std::string& pixels, const std::string& data = "<TiffData/>") {
    return R"(<?xml version="1.0"?><OME>)" + image(pixels, data) + "</OME>";
  };
  const std::string sizes = R"(SizeC="2" SizeZ="3" SizeT="4")";
  const std::string all = " of 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23;";
  EXPECT_EQ(images(ome(R"(DimensionOrder="XYCZT" )" + sizes)), "t z c (4,3,2)" + all);
  EXPECT_EQ(images(ome(R"(DimensionOrder="XYZTC" )" + sizes)), "c t z (2,4,3)" + all);
  EXPECT_EQ(images(ome(R"(DimensionOrder='XYTCZ' SizeC="1" SizeZ="3" SizeT="1")")), "z (3) of 0 1 2;");
  EXPECT_EQ(images(ome(R"(DimensionOrder="XYCZZ" )" + sizes)), "");
  EXPECT_EQ(images(ome(R"(DimensionOrder="XYCZT" SizeC="0" SizeZ="3" SizeT="4")")), "");
  EXPECT_EQ(images(ome(R"(DimensionOrder="XYCZT" SizeC="1" SizeZ="5" SizeT="5")")), "");
  EXPECT_EQ(images(ome(R"(DimensionOrder="XYCZT" SizeC="4294967296" SizeZ="4294967296" SizeT="5")")), "");
  const std::string three = R"(DimensionOrder="XYCZT" SizeC="1" SizeZ="3" SizeT="1")";
  EXPECT_EQ(images(ome(three, R"(<TiffData IFD="7" FirstZ="1"/><TiffData IFD="9" FirstZ="2"/>)")), "");
  EXPECT_EQ(images(ome(three, R"(<TiffData IFD="7" FirstZ="1" PlaneCount="2"/><TiffData IFD="2"/>)")),
            "z (3) of 2 7 8;");
  EXPECT_EQ(images(ome(three, R"(<TiffData IFD="0" FirstZ="3"/>)")), "");
  EXPECT_EQ(images(ome(three, R"(<TiffData IFD="22" PlaneCount="3"/>)")), "");
  EXPECT_EQ(images("<OME>" + image(three) + image(three, R"(<TiffData IFD="3" PlaneCount="3"/>)")),
            "z (3) of 0 1 2;z (3) of 3 4 5;");
  const auto of_files = [&](const std::string& first, const std::string& second) {
    const std::string data = R"(<TiffData FirstZ="0" PlaneCount="2">)" + first +
                             R"(</TiffData><TiffData IFD="5" FirstZ="2">)" + second + "</TiffData>";
    return images(R"(<OME UUID="urn:a">)" + image(three, data) + "</OME>");
  };
  const std::string own = R"(<UUID FileName="a.tif">urn:x</UUID>)";
  EXPECT_EQ(of_files(own, R"(<UUID FileName="b.tif">urn:b</UUID>)"), "z (3) of 0 1 b.tif5;");
  EXPECT_EQ(of_files(own, R"(<UUID FileName="old.tif">urn:a</UUID>)"), "z (3) of 0 1 5;");
  // Without its name a page is one of the file itself.
  EXPECT_EQ(of_files(own, R"(<UUID FileName="c.tif">urn:c</UUID>)"), "z (3) of 0 1 5;");
  EXPECT_EQ(of_files("", own), "z (3) of 0 1 5;");
  EXPECT_EQ(images("<OME><ome:Pixels "), "");
  EXPECT_EQ(images("<OME" + std::string(1 << 20, '<') + " "), "");
}

TEST(Tiff, WhatNoFileCanBe) {
  const Scratch scratch;
  const std::string path = scratch.path("x.tif");
  const auto writer = [&](const Dims& shape, DType dtype, const TiffOptions& options = {}) {
    return [&path, shape, dtype, options] {
      TiffWriter(path, shape, dtype, options);
      return 0;
    };
  };
  EXPECT_EQ(refusal<TypeError>(writer({3, 4}, DType::bfloat16)),
            "save_tiff: elements of bfloat16 must be of a type that TIFF has; use .to(float32)");
  EXPECT_EQ(refusal<TypeError>(writer({3, 4}, DType::complex32)),
            "save_tiff: elements of complex32 must be of a type that TIFF has; use .to(complex64)");
  EXPECT_EQ(refusal<ShapeError>(writer({3}, DType::uint8)),
            "save_tiff: shape (3) must have at least 2 axes, (y,x), of at least 1");
  EXPECT_EQ(refusal<ShapeError>(writer({0, 4}, DType::uint8)),
            "save_tiff: shape (0,4) must have at least 2 axes, (y,x), of at least 1");
  EXPECT_EQ(refusal<ShapeError>(writer({2000000, 4, 5}, DType::uint8)),
            "save_tiff: shape (2000000,4,5) must have at most 1048576 pages");
  EXPECT_EQ(refusal<ShapeError>(writer({1, 5000000000}, DType::uint8)),
            "save_tiff: shape (1,5000000000) must have a height and width of at most 4294967295");
  EXPECT_EQ(refusal<ShapeError>(writer({1, 4000000000}, DType::uint8)),
            "save_tiff: shape (1,4000000000) must have rows of at most 2147483648 bytes");
  EXPECT_EQ(refusal<ValueError>(writer({3, 4}, DType::uint8, {.tile = {16, 20}})),
            "save_tiff: tile (16,20) must be two multiples of 16");
  EXPECT_EQ(refusal<ValueError>(writer({3, 4}, DType::uint8, {.axis_names = {"y"}})),
            "save_tiff: 1 axis names given, must be one for each axis (shape (3,4))");
  TiffWriter pages(path, {2, 3, 5}, DType::uint8);
  const std::vector<std::byte> page(15);
  const auto write = [&](Index number, std::size_t nbytes) {
    return [&, number, nbytes] {
      pages.write_page(number, std::span(page).first(nbytes));
      return 0;
    };
  };
  EXPECT_EQ(refusal<ValueError>(write(1, 15)),
            "save_tiff: \"" + path + "\" was given page 1, which must be the next one, 0 of 2");
  EXPECT_EQ(refusal<ValueError>(write(0, 11)),
            "save_tiff: \"" + path + "\" was given a page of 11 bytes, which must be 15");
  pages.write_page(0, page);
  EXPECT_EQ(refusal<ValueError>([&] {
              pages.close();
              return 0;
            }),
            "save_tiff: \"" + path + "\" has 1 of its 2 pages and must have all to be closed");
}

TEST(Tiff, NothingIsLeftOfAFileThatIsNotClosed) {
  const Scratch scratch;
  TiffWriter(scratch.path("a.tif"), {2, 3, 5}, DType::uint8).write_page(0, std::vector<std::byte>(15));
  EXPECT_EQ(scratch.names(), std::vector<std::string>());
}

}  // namespace
}  // namespace tenstride::io
