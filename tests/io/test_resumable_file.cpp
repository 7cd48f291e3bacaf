// SPDX-License-Identifier: Apache-2.0
#include "io/output/resumable_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "io/output/journal.hpp"
#include "support/resumable_job.hpp"
#include "support/scratch.hpp"

namespace tenstride::io {
namespace {

using namespace tenstride::testing;

const Names all_three{".out.tenstride-blocks", ".out.tenstride-journal", ".out.tenstride-part"};

unsigned mode_of(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(stat(path.c_str(), &facts), 0);
  return facts.st_mode & 0777U;
}

TEST(ResumableFile, GoesOnWhereItWasLeft) {
  const Scratch scratch;
  const Job job{scratch.path("out")};
  begin(job);
  EXPECT_EQ(scratch.names(), (Names{".out.tenstride-journal", ".out.tenstride-part"}));
  {
    const auto file = job.open();
    EXPECT_TRUE(file->is_resumed());
    EXPECT_EQ(file->finished(), (Finished{false, true, false}));
    EXPECT_EQ(file->checksum(), (Checksum{{2, 10}}));
    write_part(*file, 0);
    file->flushed();
  }
  const auto file = Job{job.path, Resume::required}.open();
  EXPECT_EQ(file->finished(), (Finished{true, true, false}));
  EXPECT_EQ(file->part_path(), scratch.path(".out.tenstride-part"));
  EXPECT_EQ(refusal<FileError>([&] { return file->commit(), 0; }),
            "convert: \"" + job.path + "\" must have all 3 parts finished to be committed, not 2");
  EXPECT_EQ(refusal<FileError>([&] { return file->finish(1, {}), 0; }),
            "convert: \"" + job.path + "\" has no unfinished part 1 (of 3)");
  write_part(*file, 2);
  EXPECT_EQ(file->checksum(), (Checksum{{6, 30}}));
  file->commit();
  EXPECT_EQ(scratch.names(), Names{"out"});
  EXPECT_EQ(read_bytes(job.path), whole);
  EXPECT_EQ(refusal<FileError>([&] { return file->commit(), 0; }),
            "convert: \"" + job.path + "\" is committed already");
}

TEST(ResumableFile, GoesOnAfterAKill) {
  const Scratch scratch;
  const Job job{scratch.path("out")};
  const pid_t child = fork();
  if (child == 0) {
    const auto file = job.open();
    write_part(*file, 2);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto file = job.open();
  EXPECT_EQ(file->finished(), (Finished{false, false, true}));
  write_part(*file, 0);
  write_part(*file, 1);
  file->commit();
  EXPECT_EQ(read_bytes(job.path), whole);
}

TEST(ResumableFile, StaysWhenUnfinishedFilesAreRemoved) {
  const Scratch scratch;
  const Job job{scratch.path("out")};
  const auto file = job.open();
  remove_unfinished_files();
  EXPECT_EQ(scratch.names(), (Names{".out.tenstride-journal", ".out.tenstride-part"}));
}

TEST(ResumableFile, AfterARestartOnlyFlushedPartsCount) {
  const Scratch scratch;
  const Job job{scratch.path("out")};
  begin(job);
  {
    const Descriptor file(open(scratch.path(".out.tenstride-journal").c_str(), O_RDWR | O_CLOEXEC));
    Journal journal(file.get(), BootId{1, 2}, [](int) {});
    journal.clear();
    journal.create({1000, 1795574174'000000007, 0xAB, 0xCD, nbytes, 0, parts, "out", {}});
    journal.finish(0, {{1, 0}});
    journal.flushed();
    journal.finish(1, {{2, 10}});
  }
  const auto file = job.open();
  EXPECT_TRUE(file->is_resumed());
  EXPECT_EQ(file->finished(), (Finished{true, false, false}));
  EXPECT_EQ(file->checksum(), (Checksum{{1, 0}}));
}

TEST(ResumableFile, BeginsAnewWhereItIsTold) {
  const Scratch scratch;
  Job job{scratch.path("out"), Resume::no};
  begin(job);
  job.source.plan_hash = 7;
  job.size = 40;
  job.count = 4;
  begin(job);
  EXPECT_EQ(read_bytes(scratch.path(".out.tenstride-part")),
            std::string(10, '\0') + "bbbbbbbbbb" + std::string(20, '\0'));
}

TEST(ResumableFile, IsCompleteWhereOnlyTheJournalWasLeft) {
  const Scratch scratch;
  Job job{scratch.path("out")};
  {
    const auto file = job.open();
    for (std::size_t part = 0; part < parts; ++part) write_part(*file, part);
  }
  // As a run that ends between giving the file its name and removing the journal leaves it.
  std::filesystem::resize_file(scratch.path(".out.tenstride-part"), nbytes);
  std::filesystem::rename(scratch.path(".out.tenstride-part"), job.path);
  job.resume = Resume::required;
  job.overwrite = Overwrite::replace;
  const auto file = job.open();
  EXPECT_TRUE(file->is_complete());
  EXPECT_TRUE(file->is_resumed());
  EXPECT_EQ(read_bytes(job.path), whole);
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"out"}));
}

TEST(ResumableFile, BeginsAnewWhereWhatIsThereIsNotWhole) {
  const Scratch scratch;
  Job job{scratch.path("out")};
  job.blocks = 8;
  const std::string torn =
      "convert: \"" + job.path + "\" must have been begun to be resumed (what is beside it is not whole)";
  for (const std::string& name : all_three) {
    for (const bool is_gone : {false, true}) {
      if (is_gone && name.ends_with("journal")) continue;
      begin(Job{job.path, Resume::no, Overwrite::refuse, binding, nbytes, 8});
      std::filesystem::resize_file(scratch.path(name), 5);
      if (is_gone) std::filesystem::remove(scratch.path(name));
      job.resume = Resume::required;
      EXPECT_EQ(job.refused(), torn);
      job.resume = Resume::if_there;
      begin(job);
      EXPECT_EQ(scratch.names(), all_three);
    }
  }
}

TEST(ResumableFile, FollowsALinkAndKeepsTheRights) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("there"));
  const std::string path = scratch.file("there/real", "old");
  ASSERT_EQ(chmod(path.c_str(), 0646), 0);
  const bool is_superuser = geteuid() == 0;
  if (is_superuser) {
    ASSERT_EQ(chown(path.c_str(), 65534, 65533), 0);
  }
  std::filesystem::create_symlink("there/real", scratch.path("link"));
  const auto file = Job{scratch.path("link"), Resume::if_there, Overwrite::replace}.open();
  EXPECT_EQ(file->part_path(), scratch.path("there/.real.tenstride-part"));
  for (std::size_t part = 0; part < parts; ++part) write_part(*file, part);
  file->commit();
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("link")));
  EXPECT_EQ(read_bytes(path), whole);
  EXPECT_EQ(mode_of(path), 0646U);
  struct stat facts {};
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, is_superuser ? 65534 : geteuid());
  if (is_superuser) {
    EXPECT_EQ(facts.st_gid, 65533U);
  }
}

TEST(ResumableFile, FreesTheTemporarySpace) {
  const Scratch scratch;
  Job job{scratch.path("out")};
  job.blocks = 4096;
  begin(job);
  EXPECT_EQ(std::filesystem::file_size(scratch.path(".out.tenstride-blocks")), 4096U);
  {
    const auto file = job.open();
    EXPECT_EQ(file->blocks_path(), scratch.path(".out.tenstride-blocks"));
    write_part(*file, 0);
    write_part(*file, 2);
    file->drop_blocks();
    file->drop_blocks();
    EXPECT_EQ(scratch.names(), (Names{".out.tenstride-journal", ".out.tenstride-part"}));
  }
  const auto file = job.open();
  EXPECT_TRUE(file->is_resumed());
  EXPECT_EQ(file->finished(), Finished(parts, true));
  file->commit();
  EXPECT_EQ(scratch.names(), Names{"out"});
  EXPECT_EQ(read_bytes(job.path), whole);
}

TEST(ResumableFile, DiscardsEverything) {
  const Scratch scratch;
  Job job{scratch.path("out")};
  job.blocks = 4096;
  const auto file = job.open();
  EXPECT_EQ(scratch.names(), all_three);
  file->discard();
  file->discard();
  EXPECT_TRUE(scratch.names().empty());
}

TEST(ResumableFile, CanBeEmpty) {
  const Scratch scratch;
  Job job{scratch.path("out")};
  job.size = 0;
  job.count = 0;
  EXPECT_FALSE(job.open()->is_resumed());
  const auto file = job.open();
  EXPECT_TRUE(file->is_resumed());
  file->commit();
  EXPECT_EQ(scratch.names(), Names{"out"});
  EXPECT_EQ(std::filesystem::file_size(job.path), 0U);
}

}  // namespace
}  // namespace tenstride::io
