// SPDX-License-Identifier: Apache-2.0
// Several tensors on their way into one file, and sources that are compressed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "support/permuted_file.hpp"
#include "support/refusal.hpp"
#include "support/zip.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride {
namespace {

using io::FileOptions;
using io::FileResult;
using io::NamedTensor;
using io::TensorMove;
using oracle::Random;
using testing::file_options;
using testing::random_tensor;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;

using Names = std::vector<std::string>;

/// What the chain gives of a tensor in memory.
Tensor result_of(const Tensor& x, const std::string& chain) {
  const Evaluation evaluation = evaluate(Program::parse(chain), {.inputs = {{"x", x}}});
  EXPECT_FALSE(evaluation.failure) << chain;
  return *evaluation.value.tensor();
}

/// A safetensors file "x.safetensors", moves of its tensors to "y.safetensors", and what that must become.
struct Moves {
  void add(const std::string& name, const Tensor& x, const std::string& chain = "x") {
    given.push_back({name, x});
    chains.push_back(chain);
  }
  void save() const { save_tensor_file(source, given); }
  [[nodiscard]] std::vector<TensorMove> moves() const {
    std::vector<TensorMove> result;
    for (std::size_t i = 0; i < given.size(); ++i) {
      result.push_back({io::read_file_info(source + "::" + given[i].name), chains[i], given[i].name});
    }
    return result;
  }
  /// The destination is byte for byte what is saved from memory.
  void expect_whole() const {
    std::vector<NamedTensor> wanted;
    for (std::size_t i = 0; i < given.size(); ++i) {
      wanted.push_back({given[i].name, result_of(given[i].tensor, chains[i])});
    }
    save_tensor_file(scratch.path("wanted.safetensors"), wanted);
    EXPECT_TRUE(read_bytes(destination) == read_bytes(scratch.path("wanted.safetensors")));
    std::filesystem::remove(scratch.path("wanted.safetensors"));
    EXPECT_EQ(scratch.names(), (Names{"x.safetensors", "y.safetensors"}));
  }
  Scratch scratch;
  std::string source = scratch.path("x.safetensors");
  std::string destination = scratch.path("y.safetensors");
  std::vector<NamedTensor> given;
  std::vector<std::string> chains;
};

/// Transposes of several sizes, each of several tiles.
struct LargeMoves : Moves {
  LargeMoves() {
    Random random(5);
    add("square", random_tensor(random, {200, 210}, DType::float32), "x.t()");
    add("bytes", random_tensor(random, {301, 307}, DType::uint8), "x.t()");
    add("three", random_tensor(random, {30, 40, 50}, DType::int16), "x.permute(2, 0, 1)");
    add("half", random_tensor(random, {150, 160}, DType::float32), "x.t().half()");
    save();
  }
};

FileOptions memory_for_tiles() {
  FileOptions options = file_options(40'000, testing::dear_requests(1));
  options.disk->seconds_per_request = 1e-5;
  options.access = io::DiskAccess::buffered;
  options.overwrite = io::Overwrite::refuse;
  return options;
}

TEST(PermuteFiles, TellTheirPlans) {
  const LargeMoves moves;
  const io::FileJob job = io::plan_permute_files(moves.moves(), moves.destination, memory_for_tiles());
  std::string wanted = R"({"tensors":[)";
  std::size_t passes = 0;
  for (const io::TensorPlan& tensor : plan_of(job).tensors) {
    ASSERT_EQ(tensor.stages.size(), 1U);
    wanted += R"({"stages":[)" + to_json(tensor.stages[0].plan) + "]},";
    passes += tensor.stages[0].plan.passes.size();
  }
  wanted.back() = ']';
  EXPECT_EQ(to_json(job), wanted + '}');
  EXPECT_EQ(job.passes, passes);
}

TEST(PermuteFiles, SeveralTensorsWithLittleMemory) {
  for (const io::FileCheck check : {io::FileCheck::none, io::FileCheck::checksum}) {
    const LargeMoves moves;
    FileOptions options = memory_for_tiles();
    options.check = check;
    const io::FileJob job = io::plan_permute_files(moves.moves(), moves.destination, options);
    ASSERT_EQ(job.tensors.size(), 4U);
    for (const io::TensorPlan& tensor : plan_of(job).tensors)
      EXPECT_GT(tensor.stages[0].plan.passes[0].tiles, 1);
    EXPECT_LE(job.memory, options.memory);
    const FileResult result = io::run(job);
    EXPECT_EQ(result.bytes_read, job.bytes_read);
    EXPECT_EQ(result.bytes_written, job.bytes_written);
    EXPECT_EQ(result.is_checked, check == io::FileCheck::checksum);
    moves.expect_whole();
  }
}

TEST(PermuteFiles, AnAddressMeansSeveralTensors) {
  Moves moves;
  Random random(6);
  for (const char* const name : {"a.weight", "b.weight", "c.weight"}) {
    moves.add(name, random_tensor(random, {30, 20}, DType::float32), "x.t()");
  }
  moves.save();
  io::permute_file(moves.source + "::*.weight", "x.t()", moves.destination, memory_for_tiles());
  moves.expect_whole();
}

TEST(PermuteFiles, TensorsComeInAnyOrder) {
  const LargeMoves moves;
  std::vector<TensorMove> given = moves.moves();
  std::ranges::reverse(given);
  std::swap(given[0], given[2]);
  const FileResult shuffled = io::run(io::plan_permute_files(given, moves.destination, memory_for_tiles()));
  moves.expect_whole();
  std::filesystem::remove(moves.destination);
  const FileResult sorted =
      io::run(io::plan_permute_files(moves.moves(), moves.destination, memory_for_tiles()));
  EXPECT_EQ(shuffled.bytes_written, sorted.bytes_written);
  moves.expect_whole();
}

TEST(PermuteFilesThreads, GoOnWhereTheyWereInterrupted) {
  for (const int number : {1, 3, 6}) {
    const LargeMoves moves;
    FileOptions options = memory_for_tiles();
    int calls = 0;
    const auto stop = [&](const io::Progress&) {
      if (++calls == number) throw io::Interrupted("stopped");
      // Calls come 50 ms apart, in which many tiles would be done otherwise.
      std::this_thread::sleep_for(std::chrono::milliseconds(51));
    };
    EXPECT_EQ(refusal<io::Interrupted>([&] {
                return io::run(io::plan_permute_files(moves.moves(), moves.destination, options), stop);
              }),
              "stopped");
    EXPECT_FALSE(std::filesystem::exists(moves.destination));
    EXPECT_TRUE(std::filesystem::exists(moves.scratch.path(".y.safetensors.tenstride-journal")));
    options.resume = io::Resume::required;
    options.check = io::FileCheck::checksum;
    const FileResult result = io::run(io::plan_permute_files(moves.moves(), moves.destination, options));
    EXPECT_TRUE(result.is_resumed);
    EXPECT_TRUE(result.is_checked);
    moves.expect_whole();
  }
}

TEST(PermuteFiles, SmallTensorsShareThePagesOfAFile) {
  for (const io::DiskAccess access : {io::DiskAccess::buffered, io::DiskAccess::automatic}) {
    Moves moves;
    Random random(7);
    for (int i = 0; i < 60; ++i) {
      const Tensor x =
          random_tensor(random, {random.between(1, 5000)}, i % 3 == 0 ? DType::int16 : DType::uint8);
      moves.add("t" + std::to_string(i), x, i % 4 == 1 ? "x.flip(0)" : "x");
    }
    moves.save();
    FileOptions options = file_options(1'000'000, testing::dear_requests(4096));
    options.access = access;
    options.check = io::FileCheck::checksum;
    io::run(io::plan_permute_files(moves.moves(), moves.destination, options));
    moves.expect_whole();
  }
}

TEST(PermuteFiles, EmptyTensorsAndScalarsGoAlong) {
  Moves moves;
  moves.add("empty", zeros({0, 3}), "x.t()");
  moves.add("scalar", full({}, 7.0));
  moves.add("row", arange(5).to(DType::uint8));
  moves.save();
  io::run(io::plan_permute_files(moves.moves(), moves.destination, memory_for_tiles()));
  moves.expect_whole();
}

TEST(PermuteFiles, OptionsOfElementsAreAboutWhatIsConverted) {
  Moves moves;
  Random random(12);
  const Tensor w = random_tensor(random, {200, 210}, DType::float32);
  moves.add("w", w, "x.t()");
  moves.add("kept", random_tensor(random, {301, 307}, DType::int64));
  moves.add("small", random_tensor(random, {3}, DType::float64));
  moves.save();
  std::vector<TensorMove> given = moves.moves();
  given[1].kind = given[2].kind = io::MoveKind::keep;
  for (const io::FileCheck check : {io::FileCheck::none, io::FileCheck::checksum}) {
    FileOptions options = memory_for_tiles();
    options.overwrite = io::Overwrite::replace;
    options.check = check;
    options.dtype = DType::float16;
    options.scale = {0.5};
    options.shift = {-1};
    const io::FileJob job = io::plan_permute_files(given, moves.destination, options);
    EXPECT_TRUE(job.tensors[0].elements.scale.empty()) << job.tensors[0].name;
    io::run(job);
    Tensor scaled = empty({210, 200}, {.dtype = DType::float16});
    copy_elements(scaled, w.t(), ScaleShift{options.scale, options.shift, 0});
    const auto found = [&](const std::string& name) {
      return io::load_tensor_file(io::read_file_info(moves.destination + "::" + name));
    };
    EXPECT_TRUE(found("w").equal(scaled));
    EXPECT_TRUE(found("kept").equal(moves.given[1].tensor));
    EXPECT_TRUE(found("small").equal(moves.given[2].tensor));
  }
}

TEST(PermuteFiles, APlanKnowsItsNumbersInFull) {
  Moves moves;
  moves.add("w", ones({3, 4}));
  moves.add("b", ones({3}));
  moves.save();
  std::vector<std::string> hashes;
  const auto add = [&](double scale, Index axis, io::MoveKind kind) {
    std::vector<TensorMove> given = moves.moves();
    given[1].kind = kind;
    FileOptions options = memory_for_tiles();
    options.scale = {scale};
    options.axis = axis;
    hashes.push_back(io::plan_hash_text(io::plan_permute_files(given, moves.destination, options)));
  };
  add(1e-8, 0, io::MoveKind::convert);
  add(2e-8, 0, io::MoveKind::convert);
  add(1e-8, -1, io::MoveKind::convert);
  add(1e-8, 0, io::MoveKind::keep);
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
}

TEST(PermuteFiles, TensorsOfSeveralFiles) {
  const Scratch scratch;
  Random random(8);
  const Tensor a = random_tensor(random, {20, 30}, DType::float32),
               b = random_tensor(random, {7}, DType::int64);
  io::save_npy(scratch.path("a.npy"), a);
  io::save_tensor_file(scratch.path("b.npz"), {{"b", b}}, {.is_compressed = true});
  io::run(io::plan_permute_files({{io::read_file_info(scratch.path("a.npy")), "x.t()", "a"},
                                  {io::read_file_info(scratch.path("b.npz")), "x", "b"}},
                                 scratch.path("y.safetensors"), memory_for_tiles()));
  io::save_tensor_file(scratch.path("wanted.safetensors"), {{"a", a.t()}, {"b", b}});
  EXPECT_TRUE(read_bytes(scratch.path("y.safetensors")) == read_bytes(scratch.path("wanted.safetensors")));
}

TEST(PermuteFiles, DeflatedSourcesAreUnpackedBesideTheDestination) {
  const Scratch scratch;
  Random random(9);
  const Tensor x = random_tensor(random, {200, 210}, DType::float32);
  const std::string source = scratch.path("x.npz");
  for (const io::ElementOrder order : {io::ElementOrder::row_major, io::ElementOrder::column_major}) {
    io::save_tensor_file(source, {{"first", zeros({3})}, {"x", x}},
                         {.overwrite = io::Overwrite::replace, .order = order, .is_compressed = true});
    FileOptions options = memory_for_tiles();
    options.overwrite = io::Overwrite::replace;
    options.check = io::FileCheck::checksum;
    const io::FileJob job = io::plan_permute_file(source + "::x", "x.t()", scratch.path("y.npy"), options);
    // In column-major order its transpose stands in the stream as in the destination.
    const bool is_straight = order == io::ElementOrder::column_major;
    EXPECT_EQ(job.unpacked_bytes, is_straight ? 0 : 128 + x.nbytes());
    EXPECT_GT(plan_of(job).tensors[0].stages[0].plan.passes[0].tiles, 1);
    EXPECT_EQ(io::run(job).checksum, checksum(x.t()));
    EXPECT_TRUE(io::load_npy(scratch.path("y.npy")).equal(x.t()));
    EXPECT_EQ(scratch.names(), (Names{"x.npz", "y.npy"}));
  }
}

TEST(PermuteFiles, StreamsInTheOrderOfTheDestinationAreUnpackedToIt) {
  const Scratch scratch;
  Random random(11);
  // 1.2 and 2.4 MB: more than one piece, whose last is short.
  const Tensor a = random_tensor(random, {601, 503}, DType::float32);
  const Tensor b = random_tensor(random, {600, 499}, DType::float64);
  const Tensor c = random_tensor(random, {7, 11}, DType::int8);
  const std::string source = scratch.path("x.npz");
  io::save_tensor_file(source, {{"a", a}, {"b", b}, {"c", c}}, {.is_compressed = true});
  FileOptions options = memory_for_tiles();
  options.check = io::FileCheck::checksum;
  const std::vector<TensorMove> moves{{io::read_file_info(source + "::c"), "x", "c"},
                                      {io::read_file_info(source + "::b"), "x.t()", "b"},
                                      {io::read_file_info(source + "::a"), "x", "a"}};
  const io::FileJob job = io::plan_permute_files(moves, scratch.path("y.safetensors"), options);
  EXPECT_EQ(job.unpacked_bytes, 128 + b.nbytes());
  io::Progress last{};
  const io::FileResult done = io::run(job, [&](const io::Progress& now) { last = now; });
  EXPECT_TRUE(done.is_checked);
  EXPECT_EQ(done.checksum, checksum(a) + checksum(b.t()) + checksum(c));
  EXPECT_EQ(last.tiles_done, last.tiles);
  io::save_tensor_file(scratch.path("wanted.safetensors"), {{"c", c}, {"b", b.t()}, {"a", a}});
  EXPECT_TRUE(read_bytes(scratch.path("y.safetensors")) == read_bytes(scratch.path("wanted.safetensors")));

  // A prefix stops early and is checked to its end all the same; another type is converted.
  for (const auto& [chain, wanted] :
       {std::pair{"x[:100]", a.narrow(0, 0, 100)}, {"x.double()", a.to(DType::float64)}}) {
    options.overwrite = io::Overwrite::replace;
    EXPECT_EQ(io::permute_file(source + "::a", chain, scratch.path("y.npy"), options).checksum,
              checksum(wanted));
    EXPECT_TRUE(io::load_npy(scratch.path("y.npy")).equal(wanted));
  }

  std::string bytes = read_bytes(source);
  bytes[bytes.find("a.npy") + 5000] ^= 1;
  const std::string damaged = scratch.file("damaged.npz", bytes);
  EXPECT_NE(
      refusal<FileError>([&] { io::permute_file(damaged + "::a", "x", scratch.path("z.npy"), options); }),
      "not refused");
  EXPECT_EQ(scratch.names(), (Names{"damaged.npz", "wanted.safetensors", "x.npz", "y.npy", "y.safetensors"}));
}

TEST(PermuteFiles, GzipOfNiftiIsASource) {
  const Scratch scratch;
  Random random(10);
  const Tensor x = random_tensor(random, {20, 30, 40}, DType::int16);
  io::save_tensor_file(scratch.path("x.nii"), {{"", x}});
  const std::string source = scratch.file("x.nii.gz", testing::gzipped(read_bytes(scratch.path("x.nii"))));
  EXPECT_EQ(io::sniff(source), io::FileKind::nifti);
  io::permute_file(source, "x.permute(2, 0, 1)", scratch.path("y.npy"), memory_for_tiles());
  EXPECT_TRUE(io::load_npy(scratch.path("y.npy")).equal(x.permute({2, 0, 1})));
  io::permute_file(source, "x.permute(2, 0, 1)", scratch.path("y.nii"), memory_for_tiles());
  EXPECT_TRUE(io::open_tensor_file(scratch.path("y.nii")).equal(x.permute({2, 0, 1})));
}

TEST(PermuteFiles, RefusesWhatOneFileCannotHold) {
  const LargeMoves moves;
  std::vector<TensorMove> twice = moves.moves();
  twice[1].name = twice[0].name;
  EXPECT_EQ(refusal<ValueError>([&] { return io::plan_permute_files(twice, moves.destination); }),
            "permute_file: the name \"square\" must stand once in a file");
  EXPECT_EQ(io::result_nbytes(moves.moves()[3]), 150U * 160U * 2U);
  EXPECT_EQ(moves.scratch.names(), Names{"x.safetensors"});
}

}  // namespace
}  // namespace tenstride
