// SPDX-License-Identifier: Apache-2.0
#include "io/output/journal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "files/descriptor.hpp"
#include "support/scratch.hpp"

namespace tenstride::io {
namespace {

using testing::read_bytes;
using testing::Scratch;

constexpr BootId this_boot{11, 12};
constexpr BootId next_boot{21, 22};
constexpr std::size_t parts = 5;
constexpr std::size_t record_nbytes = 32;

const JournalHeader header{1000, -7, 0xABCD, 0x1234, 4000, 500, parts, "out.npy", "0x1p+20 1"};
const std::size_t header_nbytes = 104 + header.name.size() + header.limits.size();

Checksum checksum_of(std::size_t part) {
  return {{part * 1000 + 1, part * part + 7}};
}

/// A journal in a file that is opened for it.
struct Open {
  explicit Open(const std::string& path, const BootId& boot = this_boot)
      : file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
        journal(file.get(), boot, [](int error) { throw std::runtime_error(std::to_string(error)); }) {}
  Descriptor file;
  Journal journal;
};

/// Parts 3 and 0, a flush, then part 4.
std::string example(const Scratch& scratch) {
  const std::string path = scratch.path("journal");
  Open open(path);
  open.journal.create(header);
  open.journal.finish(3, checksum_of(3));
  open.journal.finish(0, checksum_of(0));
  open.journal.flushed();
  open.journal.finish(4, checksum_of(4));
  return path;
}

JournalRecords read(const std::string& path, const BootId& boot = this_boot) {
  Open open(path, boot);
  EXPECT_EQ(open.journal.read_header(), header);
  return open.journal.read_records(parts);
}

using Finished = std::vector<bool>;

TEST(Journal, KeepsHowManyElementsOfAPartAreMissing) {
  const Scratch scratch;
  const std::string path = scratch.path("journal");
  {
    Open open(path);
    open.journal.create(header);
    open.journal.finish(3, {checksum_of(3), 7});
    open.journal.finish(0, checksum_of(0));
    open.journal.flushed();
    open.journal.finish(4, {checksum_of(4), 2});
  }
  const JournalRecords records = read(path);
  EXPECT_EQ(records.finished, (Finished{true, false, false, true, true}));
  EXPECT_EQ(records.sum.checksum, checksum_of(0) + checksum_of(3) + checksum_of(4));
  EXPECT_EQ(records.sum.missing, 9U);
  EXPECT_EQ(records.sums[0].missing, 0U);
  // After a restart of the machine only what was flushed counts.
  EXPECT_EQ(read(path, {3, 4}).sum.missing, 7U);
}

TEST(Journal, GivesBackWhatWasWritten) {
  const Scratch scratch;
  const std::string path = example(scratch);
  const JournalRecords records = read(path);
  EXPECT_EQ(records.finished, (Finished{true, false, false, true, true}));
  EXPECT_EQ(records.sum.checksum, checksum_of(0) + checksum_of(3) + checksum_of(4));
  EXPECT_FALSE(records.has_dropped_blocks);
}

TEST(Journal, GoesOnBehindWhatIsThere) {
  const Scratch scratch;
  const std::string path = example(scratch);
  {
    Open open(path);
    open.journal.read_header();
    open.journal.read_records(parts);
    open.journal.finish(1, checksum_of(1));
    open.journal.finish(1, checksum_of(1));  // counts once
    open.journal.drop_blocks();
  }
  const JournalRecords records = read(path);
  EXPECT_EQ(records.finished, (Finished{true, true, false, true, true}));
  EXPECT_EQ(records.sum.checksum, checksum_of(0) + checksum_of(1) + checksum_of(3) + checksum_of(4));
  EXPECT_TRUE(records.has_dropped_blocks);
}

TEST(Journal, AfterARestartOnlyFlushedPartsCount) {
  const Scratch scratch;
  const std::string path = example(scratch);
  const Finished flushed{true, false, false, true, false};
  {
    Open open(path, next_boot);
    ASSERT_TRUE(open.journal.read_header());
    EXPECT_EQ(open.journal.read_records(parts).finished, flushed);
    open.journal.finish(2, checksum_of(2));
  }
  // What was written since then counts as long as the machine is not restarted again.
  EXPECT_EQ(read(path, next_boot).finished, (Finished{true, false, true, true, false}));
  EXPECT_EQ(read(path, this_boot).finished, flushed);
  EXPECT_EQ(read(path, this_boot).sum.checksum, checksum_of(0) + checksum_of(3));
}

TEST(Journal, WithoutABootIdOnlyFlushedPartsCount) {
  const Scratch scratch;
  const std::string path = scratch.path("journal");
  {
    Open open(path, BootId{});
    open.journal.create(header);
    open.journal.finish(1, checksum_of(1));
    open.journal.flushed();
    open.journal.finish(2, checksum_of(2));
  }
  EXPECT_EQ(read(path, BootId{}).finished, (Finished{false, true, false, false, false}));
}

TEST(Journal, ReadsTheBootId) {
  EXPECT_NE(read_boot_id(), BootId{});
  EXPECT_EQ(read_boot_id(), read_boot_id());
}

/// What `bytes` say as a journal. Records that count are always the first of the example's.
void expect_first_of_example(const Scratch& scratch, const std::string& bytes, std::size_t damaged_at) {
  const std::size_t header_end = header_nbytes;
  Open open(scratch.file("damaged", bytes));
  const std::optional<JournalHeader> found = open.journal.read_header();
  ASSERT_EQ(found.has_value(), damaged_at >= header_end);
  if (!found) return;
  ASSERT_EQ(*found, header);
  const JournalRecords records = open.journal.read_records(parts);
  const std::size_t whole = (damaged_at - header_end) / record_nbytes;
  ASSERT_EQ(records.finished, (Finished{whole > 1, false, false, whole > 0, whole > 3})) << damaged_at;
  // What did not count is gone, and what is written now counts.
  open.journal.finish(2, checksum_of(2));
  const JournalRecords more = read(scratch.path("damaged"));
  ASSERT_EQ(more.finished, (Finished{whole > 1, false, true, whole > 0, whole > 3})) << damaged_at;
  ASSERT_EQ(more.sum.checksum, records.sum.checksum + checksum_of(2));
}

TEST(Journal, EndsWhereItIsTorn) {
  const Scratch scratch;
  const std::string bytes = read_bytes(example(scratch));
  ASSERT_EQ(bytes.size(), header_nbytes + 4 * record_nbytes);
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    expect_first_of_example(scratch, bytes.substr(0, length), length);
    if (HasFatalFailure()) return;
  }
}

TEST(Journal, EndsWhereAByteIsChanged) {
  const Scratch scratch;
  const std::string bytes = read_bytes(example(scratch));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      expect_first_of_example(scratch, changed, at);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Journal, EndsAtRecordsOfAnotherJournal) {
  const Scratch scratch;
  const std::string bytes = read_bytes(example(scratch));
  const std::size_t header_end = header_nbytes;
  // The second record in the place of the first, and the first twice.
  const std::string first = bytes.substr(header_end, record_nbytes);
  const std::string second = bytes.substr(header_end + record_nbytes, record_nbytes);
  for (const std::string& records : {second + first, first + first}) {
    Open open(scratch.file("damaged", bytes.substr(0, header_end) + records));
    ASSERT_TRUE(open.journal.read_header());
    const bool is_first = records.starts_with(first);
    EXPECT_EQ(open.journal.read_records(parts).finished, (Finished{false, false, false, is_first, false}));
  }
}

TEST(Journal, TakesNoPartThatIsNotThere) {
  const Scratch scratch;
  const std::string path = example(scratch);
  Open open(path);
  ASSERT_TRUE(open.journal.read_header());
  EXPECT_EQ(open.journal.read_records(2).finished, (Finished{false, false}));  // part 3 ends the reading
}

TEST(Journal, SaysWhatTheSystemSays) {
  const Scratch scratch;
  const std::string path = example(scratch);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Journal journal(file.get(), this_boot, [](int error) { throw std::runtime_error(std::to_string(error)); });
  EXPECT_THROW(journal.create(header), std::runtime_error);
  EXPECT_THROW(journal.clear(), std::runtime_error);
  EXPECT_EQ(read_bytes(path).size(), header_nbytes + 4 * record_nbytes);
}

TEST(Journal, KeepsWhatWasFinishedWhenItWasDivided) {
  const Scratch scratch;
  const std::string path = example(scratch);
  {
    Open open(path);
    ASSERT_EQ(open.journal.read_header(), header);
    EXPECT_EQ(open.journal.read_records(parts).tasks, 0U);
    open.journal.divide(3);
    open.journal.finish(1, checksum_of(1));
  }
  const JournalRecords records = read(path);
  EXPECT_EQ(records.tasks, 3U);
  EXPECT_EQ(records.finished_before_division, (Finished{true, false, false, true, true}));
  EXPECT_EQ(records.finished, (Finished{true, true, false, true, true}));
  EXPECT_EQ(records.finished_count, 4U);
}

TEST(Journal, IsReadByOthersWithoutAChange) {
  const Scratch scratch;
  const std::string path = example(scratch);
  const std::string before = read_bytes(path);
  for (const BootId& boot : {this_boot, next_boot}) {
    Open open(path, boot);
    ASSERT_EQ(open.journal.read_header(), header);
    // Part 4 may never have come to the disk of a machine that was started anew.
    EXPECT_EQ(open.journal.peek_records(parts).finished,
              (Finished{true, false, false, true, boot == this_boot}));
  }
  EXPECT_EQ(read_bytes(path), before);
}

TEST(JournalRecords, CountEachPartOnce) {
  JournalRecords one(parts), other(parts);
  one.finish(1, checksum_of(1));
  other.finish(1, checksum_of(1));
  other.finish(2, checksum_of(2));
  one.add(other);
  EXPECT_EQ(one.finished, (Finished{false, true, true, false, false}));
  EXPECT_EQ(one.sum.checksum, checksum_of(1) + checksum_of(2));
  EXPECT_EQ(one.finished_count, 2U);
}

}  // namespace
}  // namespace tenstride::io
