// SPDX-License-Identifier: Apache-2.0
#include "io/output/resumable_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

using Names = std::vector<std::string>;
const Names unfinished{".out.tenstride-journal", ".out.tenstride-part"};

/// A folder of two parts, "0" and "1".
struct FolderJob {
  std::string path;
  Resume resume = Resume::if_there;
  Overwrite overwrite = Overwrite::replace;

  [[nodiscard]] std::unique_ptr<ResumableFolder> open() const {
    const Binding binding{"in.zarr", 1000, 7, 0xAB, 0xCD};
    return std::make_unique<ResumableFolder>(
        OutputRequest{path, 2, overwrite, resume, "convert"}, binding,
        [](const std::string&) { return true; },
        [](const std::string& folder) { fs::create_directory(folder); });
  }
  [[nodiscard]] std::string refused() const {
    return refusal<FileError>([&] { return open()->is_resumed(); });
  }
};

void write_part(ResumableFolder& folder, std::size_t part) {
  std::ofstream(folder.part_path() + "/" + std::to_string(part)) << "new";
  folder.finish(part, {{part + 1, 0}});
}

void write_all(const FolderJob& job) {
  const auto folder = job.open();
  write_part(*folder, 0);
  write_part(*folder, 1);
}

void make_old(const Scratch& scratch) {
  fs::create_directory(scratch.path("out"));
  scratch.file("out/0", "old");
}

void expect_new(const Scratch& scratch) {
  EXPECT_EQ(scratch.names(), Names{"out"});
  EXPECT_EQ(read_bytes(scratch.path("out/0")), "new");
  EXPECT_EQ(read_bytes(scratch.path("out/1")), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path("out")), {}), 2);
}

TEST(ResumableFolder, GoesOnWhereItWasLeft) {
  for (const bool has_old : {false, true}) {
    const Scratch scratch;
    if (has_old) make_old(scratch);
    FolderJob job{scratch.path("out/")};
    write_part(*job.open(), 1);
    scratch.file(".out.tenstride-part/.tenstride-0123.tmp", "half");
    job.resume = Resume::required;
    const auto folder = job.open();
    EXPECT_TRUE(folder->is_resumed());
    EXPECT_EQ(folder->finished(), (std::vector<bool>{false, true}));
    EXPECT_EQ(folder->checksum(), (Checksum{{2, 0}}));
    EXPECT_EQ(
        refusal<FileError>([&] { return folder->commit(), 0; }),
        "convert: \"" + scratch.path("out") + "\" must have all 2 parts finished to be committed, not 1");
    EXPECT_EQ(read_bytes(scratch.path("out/0")), has_old ? "old" : "");
    write_part(*folder, 0);
    folder->commit();
    expect_new(scratch);
  }
}

TEST(ResumableFolder, IsCompleteWhereItHasItsName) {
  for (const bool has_old : {false, true}) {
    for (const bool is_mark_removed : {false, true}) {
      const Scratch scratch;
      const FolderJob job{scratch.path("out"), Resume::required};
      write_all({job.path});
      // As a run that ends behind the exchange of names leaves it.
      fs::rename(scratch.path(".out.tenstride-part"), scratch.path("out"));
      if (has_old) {
        fs::create_directory(scratch.path(".out.tenstride-part"));
        scratch.file(".out.tenstride-part/0", "old");
      }
      if (is_mark_removed) fs::remove(scratch.path("out/.tenstride-unfinished"));
      const auto folder = job.open();
      EXPECT_TRUE(folder->is_complete());
      EXPECT_EQ(folder->checksum(), (Checksum{{3, 0}}));
      expect_new(scratch);
    }
  }
}

TEST(ResumableFolder, IsNotCompleteBeforeItHasItsName) {
  const Scratch scratch;
  make_old(scratch);
  const FolderJob job{scratch.path("out"), Resume::required};
  write_all({job.path});
  const auto folder = job.open();
  EXPECT_FALSE(folder->is_complete());
  EXPECT_EQ(read_bytes(scratch.path("out/0")), "old");
  folder->commit();
  expect_new(scratch);
}

TEST(ResumableFolder, BeginsAnewWhereItIsTold) {
  const Scratch scratch;
  write_part(*FolderJob{scratch.path("out")}.open(), 1);
  const auto folder = FolderJob{scratch.path("out"), Resume::no}.open();
  EXPECT_EQ(folder->finished(), std::vector<bool>(2));
  EXPECT_FALSE(fs::exists(scratch.path(".out.tenstride-part/1")));
}

TEST(ResumableFolder, DiscardsEverythingButTheOldFolder) {
  const Scratch scratch;
  make_old(scratch);
  const auto folder = FolderJob{scratch.path("out")}.open();
  folder->discard();
  folder->discard();
  EXPECT_EQ(scratch.names(), Names{"out"});
  EXPECT_EQ(read_bytes(scratch.path("out/0")), "old");
}

TEST(ResumableFolder, RefusesWhatIsNotWhole) {
  const Scratch scratch;
  const FolderJob job{scratch.path("out"), Resume::required};
  write_part(*FolderJob{job.path}.open(), 1);
  fs::remove_all(scratch.path(".out.tenstride-part"));
  EXPECT_EQ(job.refused(), "convert: \"" + job.path +
                               "\" must have been begun to be resumed (what is beside it is not whole)");
}

TEST(ResumableFolder, RefusesASecondProcess) {
  const Scratch scratch;
  const FolderJob job{scratch.path("out")};
  const auto folder = job.open();
  EXPECT_EQ(job.refused(), "convert: \"" + job.path + "\" must not be written by two processes at once (\"" +
                               scratch.path(".out.tenstride-journal") + "\" is locked)");
  EXPECT_EQ(scratch.names(), unfinished);
}

}  // namespace
}  // namespace tenstride::io
