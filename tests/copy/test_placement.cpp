// SPDX-License-Identifier: Apache-2.0
// Destinations whose pages are untouched: the system provides a page when it is first written.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "support/copy_oracle.hpp"
#include "tenstride/copy/run_plan.hpp"

namespace tenstride {
namespace {

/// Memory from the system, never touched.
class Promised {
 public:
  explicit Promised(std::size_t nbytes) : nbytes_(nbytes) {
    void* const begin = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin != MAP_FAILED) begin_ = static_cast<std::byte*>(begin);
  }
  Promised(const Promised&) = delete;
  Promised& operator=(const Promised&) = delete;
  ~Promised() {
    if (begin_ != nullptr) munmap(begin_, nbytes_);
  }
  [[nodiscard]] std::byte* data() const { return begin_; }

 private:
  std::size_t nbytes_;
  std::byte* begin_ = nullptr;
};

struct Kind {
  const char* name;
  Layout src;
  DType src_type;
  DType dst_type;
  bool is_better_through_cache;
};

constexpr Index count = (Index{1} << 20) + 77;

std::vector<Kind> kinds() {
  return {{"copy", row_major({count}), DType::float32, DType::float32, true},
          {"wider", row_major({count}), DType::uint8, DType::int64, true},
          {"as wide", row_major({count}), DType::int32, DType::float32, true},
          {"narrower", row_major({count}), DType::float64, DType::float32, false},
          {"fill", {{count}, {0}, 3}, DType::float32, DType::float32, true},
          {"columns", {{1024, 1025}, {1, 0}, 0}, DType::float32, DType::float32, true},
          {"transposed", {{1024, 1025}, {1, 1024}, 0}, DType::float32, DType::float32, false}};
}

TEST(Placement, IsAsOnMemoryInUse) {
  oracle::Random random(1);
  for (const Kind& kind : kinds()) {
    const Layout dst = row_major(kind.src.shape);
    const auto in = random.bytes(static_cast<std::size_t>(oracle::bytes_of(kind.src_type, count + 5000)));
    const auto bytes = static_cast<std::size_t>(oracle::bytes_of(kind.dst_type, numel(dst)));
    std::vector<std::byte> expected(bytes);
    oracle::copy(dst, kind.dst_type, expected.data(), kind.src, kind.src_type, in.data(), {});
    for (const int threads : {1, 2}) {
      PlanOptions options = options_here();
      options.machine.stores = SequentialStores::streaming;
      options.streaming_above = 1 << 20;
      options.max_threads = threads;
      const Promised memory(bytes);
      ASSERT_NE(memory.data(), nullptr);
      for (const bool is_untouched : {true, false}) {
        options.placement = placement_of(memory.data(), dst, kind.dst_type);
        EXPECT_EQ(options.placement.is_untouched, is_untouched) << kind.name;
        EXPECT_EQ(options.placement.dst_in_line, 0);
        const CopyPlan made = plan_copy(dst, kind.dst_type, kind.src, kind.src_type, options);
        EXPECT_EQ(made.stores() != Stores::ordinary, !is_untouched || !kind.is_better_through_cache)
            << kind.name;
        run_plan(made, memory.data(), in.data());
        EXPECT_EQ(std::memcmp(memory.data(), expected.data(), bytes), 0) << kind.name;
      }
    }
  }
}

TEST(Placement, IsTouchedWhereOneProbedPageHasMemory) {
  const Layout all = row_major({count});
  const auto bytes = static_cast<std::size_t>(count) * 4;
  for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) {
    const Promised memory(bytes);
    ASSERT_NE(memory.data(), nullptr);
    memory.data()[at] = std::byte{1};
    EXPECT_FALSE(placement_of(memory.data(), all, DType::float32).is_untouched) << at;
  }
}

TEST(Placement, HasTheOffsetInALine) {
  alignas(64) std::byte line[64];
  for (Index at = 0; at < 64; ++at)
    EXPECT_EQ(placement_of(line + at, {{2}, {1}, 5}, DType::int16).dst_in_line, at);
}

}  // namespace
}  // namespace tenstride
