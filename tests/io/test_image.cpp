// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/test_data.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::Dice;
using testing::from_hex;
using testing::read_bytes;
using testing::recorded_lines;
using testing::refusal;
using testing::Scratch;

TEST(TensorFile, UnknownFilesAreNamed) {
  const Scratch scratch;
  const std::string path = scratch.file("x.bmp", "BM__");
  const std::string wanted = " must be a file of a known kind (" + known_kinds() + "), it begins with ";
  EXPECT_EQ(refusal<FileError>([&] { return open_tensor_file(path); }),
            "open: \"" + path + "\"" + wanted + "the bytes 42 4d 5f 5f (a BMP image)");
  EXPECT_EQ(refusal<FileError>([&] { return read_file_info(scratch.file("x.bmp", "")); }),
            "info: \"" + path + "\"" + wanted + "nothing, it is empty");
  EXPECT_EQ(sniff(path), FileKind::unknown);
  EXPECT_EQ(refusal<FileError>([&] { return sniff("/nowhere/x"); }),
            "sniff: \"/nowhere/x\" must be a file that can be opened (No such file or directory)");
  EXPECT_EQ(refusal<FileError>([&] { return sniff("/dev/zero"); }),
            "sniff: \"/dev/zero\" must be a regular file");
}

TEST(TensorFile, ANpyFileIsMappedWhereItCanBe) {
  const Scratch scratch;
  const std::string path = scratch.path("picture.png");  // the content decides
  save_npy(path, arange(6).view({2, 3}), {.order = ElementOrder::column_major});
  const FileInfo info = read_file_info(path);
  EXPECT_EQ(sniff(path), FileKind::npy);
  EXPECT_EQ(name(info.kind), "npy");
  EXPECT_EQ(info.format, "npy 1.0");
  EXPECT_EQ(info.dtype, DType::int64);
  EXPECT_EQ(info.layout, column_major({2, 3}));
  EXPECT_EQ(info.file_nbytes, 176U);
  EXPECT_EQ(info.data_begin, 128U);
  EXPECT_TRUE(info.is_mapped);
  EXPECT_FALSE(info.is_byte_swapped);
  EXPECT_TRUE(open_tensor_file(path).is_read_only());
  std::string bytes = read_bytes(path);
  bytes.replace(bytes.find("<i8"), 3, ">i8");
  const std::string swapped = scratch.file("swapped", bytes);
  EXPECT_FALSE(read_file_info(swapped).is_mapped);
  EXPECT_TRUE(read_file_info(swapped).is_byte_swapped);
  EXPECT_EQ(open_tensor_file(swapped).tolist()[1][2].scalar(), std::int64_t{5} << 56);
}

#ifdef TENSTRIDE_WITH_IMAGES

/// A recorded picture: the file, and the pixels another program reads from it (see data/image_record.py).
struct Picture {
  std::string name;
  Dims shape;
  std::string file;
  std::string pixels;
};

std::vector<Picture> pictures() {
  std::vector<Picture> result;
  for (const auto& [name, words] : recorded_lines(testing::test_data("images.txt"))) {
    const Dims shape{std::stol(words.at(0)), std::stol(words.at(1)), std::stol(words.at(2))};
    result.push_back({name, shape, from_hex(words.at(3)), from_hex(words.at(4))});
  }
  return result;
}

Picture picture(const std::string& name) {
  const std::vector<Picture> all = pictures();
  return *std::find_if(all.begin(), all.end(), [&](const Picture& p) { return p.name == name; });
}

TEST(Image, ReadsWhatAnotherProgramReads) {
  const Scratch scratch;
  int count = 0;
  for (const Picture& picture : pictures()) {
    const bool is_cmyk = picture.name == "jpeg-cmyk";
    const bool is_jpeg = picture.name.starts_with("jpeg");
    const std::string path = scratch.file("x", picture.file);
    const Tensor read = read_image(path);
    ASSERT_EQ(read.shape(), picture.shape) << picture.name;
    EXPECT_TRUE(read.is_contiguous());
    const bool is_wide = picture.name.find("16-bit") != std::string::npos;
    EXPECT_EQ(read.dtype(), is_wide ? DType::uint16 : DType::uint8) << picture.name;
    const std::vector<std::int64_t> got = read.to(DType::int64).to_vector<std::int64_t>();
    ASSERT_EQ(got.size() * item_size(read.dtype()), picture.pixels.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto byte = [&](std::size_t at) {
        return std::int64_t{static_cast<unsigned char>(picture.pixels[at])};
      };
      // The other program gives ink, the file has 255 less the ink.
      const std::int64_t wanted = is_wide   ? byte(2 * i) + 256 * byte(2 * i + 1)
                                  : is_cmyk ? 255 - byte(i)
                                            : byte(i);
      // JPEG leaves the last bit to the decoder.
      ASSERT_LE(std::abs(got[i] - wanted), is_jpeg ? 2 : 0) << picture.name << " element " << i;
    }
    const ImageInfo info = read_image_info(path);
    EXPECT_EQ(info.format, is_jpeg ? ImageFormat::jpeg : ImageFormat::png);
    EXPECT_EQ((Dims{info.height, info.width, info.channels}), picture.shape) << picture.name;
    EXPECT_EQ(info.bits == 16, is_wide) << picture.name;
    EXPECT_EQ(info.bits == 1, picture.name == "png-1-bit");
    EXPECT_EQ(info.is_cmyk && info.is_inverted, is_cmyk);
    EXPECT_EQ(info.dtype, read.dtype());
    EXPECT_EQ(info.orientation, Orientation::upright);
    EXPECT_TRUE(open_tensor_file(path).equal(read));
    const FileInfo file = read_file_info(path);
    EXPECT_EQ(file.format, is_jpeg ? "JPEG" : "PNG");
    EXPECT_EQ(file.layout, row_major(picture.shape));
    EXPECT_EQ(file.dtype, read.dtype());
    EXPECT_FALSE(file.is_mapped);
    EXPECT_EQ(file.attributes, is_cmyk ? R"({"colours":"CMYK","inverted":true})" : "");
    ++count;
  }
  EXPECT_EQ(count, 22);
}

TEST(Image, RoundTripsEveryNumberOfChannels) {
  const Scratch scratch;
  for (const Dims& shape :
       {Dims{5, 7, 1}, Dims{5, 7, 2}, Dims{5, 7, 3}, Dims{5, 7, 4}, Dims{1, 1, 3}, Dims{700, 900, 3}}) {
    const Tensor x = arange(count_elements(shape)).to(DType::uint8).view(shape);
    write_png(scratch.path("x.png"), x, Overwrite::replace);
    EXPECT_TRUE(read_image(scratch.path("x.png")).equal(x));
  }
  const Tensor gray = arange(35).to(DType::uint8).view({5, 7});
  write_png(scratch.path("x.png"), gray, Overwrite::replace);
  EXPECT_TRUE(read_image(scratch.path("x.png")).equal(gray.view({5, 7, 1})));
}

TEST(Image, RoundTrips16Bits) {
  const Scratch scratch;
  const Tensor planes = arange(4 * 30 * 40).to(DType::uint16).view({4, 30, 40});
  const double scale = 13;
  const Tensor wide = convert(planes, DType::uint16, {.scale = std::span(&scale, 1)});
  for (const Tensor& view :
       {wide.permute({1, 2, 0}), wide.permute({2, 1, 0}).narrow(2, 1, 3), wide.select(0, 3).t(),
        wide.narrow(0, 1, 2).permute({1, 2, 0}), upright(wide.select(0, 1), Orientation::rotated_180)}) {
    write_png(scratch.path("x.png"), view, Overwrite::replace);
    EXPECT_EQ(read_image_info(scratch.path("x.png")).bits, 16);
    EXPECT_TRUE(read_image(scratch.path("x.png")).equal(view.dim() == 3 ? view : view.unsqueeze(2)));
  }
}

TEST(Image, EncodesTheBytesOfTheFile) {
  const Scratch scratch;
  const Tensor x = arange(600 * 700 * 3).to(DType::uint8).view({600, 700, 3});
  write_png(scratch.path("x.png"), x);
  std::string bytes;
  encode_png(x, [&](std::span<const std::byte> part) {
    bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
  });
  EXPECT_EQ(bytes, read_bytes(scratch.path("x.png")));
  EXPECT_EQ(refusal<TypeError>([&] {
              return encode_png(zeros({2, 3}), nullptr), 0;
            }),
            "encode_png: elements of float32 must be uint8, uint16 or bool (shape (2,3)); scale them to "
            "0..255 and use .to(uint8)");
  // What the sink throws arrives, and nothing behind it is written.
  int calls = 0;
  const auto full = [&](std::span<const std::byte>) {
    ++calls;
    throw std::runtime_error("full");
  };
  EXPECT_EQ(refusal<std::runtime_error>([&] { return encode_png(x, full), 0; }), "full");
  EXPECT_EQ(calls, 1);
}

TEST(Image, WritesAnyLayout) {
  const Scratch scratch;
  const Tensor planes = arange(3 * 40 * 50).to(DType::uint8).view({3, 40, 50});
  const std::vector<Tensor> views{
      planes.permute({1, 2, 0}),
      planes.permute({2, 1, 0}),
      planes.select(0, 1).slice(1, 3, 40, 4),
      planes.select(0, 1).t(),
      planes.slice(0, 0, 1).expand({3, 40, 50}).permute({1, 2, 0}),
      planes.narrow(2, 7, 3),
      Tensor(planes.storage(), {{4, 5, 3}, {-50, -3, 1}, 500}, DType::uint8),
  };
  for (const Tensor& view : views) {
    write_png(scratch.path("x.png"), view, Overwrite::replace);
    EXPECT_TRUE(read_image(scratch.path("x.png")).equal(view.dim() == 3 ? view : view.unsqueeze(2)));
  }
}

TEST(Image, BoolIsBlackAndWhite) {
  const Scratch scratch;
  Tensor mask = zeros({3, 5}, {.dtype = DType::bool_});
  mask.select(1, 2).fill_(true);
  write_png(scratch.path("x.png"), mask);
  const Tensor wanted = mask.to(DType::int64).unsqueeze(2);
  const double white = 255;
  EXPECT_TRUE(read_image(scratch.path("x.png"))
                  .equal(convert(wanted, DType::uint8, {.scale = std::span(&white, 1)})));
}

TEST(ImageErrors, WhatPngCannotHold) {
  const Scratch scratch;
  const std::string path = scratch.path("x.png");
  const auto refused = [&]<typename E>(std::type_identity<E>, const Tensor& image) {
    return refusal<E>([&] { return write_png(path, image), 0; });
  };
  const auto bytes = [](const Dims& shape) { return zeros(shape, {.dtype = DType::uint8}); };
  const std::type_identity<ShapeError> shape_error;
  EXPECT_EQ(
      refused(std::type_identity<TypeError>(), zeros({2, 3})),
      "write_png: elements of float32 must be uint8, uint16 or bool (shape (2,3)); scale them to 0..255 and "
      "use .to(uint8)");
  EXPECT_EQ(refused(shape_error, bytes({3, 20, 30})),
            "write_png: shape (3,20,30) must be (h,w,c) with c of 1 to 4; use .permute(1,2,0)");
  EXPECT_EQ(refused(shape_error, bytes({20, 30, 5})),
            "write_png: shape (20,30,5) must be (h,w,c) with c of 1 to 4");
  EXPECT_EQ(refused(shape_error, bytes({20})), "write_png: shape (20) must be (h,w) or (h,w,c)");
  EXPECT_EQ(refused(shape_error, bytes({0, 3})),
            "write_png: shape (0,3) must have a height and width of 1 to 2147483647");
  EXPECT_EQ(refused(std::type_identity<RuntimeError>(),
                    empty({2, 3}, {.dtype = DType::uint8, .device = Device::meta})),
            "write_png: a meta tensor has no elements to be written (shape (2,3))");
  EXPECT_TRUE(scratch.names().empty());
  scratch.file("x.png", "old");
  EXPECT_EQ(refused(std::type_identity<FileError>(), bytes({2, 3})),
            "write_png: \"" + path + "\" exists already and must not be replaced (Overwrite::refuse)");
  EXPECT_EQ(read_bytes(path), "old");
}

TEST(ImageErrors, WhatIsNoPicture) {
  const Scratch scratch;
  const std::string path = scratch.path("x");
  const auto refused = [&](const std::string& bytes) {
    scratch.file("x", bytes);
    const std::string text = refusal<FileError>([&] { return read_image(path); });
    const std::string start = "read_image: \"" + path + "\" ";
    return text.starts_with(start) ? text.substr(start.size()) : text;
  };
  EXPECT_EQ(refused(""), "must be a PNG, JPEG, JPEG 2000 or GIF image, it begins with nothing, it is empty");
  EXPECT_EQ(refused("BM______"),
            "must be a PNG, JPEG, JPEG 2000 or GIF image, it begins with the bytes 42 4d 5f 5f 5f 5f (a BMP "
            "image)");
  EXPECT_EQ(refused("\x89PNG\r\n\x1a\n"), "must be a PNG image that can be read: the file ends early");
  EXPECT_EQ(refused("\xff\xd8\xff"), "must be a JPEG image that can be read: Premature end of JPEG file");

  // IHDR with a size of 2^20 x 2^20; the checksum is right.
  EXPECT_EQ(refused(from_hex("89504e470d0a1a0a0000000d4948445200100000001000000802000000c44a3792") +
                    picture("png-rgb").file.substr(33)),
            "has 1048576 x 1048576 pixels, which must be at most 268435456");
  std::string jpeg = picture("jpeg-gray").file;
  const std::size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xff\x00\xff\x00", 4);
  EXPECT_EQ(refused(jpeg), "has 65280 x 65280 pixels, which must be at most 268435456");
}

TEST(ImageErrors, AChunkBeyondTheFileIsRefused) {
  const Scratch scratch;
  std::string png = picture("png-rgb").file;
  png.insert(33, from_hex("6f00001a65584966"));  // a chunk of EXIF that is said to have 1.8 GB
  const std::string path = scratch.file("x", png);
  EXPECT_EQ(refusal<FileError>([&] { return read_image_info(path); }),
            "read_image: \"" + path + "\" must be a PNG image that can be read: the file ends early");
}

TEST(ImageErrors, EveryTruncationIsRefused) {
  const Scratch scratch;
  for (const Picture& picture : pictures()) {
    for (std::size_t length = 0; length < picture.file.size(); ++length) {
      const std::string path = scratch.file("x", picture.file.substr(0, length));
      EXPECT_THROW(read_image(path), FileError) << picture.name << " " << length;
    }
  }
}

TEST(ImageErrors, DamagedPicturesAreReadOrRefused) {
  const Scratch scratch;
  const std::vector<Picture> all = pictures();
  Dice dice(2);
  int refusals = 0;
  for (int round = 0; round < 3000; ++round) {
    const Picture& picture = all[dice.roll(all.size())];
    std::string bytes = picture.file;
    for (std::size_t changes = 1 + dice.roll(3); changes > 0; --changes) {
      // The pictures' own headers are short; changes there find most.
      const std::size_t reach = dice.roll(2) == 0 ? std::min<std::size_t>(bytes.size(), 60) : bytes.size();
      bytes[dice.roll(reach)] = static_cast<char>(dice.roll(256));
    }
    const std::string path = scratch.file("x", bytes);
    try {
      const ImageInfo info = read_image_info(path);
      if (info.height * info.width > 1 << 20) continue;  // time, not memory, would be lost
      EXPECT_EQ(read_image(path).shape(), (Dims{info.height, info.width, info.channels}));
    } catch (const FileError&) {
      ++refusals;
    }
  }
  EXPECT_GT(refusals, 500);
}

TEST(ImageErrors, NothingIsPrinted) {
  const Scratch scratch;
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  for (const Picture& picture : pictures()) {
    std::string bytes = picture.file;
    for (std::size_t at = 30; at < bytes.size(); at += 41) bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    static_cast<void>(refusal<FileError>([&] { return read_image(scratch.file("x", bytes)); }));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

#else

TEST(Image, ABuildWithoutImagesSaysSo) {
  EXPECT_EQ(refusal<FileError>([] { return read_image("x.png"); }),
            "read_image: \"x.png\" must be of a format this build knows: it was configured with "
            "-DTENSTRIDE_WITH_IMAGES=OFF and has no images");
}

#endif

}  // namespace
}  // namespace tenstride::io
