// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "base/message.hpp"
#include "io/disk/fit.hpp"
#include "io/disk/request.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;
using Clock = std::chrono::steady_clock;

constexpr std::string_view operation = "measure_disk";
// Between these sizes the requests of plans lie, and there the model is nearest to the truth.
constexpr std::size_t large_request = std::size_t{256} << 10;
constexpr std::size_t small_request = std::size_t{16} << 10;
// As in a pass: 64 requests that read and 64 that write.
constexpr std::size_t depth_of_kind = 64;

/// A file in the folder that no name leads to.
int open_nameless(const std::string& folder) {
  const int nameless = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (nameless >= 0) return nameless;
  if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) {
    // A file system that cannot: for a moment the file has a name.
    std::string name = folder + "/.tenstride-XXXXXX";
    const int named = mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) unlink(name.c_str());
    if (named >= 0) return named;
  }
  throw FileError(
      message(operation, ": \"", folder, "\" must be a folder that can be written to", system_reason(errno)),
      folder);
}

/// 0, 1, … count-1 in an order of chance, the same each time.
std::vector<std::uint64_t> shuffled(std::uint64_t count) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(count));
  return order;
}

/// What requests do, one after another.
enum class Kind : unsigned char { reads, writes, both };

/// Reads the first half of a file and writes the second.
class Measurement {
 public:
  Measurement(const DiskFile& file, std::uint64_t nbytes)
      : file_(file),
        half_(nbytes / 2),
        read_nbytes_(half_),
        queue_(make_disk_queue(2 * depth_of_kind)),
        buffer_(2 * bytes_at_once, file.page()) {
    // Something that no disk shortens, and that is in memory before the time is taken.
    std::mt19937_64 random(1);
    for (std::size_t at = 0; at < buffer_.size(); at += sizeof(std::uint64_t)) {
      const std::uint64_t number = random();
      std::copy_n(reinterpret_cast<const std::byte*>(&number), sizeof number, buffer_.data() + at);
    }
  }

  /// Writes what is read later, from its first byte on, for at most so many seconds.
  void fill(double max_seconds) {
    std::vector<std::uint64_t> order(half_ / large_request);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    read_nbytes_ = run(Kind::writes, large_request, order, 0, max_seconds).nbytes;
  }

  /// Bytes per second of requests in an order of chance, for about so many seconds.
  double speed(Kind kind, std::size_t request, double seconds) {
    // A pass writes where nothing was written before, which is slower on some file systems.
    if (kind != Kind::reads) {
      fallocate(file_.descriptor(), FALLOC_FL_ZERO_RANGE, static_cast<off_t>(half_),
                static_cast<off_t>(half_));
    }
    const Done done = run(kind, request, shuffled(read_nbytes_ / request), half_, seconds);
    return static_cast<double>(done.nbytes) / done.seconds;
  }

 private:
  struct Done {
    std::uint64_t nbytes = 0;
    double seconds = 0;
  };
  /// `written`: where the part of the file that is written begins.
  Done run(Kind kind, std::size_t request, const std::vector<std::uint64_t>& order, std::uint64_t written,
           double max_seconds) {
    const Clock::time_point start = Clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    const std::size_t most = std::min(depth_of_kind, bytes_at_once / request) * (kind == Kind::both ? 2 : 1);
    std::uint64_t tag = 0;
    std::size_t count = 0;
    // Each request in flight has a piece of the buffer, which its tag says.
    for (; count < order.size(); ++count) {
      if (count >= most && elapsed() > max_seconds) break;
      tag = queue_->in_flight() < most ? queue_->in_flight() : queue_->wait();
      const std::span<std::byte> piece(buffer_.data() + tag * request, request);
      const std::uint64_t offset = order[count] * request;
      const bool is_read = kind == Kind::reads || (kind == Kind::both && count % 2 == 0);
      if (is_read) {
        queue_->read(file_, offset, piece, request, tag);
      } else {
        queue_->write(file_, written + offset, piece, tag);
      }
    }
    while (queue_->in_flight() > 0) static_cast<void>(queue_->wait());
    return {count * request, elapsed()};
  }

  const DiskFile& file_;
  std::uint64_t half_;
  std::uint64_t read_nbytes_;
  std::unique_ptr<DiskQueue> queue_;
  DiskBuffer buffer_;
};

}  // namespace

DiskRates measure_disk(const std::string& folder, DiskAccess access, std::size_t nbytes) {
  constexpr std::size_t least = std::size_t{2} << 20;
  if (nbytes < least) {
    throw ValueError(message(operation, ": ", nbytes, " bytes must be at least ", least));
  }
  nbytes = nbytes / large_request * large_request;
  const DiskFile file = DiskFile::adopt(open_nameless(folder), folder, access, operation);
  int error = nbytes > PTRDIFF_MAX ? EFBIG : EINTR;
  while (error == EINTR) error = posix_fallocate(file.descriptor(), 0, static_cast<off_t>(nbytes));
  if (error != 0 && error != EOPNOTSUPP && error != EINVAL) {
    file.refuse(message("must have room for ", nbytes, " bytes", system_reason(error)));
  }

  Measurement measurement(file, nbytes);
  constexpr double fill_seconds = 1;
  measurement.fill(fill_seconds);
  // Disks take the first bytes faster than those that follow (caches, credits), and what moves a file runs
  // for long: the median of rounds, not the best.
  constexpr double seconds = 0.15;
  std::array<std::array<double, 3>, 4> rounds{};
  for (std::size_t i = 0; i < rounds[0].size(); ++i) {
    rounds[0][i] = measurement.speed(Kind::reads, large_request, seconds);
    rounds[1][i] = measurement.speed(Kind::writes, large_request, seconds);
    rounds[2][i] = measurement.speed(Kind::both, large_request, seconds);
    rounds[3][i] = measurement.speed(Kind::both, small_request, seconds);
  }
  for (std::array<double, 3>& speeds : rounds) std::sort(speeds.begin(), speeds.end());
  const detail::DiskSpeeds speeds{rounds[0][1], rounds[1][1], rounds[2][1], rounds[3][1]};
  DiskRates rates = detail::fit_rates(speeds, large_request, small_request);
  rates.page = static_cast<Index>(file.page());
  return rates;
}

}  // namespace tenstride::io
