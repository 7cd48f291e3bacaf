// SPDX-License-Identifier: Apache-2.0
// Members that cannot be read go along as their bytes are stored.
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/zip.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::deflated_file;
using testing::refusal;
using testing::Scratch;
using testing::stored_file;
using testing::zip_archive;

/// An archive of a tensor w, text that is stored, and text that is deflated.
class AsStored : public ::testing::Test {
 protected:
  static std::string npy(const std::string& descr, const std::string& content) {
    std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2,), }\n";
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text + content;
  }
  const std::string words = npy("|S2", "abcd"), raw = npy("|V8", std::string(16, '\x01'));
  Scratch scratch;
  std::string path = scratch.file(
      "x.npz",
      zip_archive({stored_file("words.npy", words), stored_file("w.npy", npy("<f4", std::string(8, '\0'))),
                   deflated_file("raw.npy", raw)}));
  std::vector<FileInfo> found = list_tensors(path);
  /// What keeps all but w, which is converted.
  [[nodiscard]] std::vector<TensorMove> moves() const {
    return {{found[0], "x", "words", MoveKind::keep},
            {found[1], "x", "w"},
            {found[2], "x", "raw", MoveKind::keep}};
  }
};

TEST_F(AsStored, ArchivesGetTheBytesOfMembers) {
  ASSERT_EQ(found.size(), 3U);
  SaveTensorsOptions options;
  options.chunks.as_stored = {found[0], found[2]};
  const std::string dst = scratch.path("y.npz");
  save_tensor_file(dst, {{"w", load_tensor_file(found[1])}}, options);
  const std::vector<FileInfo> written = list_tensors(dst);
  ASSERT_EQ(written.size(), 3U);
  const std::string bytes = testing::read_bytes(dst), source = testing::read_bytes(path);
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    const FileInfo& copy = written[i == 0 ? 1 : 2];
    EXPECT_EQ(copy.name, found[i].name);
    EXPECT_EQ(copy.obstacle, found[i].obstacle);
    EXPECT_EQ(copy.storage, found[i].storage);
    EXPECT_EQ(copy.stream.crc, found[i].stream.crc);
    EXPECT_EQ(copy.stream.content_nbytes, found[i].stream.content_nbytes);
    EXPECT_EQ(bytes.substr(copy.stream.begin, copy.stream.nbytes),
              source.substr(found[i].stream.begin, found[i].stream.nbytes));
  }
}

TEST_F(AsStored, NoOtherKindOfFileTakesThem) {
  const std::string rule = "\" must " + found[0].obstacle +
                           "; as its bytes are stored it goes along to a file of its own kind only, not to ";
  EXPECT_EQ(refusal<FileError>([&] { return plan_permute_files(moves(), scratch.path("y.safetensors")); }),
            "permute_file: \"" + path + "::words" + rule + "a safetensors file");
  SaveTensorsOptions options;
  options.chunks.as_stored = {found[0]};
  const std::vector<NamedTensor> tensors{{"w", load_tensor_file(found[1])}};
  const auto save = [&](const std::string& name) {
    save_tensor_file(scratch.path(name), tensors, options);
    return 0;
  };
  EXPECT_EQ(refusal<FileError>([&] { return save("y.zarr"); }),
            "save: \"" + path + "::words" + rule + "a Zarr folder");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"x.npz"});
}

TEST_F(AsStored, NamesStandOnceAndWhatCanBeReadIsATensor) {
  SaveTensorsOptions options;
  options.chunks.as_stored = {found[0]};
  const Tensor w = load_tensor_file(found[1]);
  const auto save = [&](const std::string& name) {
    save_tensor_file(scratch.path("y.npz"), {{name, w}}, options);
    return 0;
  };
  EXPECT_EQ(refusal<ValueError>([&] { return save("words"); }),
            "save: the name \"words\" must stand once in a file");
  options.chunks.as_stored = {found[1]};
  EXPECT_EQ(refusal<ValueError>([&] { return save("v"); }),
            "save: \"" + path + "::w\" can be read and must be among the tensors");
}

}  // namespace
}  // namespace tenstride::io
