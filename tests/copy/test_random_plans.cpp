// SPDX-License-Identifier: Apache-2.0
// Random copies between guard pages, compared with the element-by-element loop. TENSTRIDE_RANDOM_PLANS is the
// number of trials (`make fuzz` runs very many), TENSTRIDE_RANDOM_FIRST the number of the first: each trial
// follows from its number alone, so that one that fails can be repeated.
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "support/copy_oracle.hpp"
#include "support/guarded.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

using oracle::Random;
using testing::Guarded;

constexpr std::size_t arena_bytes = std::size_t{8} << 20;

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

/// The message on standard error when a guard page ends the program.
std::array<char, 4096> last_words{};
struct sigaction old_action {};

void say_last_words(int /*signal*/) {
  static_cast<void>(!write(STDERR_FILENO, last_words.data(), std::strlen(last_words.data())));
  sigaction(SIGSEGV, &old_action, nullptr);  // the instruction is repeated, and ends the program
}

class LastWords {
 public:
  LastWords() {
    struct sigaction action {};
    action.sa_handler = say_last_words;
    sigaction(SIGSEGV, &action, &old_action);
  }
  ~LastWords() { sigaction(SIGSEGV, &old_action, nullptr); }
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  void are(const std::string& words) const {
    std::snprintf(last_words.data(), last_words.size(), "a guard page was touched by %s\n", words.c_str());
  }
};

/// A shape of extents around the sizes of vectors, lines and tiles.
Dims edge_case_shape(Random& random, std::size_t rank, Index most) {
  constexpr std::array<Index, 27> edge_cases{1,  2,  3,  4,  5,  7,  8,  9,   12,  15,  16,  17,  24, 31,
                                             32, 33, 48, 63, 64, 65, 96, 127, 128, 129, 255, 256, 257};
  Dims shape = Dims::filled(rank, 1);
  for (Index& extent : shape) {
    extent = edge_cases[static_cast<std::size_t>(random.between(0, edge_cases.size() - 1))];
    if (extent > most) extent = 1;
    most = std::max<Index>(most / extent, 1);
  }
  std::shuffle(shape.begin(), shape.end(), random.engine());
  return shape;
}

struct Side {
  Layout layout;
  DType type = DType::float32;
};

struct Trial {
  Side dst;
  Side src;
  PlanOptions options;
  std::vector<double> scale;
  std::vector<double> shift;
};

/// More threads than small copies have, with units as small.
void draw_threads(Random& random, Trial& trial) {
  trial.options.max_threads = static_cast<int>(random.between(1, 9));
  trial.options.thread_bytes = Index{16} << random.between(0, 9);
}

DType random_type(Random& random) {
  return static_cast<DType>(random.between(0, dtype_count - 1));
}

void add_scale_and_shift(Random& random, Trial& trial) {
  const Dims& shape = trial.dst.layout.shape;
  if (shape.empty() || is_empty(trial.dst.layout)) return;
  trial.options.axis = static_cast<std::size_t>(random.between(0, static_cast<Index>(shape.size()) - 1));
  const auto extent = static_cast<std::size_t>(shape[trial.options.axis]);
  trial.scale.resize(random.one_in(4) ? 0 : random.one_in(2) ? 1 : extent);
  trial.shift.resize(random.one_in(4) ? 0 : random.one_in(2) ? 1 : extent);
  for (double& number : trial.scale) number = static_cast<double>(random.between(-99, 999)) / 255;
  for (double& number : trial.shift) number = static_cast<double>(random.between(-999, 999)) / 7;
  trial.options.scale = trial.scale;
  trial.options.shift = trial.shift;
}

/// Type pairs that are converted while they are transposed or deinterleaved.
void draw_common_pair(Random& random, Trial& trial) {
  static constexpr std::array<std::pair<DType, DType>, 12> pairs{{{DType::float32, DType::uint8},
                                                                  {DType::float32, DType::uint8},
                                                                  {DType::float16, DType::uint8},
                                                                  {DType::bfloat16, DType::uint8},
                                                                  {DType::float32, DType::bfloat16},
                                                                  {DType::float32, DType::float16},
                                                                  {DType::float32, DType::float64},
                                                                  {DType::uint8, DType::float32},
                                                                  {DType::bfloat16, DType::float32},
                                                                  {DType::float16, DType::float32},
                                                                  {DType::int32, DType::int64},
                                                                  {DType::int64, DType::int32}}};
  const auto at = static_cast<std::size_t>(random.between(0, static_cast<Index>(pairs.size()) - 1));
  trial.dst.type = pairs[at].first;
  trial.src.type = pairs[at].second;
}

/// Transposes of matrices whose rows lie far apart in the source, which are read line by line; rows of either
/// side may be padded.
void draw_transposed_matrices(Random& random, Trial& trial) {
  const Index rows = random.between(1, 140);
  const Index columns = random.between(1, random.one_in(4) ? 1500 : 300);
  const Index matrices = random.one_in(2) ? 1 : random.between(1, 3);
  const auto padding = [&] { return random.one_in(2) ? 0 : random.between(1, 70); };
  const Index dst_pitch = random.one_in(2) ? (rows + 63) / 64 * 64 : rows + padding();
  const Index src_pitch = std::max(columns, random.between(1, 2500)) + padding();
  const Dims shape{matrices, columns, rows};
  trial.dst.layout = Layout{shape, Dims{columns * dst_pitch + padding(), dst_pitch, 1}, 0};
  trial.src.layout = Layout{shape, Dims{columns, 1, src_pitch * matrices}, 0};
  trial.dst.type = random_type(random);
  trial.src.type = random.one_in(4) ? random_type(random) : trial.dst.type;
  if (random.one_in(3)) draw_common_pair(random, trial);
  if (!random.one_in(8)) trial.options.streaming_above = 0;
  if (random.one_in(2)) trial.options.machine.stores = SequentialStores::streaming;
  if (random.one_in(4)) draw_threads(random, trial);
}

/// Short axes that are interleaved or deinterleaved by streaming stores: images whose planes may be padded.
void draw_channels(Random& random, Trial& trial) {
  const Index channels = random.between(2, random.one_in(2) ? 5 : random.one_in(2) ? 16 : 70);
  const Index pictures = random.between(1, 3);
  const Index pixels = random.one_in(2) ? random.between(1, 5) * 64 : random.between(1, 2500 / channels);
  const Index plane = pixels + (random.one_in(2) ? 0 : random.one_in(2) ? 64 : random.between(1, 70));
  const Dims shape{pictures, channels, pixels};
  const Layout planes{shape, Dims{channels * plane, plane, 1}, 0};
  const Layout interleave{shape, Dims{channels * pixels, 1, channels}, 0};
  const bool interleaves = random.one_in(2);
  trial.dst.layout = interleaves ? interleave : planes;
  trial.src.layout = interleaves ? planes : interleave;
  trial.dst.type = random_type(random);
  trial.src.type = random.one_in(4) ? random_type(random) : trial.dst.type;
  if (random.one_in(3)) draw_common_pair(random, trial);
  trial.options.streaming_above = 0;
  if (!random.one_in(8)) trial.options.machine.stores = SequentialStores::streaming;
  if (random.one_in(4)) add_scale_and_shift(random, trial);
  if (random.one_in(4)) draw_threads(random, trial);
}

/// Short items repeated side by side, and rows of them too: pixels enlarged.
void draw_repeated(Random& random, Trial& trial) {
  const Index item = random.one_in(2) ? 3 : random.between(1, 20);
  const Index times = random.between(1, 6);
  const Index items = item == 3 && random.one_in(2) ? random.between(1, 3) * 64 : random.between(2, 60);
  const Index rows = random.between(1, 5);
  const Index repeats = random.between(2, 5);
  const Index pitch = (random.one_in(4) ? -1 : 1) * (item + (random.one_in(2) ? 0 : random.between(1, 9)));
  const Dims shape{rows, repeats, items, times, item};
  const Index row = items * times * item;
  const Index padded = row + (random.one_in(2) ? 0 : random.between(1, 70));
  trial.dst.layout = Layout{shape, Dims{repeats * padded, padded, times * item, item, 1}, 0};
  trial.src.layout = Layout{shape, Dims{items * 30, 0, pitch, 0, 1}, 0};
  trial.dst.type = random_type(random);
  trial.src.type = random.one_in(4) ? random_type(random) : trial.dst.type;
  if (random.one_in(8)) add_scale_and_shift(random, trial);
  if (random.one_in(2)) trial.options.streaming_above = 0;
  if (random.one_in(2)) trial.options.machine.stores = SequentialStores::streaming;
  if (random.one_in(4)) draw_threads(random, trial);
}

/// Long rows that begin anywhere in a line on either side.
void draw_long_rows(Random& random, Trial& trial) {
  const Index bytes = random.between(1, random.one_in(4) ? 20000 : 4000);
  const Index rows = random.between(2, 11);
  const auto padding = [&] { return random.one_in(2) ? 0 : random.between(1, 70); };
  const Index dst_pitch = bytes + padding();
  const Index src_pitch = random.one_in(8) ? 0 : (random.one_in(3) ? -1 : 1) * (bytes + padding());
  const Dims shape{2, rows, bytes};
  trial.dst.layout = Layout{shape, Dims{rows * dst_pitch + padding(), dst_pitch, 1}, 0};
  trial.src.layout = Layout{shape, Dims{rows * src_pitch + padding(), src_pitch, 1}, 0};
  trial.dst.type = trial.src.type = random.one_in(2) ? DType::uint8 : DType::float16;
  if (!random.one_in(8)) trial.options.streaming_above = 0;
  if (!random.one_in(8)) trial.options.machine.stores = SequentialStores::streaming;
  if (random.one_in(4)) draw_threads(random, trial);
}

/// Rows of pixels flipped, some upside down too; the rows of either side may be padded.
void draw_flipped(Random& random, Trial& trial) {
  const Index channels = random.one_in(4) ? random.between(1, 13) : 3;
  const Index pixels = random.between(2, random.one_in(2) ? 40 : 300);
  const Index rows = random.between(1, 8);
  const Index row = channels * pixels;
  const auto padding = [&] { return random.one_in(2) ? 0 : random.between(1, 70); };
  const Index dst_pitch = row + padding();
  const Index src_pitch = random.one_in(8) ? 0 : (random.one_in(3) ? -1 : 1) * (row + padding());
  const Dims shape{2, rows, pixels, channels};
  trial.dst.layout = Layout{shape, Dims{rows * dst_pitch + padding(), dst_pitch, channels, 1}, 0};
  trial.src.layout = Layout{shape, Dims{rows * src_pitch + padding(), src_pitch, -channels, 1}, 0};
  trial.dst.type = trial.src.type = random_type(random);
  if (!random.one_in(8)) trial.options.streaming_above = 0;
  if (!random.one_in(8)) trial.options.machine.stores = SequentialStores::streaming;
  if (random.one_in(4)) draw_threads(random, trial);
}

/// Permutations of many axes whose sides have several dense loops each: runs of rows and of columns.
void draw_many_axes(Random& random, Trial& trial) {
  const auto rank = static_cast<std::size_t>(random.between(3, 6));
  Dims shape;
  Index elements = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const Index extent = random.one_in(4)   ? 16
                         : random.one_in(4) ? random.between(2, 300)
                                            : random.between(2, 17);
    shape.push_back(std::clamp<Index>(200000 / elements, 1, extent));
    elements *= shape[d];
  }
  const auto padding = [&] { return random.one_in(6) ? random.between(1, 40) : 0; };
  Dims dst = Dims::filled(rank, 1);
  Dims src = Dims::filled(rank, 1);
  for (std::size_t d = rank - 1; d-- > 0;) dst[d] = dst[d + 1] * shape[d + 1] + padding();
  // Reversed, or nearly so.
  std::vector<std::size_t> order(rank);
  for (std::size_t d = 0; d < rank; ++d) order[d] = d;
  if (random.one_in(2)) {
    const auto at = static_cast<std::size_t>(random.between(0, static_cast<Index>(rank) - 2));
    std::swap(order[at], order[at + 1]);
  }
  for (std::size_t k = 1; k < rank; ++k) src[order[k]] = src[order[k - 1]] * shape[order[k - 1]] + padding();
  trial.dst.layout = Layout{shape, dst, 0};
  trial.src.layout = Layout{shape, src, 0};
  trial.dst.type = trial.src.type = random_type(random);
  if (!random.one_in(8)) trial.options.streaming_above = 0;
  if (!random.one_in(8)) trial.options.machine.stores = SequentialStores::streaming;
  if (random.one_in(3)) draw_threads(random, trial);
}

void draw(Random& random, Trial& trial) {
  if (random.one_in(40)) {
    draw_many_axes(random, trial);
    return;
  }
  if (random.one_in(40)) {
    draw_flipped(random, trial);
    return;
  }
  if (random.one_in(40)) {
    draw_repeated(random, trial);
    return;
  }
  if (random.one_in(40)) {
    draw_long_rows(random, trial);
    return;
  }
  if (random.one_in(12)) {
    draw_channels(random, trial);
    return;
  }
  if (random.one_in(12)) {
    draw_transposed_matrices(random, trial);
    return;
  }
  const auto rank = static_cast<std::size_t>(random.between(0, 7));
  const Index most = random.one_in(200) ? 300000 : random.one_in(12) ? 20000 : 700;
  const Dims shape =
      random.one_in(2) ? edge_case_shape(random, rank, most) : oracle::random_shape(random, rank, most);
  trial.dst.layout = oracle::random_layout(random, shape, false).layout;
  trial.src.layout = oracle::random_layout(random, shape, true).layout;
  trial.dst.type = random_type(random);
  trial.src.type = random.one_in(2) ? trial.dst.type : random_type(random);
  if (random.one_in(2)) trial.options.streaming_above = 0;
  if (random.one_in(2)) trial.options.machine.stores = SequentialStores::streaming;
  if (random.one_in(8)) trial.options.conjugation = Conjugation::conjugate;
  const bool has_negatives = trial.src.type != DType::bool_ && trial.dst.type != DType::bool_;
  if (has_negatives && random.one_in(8)) {
    trial.options.negation = static_cast<Negation>(random.between(1, 3));
  }
  if (random.one_in(4)) add_scale_and_shift(random, trial);
  if (random.one_in(4)) draw_threads(random, trial);
}

/// Chooses the cheapest way, or a named one: most often blocks, and small ones, so that there
/// are several. A plan may be made for another offset in a line than it is run at.
void draw_way(Random& random, Trial& trial) {
  trial.options.placement.dst_in_line = random.one_in(2) ? 0 : random.between(0, 63);
  trial.options.may_be_small = random.one_in(4);
  if (random.one_in(4)) {
    for (const auto& [name, value] : cost_constants())
      trial.options.machine.costs.*value *= static_cast<double>(random.between(1, 30)) / 10;
  }
  if (random.one_in(2)) return;
  const auto most = static_cast<Index>(way_names.size()) - 2;
  trial.options.way = way_names[static_cast<std::size_t>(random.one_in(2) ? random.between(0, most) : most)];
  trial.options.streaming_above = random.one_in(4) ? Index{1} << 40 : 0;
  trial.options.machine.l2_bytes = Index{8} << random.between(6, 18);
  if (random.one_in(4)) trial.options.machine.streams = MemoryStreams::one;
  if (random.one_in(2)) trial.options.machine.block_stores = BlockStores::burst;
  trial.options.machine.permuted_bytes = random.one_in(2) ? 16 : 64;
}

/// The bytes of a side from its first to its last.
struct Span {
  Index first = 0;
  std::size_t bytes = 0;
};

Span span_of(const Side& side) {
  const auto touched = reach(side.layout);
  if (!touched) return {};
  return {oracle::bytes_of(side.type, touched->lowest),
          static_cast<std::size_t>(oracle::bytes_of(side.type, touched->highest - touched->lowest + 1))};
}

class RandomPlans : public ::testing::Test {
 protected:
  RandomPlans() : in_(arena_bytes), out_(arena_bytes), expected_(arena_bytes), before_(arena_bytes) {
    in_.fill_randomly(1);
    before_.fill_randomly(2);
    std::memcpy(out_.begin(), before_.begin(), arena_bytes);
    std::memcpy(expected_.begin(), before_.begin(), arena_bytes);
  }

  void run_trial(unsigned number, const LastWords& last) {
    Random random(number);
    Trial trial;
    Span dst;
    Span src;
    do {
      trial = {};
      draw(random, trial);
      draw_way(random, trial);
      dst = span_of(trial.dst);
      src = span_of(trial.src);
    } while (dst.bytes > arena_bytes || src.bytes > arena_bytes);
    const std::byte* const in = place(random, in_, src.bytes) - src.first;
    const auto at = static_cast<std::size_t>(place(random, out_, dst.bytes) - out_.begin());
    oracle::copy(trial.dst.layout, trial.dst.type, expected_.begin() + at - dst.first, trial.src.layout,
                 trial.src.type, in, trial.options);
    const CopyPlan made =
        plan_copy(trial.dst.layout, trial.dst.type, trial.src.layout, trial.src.type, trial.options);
    last.are(described(number, trial, made));
    run_plan(made, out_.begin() + at - dst.first, in);
    compare(number, trial, made, at, dst.bytes);
  }

 private:
  /// An address next to one of the guards, or some bytes from it.
  static std::byte* place(Random& random, const Guarded& arena, std::size_t bytes) {
    const auto skew = static_cast<std::size_t>(random.one_in(2) ? 0 : random.between(0, 130));
    const std::size_t fitting = std::min(skew, arena.size() - bytes);
    return random.one_in(2) ? arena.at_front(fitting) : arena.at_back(bytes, fitting);
  }

  static std::string described(unsigned number, const Trial& trial, const CopyPlan& made) {
    return "TENSTRIDE_RANDOM_FIRST=" + std::to_string(number) + ", " + to_string(trial.src.layout) + " -> " +
           to_string(trial.dst.layout) + '\n' + made.to_string();
  }

  void compare(unsigned number, const Trial& trial, const CopyPlan& made, std::size_t at, std::size_t bytes) {
    constexpr std::size_t around = 512;
    const std::size_t from = at < around ? 0 : at - around;
    const std::size_t size = std::min(at + bytes + around, arena_bytes) - from;
    if (std::memcmp(out_.begin() + from, expected_.begin() + from, size) != 0) {
      const std::byte* const differs =
          std::mismatch(out_.begin() + from, out_.begin() + from + size, expected_.begin() + from).first;
      ADD_FAILURE() << described(number, trial, made) << "\nbyte "
                    << (differs - out_.begin()) - static_cast<Index>(at) << " of " << bytes << " differs";
    }
    std::memcpy(out_.begin() + from, before_.begin() + from, size);
    std::memcpy(expected_.begin() + from, before_.begin() + from, size);
  }

  Guarded in_;
  Guarded out_;
  Guarded expected_;
  Guarded before_;
};

TEST_F(RandomPlans, DoWhatTheElementByElementLoopDoes) {
  const unsigned first = from_environment("TENSTRIDE_RANDOM_FIRST", 1);
  const unsigned count = from_environment("TENSTRIDE_RANDOM_PLANS", 5000);
  const LastWords last;
  for (unsigned number = first; number < first + count; ++number) {
    run_trial(number, last);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tenstride
