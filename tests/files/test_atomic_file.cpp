// SPDX-License-Identifier: Apache-2.0
#include "tenstride/files/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <span>

#include "support/file_size_limit.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::FileSizeLimit;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

using Names = std::vector<std::string>;

void put(AtomicFile& file, const std::string& text) {
  file.write(std::as_bytes(std::span(text)));
}

/// Runs `body` in a process of its own and gives the status it ended with.
template <typename Body>
int in_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

/// Without the copy engine, whose threads are not there in a child.
void fill_half(NpyWriter& writer) {
  std::fill_n(writer.tensor().mutable_data<float>(), writer.tensor().numel() / 2, 1.0F);
}

TEST(AtomicFile, HasItsNameOnlyWhenWhole) {
  const Scratch scratch;
  AtomicFile file(scratch.path("out.bin"));
  put(file, "one ");
  ASSERT_EQ(scratch.names().size(), 1U);
  EXPECT_TRUE(scratch.names()[0].starts_with(".tenstride-"));
  EXPECT_TRUE(scratch.names()[0].ends_with(".tmp"));
  EXPECT_EQ(scratch.path(scratch.names()[0]), file.temporary_path());
  put(file, "two");
  file.commit();
  EXPECT_EQ(scratch.names(), Names{"out.bin"});
  EXPECT_EQ(read_bytes(scratch.path("out.bin")), "one two");
  EXPECT_EQ(file.path(), scratch.path("out.bin"));
  EXPECT_EQ(refusal<FileError>([&] { return file.commit(), 0; }),
            "write: \"" + file.path() + "\" is committed already");
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const Scratch scratch;
  const std::string path = scratch.file("out.bin", "old");
  {
    AtomicFile file(path, Overwrite::replace);
    put(file, "new");
    EXPECT_EQ(read_bytes(path), "old");
  }
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(scratch.names(), Names{"out.bin"});
}

TEST(AtomicFile, RefusesAnExistingFile) {
  const Scratch scratch;
  const std::string path = scratch.file("out.bin", "old");
  EXPECT_EQ(refusal<FileError>([&] { return AtomicFile(path).path(); }),
            "write: \"" + path + "\" exists already and must not be replaced (Overwrite::refuse)");
  std::filesystem::create_symlink("nowhere", scratch.path("link"));
  EXPECT_EQ(
      refusal<FileError>([&] { return AtomicFile(scratch.path("link")).path(); }),
      "write: \"" + scratch.path("link") + "\" exists already and must not be replaced (Overwrite::refuse)");
  EXPECT_EQ(read_bytes(path), "old");
}

TEST(AtomicFile, RefusesAFileThatCameInTheMeantime) {
  const Scratch scratch;
  const std::string path = scratch.path("out.bin");
  {
    AtomicFile file(path);
    put(file, "mine");
    scratch.file("out.bin", "theirs");
    EXPECT_EQ(refusal<FileError>([&] { return file.commit(), 0; }),
              "write: \"" + path + "\" exists by now and must not be replaced (Overwrite::refuse)");
  }
  EXPECT_EQ(read_bytes(path), "theirs");
  EXPECT_EQ(scratch.names(), Names{"out.bin"});
}

TEST(AtomicFile, RefusesNamesThatNoFileCanHave) {
  const Scratch scratch;
  const auto refused = [](const std::string& path) {
    return refusal<FileError>([&] { return AtomicFile(path, Overwrite::replace, "save").path(); });
  };
  const std::string folder = scratch.folder().string();
  EXPECT_EQ(refused(folder), "save: \"" + folder + "\" must be a regular file to be replaced");
  EXPECT_EQ(refused(folder + "/"), "save: \"" + folder + "/\" must name a file, not a folder");
  EXPECT_EQ(refused(""), "save: \"\" must name a file, not a folder");
  EXPECT_EQ(
      refused(folder + "/no/x"),
      "save: \"" + folder + "/no/x\" must lie in a folder that can be opened (No such file or directory)");
  EXPECT_EQ(refused("/dev/null"), "save: \"/dev/null\" must be a regular file to be replaced");
  const std::string long_name = folder + "/" + std::string(300, 'x');
  EXPECT_EQ(refused(long_name),
            "save: \"" + long_name + "\" must be a name that a file can have (File name too long)");
  EXPECT_TRUE(scratch.names().empty());
}

TEST(AtomicFile, FollowsALinkAndKeepsTheRights) {
  const Scratch scratch;
  const std::string path = scratch.file("real.bin", "old");
  ASSERT_EQ(chmod(path.c_str(), 0646), 0);
  const uid_t owner = geteuid() == 0 ? 65534 : geteuid();  // the superuser can keep any
  ASSERT_EQ(chown(path.c_str(), owner, static_cast<gid_t>(-1)), 0);
  std::filesystem::create_symlink("real.bin", scratch.path("link.bin"));
  {
    AtomicFile file(scratch.path("link.bin"), Overwrite::replace);
    put(file, "new");
    file.commit();
  }
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("link.bin")));
  EXPECT_EQ(read_bytes(path), "new");
  struct stat facts {};
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0646U);
  EXPECT_EQ(facts.st_uid, owner);
}

TEST(AtomicFile, WithoutRoomNothingChanges) {
  const Scratch scratch;
  const std::string path = scratch.file("out.npy", "old");
  {
    const FileSizeLimit limit(1 << 16);
    EXPECT_EQ(refusal<FileError>(
                  [&] { return save_npy(path, zeros({100000}), {.overwrite = Overwrite::replace}), 0; }),
              "save_npy: \"" + path + "\" must have room for 400128 bytes (File too large)");
    AtomicFile file(path, Overwrite::replace);
    EXPECT_EQ(refusal<FileError>([&] { return put(file, std::string(100000, 'x')), 0; }),
              "write: \"" + path + "\" must have room for 34464 more bytes (File too large)");
  }
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(scratch.names(), Names{"out.npy"});
}

TEST(AtomicFile, AKilledProcessLeavesTheNameAlone) {
  const Scratch scratch;
  const std::string path = scratch.file("old.npy", "old");
  const int status = in_child([&] {
    NpyWriter fresh(scratch.path("new.npy"), {100000}, DType::float32);
    NpyWriter old(path, {100000}, DType::float32, {.overwrite = Overwrite::replace});
    fill_half(fresh);
    fill_half(old);
    kill(getpid(), SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_FALSE(std::filesystem::exists(scratch.path("new.npy")));
}

extern "C" void end_cleanly(int) {
  remove_unfinished_files();
  _exit(7);
}

TEST(AtomicFile, AnInterruptedProcessLeavesNothing) {
  const Scratch scratch;
  const std::string path = scratch.file("old.npy", "old");
  const int status = in_child([&] {
    std::signal(SIGINT, end_cleanly);
    if (chdir("/") != 0) _exit(1);
    NpyWriter fresh(scratch.path("new.npy"), {100000}, DType::float32);
    NpyWriter old(path, {100000}, DType::float32, {.overwrite = Overwrite::replace});
    std::optional<AtomicFile> gone;
    gone.emplace(scratch.path("gone.bin"));
    gone.reset();
    fill_half(fresh);
    kill(getpid(), SIGINT);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(scratch.names(), Names{"old.npy"});
}

TEST(AtomicFile, RemovedFilesCannotBeCommitted) {
  const Scratch scratch;
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (int i = 0; i < 70; ++i) {  // more than the list holds
    files.push_back(std::make_unique<AtomicFile>(scratch.path(std::to_string(i))));
  }
  remove_unfinished_files();
  EXPECT_EQ(scratch.names().size(), 6U);
  EXPECT_EQ(refusal<FileError>([&] { return files[0]->commit(), 0; }),
            "write: \"" + scratch.path("0") + "\" must be a name to rename to (No such file or directory)");
  files.clear();
  EXPECT_TRUE(scratch.names().empty());
}

}  // namespace
}  // namespace tenstride::io
