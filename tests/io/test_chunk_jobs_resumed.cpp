// SPDX-License-Identifier: Apache-2.0
// Runs from chunks and to chunks that are stopped, and resumed.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "io/ends/operation.hpp"
#include "io/job/job_limits.hpp"
#include "io/job/job_plan.hpp"
#include "support/permuted_file.hpp"
#include "support/refusal.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;
using oracle::Random;
using testing::random_tensor;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

using Names = std::vector<std::string>;

const std::string anew = " (without resuming it begins anew)";

/// All files below a folder, or the file alone, with what `fact` says of each.
template <class Fact>
auto facts_of(const std::string& path, const Fact& fact) {
  std::map<std::string, decltype(fact(path))> facts;
  if (!fs::is_directory(path)) facts[""] = fact(path);
  if (fs::is_directory(path)) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
      if (!entry.is_regular_file() || entry.path().filename() == ".tenstride-unfinished") continue;
      facts[fs::relative(entry.path(), path).string()] = fact(entry.path().string());
    }
  }
  return facts;
}

std::uint64_t inode_of(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(stat(path.c_str(), &facts), 0);
  return facts.st_ino;
}

/// A copy of 8 MB that takes some tenths of a second, on one thread beside the reader.
class Copy {
 public:
  Copy(const std::string& from, const std::string& to) : source(from), destination(scratch.path(to)) {
    Random random(7);
    SaveTensorsOptions saved;
    saved.chunks.chunk = {1, 256, 256};
    saved.chunks.codec = "gzip:1";
    save_tensor_file(scratch.path(from), {{"", random_tensor(random, {64, 256, 256}, DType::int16)}}, saved);
    source = scratch.path(from);
    options.chunks.chunk = {64, 64, 16};
    options.chunks.codec = "gzip:9";
    options.memory = std::uint64_t{12} << 20;
    if (!to.ends_with(".zarr")) {
      // Each tile decodes most of the source again.
      options.chunks = {};
      options.memory = std::uint64_t{3} << 20;
    }
  }

  [[nodiscard]] FileJob plan() const {
    return plan_permute_file(source, "x.permute(2, 1, 0)", to(), options);
  }
  [[nodiscard]] std::string to() const { return destination; }
  /// Begins and is stopped after some units, in the last pass.
  void stop() const {
    struct Stopped {};
    const FileJob job = plan();
    constexpr std::size_t fields_nbytes = 104, record_nbytes = 32;
    const std::string name = fs::path(destination).filename().string();
    const std::size_t least =
        fields_nbytes + name.size() + to_text(plan_of(job).limits).size() + 2 * record_nbytes;
    EXPECT_THROW(run(job,
                     [&](const Progress& now) {
                       if (now.tiles_done > 0 && fs::file_size(journal()) >= least) throw Stopped();
                     }),
                 Stopped);
  }
  FileResult resume() {
    options.resume = Resume::required;
    return run(plan());
  }
  /// The same as a run that was never stopped.
  void expect_whole(const FileResult& result) const {
    Copy fresh = *this;
    fresh.options.resume = Resume::no;
    fresh.destination = scratch.path("fresh" + fs::path(destination).extension().string());
    EXPECT_EQ(run(fresh.plan()).checksum, result.checksum);
    EXPECT_TRUE(facts_of(destination, read_bytes) == facts_of(fresh.destination, read_bytes));
    fs::remove_all(fresh.destination);
  }
  [[nodiscard]] std::string part() const {
    return scratch.path("." + fs::path(destination).filename().string() + ".tenstride-part");
  }
  [[nodiscard]] std::string journal() const {
    return scratch.path("." + fs::path(destination).filename().string() + ".tenstride-journal");
  }
  [[nodiscard]] std::string refused() const {
    return refusal<FileError>([&] { return run(plan()).is_resumed; });
  }

  static const Scratch scratch_of_all;
  const Scratch& scratch = scratch_of_all;
  std::string source;
  std::string destination;
  FileOptions options;
};
const Scratch Copy::scratch_of_all;

class ResumedChunkJobs : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& name : Copy::scratch_of_all.names()) {
      fs::remove_all(Copy::scratch_of_all.path(name));
    }
  }
  const ThreadScope one_{1};
};

TEST_F(ResumedChunkJobs, WriteNoFinishedUnitAgain) {
  for (const bool has_shards : {false, true}) {
    Copy copy("x.zarr", "y.zarr");
    if (has_shards) copy.options.chunks.shard = {128, 64, 32};
    copy.stop();
    EXPECT_EQ(copy.scratch.names(), (Names{".y.zarr.tenstride-journal", ".y.zarr.tenstride-part", "x.zarr"}));
    const auto finished = facts_of(copy.part(), inode_of);
    const FileResult result = copy.resume();
    EXPECT_TRUE(result.is_resumed);
    const auto all = facts_of(copy.to(), inode_of);
    EXPECT_GT(finished.size(), 2U);
    EXPECT_LE(finished.size(), all.size());  // on a busy machine the stop may come behind the last one
    for (const auto& [name, inode] : finished) {
      EXPECT_EQ(all.at(name), inode) << name;
    }
    EXPECT_EQ(copy.scratch.names(), (Names{"x.zarr", "y.zarr"}));
    copy.expect_whole(result);
    fs::remove_all(copy.to());
    fs::remove_all(copy.source);
  }
}

TEST_F(ResumedChunkJobs, FillAFlatFile) {
  for (const std::string to : {"y.npy", "y.safetensors"}) {
    Copy copy("x.zarr", to);
    const std::uint64_t all = copy.plan().nbytes;
    copy.stop();
    EXPECT_EQ(copy.scratch.names(),
              (Names{"." + to + ".tenstride-journal", "." + to + ".tenstride-part", "x.zarr"}));
    Progress first;
    copy.options.resume = Resume::required;
    const FileResult result = run(copy.plan(), [&](const Progress& now) {
      if (first.tiles == 0) first = now;
    });
    EXPECT_TRUE(result.is_resumed);
    EXPECT_GT(first.tiles_done, 0U);
    EXPECT_GT(first.bytes_earlier, 0U);
    EXPECT_LT(result.bytes_written, all);
    copy.expect_whole(result);
    fs::remove_all(copy.to());
    fs::remove_all(copy.source);
  }
}

TEST_F(ResumedChunkJobs, KeepUnitsOfTheSecondPass) {
  Copy copy("x.zarr", "y.zarr");
  copy.options.chunks.chunk = {4, 16, 64};
  copy.options.memory = std::uint64_t{2} << 20;
  const FileJob job = copy.plan();
  ASSERT_EQ(job.passes, 2U) << to_string(job);
  const TilePlan& plan = plan_of(job).tensors[0].stages[0].plan;
  EXPECT_EQ(to_json(job), R"({"tensors":[{"stages":[)" + to_json(plan) + "]}]}");
  // The blocks that the first pass writes are what the second reads.
  EXPECT_EQ(plan.passes[0].unit, plan.block);
  EXPECT_EQ(plan.passes[1].part, plan.block);
  EXPECT_EQ(plan.bytes_read(), static_cast<Index>(job.bytes_read));
  copy.stop();
  const auto finished = facts_of(copy.part(), inode_of);
  const FileResult result = copy.resume();
  const auto all = facts_of(copy.to(), inode_of);
  for (const auto& [name, inode] : finished) {
    EXPECT_EQ(all.at(name), inode) << name;
  }
  EXPECT_GT(finished.size(), 1U);
  EXPECT_LT(finished.size(), all.size());
  copy.expect_whole(result);
}

TEST_F(ResumedChunkJobs, RemoveFilesThatWereOnlyBegun) {
  Copy copy("x.zarr", "y.zarr");
  copy.stop();
  std::ofstream(copy.part() + "/c/.tenstride-0123456789abcdef.tmp") << "half a chunk";
  copy.expect_whole(copy.resume());
}

TEST_F(ResumedChunkJobs, IgnoreATornJournal) {
  Copy copy("x.zarr", "y.zarr");
  copy.stop();
  fs::resize_file(copy.journal(), fs::file_size(copy.journal()) - 5);
  copy.expect_whole(copy.resume());
}

TEST_F(ResumedChunkJobs, RefuseWhatWasNotBegun) {
  Copy copy("x.zarr", "y.zarr");
  copy.options.resume = Resume::required;
  EXPECT_EQ(copy.refused(), "permute_file: \"" + copy.to() +
                                "\" must have been begun to be resumed (there is no \"" + copy.journal() +
                                "\")");
  EXPECT_EQ(copy.scratch.names(), Names{"x.zarr"});
}

TEST_F(ResumedChunkJobs, RefuseAnotherSourceOrPlan) {
  Copy copy("x.zarr", "y.zarr");
  copy.stop();
  copy.options.resume = Resume::required;
  Copy other = copy;
  other.options.chunks.codec = "zstd";
  const std::string start = "permute_file: \"" + copy.to() + "\" must ";
  EXPECT_TRUE(other.refused().starts_with(start + "be written by the plan it was begun by, whose hash is "));
  EXPECT_TRUE(other.refused().ends_with(anew));
  Copy less = copy;
  less.options.memory /= 2;
  EXPECT_TRUE(refusal<MemoryLimitError>([&] {
                return less.plan().nbytes;
              }).ends_with("that \"" + copy.to() + "\" was begun with (or begin anew, without resuming)"));
  const std::string metadata = copy.source + "/zarr.json";
  fs::last_write_time(metadata, fs::last_write_time(metadata) + std::chrono::seconds(2));
  EXPECT_TRUE(copy.refused().starts_with("permute_file: \"" + copy.source + "\" must be as it was when \"" +
                                         copy.to() + "\" was begun: it was written at "));
  EXPECT_TRUE(fs::exists(copy.journal()));  // a refusal leaves all as it was
  copy.options.resume = Resume::no;
  const FileResult result = run(copy.plan());
  EXPECT_FALSE(result.is_resumed);
  copy.expect_whole(result);
}

TEST_F(ResumedChunkJobs, RefuseASecondProcess) {
  Copy copy("x.zarr", "y.zarr");
  std::string said;
  run(copy.plan(), [&](const Progress& now) {
    if (said.empty() && now.bytes_done > 0) said = copy.refused();
  });
  EXPECT_EQ(said, "permute_file: \"" + copy.to() + "\" must not be written by two processes at once (\"" +
                      copy.journal() + "\" is locked)");
}

}  // namespace
}  // namespace tenstride::io
