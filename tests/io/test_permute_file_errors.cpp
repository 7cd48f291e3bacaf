// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/permuted_file.hpp"
#include "support/refusal.hpp"

namespace tenstride {
namespace {

using io::FileJob;
using io::FileOptions;
using io::FileResult;
using io::Progress;
using io::Resume;
using oracle::Random;
using testing::file_options;
using testing::random_tensor;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

using Names = std::vector<std::string>;

/// "x.npy" of 300 x 210 floats, to be transposed into "y.npy" in many tiles.
class Transposed {
 public:
  Transposed() : options(file_options(40'000, testing::dear_requests(1))) {
    Random random(21);
    io::save_npy(source, random_tensor(random, {300, 210}, DType::float32));
    options.disk->seconds_per_request = 1e-5;  // one pass
    options.access = io::DiskAccess::buffered;
    options.overwrite = io::Overwrite::refuse;
  }
  [[nodiscard]] FileJob plan() const { return io::plan_permute_file(source, "x.t()", destination, options); }
  /// Runs it again after an interruption.
  FileResult resume(const io::ProgressCallback& progress = {}) {
    options.resume = Resume::required;
    return io::run(plan(), progress);
  }
  void expect_whole() const {
    const Tensor wanted = io::load_npy(source).t();
    io::save_npy(scratch.path("wanted.npy"), wanted);
    EXPECT_TRUE(read_bytes(destination) == read_bytes(scratch.path("wanted.npy")));
    std::filesystem::remove(scratch.path("wanted.npy"));
    EXPECT_EQ(scratch.names(), (Names{"x.npy", "y.npy"}));
  }
  void change_source() const {
    const auto time = std::filesystem::last_write_time(source);
    std::filesystem::last_write_time(source, time + std::chrono::seconds(2));
  }
  /// Begins and is interrupted at the `number`-th call; gives what that call was told.
  [[nodiscard]] Progress interrupt_at(int number) const {
    Progress last;
    int calls = 0;
    const auto callback = [&](const Progress& progress) {
      last = progress;
      if (++calls == number) throw io::Interrupted("stopped");
      // Calls come 50 ms apart, in which many tiles would be done otherwise.
      std::this_thread::sleep_for(std::chrono::milliseconds(51));
    };
    EXPECT_EQ(refusal<io::Interrupted>([&] { return io::run(plan(), callback); }), "stopped");
    EXPECT_EQ(scratch.names(), (Names{".y.npy.tenstride-journal", ".y.npy.tenstride-part", "x.npy"}));
    return last;
  }

  Scratch scratch;
  std::string source = scratch.path("x.npy");
  std::string destination = scratch.path("y.npy");
  FileOptions options;
};

TEST(PermuteFileThreads, TellProgressUpToAllBytes) {
  const Transposed job;
  const FileJob plan = job.plan();
  std::vector<Progress> told;
  io::run(plan, [&](const Progress& progress) {
    told.push_back(progress);
    if (told.size() < 6) std::this_thread::sleep_for(std::chrono::milliseconds(51));
  });
  ASSERT_GE(told.size(), 2U);
  const std::uint64_t all = plan.bytes_read + plan.bytes_written;
  for (std::size_t n = 0; n < told.size(); ++n) {
    EXPECT_EQ(told[n].bytes, all);
    EXPECT_EQ(told[n].tiles,
              static_cast<std::uint64_t>(plan_of(plan).tensors[0].stages[0].plan.passes[0].tiles));
    EXPECT_EQ(told[n].pass, 1);
    EXPECT_EQ(told[n].passes, 1);
    EXPECT_EQ(told[n].bytes_earlier, 0U);
    EXPECT_EQ(told[n].seconds_foretold, plan.seconds);
    if (n == 0) continue;
    EXPECT_GE(told[n].bytes_done, told[n - 1].bytes_done);
    EXPECT_GE(told[n].tiles_done, told[n - 1].tiles_done);
    EXPECT_GE(told[n].seconds, told[n - 1].seconds);
  }
  EXPECT_EQ(told.back().bytes_done, all);
  EXPECT_EQ(told.back().tiles_done, told.back().tiles);
  job.expect_whole();
}

TEST(PermuteFile, TellsThePassesOfAllStages) {
  const Scratch scratch;
  Random random(22);
  io::save_npy(scratch.path("x.npy"), random_tensor(random, {600, 610}, DType::uint8));
  FileOptions options = file_options(30'000, testing::dear_requests(1));
  options.access = io::DiskAccess::buffered;
  const FileJob job = io::plan_permute_file(scratch.path("x.npy"), "x.t().reshape(1000, 366).t()",
                                            scratch.path("y.npy"), options);
  EXPECT_EQ(job.passes, 4U);
  int last = 0;
  io::run(job, [&](const Progress& progress) {
    EXPECT_GE(progress.pass, last);
    last = progress.pass;
    EXPECT_EQ(progress.passes, 4);
  });
  EXPECT_EQ(last, 4);
}

TEST(PermuteFileThreads, GoOnWhereTheyWereInterrupted) {
  for (const int number : {1, 2, 4, 8}) {
    Transposed job;
    const FileJob plan = job.plan();
    ASSERT_GT(plan_of(plan).tensors[0].stages[0].plan.passes[0].tiles, 12);
    const Progress before = job.interrupt_at(number);
    std::vector<Progress> told;
    const FileResult result = job.resume([&](const Progress& progress) { told.push_back(progress); });
    EXPECT_TRUE(result.is_resumed);
    EXPECT_EQ(result.checksum, checksum(io::load_npy(job.source).t()));
    // Not done again: tiles that were finished when the interruption came, or after it was asked for.
    ASSERT_FALSE(told.empty());
    EXPECT_GE(told[0].tiles_done, before.tiles_done);
    const std::uint64_t all = plan.bytes_read + plan.bytes_written;
    const std::uint64_t tile = all / told[0].tiles;
    EXPECT_NEAR(static_cast<double>(result.bytes_read + result.bytes_written + told[0].bytes_earlier),
                static_cast<double>(all), 2 * static_cast<double>(tile));
    EXPECT_EQ(told.back().bytes_done, all);
    job.expect_whole();
  }
}

TEST(PermuteFile, GoesOnInEitherOfTwoPassesWithPages) {
  for (const int number : {2, 12}) {
    const Scratch scratch;
    Random random(23);
    io::save_npy(scratch.path("x.npy"), random_tensor(random, {1400, 1500}, DType::float32));
    FileOptions options = file_options(1'300'000, testing::dear_requests(4096));
    const std::string source = scratch.path("x.npy"), destination = scratch.path("y.npy");
    const FileJob job = io::plan_permute_file(source, "x.t()", destination, options);
    ASSERT_EQ(plan_of(job).tensors[0].stages[0].plan.passes.size(), 2U);
    int calls = 0;
    const auto stop = [&](const Progress&) {
      if (++calls == number) throw io::Interrupted("stopped");
      std::this_thread::sleep_for(std::chrono::milliseconds(51));
    };
    EXPECT_EQ(refusal<io::Interrupted>([&] { return io::run(job, stop); }), "stopped");
    options.resume = Resume::if_there;
    const FileResult result = io::permute_file(source, "x.t()", destination, options);
    EXPECT_TRUE(result.is_resumed);
    EXPECT_LE(result.bytes_read, job.bytes_read);
    const Tensor wanted = io::load_npy(source).t();
    EXPECT_EQ(result.checksum, checksum(wanted));
    EXPECT_TRUE(io::load_npy(destination).equal(wanted)) << number;
    EXPECT_EQ(scratch.names(), (Names{"x.npy", "y.npy"}));
  }
}

TEST(PermuteFile, ResumesByThePlanThatItWasBegunWith) {
  Transposed job;
  static_cast<void>(job.interrupt_at(3));
  job.options.memory = 400'000;  // more may be given: the plan stays
  job.options.disk = DiskRates{};
  EXPECT_TRUE(job.resume().is_resumed);
  job.expect_whole();
}

TEST(PermuteFile, RefusesToResumeWithLessMemory) {
  Transposed job;
  static_cast<void>(job.interrupt_at(2));
  job.options.memory = 30'000;
  EXPECT_EQ(refusal<io::MemoryLimitError>([&] { return job.resume(); }),
            "permute_file: memory of 30000 bytes must be at least the 40000 bytes that \"" + job.destination +
                "\" was begun with (or begin anew, without resuming)");
}

TEST(PermuteFile, RefusesToResumeFromAChangedSource) {
  Transposed job;
  static_cast<void>(job.interrupt_at(2));
  job.change_source();
  const std::string text = refusal<FileError>([&] { return job.resume(); });
  EXPECT_TRUE(text.starts_with("permute_file: \"" + job.source + "\" must be as it was when \"" +
                               job.destination + "\" was begun: it was written at "))
      << text;
  job.options.resume = Resume::no;
  EXPECT_FALSE(io::run(job.plan()).is_resumed);
  job.expect_whole();
}

TEST(PermuteFile, RefusesToResumeWhatWasNotBegun) {
  Transposed job;
  EXPECT_EQ(refusal<FileError>([&] { return job.resume(); }),
            "permute_file: \"" + job.destination + "\" must have been begun to be resumed (there is no \"" +
                job.scratch.path(".y.npy.tenstride-journal") + "\")");
}

TEST(PermuteFile, LeavesNothingOfATruncatedSource) {
  const Transposed job;
  const FileJob plan = job.plan();
  std::filesystem::resize_file(job.source, 100'000);
  const std::string text = refusal<FileError>([&] { return io::run(plan); });
  EXPECT_TRUE(text.starts_with("permute_file: \"" + job.source + "\" must have ")) << text;
  EXPECT_TRUE(text.ends_with("(truncated while it was read?)")) << text;
  EXPECT_EQ(job.scratch.names(), Names{"x.npy"});
}

TEST(PermuteFile, LeavesNothingOfASourceThatChanges) {
  const Transposed job;
  int calls = 0;
  EXPECT_EQ(refusal<FileError>([&] {
              return io::run(job.plan(), [&](const Progress&) {
                if (++calls == 1) job.change_source();
              });
            }),
            "permute_file: \"" + job.source + "\" must not change while it is read");
  EXPECT_EQ(job.scratch.names(), Names{"x.npy"});
}

TEST(PermuteFile, RefusesADestinationThatIsThere) {
  Transposed job;
  job.scratch.file("y.npy", "kept");
  const FileJob plan = job.plan();
  EXPECT_EQ(refusal<FileError>([&] { return io::run(plan); }),
            "permute_file: \"" + job.destination +
                "\" exists already and must not be replaced (Overwrite::refuse)");
  EXPECT_EQ(read_bytes(job.destination), "kept");
  EXPECT_EQ(job.scratch.names(), (Names{"x.npy", "y.npy"}));
  job.options.overwrite = io::Overwrite::replace;
  io::run(job.plan());
  job.expect_whole();
}

TEST(PermuteFile, ReplacesItsOwnSource) {
  Transposed job;
  const Tensor before = io::load_npy(job.source);
  job.options.overwrite = io::Overwrite::replace;
  io::permute_file(job.source, "x.t()", job.source, job.options);
  EXPECT_TRUE(io::load_npy(job.source).equal(before.t()));
  EXPECT_EQ(job.scratch.names(), Names{"x.npy"});
}

TEST(PermuteFile, SaysTheLeastMemory) {
  Transposed job;
  job.options.memory = 30;
  std::uint64_t least = 0;
  try {
    static_cast<void>(job.plan());
  } catch (const io::MemoryLimitError& error) {
    least = error.least();
    EXPECT_EQ(std::string(error.what()), "permute_file: memory of 30 bytes must be at least " +
                                             std::to_string(least) + " bytes for these axes");
  }
  ASSERT_GT(least, 30U);
  job.options.memory = least;
  io::run(job.plan());
  job.expect_whole();
}

TEST(PermuteFile, MinimumMemoryIsThatOfAllStagesAndOfReadingBack) {
  const Scratch scratch;
  Random random(22);
  io::save_npy(scratch.path("x.npy"), random_tensor(random, {30, 42}, DType::int16));
  for (const char* const chain : {"x.t().to(torch.float64)", "x.t().reshape(35, 36).t().to(torch.float64)"}) {
    io::FileOptions options = file_options(0, testing::dear_requests(1));
    options.access = io::DiskAccess::buffered;
    options.check = io::FileCheck::checksum;
    options.memory = testing::min_memory(scratch, chain, options);
    EXPECT_TRUE(io::run(io::plan_permute_file(scratch.path("x.npy"), chain, scratch.path("y.npy"), options))
                    .is_checked)
        << chain;
  }
}

TEST(PermuteFile, SaysWhyAChainCannotBeCarriedOut) {
  const Transposed job;
  const io::FileInfo info = io::read_file_info(job.source);
  for (const char* const chain : {"x", "x.t()[::2]", "x.to(torch.int8)", "x.reshape(-1)", "x.flip(0)",
                                  "x.sum(0)", "reduce(x, 'a b -> b', 'mean')"}) {
    EXPECT_EQ(io::obstacle_to_permute_file(chain, info), "") << chain;
  }
  EXPECT_EQ(io::obstacle_to_permute_file("x.t() + 1", info),
            "x.t() + 1 does more than move, convert or once reduce elements of x");
  EXPECT_EQ(io::obstacle_to_permute_file("x.abs()", info),
            ".abs() does more than move, convert or once reduce elements of x");
  EXPECT_EQ(io::obstacle_to_permute_file("x.sum(0).sum(0)", info),
            ".sum(0) does more than move, convert or once reduce elements of x");
  EXPECT_EQ(io::obstacle_to_permute_file("x.view(3, 100, 210).sum(0).t()", info),
            "axes are moved behind the reduction (move them before it)");
  EXPECT_EQ(io::obstacle_to_permute_file("x.sum(0).half()", info),
            ".half() converts what was reduced (--dtype does that)");
  EXPECT_EQ(io::obstacle_to_permute_file("x.shape", info), "it gives torch.Size, not a Tensor");
  EXPECT_EQ(io::obstacle_to_permute_file("y = x.t(); x[0]", info), "it is no single chain on x");
  EXPECT_EQ(io::obstacle_to_permute_file("torch.zeros(3)", info),
            "torch.zeros(3) does more than move, convert or once reduce elements of x");
  EXPECT_EQ(refusal<ValueError>(
                [&] { return io::plan_permute_file(job.source, "x.abs()", job.destination, job.options); }),
            "permute_file: \"x.abs()\" must move, convert or once reduce elements, to be carried out from "
            "file to file: "
            ".abs() does more than move, convert or once reduce elements of x");
  EXPECT_EQ(
      refusal<RuntimeError>(
          [&] { return io::plan_permute_file(job.source, "x.view(7)", job.destination, job.options); }),
      "RuntimeError: view: sizes (7) make 7 elements and must make the tensor's 63000 (shape (300,210))");
}

TEST(PermuteFile, RefusesASourceThatIsNoNpyFile) {
  const Transposed job;
  const std::string source = job.scratch.file("x.txt", "text");
  EXPECT_EQ(
      refusal<FileError>([&] { return io::plan_permute_file(source, "x", job.destination, job.options); }),
      "permute_file: \"" + source + "\" must be a file of a known kind (" + io::known_kinds() +
          "), it begins with the bytes 74 65 78 74");
  EXPECT_EQ(refusal<FileError>([&] {
              return io::plan_permute_file(job.scratch.path("none"), "x", job.destination, job.options);
            }),
            "permute_file: \"" + job.scratch.path("none") +
                "\" must be a file that can be opened (No such file or directory)");
}

TEST(PermuteFile, RefusesNumbersThatAreNoneOfAnAxis) {
  Transposed job;
  job.options.scale = {1, 2};
  EXPECT_EQ(
      refusal<ShapeError>([&] { return job.plan(); }),
      "permute_file: 2 numbers for scale or shift must be 1 or 210, the size of axis 0 (shape (210,300))");
  job.options.axis = 5;
  EXPECT_EQ(refusal<AxisError>([&] { return job.plan(); }),
            "permute_file: axis 5 must lie in [-2,1] (shape (210,300))");
  job.options.axis = 0;
  job.options.scale.assign(1050, 1);
  EXPECT_EQ(
      refusal<ValueError>([&] {
        return io::plan_permute_file(job.source, "x.t().reshape(1050, 60)", job.destination, job.options);
      }),
      "permute_file: numbers along axis 0 of the result (1050,60) must belong to an axis that no reshape "
      "puts together; give one number, or reshape later");
}

}  // namespace
}  // namespace tenstride
