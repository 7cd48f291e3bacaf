// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "io/disk/request.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/variable.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using testing::Dice;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;
using testing::Variable;

using Bytes = std::vector<std::byte>;

/// Runs `check` with both kinds of queue, or with threads alone where the system refuses the other.
template <typename Check>
void with_every_queue(std::size_t depth, Check&& check) {
  for (const bool by_threads : {false, true}) {
    const std::unique_ptr<DiskQueue> queue = by_threads ? make_thread_queue(depth) : make_uring_queue(depth);
    if (queue == nullptr) continue;
    SCOPED_TRACE(std::string(queue->name()));
    EXPECT_EQ(queue->depth(), depth);
    EXPECT_EQ(queue->in_flight(), 0U);
    check(*queue);
  }
}

/// A file and what it must hold, in memory.
class Image {
 public:
  Image(const Scratch& scratch, std::size_t nbytes) : bytes_(nbytes) {
    Dice dice(nbytes);
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>(dice.roll(256));
    path_ = scratch.file("image.bin", std::string(reinterpret_cast<const char*>(bytes_.data()), nbytes));
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Bytes& bytes() { return bytes_; }
  [[nodiscard]] bool is_in_file() const {
    const std::string text = read_bytes(path_);
    return text.size() == bytes_.size() && std::memcmp(text.data(), bytes_.data(), text.size()) == 0;
  }

 private:
  Bytes bytes_;
  std::string path_;
};

/// Random reads and writes of one page each, so many in flight as there can be; no page twice at a time.
void read_and_write_at_random(DiskQueue& queue, DiskAccess access, Dice& dice) {
  const Scratch scratch;
  constexpr std::size_t pages = 64;
  Image image(scratch, pages * 4096);
  const DiskFile file = DiskFile::open_to_write(image.path(), access, "test");
  const DiskBuffer buffer(queue.depth() * 4096, 4096);
  struct Pending {
    std::size_t page = 0;
    bool is_read = false;
  };
  std::map<std::uint64_t, Pending> pending;
  std::set<std::size_t> busy;
  const auto finish_one = [&] {
    const std::uint64_t tag = queue.wait();
    ASSERT_EQ(pending.count(tag), 1U);
    const Pending done = pending[tag];
    if (done.is_read) {
      EXPECT_EQ(std::memcmp(buffer.data() + tag * 4096, image.bytes().data() + done.page * 4096, 4096), 0);
    }
    pending.erase(tag);
    busy.erase(done.page);
  };
  for (int step = 0; step < 300; ++step) {
    while (queue.in_flight() == queue.depth()) finish_one();
    std::uint64_t tag = 0;
    while (pending.count(tag) != 0) ++tag;
    Pending next{dice.roll(pages), dice.roll(2) == 0};
    while (busy.count(next.page) != 0) next.page = (next.page + 1) % pages;
    const std::span<std::byte> bytes(buffer.data() + tag * 4096, 4096);
    if (next.is_read) {
      queue.read(file, next.page * 4096, bytes, bytes.size(), tag);
    } else {
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(dice.roll(256));
      std::ranges::copy(bytes, image.bytes().begin() + static_cast<std::ptrdiff_t>(next.page * 4096));
      queue.write(file, next.page * 4096, bytes, tag);
    }
    pending[tag] = next;
    busy.insert(next.page);
    EXPECT_EQ(queue.in_flight(), pending.size());
  }
  while (queue.in_flight() > 0) finish_one();
  EXPECT_TRUE(pending.empty());
  EXPECT_TRUE(image.is_in_file());
}

TEST(DiskQueueThreads, ReadsAndWritesAtRandomAsAnImageInMemory) {
  Dice dice(5);
  for (const std::size_t depth : {1U, 2U, 3U, 8U, 17U, 32U}) {
    with_every_queue(depth, [&](DiskQueue& queue) {
      read_and_write_at_random(queue, DiskAccess::automatic, dice);
      read_and_write_at_random(queue, DiskAccess::buffered, dice);
    });
  }
}

TEST(DiskQueueThreads, HaveRoomForSoManyRequestsAndBytes) {
  constexpr std::size_t third = std::size_t{3} << 20;
  const Scratch scratch;
  Image image(scratch, 4 * third);
  const DiskFile file = DiskFile::open(image.path(), DiskAccess::automatic, "test");
  const DiskBuffer buffer(4 * third, 4096);
  with_every_queue(4, [&](DiskQueue& queue) {
    const auto read = [&](std::size_t number, std::size_t nbytes) {
      queue.read(file, number * third, {buffer.data() + number * third, nbytes}, nbytes, number);
    };
    EXPECT_TRUE(queue.has_room(2 * bytes_at_once)) << "none in flight";
    read(0, third);
    EXPECT_TRUE(queue.has_room(third));
    read(1, third);
    EXPECT_FALSE(queue.has_room(third));
    EXPECT_TRUE(queue.has_room(bytes_at_once - 2 * third));
    read(2, 4096);
    read(3, 4096);
    EXPECT_FALSE(queue.has_room(4096)) << "no request more";
    while (queue.in_flight() > 0) queue.wait();
    EXPECT_TRUE(queue.has_room(bytes_at_once));
  });
}

TEST(DiskQueueThreads, ReadBeyondTheEndWhatIsNotNeeded) {
  const Scratch scratch;
  Image image(scratch, 10'000);
  for (const DiskAccess access : {DiskAccess::automatic, DiskAccess::buffered}) {
    const DiskFile file = DiskFile::open(image.path(), access, "load");
    with_every_queue(2, [&](DiskQueue& queue) {
      const DiskBuffer buffer(16384, 4096);
      queue.read(file, 0, {buffer.data(), 16384}, 10'000, 7);
      EXPECT_EQ(queue.wait(), 7U);
      EXPECT_EQ(std::memcmp(buffer.data(), image.bytes().data(), 10'000), 0);
      queue.read(file, 8192, {buffer.data(), 8192}, 2000, 8);
      EXPECT_EQ(refusal<FileError>([&] { return queue.wait(); }),
                "load: \"" + image.path() +
                    "\" must have 2000 bytes from byte 8192 on, it ends 192 bytes earlier (truncated while "
                    "it was read?)");
      EXPECT_EQ(queue.in_flight(), 0U);
      queue.read(file, 1 << 20, {buffer.data(), 4096}, 10, 9);
      EXPECT_EQ(refusal<FileError>([&] { return queue.wait(); }),
                "load: \"" + image.path() +
                    "\" must have 10 bytes from byte 1048576 on, it ends 10 bytes earlier (truncated while "
                    "it was read?)");
      queue.read(file, 0, {buffer.data(), 4096}, 4096, 10);  // goes on all the same
      EXPECT_EQ(queue.wait(), 10U);
    });
  }
}

TEST(DiskQueueThreads, FindAFileThatWasTruncated) {
  with_every_queue(4, [&](DiskQueue& queue) {
    const Scratch scratch;
    Image image(scratch, 1 << 16);
    const DiskFile file = DiskFile::open(image.path(), DiskAccess::automatic, "load");
    ASSERT_EQ(truncate(image.path().c_str(), 5000), 0);
    const DiskBuffer buffer(1 << 16, 4096);
    queue.read(file, 0, {buffer.data(), 1 << 16}, 1 << 16, 1);
    EXPECT_EQ(refusal<FileError>([&] { return queue.wait(); }),
              "load: \"" + image.path() +
                  "\" must have 65536 bytes from byte 0 on, it ends 60536 bytes earlier (truncated while it "
                  "was read?)");
  });
}

TEST(DiskQueueThreads, SayWhatTheSystemRefuses) {
  const Scratch scratch;
  Image image(scratch, 8192);
  with_every_queue(2, [&](DiskQueue& queue) {
    const DiskFile file = DiskFile::open(image.path(), DiskAccess::automatic, "load");
    const DiskBuffer buffer(4096, 4096);
    queue.write(file, 4096, {buffer.data(), 4096}, 1);
    EXPECT_EQ(refusal<FileError>([&] { return queue.wait(); }),
              "load: \"" + image.path() +
                  "\" must be writable, 4096 bytes from byte 4096 on (Bad file descriptor)");
    // In the place of the file a folder, from which nothing is read.
    const int folder = open(scratch.folder().c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    ASSERT_EQ(dup3(folder, file.descriptor(), O_CLOEXEC), file.descriptor());
    close(folder);
    queue.read(file, 4096, {buffer.data(), 4096}, 4096, 1);
    EXPECT_EQ(
        refusal<FileError>([&] { return queue.wait(); }),
        "load: \"" + image.path() + "\" must be readable, 4096 bytes from byte 4096 on (Is a directory)");
    EXPECT_EQ(queue.in_flight(), 0U);
  });
  EXPECT_TRUE(image.is_in_file());
}

TEST(DiskQueueThreads, FinishBeforeTheyGo) {
  const Scratch scratch;
  Image image(scratch, 32 * 4096);
  for (const bool by_threads : {false, true}) {
    const DiskFile file = DiskFile::open_to_write(image.path(), DiskAccess::automatic, "save");
    const DiskBuffer buffer(32 * 4096, 4096);
    std::memset(buffer.data(), by_threads ? 1 : 2, buffer.size());
    std::ranges::copy(std::span(buffer.data(), buffer.size()), image.bytes().begin());
    {
      const std::unique_ptr<DiskQueue> queue = by_threads ? make_thread_queue(32) : make_disk_queue(32);
      for (std::size_t i = 0; i < 32; ++i) {
        queue->write(file, i * 4096, {buffer.data() + i * 4096, 4096}, i);
      }
    }
    EXPECT_TRUE(image.is_in_file());
  }
}

TEST(DiskQueue, IsChosenByTheEnvironment) {
  const bool has_uring = make_uring_queue(1) != nullptr;
  {
    const Variable threads("TENSTRIDE_IO", "threads");
    EXPECT_EQ(make_disk_queue(3)->name(), "threads");
    EXPECT_EQ(make_disk_queue(3)->depth(), 3U);
  }
  for (const char* const value : {static_cast<const char*>(nullptr), "uring"}) {
    const Variable other("TENSTRIDE_IO", value);
    EXPECT_EQ(make_disk_queue(100)->name(), has_uring ? "io_uring" : "threads");
    EXPECT_EQ(make_disk_queue(100)->depth(), 100U);
  }
}

TEST(DiskQueue, FallsBackWhereIoUringIsForbidden) {
  // As containers do it, for one thread.
  std::string name;
  std::thread forbidden([&] {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{std::size(filter), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return;
    name = make_disk_queue(2)->name();
  });
  forbidden.join();
  if (name.empty()) GTEST_SKIP() << "nothing can be forbidden here";
  EXPECT_EQ(name, "threads");
}

TEST(DiskQueue, RefusesDepthsOutOfRange) {
  EXPECT_EQ(refusal<ValueError>([] { return make_disk_queue(0); }), "disk queue: depth 0 must be 1..4096");
  EXPECT_EQ(refusal<ValueError>([] { return make_disk_queue(4097); }),
            "disk queue: depth 4097 must be 1..4096");
}

/// A queue whose transfers give what a test says, after it has moved nothing.
class ScriptedQueue final : public RequestQueue {
 public:
  explicit ScriptedQueue(std::deque<std::int64_t>& results) : RequestQueue(2), results_(results) {}
  ~ScriptedQueue() override { finish(); }
  [[nodiscard]] std::string_view name() const noexcept override { return "scripted"; }
  struct Transfer {
    std::uint64_t offset = 0;
    std::size_t nbytes = 0;
    std::ptrdiff_t address = 0;
    friend bool operator==(const Transfer&, const Transfer&) = default;
  };
  std::vector<Transfer> transfers;
  const std::byte* begin = nullptr;

 private:
  void start(std::size_t slot) override {
    const DiskRequest& next = request(slot);
    transfers.push_back(
        {next.offset(), next.nbytes(),
         (next.is_read() ? static_cast<const std::byte*>(next.destination()) : next.source()) - begin});
    started_.push_back(slot);
  }
  Result next_result() override {
    const Result result{started_.front(), results_.front()};
    started_.pop_front();
    results_.pop_front();
    return result;
  }
  std::deque<std::size_t> started_;
  std::deque<std::int64_t>& results_;
};

class ScriptedRequests : public ::testing::Test {
 protected:
  using Transfers = std::vector<ScriptedQueue::Transfer>;
  /// One request of four pages from byte 8192 on, the first 16,000 bytes needed: "done", or what is refused.
  template <typename Begin>
  std::string run(std::deque<std::int64_t> results, Begin&& begin) {
    ScriptedQueue queue(results);
    queue.begin = buffer_.data();
    begin(queue);
    std::string said = "done";
    try {
      EXPECT_EQ(queue.wait(), 42U);
    } catch (const FileError& error) {
      EXPECT_EQ(error.path(), path_);
      said = error.what();
    }
    EXPECT_EQ(queue.in_flight(), 0U);
    EXPECT_TRUE(results.empty());
    transfers_ = queue.transfers;
    return said;
  }
  std::string read(std::deque<std::int64_t> results) {
    return run(std::move(results), [&](DiskQueue& queue) {
      queue.read(file_, 8192, {buffer_.data(), 16384}, 16'000, 42);
    });
  }
  std::string write(std::deque<std::int64_t> results) {
    return run(std::move(results), [&](DiskQueue& queue) {
      queue.write(file_, 8192, {buffer_.data(), 16384}, 42);
    });
  }

  const Scratch scratch_;
  const std::string path_ = scratch_.file("x", std::string(32768, 'x'));
  const DiskFile file_ = DiskFile::open_to_write(path_, DiskAccess::automatic, "move");
  const DiskBuffer buffer_{16384, 4096};
  Transfers transfers_;
};

TEST_F(ScriptedRequests, GoOnAfterInterruptionsAndShortTransfers) {
  EXPECT_EQ(read({16384}), "done");
  EXPECT_EQ(transfers_, (Transfers{{8192, 16384, 0}}));
  EXPECT_EQ(read({16'000}), "done");
  EXPECT_EQ(read({-EINTR, -EAGAIN, 16384}), "done");
  EXPECT_EQ(transfers_, (Transfers{{8192, 16384, 0}, {8192, 16384, 0}, {8192, 16384, 0}}));
  EXPECT_EQ(read({4096, -EINTR, 8192, 4096}), "done");
  EXPECT_EQ(transfers_,
            (Transfers{{8192, 16384, 0}, {12288, 12288, 4096}, {12288, 12288, 4096}, {20480, 4096, 12288}}));
  EXPECT_EQ(write({-EINTR, 12288, 4096}), "done");
  EXPECT_EQ(transfers_, (Transfers{{8192, 16384, 0}, {8192, 16384, 0}, {20480, 4096, 12288}}));
}

TEST_F(ScriptedRequests, BeginAgainAtAPage) {
  if (file_.page() != 4096) GTEST_SKIP() << "pages of " << file_.page();
  EXPECT_EQ(read({5000, 12288}), "done");
  EXPECT_EQ(transfers_, (Transfers{{8192, 16384, 0}, {12288, 12288, 4096}}));
  EXPECT_EQ(read({100, 5000, 100, 12288}), "done");
  EXPECT_EQ(write({5000, 12288}), "done");
  EXPECT_EQ(transfers_, (Transfers{{8192, 16384, 0}, {12288, 12288, 4096}}));
}

TEST_F(ScriptedRequests, EndWithTheFile) {
  const std::string ends = "move: \"" + path_ + "\" must have 16000 bytes from byte 8192 on, it ends ";
  const std::string earlier = " bytes earlier (truncated while it was read?)";
  EXPECT_EQ(read({0}), ends + "16000" + earlier);
  EXPECT_EQ(read({8192, 0}), ends + "7808" + earlier);
  if (file_.page() != 4096) GTEST_SKIP() << "pages of " << file_.page();
  EXPECT_EQ(read({8292, 100, 100}), ends + "7708" + earlier);
}

TEST_F(ScriptedRequests, SayWhatTheSystemSays) {
  const std::string name = "move: \"" + path_ + "\" must ";
  EXPECT_EQ(read({-EIO}), name + "be readable, 16000 bytes from byte 8192 on (Input/output error)");
  EXPECT_EQ(read({4096, -EIO}), name + "be readable, 11904 bytes from byte 12288 on (Input/output error)");
  EXPECT_EQ(write({-EIO}), name + "be writable, 16384 bytes from byte 8192 on (Input/output error)");
  EXPECT_EQ(write({-ENOSPC}), name + "have room for 16384 bytes from byte 8192 on (No space left on device)");
  EXPECT_EQ(write({8192, -EDQUOT}),
            name + "have room for 8192 bytes from byte 16384 on (Disk quota exceeded)");
  EXPECT_EQ(write({-EFBIG}), name + "have room for 16384 bytes from byte 8192 on (File too large)");
  EXPECT_EQ(write({4096, 0, -EINTR, 0}),
            name + "take 16384 bytes from byte 8192 on, it left out 12288 (the system gives no reason)");
}

TEST_F(ScriptedRequests, AreFinishedBeforeTheQueueGoes) {
  std::deque<std::int64_t> results{-EIO, 4096};
  {
    ScriptedQueue queue(results);
    queue.begin = buffer_.data();
    queue.read(file_, 0, {buffer_.data(), 16384}, 16384, 1);
    queue.read(file_, 0, {buffer_.data(), 16384}, 16384, 2);
    EXPECT_EQ(queue.in_flight(), 2U);
  }
  EXPECT_TRUE(results.empty());
}

}  // namespace
}  // namespace tenstride::io
