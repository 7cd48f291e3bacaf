// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/nifti/files.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"

namespace tenstride::io {
namespace {

using testing::refusal;
using testing::Scratch;

template <typename Number>
std::string bytes_of_number(Number value, ByteOrder order) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  if (order == ByteOrder::swapped) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

/// A header of zeros, with what a test puts there.
struct HandMade {
  std::string bytes;
  ByteOrder order = ByteOrder::native;

  template <typename Number>
  HandMade& put(std::size_t begin, Number value) {
    bytes.replace(begin, sizeof value, bytes_of_number(value, order));
    return *this;
  }
  HandMade& put(std::size_t begin, const std::string& text) {
    bytes.replace(begin, text.size(), text);
    return *this;
  }
};

/// A single NIfTI-1 file of (3,2) int16, 12 bytes from byte 352 on.
HandMade nifti_one(ByteOrder order = ByteOrder::native) {
  HandMade file{std::string(364, '\0'), order};
  file.put(0, std::int32_t{348}).put(344, std::string("n+1\0", 4)).put(108, 352.0F);
  file.put(40, std::int16_t{2}).put(42, std::int16_t{3}).put(44, std::int16_t{2});
  return file.put(70, std::int16_t{4}).put(72, std::int16_t{16});
}

/// The same as NIfTI-2, 12 bytes from byte 544 on.
HandMade nifti_two(ByteOrder order = ByteOrder::native) {
  HandMade file{std::string(556, '\0'), order};
  file.put(0, std::int32_t{540}).put(4, std::string("n+2\0\r\n\x1a\n", 8)).put(168, std::int64_t{544});
  file.put(16, std::int64_t{2}).put(24, std::int64_t{3}).put(32, std::int64_t{2});
  return file.put(12, std::int16_t{4}).put(14, std::int16_t{16});
}

NiftiHeader parse(const std::string& file) {
  return parse_nifti_header(std::as_bytes(std::span(file)), file.size(), "x");
}

/// What the parser says about a file, without the name that begins each message.
std::string refused(const std::string& file) {
  const std::string text = refusal<FileError>([&] { return parse(file); });
  return text.starts_with("nifti: \"x\" ") ? text.substr(11) : text;
}

TEST(Nifti, BothVersionsInBothByteOrders) {
  for (const ByteOrder order : {ByteOrder::native, ByteOrder::swapped}) {
    for (const int version : {1, 2}) {
      const NiftiHeader header = parse((version == 1 ? nifti_one(order) : nifti_two(order)).bytes);
      EXPECT_EQ(header.version, version);
      EXPECT_EQ(header.files, NiftiFiles::single);
      EXPECT_EQ(header.dtype, DType::int16);
      EXPECT_EQ(header.byte_order, order);
      EXPECT_EQ(header.layout, (Layout{{3, 2}, {1, 3}, 0}));
      EXPECT_EQ(header.data_begin, version == 1 ? 352U : 544U);
      EXPECT_EQ(header.nbytes, 12U);
      EXPECT_FALSE(header.is_scaled());
      EXPECT_EQ(header.axis_names, (std::vector<std::string>{"x", "y"}));
    }
  }
}

TEST(Nifti, ElementsMayBeginAnywhereAndBytesMayFollow) {
  HandMade file = nifti_one();
  file.put(108, 361.0F).bytes.resize(1000);
  EXPECT_EQ(parse(file.bytes).data_begin, 361U);
}

TEST(Nifti, SlopesThatScale) {
  EXPECT_EQ(parse(nifti_one().put(112, 0.1F).put(116, -3.0F).bytes).scl_slope, 0.1);
  EXPECT_EQ(parse(nifti_one().put(112, 0.1F).put(116, -3.0F).bytes).scl_inter, -3.0);
  EXPECT_TRUE(parse(nifti_two().put(176, 2.5).bytes).is_scaled());
  EXPECT_FALSE(parse(nifti_one().put(116, 7.0F).bytes).is_scaled());
  constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(parse(nifti_one().put(112, not_a_number).put(116, 7.0F).bytes).is_scaled());
  EXPECT_EQ(parse(nifti_one().put(112, 2.0F).put(116, not_a_number).bytes).scl_inter, 0);
}

TEST(Nifti, NamesOfAxes) {
  HandMade file = nifti_one();
  file.put(40, std::int16_t{5}).put(46, std::int16_t{1}).put(48, std::int16_t{1}).put(50, std::int16_t{1});
  EXPECT_EQ(parse(file.bytes).axis_names, (std::vector<std::string>{"x", "y", "z", "t", "c"}));
  file.bytes[123] = 32;  // hertz
  EXPECT_EQ(parse(file.bytes).axis_names, (std::vector<std::string>{"x", "y", "z", "", "c"}));
}

TEST(Nifti, ColoursAreTheFirstAxis) {
  HandMade file = nifti_one();
  file.put(70, std::int16_t{128}).put(112, 2.0F).bytes.resize(370);
  const NiftiHeader header = parse(file.bytes);
  EXPECT_EQ(header.dtype, DType::uint8);
  EXPECT_FALSE(header.is_scaled());
  EXPECT_EQ(header.layout, (Layout{{3, 3, 2}, {1, 3, 9}, 0}));
  EXPECT_EQ(header.axis_names, (std::vector<std::string>{"rgb", "x", "y"}));
  const std::string again = nifti_header({3, 3, 2}, DType::uint8, {.attributes = header.attributes});
  EXPECT_EQ(parse(again + std::string(18, '\0')).layout, header.layout);
}

TEST(Nifti, APairHasItsElementsBesideTheHeader) {
  const Scratch scratch;
  HandMade file = nifti_one();
  file.put(344, std::string("ni1\0", 4)).put(108, 0.0F).bytes.resize(348);
  const std::string header = scratch.file("a.hdr", file.bytes);
  EXPECT_EQ(refusal<FileError>([&] { return read_nifti(header); }),
            "nifti: \"" + header + "\" is the header of a NIfTI pair and must have its elements in \"" +
                scratch.path("a.img") + "\" or \"" + scratch.path("a.img.gz") + "\"");
  scratch.file("a.img", std::string(11, '\0'));
  EXPECT_EQ(
      refusal<FileError>([&] { return read_nifti(header); }),
      "nifti: \"" + scratch.path("a.img") +
          "\" ends after 11 bytes and must hold 12 bytes of elements from byte 0 on (shape (3,2), int16)");
  scratch.file("a.img", std::string(12, '\0'));
  EXPECT_EQ(read_nifti(header).data_path, scratch.path("a.img"));
  EXPECT_EQ(read_nifti(scratch.path("a.img")).header.layout.shape, (Dims{3, 2}));
  const std::string other = scratch.file("a.nii", file.bytes);
  EXPECT_EQ(
      refusal<FileError>([&] { return read_nifti(other); }),
      "nifti: \"" + other +
          "\" is the header of a NIfTI pair and must be named NAME.hdr, beside NAME.img with the elements");
}

TEST(Nifti, TheOtherHalfOfAPairIsTheOnePackedAlike) {
  const Scratch scratch;
  HandMade file = nifti_one();
  file.put(344, std::string("ni1\0", 4)).put(108, 0.0F).bytes.resize(348);
  scratch.file("a.hdr", file.bytes);
  scratch.file("a.img.gz", "packed");
  const NiftiFile packed = read_nifti(scratch.path("a.hdr"));
  EXPECT_EQ(packed.data_path, scratch.path("a.img.gz"));
  EXPECT_EQ(packed.packing, NiftiPacking::gzip);
  EXPECT_EQ(packed.data_nbytes, 6U);
  scratch.file("a.img", std::string(12, '\0'));
  const NiftiFile plain = read_nifti(scratch.path("a.hdr"));
  EXPECT_EQ(plain.data_path, scratch.path("a.img"));
  EXPECT_EQ(plain.packing, NiftiPacking::none);
  EXPECT_EQ(read_nifti(scratch.path("a.img.gz")).data_path, scratch.path("a.img.gz"));
  scratch.file("B.HDR", file.bytes);
  scratch.file("B.IMG", std::string(12, '\0'));
  EXPECT_EQ(read_nifti(scratch.path("B.HDR")).data_path, scratch.path("B.IMG"));
  EXPECT_EQ(read_nifti(scratch.path("B.IMG")).header.dtype, DType::int16);
}

TEST(Nifti, ElementsOfAPairMayBeginAsAnotherFileDoes) {
  const Scratch scratch;
  HandMade file = nifti_one();
  file.put(344, std::string("ni1\0", 4)).put(108, 0.0F).bytes.resize(348);
  scratch.file("a.hdr", file.bytes);
  for (const std::string start : {"\x89PNG\r\n\x1a\n", "PK\x03\x04", "\xff\xd8\xff", "\x93NUMPY"}) {
    scratch.file("a.img", (start + std::string(12, '\0')).substr(0, 12));
    const FileInfo info = read_file_info(scratch.path("a.img"));
    EXPECT_EQ(info.kind, FileKind::nifti);
    EXPECT_EQ(info.layout, (Layout{{3, 2}, {1, 3}, 0}));
  }
  // Elements of the right length are no gzip file, whatever they begin with.
  scratch.file("a.img", "\x1f\x8b\x08" + std::string(9, '\0'));
  EXPECT_EQ(read_file_info(scratch.path("a.img")).storage, ElementStorage::flat);
  scratch.file("a.img", "\x1f\x8b\x08" + std::string(20, '\0'));
  EXPECT_EQ(refusal<FileError>([&] { return read_nifti(scratch.path("a.hdr")); }),
            "nifti: \"" + scratch.path("a.img") +
                "\" begins as a gzip file does and has 23 bytes, its elements end at byte 12; packed "
                "elements must be in a file named \"" +
                scratch.path("a.img.gz") + "\"");
}

TEST(Nifti, AHeaderWithItsOwnElementsIsNoHalf) {
  const Scratch scratch;
  scratch.file("a.hdr", nifti_one().bytes);
  EXPECT_EQ(read_nifti(scratch.path("a.hdr")).data_path, scratch.path("a.hdr"));
  scratch.file("a.img", std::string(12, '\0'));
  for (const std::string half : {"a.hdr", "a.img"}) {
    EXPECT_EQ(refusal<FileError>([&] { return read_nifti(scratch.path(half)); }),
              "nifti: \"" + scratch.path("a.hdr") +
                  "\" has the mark 'n+1' of a file with its own elements and must not stand beside \"" +
                  scratch.path("a.img") + "\" (readers differ in which they take; rename one of them)");
  }
  scratch.file("b.img", nifti_one().bytes);
  EXPECT_EQ(read_nifti(scratch.path("b.img")).data_path, scratch.path("b.img"));
}

TEST(Nifti, WithoutTheMarkItIsAnAnalyzeHeader) {
  const Scratch scratch;
  for (const std::int32_t least : {0, 7}) {
    const std::string bytes = nifti_one().put(344, least).bytes;
    const NiftiHeader header = parse_nifti_header(std::as_bytes(std::span(bytes)), bytes.size(), "x");
    EXPECT_TRUE(header.is_analyze);
    EXPECT_EQ(header.files, NiftiFiles::pair);
    const std::string path = scratch.file("a.nii", bytes);
    EXPECT_EQ(
        refusal<FileError>([&] { return read_nifti(path); }),
        "nifti: \"" + path +
            "\" is an ANALYZE 7.5 header (it has no mark of NIfTI at byte 344) and must be named NAME.hdr, "
            "beside NAME.img with the elements");
  }
}

TEST(Nifti, WhatIsNoNiftiFile) {
  const std::string begins =
      "must begin with the length of a NIfTI header, 348 or 540 in 4 bytes, it begins with ";
  EXPECT_EQ(refused(""), begins + "nothing, it is empty");
  EXPECT_EQ(refused("\x5c\x01"), begins + "the bytes 5c 01");
  EXPECT_EQ(refused(nifti_one().put(0, std::int32_t{349}).bytes), begins + "the bytes 5d 01 00 00 00 00");
  EXPECT_EQ(refused(nifti_one().bytes.substr(0, 347)),
            "ends after 347 bytes and must have at least 348, its header");
  EXPECT_EQ(refused(nifti_two().bytes.substr(0, 100)),
            "ends after 100 bytes and must have at least 540, its header");
  EXPECT_EQ(refused(nifti_one().put(344, std::string("n+2\0", 4)).bytes),
            "must have the mark 'n+1' or 'ni1' at byte 344, it has the bytes 6e 2b 32 00");
  EXPECT_EQ(refused(nifti_two().put(8, std::string("\n")).bytes),
            "must have the mark 'n+2' or 'ni2' at byte 4, it has the bytes 6e 2b 32 00 0a 0a");
}

TEST(Nifti, SizesThatCannotBe) {
  for (const int rank : {0, 8, -1}) {
    EXPECT_EQ(refused(nifti_one().put(40, static_cast<std::int16_t>(rank)).bytes),
              "has dim[0] = " + std::to_string(rank) + " axes and must have 1 to 7");
  }
  EXPECT_EQ(refused(nifti_one().put(44, std::int16_t{0}).bytes),
            "has dim[2] = 0, a size, which must be at least 1");
  EXPECT_EQ(refused(nifti_one().put(42, std::int16_t{-3}).bytes),
            "has dim[1] = -3, a size, which must be at least 1");
  EXPECT_EQ(refused(nifti_two().put(24, std::int64_t{1} << 40).put(32, std::int64_t{1} << 40).bytes),
            "has the shape (1099511627776,1099511627776), whose bytes must fit a signed 64-bit integer");
  EXPECT_EQ(refused(nifti_two().put(24, std::numeric_limits<std::int64_t>::max()).bytes),
            "has the shape (9223372036854775807,2), whose bytes must fit a signed 64-bit integer");
  EXPECT_EQ(refused(nifti_one().bytes.substr(0, 363)),
            "ends after 363 bytes and must hold 12 bytes of elements from byte 352 on (shape (3,2), int16)");
}

TEST(Nifti, OffsetsThatCannotBe) {
  const auto says = [](const std::string& given) {
    return "has vox_offset = " + given + ", which must be an integer from 352 to 9223372036854775807";
  };
  EXPECT_EQ(refused(nifti_one().put(108, std::numeric_limits<float>::quiet_NaN()).bytes), says("nan"));
  EXPECT_EQ(refused(nifti_one().put(108, std::numeric_limits<float>::infinity()).bytes), says("inf"));
  EXPECT_EQ(refused(nifti_one().put(108, 1e30F).bytes), says("1e+30"));
  EXPECT_EQ(refused(nifti_one().put(108, -352.0F).bytes), says("-352"));
  EXPECT_EQ(refused(nifti_one().put(108, 348.0F).bytes), says("348"));
  EXPECT_EQ(refused(nifti_one().put(108, 352.5F).bytes), says("352.5"));
  EXPECT_EQ(refused(nifti_one().put(108, 353.0F).bytes),
            "ends after 364 bytes and must hold 12 bytes of elements from byte 353 on (shape (3,2), int16)");
  EXPECT_EQ(refused(nifti_two().put(168, std::int64_t{-1}).bytes),
            "has vox_offset = -1, which must be an integer from 544 to 9223372036854775807");
  EXPECT_EQ(refused(nifti_two().put(168, std::numeric_limits<std::int64_t>::max()).bytes),
            "ends after 556 bytes and must hold 12 bytes of elements from byte 9223372036854775807 on (shape "
            "(3,2), int16)");
}

TEST(Nifti, TypesWithoutACounterpart) {
  const auto says = [](const std::string& what) {
    return "holds elements " + what +
           " and must hold integers of 8 to 64 bits, float32, float64, complex64, complex128, RGB24 or "
           "RGBA32";
  };
  const auto with = [](int code) { return nifti_one().put(70, static_cast<std::int16_t>(code)).bytes; };
  EXPECT_EQ(refused(with(1)), says("of 1 bit (datatype 1)"));
  EXPECT_EQ(refused(with(1536)), says("float128, whose bytes differ between machines (datatype 1536)"));
  EXPECT_EQ(refused(with(2048)), says("complex256, whose bytes differ between machines (datatype 2048)"));
  EXPECT_EQ(refused(with(3)),
            "has the datatype 3, which must be one of 2 4 8 16 32 64 128 256 512 768 1024 1280 1792 2304");
}

TEST(Nifti, HeadersAreReadBackAsWritten) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (item_size(dtype) == 1 && !is_integer(dtype)) continue;
    if (dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::complex32) continue;
    for (const Dims& shape : {Dims{3}, Dims{4, 3, 2}, Dims{40000, 2}, Dims{1, 2, 1, 2, 1, 2, 1}}) {
      const std::string header = nifti_header(shape, dtype);
      const auto nbytes = static_cast<std::size_t>(count_elements(shape)) * item_size(dtype);
      const NiftiHeader read = parse(header + std::string(nbytes, '\0'));
      EXPECT_EQ(read.version, shape[0] > 32767 ? 2 : 1);
      EXPECT_EQ(read.dtype, dtype);
      EXPECT_EQ(read.layout, column_major(shape));
      EXPECT_EQ(read.data_begin, header.size());
    }
  }
}

TEST(Nifti, AttributesAreKept) {
  HandMade file = nifti_one(ByteOrder::swapped);
  file.put(148, std::string("h\xc3\xa9 \xff")).put(112, 0.1F).put(116, -3.0F).put(80, 0.7F).put(84, 2.5F);
  file.put(123, std::string("\x0a")).put(254, std::int16_t{1}).put(280, -1.5F).put(124, std::nanf(""));
  const NiftiHeader read = parse(file.bytes);
  EXPECT_EQ(
      read.attributes,
      R"({"descrip":"hé �","aux_file":"","xyzt_units":10,"dim_info":0,"intent_code":0,"intent_name":"",)"
      R"("intent_p1":0.0,"intent_p2":0.0,"intent_p3":0.0,"slice_start":0,"slice_end":0,"slice_code":0,)"
      R"("slice_duration":0.0,"toffset":0.0,"cal_max":NaN,"cal_min":0.0,"qform_code":0,"sform_code":1,)"
      R"("quatern_b":0.0,"quatern_c":0.0,"quatern_d":0.0,"qoffset_x":0.0,"qoffset_y":0.0,)"
      R"("qoffset_z":0.0,"srow_x":[-1.5,0.0,0.0,0.0],"srow_y":[0.0,0.0,0.0,0.0],)"
      R"("srow_z":[0.0,0.0,0.0,0.0],"scl_slope":0.1,"scl_inter":-3.0,"qfac":0.0,"pixdim":[0.7,2.5,0.0]})");
  for (const Dims& shape : {Dims{3, 2}, Dims{40000, 1}}) {
    const std::string header = nifti_header(shape, DType::uint8, {.attributes = read.attributes});
    const auto nbytes = static_cast<std::size_t>(count_elements(shape));
    EXPECT_EQ(parse(header + std::string(nbytes, '\0')).attributes, read.attributes);
  }
}

TEST(Nifti, WhatNoHeaderCanHold) {
  const auto says = [](const std::string& attributes) {
    return refusal<ValueError>([&] { return nifti_header({3}, DType::uint8, {.attributes = attributes}); });
  };
  EXPECT_EQ(says("[1]"), "save_nifti: the attributes must be a JSON object, they begin with '[1]'");
  EXPECT_EQ(says("{"), "save_nifti: the attributes must be a JSON object, they begin with '{'");
  EXPECT_EQ(says(R"({"descrip":7})"), "save_nifti: attribute \"descrip\" is 7 and must be a text (NIfTI-1)");
  EXPECT_EQ(
      says(R"({"sform_code":70000})"),
      "save_nifti: attribute \"sform_code\" is 70000 and must be a signed integer of 16 bits (NIfTI-1)");
  EXPECT_EQ(
      says(R"({"slice_end":18446744073709551615})"),
      "save_nifti: attribute \"slice_end\" is 18446744073709551615 and must be a signed integer of 16 bits "
      "(NIfTI-1)");
  EXPECT_EQ(says(R"({"xyzt_units":-1})"),
            "save_nifti: attribute \"xyzt_units\" is -1 and must be an unsigned integer of 8 bits (NIfTI-1)");
  EXPECT_EQ(
      says(R"({"srow_x":[1,2,3,4,5]})"),
      "save_nifti: attribute \"srow_x\" is [1,2,3,4,5] and must be a list of at most 4 numbers (NIfTI-1)");
  EXPECT_EQ(says(R"({"cal_max":"1"})"),
            "save_nifti: attribute \"cal_max\" is \"1\" and must be a number or null (NIfTI-1)");
  EXPECT_EQ(refusal<TypeError>([] { return nifti_header({3}, DType::bool_); }),
            "save_nifti: elements of bool must be of a type that NIfTI has; use .to(uint8)");
  EXPECT_EQ(refusal<TypeError>([] { return nifti_header({3}, DType::float16); }),
            "save_nifti: elements of float16 must be of a type that NIfTI has; use .to(float32)");
  for (const Dims& shape : {Dims{}, Dims{3, 0}, Dims{1, 1, 1, 1, 1, 1, 1, 1}}) {
    EXPECT_EQ(refusal<ShapeError>([&] { return nifti_header(shape, DType::uint8); }),
              "save_nifti: shape " + tenstride::detail::to_text(shape) +
                  " must have 1 to 7 axes of at least 1 (NIfTI)");
  }
}

}  // namespace
}  // namespace tenstride::io
