// SPDX-License-Identifier: Apache-2.0
#include "rounds.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "numbers.hpp"
#include "peak_memory.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/distributed/mpi.hpp"

namespace tenstride::bench {
namespace {

struct Free {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
using Buffer = std::unique_ptr<std::byte, Free>;

/// Pages that have been written. At least one, so that a rank that holds nothing has memory, too.
Buffer touched_buffer(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  const std::size_t size = std::max(page, (bytes + page - 1) / page * page);
  Buffer buffer(static_cast<std::byte*>(std::aligned_alloc(page, size)));
  if (!buffer) throw std::bad_alloc();
  std::memset(buffer.get(), 0, size);
  return buffer;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// One rank's part of a case.
class CaseRun {
 public:
  CaseRun(const RedistributionCase& what, MPI_Comm comm) : what_(what), comm_(comm), transport_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    for (int rank = 0; rank < ranks_; ++rank) {
      room_ = std::max({room_, what.bytes_held(what.from, rank), what.bytes_held(what.to, rank)});
    }
    src_ = transport_.empty_shared({std::max(room_, Index{1})}, DType::uint8);
    dst_ = touched_buffer(static_cast<std::size_t>(room_));
    write_numbers(what, rank_, src_.mutable_storage_data());
  }

  [[nodiscard]] RedistributionJob job() {
    return {what_, comm_, rank_, ranks_, src_.storage_data(), dst_.get(), room_, transport_};
  }

  /// Marks the destination, so that an element that nobody writes is found.
  void spoil_destination() { std::memset(dst_.get(), 255, static_cast<std::size_t>(room_)); }

  /// The milliseconds of the slowest rank, at least a tick of the clock.
  template <class Work>
  [[nodiscard]] double timed(Work&& work) const {
    MPI_Barrier(comm_);
    const double start = MPI_Wtime();
    work();
    return 1000 * largest(std::max(MPI_Wtime() - start, MPI_Wtick()));
  }

  /// The largest value of all ranks, on rank 0.
  [[nodiscard]] double largest(double own) const {
    double value = own;
    MPI_Reduce(&own, &value, 1, MPI_DOUBLE, MPI_MAX, 0, comm_);
    return value;
  }

  void check_source(const Contender& contender) const {
    require_right(contender, wrong_source(what_, rank_, src_.storage_data()));
  }

  void check_destination(const Contender& contender) const {
    require_right(contender, contender.is_reference() ? unwritten_element(what_, rank_, dst_.get())
                                                      : wrong_destination(what_, rank_, dst_.get()));
  }

 private:
  void require_right(const Contender& contender, const std::string& wrong) const {
    if (wrong.empty()) return;
    throw RuntimeError(what_.name + " by " + contender.name() + ", rank " + std::to_string(rank_) + " of " +
                       std::to_string(ranks_) + ": " + wrong);
  }

  const RedistributionCase& what_;
  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 0;
  Index room_ = 0;
  distributed::MpiTransport transport_;
  Tensor src_;
  Buffer dst_;
};

/// A contender that takes part in a case.
struct Entry {
  explicit Entry(Contender& chosen) : contender(&chosen) { times.contender = chosen.name(); }

  Contender* contender;
  std::function<void()> run;
  ContenderTimes times;
  std::vector<double> repeated_ms;
};

void run_first(CaseRun& run, Entry& entry) {
  run.spoil_destination();
  const PeakMemory memory;
  entry.times.first_ms = run.timed([&] {
    entry.run = entry.contender->prepare(run.job());
    entry.run();
  });
  const std::optional<Index> extra = memory.extra_bytes();
  const double extra_mb = run.largest(extra ? static_cast<double>(*extra) / 1e6 : -1);
  if (extra) entry.times.extra_mb = extra_mb;
  run.check_destination(*entry.contender);
  run.check_source(*entry.contender);
}

void run_again(CaseRun& run, Entry& entry) {
  run.spoil_destination();
  entry.repeated_ms.push_back(run.timed(entry.run));
  run.check_destination(*entry.contender);
}

}  // namespace

std::vector<ContenderTimes> run_case(const RedistributionCase& what,
                                     const std::vector<Contender*>& contenders, int repeats, MPI_Comm comm) {
  CaseRun run(what, comm);
  std::vector<Entry> entries;
  for (Contender* contender : contenders) {
    if (contender->can(what)) entries.emplace_back(*contender);
  }
  for (Entry& entry : entries) run_first(run, entry);
  for (std::size_t round = 0; round < static_cast<std::size_t>(repeats); ++round) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      run_again(run, entries[(round + i) % entries.size()]);
    }
  }
  std::vector<ContenderTimes> times;
  for (Entry& entry : entries) {
    entry.times.repeated_ms = median(entry.repeated_ms);
    times.push_back(entry.times);
  }
  return times;
}

}  // namespace tenstride::bench
