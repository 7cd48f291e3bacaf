// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "files/descriptor.hpp"
#include "io/output/resumable_file.hpp"
#include "support/refusal.hpp"
#include "tenstride/base/error.hpp"

/// Runs that write a file of three parts, for the tests of ResumableFile.
namespace tenstride::testing {

using Names = std::vector<std::string>;
using Finished = std::vector<bool>;

inline constexpr std::uint64_t nbytes = 30;
inline constexpr std::size_t parts = 3;
// 2026-11-25 02:36:14.000000007 UTC.
inline const io::Binding binding{"in.npy", 1000, 1795574174'000000007, 0xAB, 0xCD};

/// What a run asks for; each test changes what it is about.
struct Job {
  std::string path;
  io::Resume resume = io::Resume::if_there;
  io::Overwrite overwrite = io::Overwrite::refuse;
  io::Binding source = binding;
  std::uint64_t size = nbytes;
  std::uint64_t blocks = 0;
  std::uint64_t later = 0;
  std::size_t count = parts;

  [[nodiscard]] std::unique_ptr<io::ResumableFile> open() const {
    return std::make_unique<io::ResumableFile>(io::OutputRequest{path, count, overwrite, resume, "convert"},
                                               source, size, blocks, later);
  }
  [[nodiscard]] std::string refused() const {
    return refusal<FileError>([&] { return open()->is_resumed(); });
  }
};

/// Part 0 is ten times 'a', part 1 ten times 'b', and so on.
inline void write_part(io::ResumableFile& file, std::size_t part) {
  const io::Descriptor out(::open(file.part_path().c_str(), O_WRONLY | O_CLOEXEC));
  const std::string bytes(10, static_cast<char>('a' + part));
  ASSERT_EQ(pwrite(out.get(), bytes.data(), bytes.size(), static_cast<off_t>(10 * part)), 10);
  file.finish(part, {{part + 1, 10 * part}});
}

inline const std::string whole = "aaaaaaaaaabbbbbbbbbbcccccccccc";

/// Begins a run and leaves it after part 1.
inline void begin(const Job& job) {
  const auto file = job.open();
  EXPECT_FALSE(file->is_resumed());
  EXPECT_EQ(file->finished(), Finished(job.count, false));
  EXPECT_EQ(file->checksum(), Checksum{});
  write_part(*file, 1);
}

}  // namespace tenstride::testing
