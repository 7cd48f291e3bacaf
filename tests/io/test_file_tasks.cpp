// SPDX-License-Identifier: Apache-2.0
// One destination that several tasks write together.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "io/output/task_shares.hpp"
#include "support/permuted_file.hpp"
#include "support/refusal.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;
using oracle::Random;
using testing::random_tensor;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

using Names = std::vector<std::string>;

/// 5.5 MB, of which a tile of the options has a tenth or less, with runs that end within pages.
constexpr DType dtype = DType::float32;
const Dims shape{97, 110, 131};
const std::string chain = "x.permute(2, 0, 1)";

FileOptions small_options() {
  FileOptions options;
  options.memory = std::uint64_t{3} << 19;
  options.disk = DiskRates{};
  return options;
}

struct Case {
  explicit Case(const std::string& name) : source(scratch.path("x.npy")), destination(scratch.path(name)) {
    Random random(3);
    save_npy(source, random_tensor(random, shape, dtype));
  }
  /// The result of one process.
  [[nodiscard]] std::map<std::string, std::string> expected() const {
    const std::string one = scratch.path("one" + fs::path(destination).extension().string());
    FileOptions whole = options;
    whole.overwrite = Overwrite::replace;
    permute_file(source, chain, one, whole);
    return files_of(one);
  }
  [[nodiscard]] static std::map<std::string, std::string> files_of(const std::string& path) {
    std::map<std::string, std::string> files;
    if (fs::is_regular_file(path)) files[""] = read_bytes(path);
    if (!fs::is_directory(path)) return files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) {
        files[fs::relative(entry.path(), path).string()] = read_bytes(entry.path().string());
      }
    }
    return files;
  }
  FileResult run_task(std::uint64_t number, std::uint64_t count, Resume resume = Resume::no,
                      const ProgressCallback& progress = {}) const {
    FileOptions own = options;
    own.task = FileTask{number, count};
    own.resume = resume;
    return permute_file(source, chain, destination, own, progress);
  }
  /// Stops a task at its first report that a tile is done.
  void stop_task(std::uint64_t number, std::uint64_t count) const {
    struct Stopped {};
    const auto stop = [](const Progress& now) {
      if (now.bytes_done > now.bytes_earlier) throw Stopped();
    };
    EXPECT_THROW(run_task(number, count, Resume::no, stop), Stopped);
  }

  Scratch scratch;
  std::string source;
  std::string destination;
  FileOptions options = small_options();
};

std::vector<std::uint64_t> shuffled_tasks(std::uint64_t count, Random& random) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 1);
  std::shuffle(numbers.begin(), numbers.end(), random.engine());
  return numbers;
}

TEST(FileTasks, HaveSharesOfConsecutiveParts) {
  EXPECT_EQ(end_of_share(1, 3, 7), 2);
  EXPECT_EQ(end_of_share(2, 3, 7), 4);
  EXPECT_EQ(end_of_share(3, 3, 7), 7);
  for (std::uint64_t parts = 0; parts < 40; ++parts) {
    for (std::uint64_t tasks = 1; tasks < 12; ++tasks) {
      EXPECT_EQ(end_of_share(0, tasks, parts), 0);
      EXPECT_EQ(end_of_share(tasks, tasks, parts), parts);
      for (std::uint64_t number = 1; number <= tasks; ++number) {
        const std::uint64_t size =
            end_of_share(number, tasks, parts) - end_of_share(number - 1, tasks, parts);
        EXPECT_GE(size, parts / tasks);
        EXPECT_LE(size, parts / tasks + 1);
      }
    }
  }
}

/// Every number of tasks from 1 to 8, each in a drawn order, and once more when all is done.
void expect_tasks_in_any_order(const Case& example) {
  const auto expected = example.expected();
  Random random(11);
  for (std::uint64_t count = 1; count <= 8; ++count) {
    SCOPED_TRACE(count);
    fs::remove_all(example.destination);
    std::uint64_t unfinished = count;
    std::uint64_t written = 0;
    for (const std::uint64_t number : shuffled_tasks(count, random)) {
      const FileResult result = example.run_task(number, count);
      --unfinished;
      if (result.is_of_other_task) continue;  // its share was empty
      EXPECT_LE(result.tasks_left, unfinished);
      written += result.bytes_written;
      EXPECT_EQ(fs::exists(example.destination), result.tasks_left == 0);
    }
    EXPECT_GT(written, 0U);
    EXPECT_TRUE(Case::files_of(example.destination) == expected) << "the results differ";
    EXPECT_EQ(example.scratch.names().size(), 3U) << "something is left beside the result";
    const FileResult again = example.run_task(count, count);
    EXPECT_TRUE(again.is_of_other_task);
    EXPECT_EQ(again.bytes_written, 0U);
    EXPECT_TRUE(Case::files_of(example.destination) == expected) << "the result was changed";
  }
}

TEST(FileTasks, WriteWhatOneProcessWrites) {
  expect_tasks_in_any_order(Case("y.npy"));
}
TEST(FileTasks, WriteThroughThePageCache) {
  Case example("y.npy");
  example.options.access = DiskAccess::buffered;
  expect_tasks_in_any_order(example);
}
TEST(FileTasks, WriteRawElementsInColumnMajorOrder) {
  Case example("y.bin");
  example.options.kind = FileKind::raw;
  example.options.order = ElementOrder::column_major;
  example.options.dtype = DType::float64;
  example.options.scale = {0.5};
  expect_tasks_in_any_order(example);
}
TEST(FileTasks, WriteSafetensors) {
  expect_tasks_in_any_order(Case("y.safetensors"));
}
TEST(FileTasks, WriteChunks) {
  Case example("y.zarr");
  example.options.chunks.chunk = {40, 40, 40};
  example.options.memory = std::uint64_t{16} << 20;
  expect_tasks_in_any_order(example);
}
TEST(FileTasks, WriteChunksInShards) {
  Case example("y.zarr");
  example.options.chunks.chunk = {20, 20, 20};
  example.options.chunks.shard = {40, 40, 40};
  example.options.memory = std::uint64_t{16} << 20;
  expect_tasks_in_any_order(example);
}

TEST(FileTasksThread, RunAtOnce) {
  for (const char* const name : {"y.npy", "y.zarr"}) {
    SCOPED_TRACE(name);
    Case example(name);
    if (name == std::string("y.zarr")) example.options.memory = std::uint64_t{16} << 20;
    const auto expected = example.expected();
    for (std::uint64_t count = 2; count <= 5; ++count) {
      fs::remove_all(example.destination);
      std::vector<FileResult> results(count);
      std::vector<std::thread> threads;
      for (std::uint64_t number = 1; number <= count; ++number) {
        threads.emplace_back([&, number] { results[number - 1] = example.run_task(number, count); });
      }
      for (std::thread& thread : threads) thread.join();
      const auto finishers = std::count_if(results.begin(), results.end(), [](const FileResult& result) {
        return result.tasks_left == 0 && !result.is_of_other_task;
      });
      EXPECT_EQ(finishers, 1);
      EXPECT_TRUE(Case::files_of(example.destination) == expected) << "the results differ";
      EXPECT_EQ(example.scratch.names().size(), 3U);
    }
  }
}

TEST(FileTasks, AreReadBackByTheOneThatPutsTheResultInPlace) {
  Case example("y.npy");
  example.options.check = FileCheck::checksum;
  const Tensor expected = testing::in_memory(example.source, chain);
  EXPECT_FALSE(example.run_task(2, 2).is_checked);
  const FileResult last = example.run_task(1, 2);
  EXPECT_TRUE(last.is_checked);
  EXPECT_EQ(last.checksum, checksum(expected.contiguous()));
}

TEST(FileTasks, GoOnWithWhatAStoppedTaskHasDone) {
  const Case example("y.npy");
  const auto expected = example.expected();
  example.stop_task(2, 2);
  const FileResult first = example.run_task(1, 2);
  EXPECT_EQ(first.tasks_left, 1U);
  EXPECT_EQ(example.run_task(2, 2).tasks_left, 0U);
  EXPECT_TRUE(Case::files_of(example.destination) == expected);
}

TEST(FileTasks, RemoveTheJournalsOfOneThatWasKilledBehindTheEnd) {
  const Case example("y.npy");
  const auto expected = example.expected();
  example.run_task(1, 2);
  for (const char* const name : {".y.npy.tenstride-journal", ".y.npy.tenstride-journal.1"}) {
    fs::copy_file(example.scratch.path(name), example.scratch.path(std::string("kept") + name));
  }
  example.run_task(2, 2);
  for (const char* const name : {".y.npy.tenstride-journal", ".y.npy.tenstride-journal.1"}) {
    fs::rename(example.scratch.path(std::string("kept") + name), example.scratch.path(name));
  }
  EXPECT_TRUE(example.run_task(1, 2).is_of_other_task);
  EXPECT_TRUE(Case::files_of(example.destination) == expected);
  EXPECT_EQ(example.scratch.names().size(), 3U);
}

TEST(FileTasks, DivideWhatIsLeftAnew) {
  for (const char* const name : {"y.npy", "y.zarr"}) {
    SCOPED_TRACE(name);
    Case example(name);
    if (name == std::string("y.zarr")) {
      example.options.chunks.chunk = {20, 20, 20};
      example.options.memory = std::uint64_t{16} << 20;
    }
    const auto expected = example.expected();
    const FileResult done = example.run_task(2, 4);
    example.stop_task(3, 4);
    std::uint64_t written = done.bytes_written;
    EXPECT_EQ(example.run_task(3, 3, Resume::required).tasks_left, 2U);
    EXPECT_EQ(example.run_task(1, 3).tasks_left, 1U) << "those that come later have the same shares";
    const FileResult last = example.run_task(2, 3, Resume::if_there);
    EXPECT_EQ(last.tasks_left, 0U);
    EXPECT_GT(written, 0U);
    EXPECT_TRUE(Case::files_of(example.destination) == expected);
    EXPECT_EQ(example.scratch.names().size(), 3U);
  }
}

TEST(FileTasks, AreFinishedByOneProcess) {
  Case example("y.npy");
  const auto expected = example.expected();
  example.run_task(3, 4);
  example.options.resume = Resume::required;
  const FileResult result = permute_file(example.source, chain, example.destination, example.options);
  EXPECT_TRUE(result.is_resumed);
  EXPECT_TRUE(Case::files_of(example.destination) == expected);
  EXPECT_EQ(example.scratch.names().size(), 3U);
}

TEST(FileTasks, MustBeAsManyAsHaveBegun) {
  const Case example("y.npy");
  example.run_task(1, 4);
  const std::string beside = example.scratch.path(".y.npy.tenstride-journal");
  EXPECT_EQ(refusal<FileError>([&] { return example.run_task(1, 3); }),
            "permute_file: \"" + example.destination +
                "\" must be written by 4 tasks, as it was begun, not by 3 tasks (resuming it divides what is "
                "left anew; where no task runs, without \"" +
                beside + "\" it begins anew)");
}

TEST(FileTasks, RefuseAnotherStatement) {
  const Case example("y.npy");
  example.run_task(1, 4);
  FileOptions options = example.options;
  options.task = FileTask{2, 4};
  const std::string message = refusal<FileError>([&] {
    return permute_file(example.source, "x.flip(0).permute(2, 0, 1)", example.destination, options);
  });
  EXPECT_TRUE(message.starts_with("permute_file: \"" + example.destination +
                                  "\" must be written by the plan it was begun by, whose hash is "))
      << message;
  EXPECT_TRUE(message.ends_with(" (where no task runs, without \"" +
                                example.scratch.path(".y.npy.tenstride-journal") + "\" it begins anew)"))
      << message;
}

TEST(FileTasks, AreNotDisturbedByOneProcess) {
  Case example("y.npy");
  const auto expected = example.expected();
  std::string message;
  example.run_task(1, 2, Resume::no, [&](const Progress&) {
    if (!message.empty()) return;
    message = refusal<FileError>(
        [&] { return permute_file(example.source, chain, example.destination, example.options); });
  });
  EXPECT_EQ(message, "permute_file: \"" + example.destination +
                         "\" must not be written by two processes at once (\"" +
                         example.scratch.path(".y.npy.tenstride-journal.1") + "\" is locked by a task)");
  example.run_task(2, 2);
  EXPECT_TRUE(Case::files_of(example.destination) == expected);
}

TEST(FileTasks, AreNotRunTwiceAtOnce) {
  const Case example("y.npy");
  std::string message;
  example.run_task(2, 3, Resume::no, [&](const Progress&) {
    if (message.empty()) message = refusal<FileError>([&] { return example.run_task(2, 3); });
  });
  EXPECT_EQ(message, "permute_file: \"" + example.destination +
                         "\" must not be written by two processes as task 2 of 3 (\"" +
                         example.scratch.path(".y.npy.tenstride-journal.2") + "\" is locked)");
}

TEST(FileTasks, MustBeOneOfThoseThatThereAre) {
  const Case example("y.npy");
  EXPECT_EQ(refusal<ValueError>([&] { return example.run_task(5, 4); }),
            "permute_file: task 5 of 4 must be one of 1 to as many as there are (at most 1000000)");
  EXPECT_EQ(refusal<ValueError>([&] { return example.run_task(0, 4); }),
            "permute_file: task 0 of 4 must be one of 1 to as many as there are (at most 1000000)");
}

TEST(FileTasks, LeaveToTheFirstWhatCannotBeDivided) {
  Case example("y.npy");
  example.options.task = FileTask{2, 2};
  const std::string across = "x.permute(1, 0, 2).reshape(97, 110, 131).permute(1, 0, 2)";
  const FileJob job = plan_permute_file(example.source, across, example.destination, example.options);
  ASSERT_EQ(plan_of(job).tensors[0].stages.size(), 2U);
  EXPECT_EQ(obstacle_to_tasks(job), "it takes several passes through a temporary file");
  EXPECT_EQ(run(job).tasks_left, 1U);
  EXPECT_EQ(example.scratch.names(), Names{"x.npy"});
}

TEST(FileTasks, AreToldBeforehand) {
  Case example("y.npy");
  example.options.task = FileTask{1, 3};
  const FileJob job = plan_permute_file(example.source, chain, example.destination, example.options);
  const std::vector<FileShare> shares = shares_of(job, 3);
  ASSERT_EQ(shares.size(), 3U);
  std::uint64_t parts = 0;
  for (const FileShare& share : shares) parts += share.parts;
  EXPECT_EQ(parts, static_cast<std::uint64_t>(plan_of(job).tensors[0].stages[0].plan.passes[0].tiles));
  EXPECT_EQ(plan_hash_text(job).size(), 16U);
}

}  // namespace
}  // namespace tenstride::io
