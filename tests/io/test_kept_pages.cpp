// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "io/disk/kept_pages.hpp"

namespace tenstride {
namespace {

using io::KeptPages;

/// Pages of 8 bytes in a file of 20.
class Pages {
 public:
  explicit Pages(std::size_t most) : kept(8, most, 20) {}
  /// What is known of the page after bytes were added at a place of the file.
  std::string merge(std::uint64_t begin, std::string_view bytes) {
    std::string image(8, '.');
    kept.merge(begin, std::as_bytes(std::span(bytes)), reinterpret_cast<std::byte*>(image.data()));
    for (char& c : image) c = c == '\0' ? '_' : c;
    return image;
  }
  KeptPages kept;
};

TEST(KeptPages, KeepWhatIsKnownUntilAPageIsFull) {
  Pages pages(10);
  EXPECT_FALSE(pages.kept.contains(8));
  EXPECT_EQ(pages.merge(10, "cd"), "__cd____");
  EXPECT_TRUE(pages.kept.contains(8));
  EXPECT_EQ(pages.merge(8, "ab"), "abcd____");
  EXPECT_EQ(pages.merge(12, "efgh"), "abcdefgh");
  EXPECT_FALSE(pages.kept.contains(8));
  EXPECT_FALSE(pages.kept.is_lost(8));
}

TEST(KeptPages, EndWithTheFile) {
  Pages pages(10);
  EXPECT_EQ(pages.merge(16, "wxy"), "wxy_____");
  EXPECT_TRUE(pages.kept.contains(16));
  EXPECT_EQ(pages.merge(19, "z"), "wxyz____");
  EXPECT_FALSE(pages.kept.contains(16));
}

TEST(KeptPages, GiveUpTheOldest) {
  Pages pages(1);
  pages.merge(0, "a");
  pages.merge(8, "b");
  EXPECT_TRUE(pages.kept.contains(0));  // a tile may need more for a while
  pages.kept.shrink();
  EXPECT_FALSE(pages.kept.contains(0));
  EXPECT_TRUE(pages.kept.is_lost(0));
  EXPECT_TRUE(pages.kept.contains(8));
  EXPECT_FALSE(pages.kept.is_lost(8));
  const std::string_view before = "a_______";
  pages.kept.load(0, std::as_bytes(std::span(before)));
  EXPECT_FALSE(pages.kept.is_lost(0));
  EXPECT_EQ(pages.merge(1, "c"), "ac______");
}

}  // namespace
}  // namespace tenstride
