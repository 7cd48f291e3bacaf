// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "tenstride/io/open_for_notation.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::refusal;
using testing::Scratch;

TEST(OpenForNotation, TellsHowElementsStandAndReadsNoneUnlessTheyAreWanted) {
  const Scratch scratch;
  const Tensor x = arange(6).view({2, 3});
  save_tensor_file(scratch.path("x.npy"), {{"", x}}, {.order = ElementOrder::column_major});
  const OpenedFile header = open_for_notation(scratch.path("x.npy"), FileContent::layout);
  EXPECT_EQ(header.standing, "mapped");
  EXPECT_TRUE(header.tensor.is_meta());
  EXPECT_EQ(to_string(header.tensor.layout()), "(2,3):(1,2)+0");
  EXPECT_EQ(header.tensor.dtype(), DType::int64);
  const OpenedFile whole = open_for_notation(scratch.path("x.npy"), FileContent::elements);
  EXPECT_EQ(whole.tensor.layout(), header.tensor.layout());
  EXPECT_EQ(whole.tensor.select(0, 1).select(0, 2).item().to<int>(), 5);
  save_tensor_file(scratch.path("x.zarr"), {{"", x}}, {.chunks = {.chunk = {1, 3}, .codec = "none"}});
  EXPECT_EQ(open_for_notation(scratch.path("x.zarr"), FileContent::layout).standing, "in chunks of (1,3)");
  EXPECT_EQ(open_for_notation(scratch.path("x.zarr"), FileContent::elements)
                .tensor.select(0, 1)
                .select(0, 2)
                .item()
                .to<int>(),
            5);
}

TEST(OpenForNotation, OneOfSeveralIsNamed) {
  const Scratch scratch;
  const std::string path = scratch.path("x.safetensors");
  save_tensor_file(path, {{"weight", zeros({2})}, {"bias", zeros({3})}});
  EXPECT_EQ(open_for_notation(path + "::bias", FileContent::layout).tensor.size(0), 3);
  const auto said = [](const std::string& address) {
    return refusal<FileError>([&] { return open_for_notation(address, FileContent::layout).standing; });
  };
  EXPECT_EQ(said(path), "open: \"" + path + "\" must name one tensor, as \"" + path +
                            "::bias\" does (it names 2: bias, weight)");
  EXPECT_EQ(said(path + "::weigth"), "open: \"" + path +
                                         "\" must have a tensor \"weigth\" (it has 2: bias, weight; did you "
                                         "mean \"weight\"?)");
  EXPECT_TRUE(said(scratch.path("none.npy")).starts_with("open: \"" + scratch.path("none.npy") + "\" "));
}

}  // namespace
}  // namespace tenstride::io
