// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/output/part_sum.hpp"

namespace tenstride::io {

/// A number that changes with each start of the machine. Zeros where the system does not say.
using BootId = std::array<std::uint64_t, 2>;
BootId read_boot_id();

/// What a journal's file was begun for: numbers, and the texts of `JournalHeader`.
struct JournalNumbers {
  std::uint64_t source_nbytes = 0;
  std::int64_t source_mtime_ns = 0;
  std::uint64_t header_hash = 0;
  std::uint64_t plan_hash = 0;
  std::uint64_t nbytes = 0;
  std::uint64_t blocks_nbytes = 0;
  std::uint64_t parts = 0;

  friend bool operator==(const JournalNumbers&, const JournalNumbers&) = default;
};
struct JournalHeader : JournalNumbers {
  /// The name of the destination, without its folder.
  std::string name;
  /// What the plan was made with, to make it again.
  std::string limits;

  friend bool operator==(const JournalHeader&, const JournalHeader&) = default;
};

/// What the records of a journal say.
struct JournalRecords {
  JournalRecords() = default;
  explicit JournalRecords(std::size_t parts) : finished(parts), sums(parts) {}

  /// Takes in a part, once.
  void finish(std::size_t part, const PartSum& of_part);
  /// Takes in the parts that are finished by another journal of the same output.
  void add(const JournalRecords& other);

  std::vector<bool> finished;
  /// The checksum of each finished part, and of all of them.
  std::vector<PartSum> sums;
  PartSum sum;
  std::size_t finished_count = 0;
  /// The temporary space is not needed any more.
  bool has_dropped_blocks = false;
  /// The number of tasks that the parts were last divided among, and the parts that were finished then; 0
  /// where they never were.
  std::uint64_t tasks = 0;
  std::vector<bool> finished_before_division{};
};

/// The parts of a file that are finished, kept in a file that only grows: a header, then records of 32 bytes,
/// two for a part that has missing elements. The check of each is over all bytes before it too, so that
/// reading ends with the first record that is torn, changed or left from an earlier journal. After a restart
/// of the machine only the records before the last `flushed` count, because the bytes of other parts may
/// never have come to the disk.
class Journal {
 public:
  /// Says what `errno` was when the journal could not be read or written; throws.
  using Refuse = std::function<void(int error)>;

  /// On an open file, which stays the caller's.
  Journal(int file, const BootId& boot, Refuse refuse);

  /// Takes away what stands there, and flushes that.
  void clear();
  /// Writes a header, takes room for the records, and flushes both. Pre: the file is empty (`clear`).
  void create(const JournalHeader& header);
  /// Nothing where no header stands there whole.
  std::optional<JournalHeader> read_header();
  /// The records that count; others are cut off, and new ones follow. Pre: `read_header` gave a header.
  JournalRecords read_records(std::size_t parts);
  /// The records that count, of a journal that another process may be writing: nothing is changed. Pre:
  /// `read_header` gave a header.
  JournalRecords peek_records(std::size_t parts);

  void finish(std::size_t part, const PartSum& sum);
  /// What the records before this one say is on the disk. Flushes the journal.
  void flushed();
  /// Notes what `flushed` does, and that the temporary space is not needed any more.
  void drop_blocks();
  /// Notes what `flushed` does, and that what is not finished yet is divided among so many tasks.
  void divide(std::uint64_t tasks);

 private:
  enum class Kind : std::uint32_t { finished = 1, flushed, dropped_blocks, booted, divided, missing };
  struct Record;

  /// The records that count; new ones would follow them. Sets whether they were written under this boot.
  JournalRecords scan(std::size_t parts, bool& is_same_boot);
  void append(Kind kind, std::uint64_t part, const std::array<std::uint64_t, 2>& words);
  void write(const void* bytes, std::size_t nbytes, std::uint64_t offset);
  bool read(void* bytes, std::size_t nbytes, std::uint64_t offset);
  void flush();

  int file_;
  BootId boot_;
  Refuse refuse_;
  /// Where the next record goes, and the check of everything before it.
  std::uint64_t end_ = 0;
  std::uint32_t check_ = 0;
  /// That the header was written under.
  BootId header_boot_{};
};

}  // namespace tenstride::io
