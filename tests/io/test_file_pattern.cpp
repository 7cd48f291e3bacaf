// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/file_pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/refusal.hpp"
#include "support/scratch.hpp"

namespace tenstride::io {
namespace {

using testing::refusal;
using testing::Scratch;

using Names = std::vector<std::string>;

TEST(FilePattern, NumbersInNamesCountByTheirValues) {
  const Names ordered{"a",
                      "t0",
                      "t01",
                      "t1",
                      "t1b",
                      "t2",
                      "t002x",
                      "t9",
                      "t10",
                      "t10a2",
                      "t10a10",
                      "u",
                      "v18446744073709551615",
                      "v18446744073709551616"};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      EXPECT_EQ(comes_before(ordered[i], ordered[j]), i < j) << ordered[i] << ' ' << ordered[j];
    }
  }
}

TEST(FilePattern, FindsFilesInOrder) {
  const Scratch folder;
  for (const char* name : {"t10.npy", "t9.npy", "t1.npy", ".t2.npy", "u.npy", "[x].npy"})
    std::ofstream(folder.path(name)) << name;
  std::filesystem::create_directory(folder.path("t3.npy"));
  const auto names_of = [](const Names& paths) {
    Names names;
    for (const std::string& path : paths) names.push_back(std::filesystem::path(path).filename());
    return names;
  };
  EXPECT_EQ(names_of(files_of_pattern(folder.path("t*.npy"))),
            (Names{"t1.npy", "t3.npy", "t9.npy", "t10.npy"}));
  EXPECT_EQ(names_of(files_of_pattern(folder.path("t?.npy"))), (Names{"t1.npy", "t3.npy", "t9.npy"}));
  EXPECT_EQ(names_of(files_of_pattern(folder.path("[t-u].npy"))), (Names{"u.npy"}));
  EXPECT_EQ(names_of(files_in_folder(folder.path(""))),
            (Names{"[x].npy", "t1.npy", "t3.npy", "t9.npy", "t10.npy", "u.npy"}));
}

TEST(FilePattern, AFileWithSignsInItsNameIsMeantFirst) {
  const Scratch folder;
  std::ofstream(folder.path("[x].npy")) << "";
  EXPECT_FALSE(is_file_pattern(folder.path("[x].npy")));
  EXPECT_TRUE(is_file_pattern(folder.path("[y].npy")));
  EXPECT_FALSE(is_file_pattern(folder.path("y.npy")));
}

TEST(FilePattern, SaysWhatFitsNoFile) {
  const Scratch folder;
  const std::string pattern = folder.path("t*.npy");
  EXPECT_EQ(refusal<FileError>([&] { files_of_pattern(pattern, "convert"); }),
            "convert: no file has a name like \"" + pattern + '"');
  const std::string missing = folder.path("missing");
  EXPECT_EQ(refusal<FileError>([&] { files_in_folder(missing); }),
            "info: \"" + missing + "\" must be a folder that can be read (No such file or directory)");
}

}  // namespace
}  // namespace tenstride::io
