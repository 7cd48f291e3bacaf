// SPDX-License-Identifier: Apache-2.0
// Files whose flat elements are not written as they lie in memory: big-endian ones, and those that are
// packed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <thread>

#include "support/permuted_file.hpp"
#include "support/refusal.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride {
namespace {

using io::FileOptions;
using oracle::Random;
using testing::file_options;
using testing::random_tensor;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

using Names = std::vector<std::string>;

/// The elements as bytes, the most significant first.
std::string big_endian(const Tensor& tensor) {
  const Tensor elements = tensor.contiguous();
  const auto* const first = static_cast<const char*>(elements.data_ptr());
  std::string bytes(first, elements.nbytes());
  const std::size_t item = item_size(tensor.dtype());
  for (std::size_t at = 0; at < bytes.size(); at += item) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    if constexpr (std::endian::native == std::endian::little)
      std::reverse(begin, begin + static_cast<std::ptrdiff_t>(item));
  }
  return bytes;
}

TEST(WrittenOtherwise, ElementsOfNetcdfAreBigEndianWhateverThePlan) {
  const Scratch scratch;
  Random random(31);
  const std::string path = scratch.path("y.cdf");
  for (const DType dtype : {DType::uint8, DType::int16, DType::float32, DType::int64}) {
    const Tensor x = random_tensor(random, {150, 3, 110}, dtype);
    io::save_npy(scratch.path("x.npy"), x, {.overwrite = io::Overwrite::replace});
    for (const std::string chain : {"x", "x.permute(2, 1, 0)", "x[::2].flip(0).mT"}) {
      const Tensor wanted = *evaluate(Program::parse(chain), {.inputs = {{"x", x}}}).value.tensor();
      io::save_tensor_file(path, {{"", wanted}}, {.overwrite = io::Overwrite::replace});
      const std::string saved = read_bytes(path);
      const std::string elements = big_endian(wanted);
      const io::FileInfo info = io::read_file_info(path);
      EXPECT_EQ(saved.substr(info.data_begin, elements.size()), elements);
      EXPECT_TRUE(io::load_tensor_file(info).equal(wanted));
      for (const std::uint64_t memory : {20'000U, 60'000U, 4'000'000U}) {
        for (const double seconds : {1e-5, 0.1}) {  // one pass, or two
          FileOptions options = file_options(memory, testing::dear_requests(1));
          options.disk->seconds_per_request = seconds;
          options.check = io::FileCheck::checksum;
          io::permute_file(scratch.path("x.npy"), chain, path, options);
          EXPECT_TRUE(read_bytes(path) == saved) << chain << ' ' << memory << ' ' << name(dtype);
        }
      }
    }
  }
}

/// Interrupts a job at its first calls, and goes on.
void run_interrupted(const std::string& source, const std::string& destination, FileOptions options) {
  options.overwrite = io::Overwrite::refuse;
  options.access = io::DiskAccess::buffered;
  int calls = 0;
  const auto stop = [&](const io::Progress&) {
    if (++calls == 3) throw io::Interrupted("stopped");
    std::this_thread::sleep_for(std::chrono::milliseconds(51));
  };
  EXPECT_EQ(refusal<io::Interrupted>([&] { io::permute_file(source, "x.t()", destination, options, stop); }),
            "stopped");
  options.resume = io::Resume::required;
  EXPECT_TRUE(io::permute_file(source, "x.t()", destination, options).is_resumed);
}

TEST(WrittenOtherwiseThreads, GoOnWhereTheyWereInterrupted) {
  Random random(32);
  const Tensor x = random_tensor(random, {300, 210}, DType::float32);
  for (const std::string suffix : {".cdf", ".nii.gz", ".hdr", ".img.gz"}) {
    const Scratch scratch;
    io::save_npy(scratch.path("x.npy"), x);
    const std::string destination = scratch.path("y" + suffix);
    FileOptions options = file_options(40'000, testing::dear_requests(1));
    options.disk->seconds_per_request = 1e-5;
    run_interrupted(scratch.path("x.npy"), destination, options);
    EXPECT_TRUE(io::load_tensor_file(io::read_file_info(destination)).equal(x.t())) << suffix;
    const Names pair =
        suffix == ".hdr" ? Names{"x.npy", "y.hdr", "y.img"} : Names{"x.npy", "y.hdr.gz", "y.img.gz"};
    const bool is_pair = suffix == ".hdr" || suffix == ".img.gz";
    EXPECT_EQ(scratch.names(), is_pair ? pair : (Names{"x.npy", "y" + suffix}));
  }
}

TEST(WrittenOtherwise, PackedFilesAreTheSameFromMemoryAndFromFiles) {
  Random random(33);
  const Tensor x = random_tensor(random, {70, 5, 40}, DType::int16);
  const Scratch scratch;
  io::save_npy(scratch.path("x.npy"), x);
  for (const std::string suffix : {".nii.gz", ".img", ".hdr.gz"}) {
    io::save_tensor_file(scratch.path("m" + suffix), {{"", x.permute({2, 0, 1})}});
    io::permute_file(scratch.path("x.npy"), "x.permute(2, 0, 1)", scratch.path("f" + suffix),
                     file_options(30'000, testing::dear_requests(1)));
    EXPECT_TRUE(
        io::load_tensor_file(io::read_file_info(scratch.path("f" + suffix))).equal(x.permute({2, 0, 1})));
    EXPECT_TRUE(
        io::load_tensor_file(io::read_file_info(scratch.path("m" + suffix))).equal(x.permute({2, 0, 1})));
    EXPECT_TRUE(read_bytes(scratch.path("m" + suffix)) == read_bytes(scratch.path("f" + suffix))) << suffix;
  }
}

TEST(WrittenOtherwise, PackedFilesHaveRoomForWhatTheyArePackedFrom) {
  const Scratch scratch;
  io::save_npy(scratch.path("x.npy"), zeros({300, 210}));
  const FileOptions options = file_options(40'000, testing::dear_requests(1));
  const auto plan = [&](const std::string& suffix) {
    return io::plan_permute_file(scratch.path("x.npy"), "x", scratch.path("y" + suffix), options);
  };
  constexpr std::uint64_t nbytes = 352 + 300 * 210 * 4;
  const io::FileJob plain = plan(".nii"), packed = plan(".nii.gz"), pair = plan(".img");
  EXPECT_EQ(plain.bytes_beside(), plain.temporary_bytes);
  EXPECT_EQ((std::array{plain.nbytes, packed.nbytes, pair.nbytes}), (std::array{nbytes, nbytes, nbytes}));
  // Deflate makes at most 1032 bytes of one.
  EXPECT_EQ((std::array{plain.min_packed_bytes, packed.min_packed_bytes, pair.min_packed_bytes}),
            (std::array{std::uint64_t{0}, nbytes / 1032, nbytes}));
  for (const io::FileJob* job : {&packed, &pair}) {
    EXPECT_EQ(job->bytes_beside(), job->temporary_bytes + nbytes);
    EXPECT_EQ(to_string(*job),
              to_string(plain) + "pack    252352 bytes at the end, from a file beside the destination\n");
  }
}

}  // namespace
}  // namespace tenstride
