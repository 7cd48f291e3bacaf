// SPDX-License-Identifier: Apache-2.0
#include "io/output/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace tenstride::io {
namespace {

/// Continues the CRC-32 of Ethernet and zlib: bit by bit, since a record has 32 bytes.
std::uint32_t continue_check(std::uint32_t check, const void* bytes, std::size_t nbytes) {
  constexpr std::uint32_t polynomial = 0xEDB88320U;
  const auto* const first = static_cast<const unsigned char*>(bytes);
  check = ~check;
  for (std::size_t i = 0; i < nbytes; ++i) {
    check ^= first[i];
    for (int bit = 0; bit < 8; ++bit) check = (check >> 1) ^ ((check & 1U) != 0 ? polynomial : 0U);
  }
  return ~check;
}

/// The header as it stands in the file, in the machine's order of bytes: a journal of a machine of the other
/// order has another magic number. The destination's name and the limits follow.
struct StoredHeader {
  static constexpr std::uint64_t this_magic = 0x6C6E726A64727473U;  // "strdjrnl"
  static constexpr std::uint32_t this_version = 1;
  std::uint64_t magic = this_magic;
  std::uint32_t version = this_version;
  /// The check of all other bytes, those of the texts included.
  std::uint32_t check = 0;
  BootId boot{};
  JournalNumbers numbers;
  std::uint64_t name_nbytes = 0;
  std::uint64_t limits_nbytes = 0;
};
static_assert(sizeof(StoredHeader) == 104, "no padding, whose bytes would be anything");

std::uint32_t check_of(StoredHeader header, const std::string& texts) {
  header.check = 0;
  const std::uint32_t check = continue_check(0, &header, sizeof header);
  return continue_check(check, texts.data(), texts.size());
}

constexpr std::uint64_t max_text_nbytes = 4096;

}  // namespace

struct Journal::Record {
  Kind kind{};
  /// The check of the bytes after it, continued from the record (or header) before.
  std::uint32_t check = 0;
  std::uint64_t part = 0;
  std::array<std::uint64_t, 2> words{};

  [[nodiscard]] std::uint32_t check_after(std::uint32_t before) const {
    before = continue_check(before, &kind, sizeof kind);
    before = continue_check(before, &part, sizeof part);
    return continue_check(before, words.data(), sizeof words);
  }
};

void JournalRecords::finish(std::size_t part, const PartSum& of_part) {
  if (finished[part]) return;
  finished[part] = true;
  sums[part] = of_part;
  sum += of_part;
  ++finished_count;
}

void JournalRecords::add(const JournalRecords& other) {
  for (std::size_t part = 0; part < finished.size(); ++part) {
    if (other.finished[part]) finish(part, other.sums[part]);
  }
}

BootId read_boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  file >> text;
  BootId boot{};
  std::size_t digits = 0;
  for (const char c : text) {
    const std::string_view all = "0123456789abcdef";
    const std::size_t digit = all.find(c);
    if (digit == std::string_view::npos || digits >= 32) continue;
    std::uint64_t& word = boot[digits++ / 16];
    word = word << 4 | digit;
  }
  return boot;
}

Journal::Journal(int file, const BootId& boot, Refuse refuse)
    : file_(file), boot_(boot), refuse_(std::move(refuse)) {}

void Journal::clear() {
  if (ftruncate(file_, 0) != 0) refuse_(errno);
  flush();
}

void Journal::create(const JournalHeader& header) {
  StoredHeader stored;
  stored.boot = boot_;
  stored.numbers = header;
  stored.name_nbytes = header.name.size();
  stored.limits_nbytes = header.limits.size();
  const std::string texts = header.name + header.limits;
  stored.check = check_of(stored, texts);
  // Room for all records, so that a disk that is full by then does not end the run; without it, it may.
  const std::uint64_t room = sizeof stored + texts.size() + 3 * header.parts * sizeof(Record);
  if (room <= INT64_MAX) {
    static_cast<void>(fallocate(file_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(room)));
  }
  write(&stored, sizeof stored, 0);
  write(texts.data(), texts.size(), sizeof stored);
  flush();
  end_ = sizeof stored + texts.size();
  check_ = stored.check;
  header_boot_ = boot_;
}

std::optional<JournalHeader> Journal::read_header() {
  StoredHeader stored;
  if (!read(&stored, sizeof stored, 0)) return std::nullopt;
  if (stored.magic != StoredHeader::this_magic || stored.version != StoredHeader::this_version ||
      stored.name_nbytes > max_text_nbytes || stored.limits_nbytes > max_text_nbytes) {
    return std::nullopt;
  }
  const auto name_nbytes = static_cast<std::size_t>(stored.name_nbytes);
  std::string texts(name_nbytes + static_cast<std::size_t>(stored.limits_nbytes), '\0');
  if (!read(texts.data(), texts.size(), sizeof stored)) return std::nullopt;
  if (stored.check != check_of(stored, texts)) return std::nullopt;
  JournalHeader header{stored.numbers, texts.substr(0, name_nbytes), texts.substr(name_nbytes)};
  end_ = sizeof stored + texts.size();
  check_ = stored.check;
  header_boot_ = stored.boot;
  return header;
}

JournalRecords Journal::peek_records(std::size_t parts) {
  bool is_same_boot = false;
  return scan(parts, is_same_boot);
}

JournalRecords Journal::scan(std::size_t parts, bool& is_same_boot) {
  JournalRecords result(parts);
  // What stands behind the last mark of a flush, which the boots that follow decide about.
  std::vector<Record> unflushed;
  std::uint64_t flushed_end = end_;
  std::uint32_t flushed_check = check_;
  BootId boot = header_boot_;
  const auto take = [&] {
    std::uint64_t missing = 0;
    for (const Record& record : unflushed) {
      // It stands before the part that has them.
      if (record.kind == Kind::missing) {
        missing = record.words[0];
        continue;
      }
      result.finish(static_cast<std::size_t>(record.part), {Checksum{record.words}, missing});
      missing = 0;
    }
    unflushed.clear();
    flushed_end = end_;
    flushed_check = check_;
  };
  for (Record record; read(&record, sizeof record, end_);) {
    const std::uint32_t check = record.check_after(check_);
    if (check != record.check) break;
    if (record.kind < Kind::finished || record.kind > Kind::missing ||
        record.part >= std::max<std::size_t>(parts, 1))
      break;
    end_ += sizeof record;
    check_ = check;
    if (record.kind == Kind::finished || record.kind == Kind::missing) {
      unflushed.push_back(record);
      continue;
    }
    if (record.kind == Kind::booted) boot = record.words;
    if (record.kind == Kind::dropped_blocks) result.has_dropped_blocks = true;
    take();
    if (record.kind == Kind::divided) {
      result.tasks = record.words[0];
      result.finished_before_division = result.finished;
    }
  }
  is_same_boot = boot == boot_ && boot != BootId{};
  if (is_same_boot) take();
  end_ = flushed_end;
  check_ = flushed_check;
  return result;
}

JournalRecords Journal::read_records(std::size_t parts) {
  bool is_same_boot = false;
  JournalRecords result = scan(parts, is_same_boot);
  const auto length = static_cast<off_t>(end_);
  // Only where it is needed: it also gives back the room that `create` took.
  if (lseek(file_, 0, SEEK_END) > length && ftruncate(file_, length) != 0) refuse_(errno);
  if (!is_same_boot) append(Kind::booted, 0, boot_);
  flush();
  return result;
}

void Journal::finish(std::size_t part, const PartSum& sum) {
  if (sum.missing > 0) append(Kind::missing, part, {sum.missing, 0});
  append(Kind::finished, part, sum.checksum.words);
}

void Journal::flushed() {
  append(Kind::flushed, 0, {});
  flush();
}

void Journal::drop_blocks() {
  append(Kind::dropped_blocks, 0, {});
  flush();
}

void Journal::divide(std::uint64_t tasks) {
  append(Kind::divided, 0, {tasks, 0});
  flush();
}

void Journal::append(Kind kind, std::uint64_t part, const std::array<std::uint64_t, 2>& words) {
  Record record{kind, 0, part, words};
  record.check = record.check_after(check_);
  write(&record, sizeof record, end_);
  end_ += sizeof record;  // not before all is there: what is torn is written over
  check_ = record.check;
}

void Journal::write(const void* bytes, std::size_t nbytes, std::uint64_t offset) {
  const char* first = static_cast<const char*>(bytes);
  while (nbytes > 0) {
    const ssize_t count = pwrite(file_, first, nbytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_(errno);
    first += count;
    nbytes -= static_cast<std::size_t>(count);
    offset += static_cast<std::uint64_t>(count);
  }
}

/// False where the file ends before.
bool Journal::read(void* bytes, std::size_t nbytes, std::uint64_t offset) {
  char* first = static_cast<char*>(bytes);
  while (nbytes > 0) {
    const ssize_t count = pread(file_, first, nbytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_(errno);
    if (count == 0) return false;
    first += count;
    nbytes -= static_cast<std::size_t>(count);
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

void Journal::flush() {
  if (fdatasync(file_) != 0) refuse_(errno);
}

}  // namespace tenstride::io
