// SPDX-License-Identifier: Apache-2.0
#include "files/atomic_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

bool has_mark(const std::string& path) {
  return fs::exists(fs::path(path) / "mark");
}

/// A folder with the mark and a text.
void fill(const Scratch& scratch, const std::string& name, const std::string& text) {
  fs::create_directories(scratch.path(name));
  scratch.file(name + "/mark", text);
}

void fill_part(const Scratch& scratch, const AtomicFolder& folder, const std::string& text) {
  fill(scratch, fs::path(folder.part_path()).filename().string(), text);
}

using Names = std::vector<std::string>;

TEST(AtomicFolder, AppearsWhole) {
  const Scratch scratch;
  AtomicFolder folder(scratch.path("a"), Overwrite::refuse, has_mark, "write");
  fill_part(scratch, folder, "new");
  EXPECT_EQ(scratch.names(), Names{".a.tenstride-part"});
  folder.commit();
  EXPECT_EQ(scratch.names(), Names{"a"});
}

TEST(AtomicFolder, ReplacesTheOldOneAtTheEnd) {
  const Scratch scratch;
  fill(scratch, "a", "old");
  {
    AtomicFolder folder(scratch.path("a"), Overwrite::replace, has_mark, "write");
    fill_part(scratch, folder, "never");
  }
  EXPECT_EQ(read_bytes(scratch.path("a/mark")), "old");
  AtomicFolder folder(scratch.path("a/"), Overwrite::replace, has_mark, "write");
  fill_part(scratch, folder, "new");
  EXPECT_EQ(read_bytes(scratch.path("a/mark")), "old");
  folder.commit();
  EXPECT_EQ(read_bytes(scratch.path("a/mark")), "new");
  EXPECT_EQ(scratch.names(), Names{"a"});
}

TEST(AtomicFolder, Refuses) {
  const Scratch scratch;
  fill(scratch, "a", "old");
  fs::create_directories(scratch.path("b"));
  scratch.file("b/other", "");
  const auto refused = [&](const std::string& name, Overwrite overwrite) {
    return refusal<FileError>([&] { AtomicFolder(scratch.path(name), overwrite, has_mark, "write"); });
  };
  EXPECT_EQ(
      refused("a", Overwrite::refuse),
      "write: \"" + scratch.path("a") + "\" exists already and must not be replaced (Overwrite::refuse)");
  EXPECT_EQ(refused("b", Overwrite::replace),
            "write: \"" + scratch.path("b") + "\" must be a folder of the same kind to be replaced");
  AtomicFolder late(scratch.path("c"), Overwrite::refuse, has_mark, "write");
  fill_part(scratch, late, "new");
  fill(scratch, "c", "meanwhile");
  EXPECT_EQ(
      refusal<FileError>([&] { late.commit(); }),
      "write: \"" + scratch.path("c") + "\" exists already and must not be replaced (Overwrite::refuse)");
  EXPECT_EQ(read_bytes(scratch.path("c/mark")), "meanwhile");
}

}  // namespace
}  // namespace tenstride::io
