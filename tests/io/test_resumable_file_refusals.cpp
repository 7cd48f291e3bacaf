// SPDX-License-Identifier: Apache-2.0
#include "io/output/resumable_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>

#include "support/file_size_limit.hpp"
#include "support/resumable_job.hpp"
#include "support/scratch.hpp"

namespace tenstride::io {
namespace {

using namespace tenstride::testing;

const std::string anew = " (without resuming it begins anew)";

/// Each run of digits as "#".
std::string without_numbers(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit) result += c;
    if (is_digit && !result.ends_with('#')) result += '#';
  }
  return result;
}

TEST(ResumableFile, RefusesWhereNothingCanBeResumed) {
  const Scratch scratch;
  EXPECT_EQ((Job{scratch.path("out"), Resume::required}).refused(),
            "convert: \"" + scratch.path("out") + "\" must have been begun to be resumed (there is no \"" +
                scratch.path(".out.tenstride-journal") + "\")");
  EXPECT_TRUE(scratch.names().empty());
}

TEST(ResumableFile, RefusesAChangedSource) {
  const Scratch scratch;
  const Job job{scratch.path("out")};
  begin(job);
  const std::string start = "convert: \"in.npy\" must be as it was when \"" + job.path + "\" was begun: ";
  for (const Resume resume : {Resume::if_there, Resume::required}) {
    Job changed{job.path, resume};
    changed.source.source_nbytes = 900;
    EXPECT_EQ(changed.refused(), start + "it has 900 bytes and had 1000" + anew);
    changed.source = binding;
    changed.source.source_mtime_ns = -1;
    EXPECT_EQ(
        changed.refused(),
        start +
            "it was written at 1969-12-31 23:59:59.999999999 UTC, then at 2026-11-25 02:36:14.000000007 UTC" +
            anew);
    changed.source = binding;
    changed.source.header_hash = 0x123456789ABCDEF0;
    EXPECT_EQ(changed.refused(),
              start + "its header has the hash 123456789abcdef0 and had 00000000000000ab" + anew);
  }
  EXPECT_EQ(job.open()->finished(), (Finished{false, true, false}));  // a refusal leaves all as it was
}

TEST(ResumableFile, RefusesAnotherPlan) {
  const Scratch scratch;
  const Job job{scratch.path("out")};
  begin(job);
  const std::string start = "convert: \"" + job.path + "\" must ";
  Job changed = job;
  changed.source.plan_hash = 0xCE;
  EXPECT_EQ(
      changed.refused(),
      start + "be written by the plan it was begun by, whose hash is 00000000000000cd, not 00000000000000ce" +
          anew);
  changed = job;
  changed.size = 31;
  EXPECT_EQ(changed.refused(), start + "have the 30 bytes it was begun with, not 31" + anew);
  changed = job;
  changed.count = 2;
  EXPECT_EQ(changed.refused(),
            start +
                "be written in the 3 parts it was begun in, with 0 bytes of temporary space, "
                "not in 2 with 0" +
                anew);
  changed = job;
  changed.blocks = 9;
  EXPECT_EQ(changed.refused(),
            start +
                "be written in the 3 parts it was begun in, with 0 bytes of temporary space, "
                "not in 3 with 9" +
                anew);
  for (const std::string kind : {"part", "journal"}) {
    std::filesystem::rename(scratch.path(".out.tenstride-" + kind), scratch.path(".other.tenstride-" + kind));
  }
  EXPECT_EQ(
      (Job{scratch.path("other")}).refused(),
      "convert: \"" + scratch.path("other") + "\" must have the name it was begun with, \"out\"" + anew);
}

TEST(ResumableFile, RefusesASecondProcess) {
  const Scratch scratch;
  const Job job{scratch.path("out")};
  const std::string expected = "convert: \"" + job.path +
                               "\" must not be written by two processes at once (\"" +
                               scratch.path(".out.tenstride-journal") + "\" is locked)";
  const auto file = job.open();
  for (const Resume resume : {Resume::no, Resume::if_there, Resume::required}) {
    EXPECT_EQ((Job{job.path, resume}).refused(), expected);
  }
  const pid_t child = fork();
  if (child == 0) _exit(job.refused() == expected ? 7 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  for (std::size_t part = 0; part < parts; ++part) write_part(*file, part);
  file->commit();
  EXPECT_EQ(read_bytes(job.path), whole);
}

TEST(ResumableFile, RefusesWithoutRoom) {
  const Scratch scratch;
  Job job{scratch.path("out")};
  const std::string start = "convert: \"" + job.path + "\" must have room for ";
  const auto expect = [&](const std::string& message) {
    EXPECT_EQ(without_numbers(job.refused()), without_numbers(start) + message);
    EXPECT_TRUE(scratch.names().empty());
  };
  job.size = std::uint64_t{1} << 60;
  EXPECT_TRUE(job.refused().starts_with(start + "1152921504606846976 bytes, of which "));
  expect("# bytes, of which # are free (No space left on device)");
  job.blocks = ~std::uint64_t{0} - 5;
  expect("# bytes, of which # are free (File too large)");
  const FileSizeLimit limit(1 << 16);
  job.size = 100000;
  job.blocks = 0;
  expect("# bytes, of which # are free (File too large)");
  job.size = 100;
  job.blocks = 100000;
  EXPECT_TRUE(job.refused().starts_with(start + "100100 bytes, of which "));
  expect("# bytes, of which # are free (File too large)");
  // What is written when the blocks are gone takes their room.
  job.later = (std::uint64_t{1} << 60) - 100;
  EXPECT_TRUE(job.refused().starts_with(start + "1152921504606846976 bytes, of which "));
  expect("# bytes, of which # are free (No space left on device)");
}

TEST(ResumableFile, RefusesAnExistingFile) {
  const Scratch scratch;
  const Job job{scratch.file("out", "old")};
  EXPECT_EQ(job.refused(),
            "convert: \"" + job.path + "\" exists already and must not be replaced (Overwrite::refuse)");
  EXPECT_EQ(scratch.names(), Names{"out"});
}

TEST(ResumableFile, RefusesAFileThatCameInTheMeantime) {
  const Scratch scratch;
  const Job job{scratch.path("out")};
  {
    const auto file = job.open();
    for (std::size_t part = 0; part < parts; ++part) write_part(*file, part);
    scratch.file("out", "theirs");
    EXPECT_EQ(refusal<FileError>([&] { return file->commit(), 0; }),
              "convert: \"" + job.path + "\" exists by now and must not be replaced (Overwrite::refuse)");
  }
  EXPECT_EQ(read_bytes(job.path), "theirs");
  const auto file = Job{job.path, Resume::required, Overwrite::replace}.open();
  EXPECT_EQ(file->finished(), Finished(parts, true));
  file->commit();
  EXPECT_EQ(read_bytes(job.path), whole);
  EXPECT_EQ(scratch.names(), Names{"out"});
}

TEST(ResumableFile, RefusesNamesThatNoFileCanHave) {
  const Scratch scratch;
  const auto refused = [](const std::string& path) {
    return Job{path, Resume::no, Overwrite::replace}.refused();
  };
  const std::string folder = scratch.folder().string();
  EXPECT_EQ(refused(folder), "convert: \"" + folder + "\" must be a regular file to be replaced");
  EXPECT_EQ(refused("/dev/null"), "convert: \"/dev/null\" must be a regular file to be replaced");
  EXPECT_EQ(
      refused(folder + "/no/x"),
      "convert: \"" + folder + "/no/x\" must lie in a folder that can be opened (No such file or directory)");
  const std::string name = folder + "/" + std::string(237, 'x');
  EXPECT_EQ(refused(name),
            "convert: \"" + name +
                "\" must have a name of at most 236 bytes, not 237 (the longest name beside it has 19 more)");
  EXPECT_TRUE(scratch.names().empty());
  begin(Job{folder + "/" + std::string(236, 'x')});
}

TEST(ResumableFile, RefusesAFolderThatCannotBeWrittenTo) {
  const Scratch scratch;
  const Job job{scratch.path("out")};
  ASSERT_EQ(chmod(scratch.folder().c_str(), 0555), 0);
  // The superuser may write everywhere: another user asks.
  const bool is_superuser = geteuid() == 0;
  if (is_superuser) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  const std::string message = job.refused();
  if (is_superuser) {
    ASSERT_EQ(seteuid(0), 0);
  }
  EXPECT_EQ(message,
            "convert: \"" + job.path + "\" must lie in a folder that can be written to (Permission denied)");
  ASSERT_EQ(chmod(scratch.folder().c_str(), 0700), 0);
}

TEST(ResumableFile, FollowsNoLinkInThePlaceOfItsOwnFiles) {
  const Scratch scratch;
  const std::string victim = scratch.file("victim", "precious");
  const Job job{scratch.path("out")};
  std::filesystem::create_symlink(victim, scratch.path(".out.tenstride-journal"));
  EXPECT_EQ(job.refused(),
            "convert: \"" + job.path +
                "\" must lie in a folder that can be written to (Too many levels of symbolic links)");
  std::filesystem::remove(scratch.path(".out.tenstride-journal"));
  std::filesystem::create_symlink(victim, scratch.path(".out.tenstride-part"));
  begin(job);
  EXPECT_EQ(read_bytes(victim), "precious");
}

TEST(BindSource, SeesSizeTimeAndHeader) {
  const Scratch scratch;
  const std::string path = scratch.file("in", "header and elements");
  const Binding first = bind_source(path, 6, 42, "convert");
  EXPECT_EQ(first.source, path);
  EXPECT_EQ(first.source_nbytes, 19U);
  EXPECT_EQ(first.plan_hash, 42U);
  EXPECT_GT(first.source_mtime_ns, 1'600'000'000'000'000'000);
  EXPECT_EQ(first.header_hash, bind_source(scratch.file("same", "header"), 6, 0, "convert").header_hash);
  EXPECT_NE(first.header_hash, bind_source(scratch.file("other", "Header"), 6, 0, "convert").header_hash);
  // FNV-1a of nothing and of "a", as its authors give them.
  EXPECT_EQ(bind_source(path, 0, 0, "convert").header_hash, 0xCBF29CE484222325U);
  EXPECT_EQ(bind_source(scratch.file("a", "a"), 1, 0, "convert").header_hash, 0xAF63DC4C8601EC8CU);
}

TEST(BindSource, RefusesWhatIsNoSuchFile) {
  const Scratch scratch;
  const auto refused = [](const std::string& path) {
    return refusal<FileError>([&] { return bind_source(path, 128, 0, "convert").source; });
  };
  const std::string path = scratch.path("in");
  EXPECT_EQ(refused(path),
            "convert: \"" + path + "\" must be a file that can be opened (No such file or directory)");
  EXPECT_EQ(refused("/dev/null"), "convert: \"/dev/null\" must be a regular file");
  scratch.file("in", "short");
  EXPECT_EQ(refused(path), "convert: \"" + path + "\" must have a header of 128 bytes, not 5 in all");
}

}  // namespace
}  // namespace tenstride::io
