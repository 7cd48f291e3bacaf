// SPDX-License-Identifier: Apache-2.0
// Reductions beside a plain read of the lines that they touch, plus a fill if there are many results;
// arithmetic beside a plain copy that reads and writes as many bytes.
#include <algorithm>

#include "session.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::bench {
namespace {

/// Results count where they have at least one of so many bytes that are read.
constexpr std::size_t max_read_per_written = 20;

std::vector<Contender> yardsticks(Session& session, const ComputationCase& what, int threads,
                                  std::size_t& bytes) {
  const std::size_t read = what.bytes_read(), written = what.bytes_written();
  if (what.kind != ComputationKind::reduction) {
    bytes = read + written;
    return session.plain_copy_contenders(bytes / 2, threads);
  }
  const std::size_t filled = written > read / max_read_per_written ? written : 0;
  bytes = read + filled;
  return session.plain_read_contenders(session.source().data(), read, filled, threads);
}

}  // namespace

void run_computation(Session& session, const ComputationCase& what, int threads, Json& records) {
  const std::size_t most = std::max(what.source_bytes(), what.bytes_read() + what.bytes_written());
  session.source().require(most);
  session.destination().require(most);
  session.source().fill(what.type, what.source_bytes() / item_size(what.type), what.mask());
  session.set_threads(threads);
  std::size_t bytes = 0;
  std::vector<Contender> contenders = yardsticks(session, what, threads, bytes);
  const std::size_t plain = contenders.size();
  const ComputationJob job{what, session.source().data()};
  const Expected expected = expected_result(job);
  const auto offer = [&](Peer& peer) {
    return threads == 1 || peer.uses_threads() ? peer.compute(job) : Call{};
  };
  session.admit_all(contenders, what.full_name(), offer, expected, what.bytes_written());
  Json record = {{"family", what.family},
                 {"name", what.name},
                 {"destination", "fresh"},
                 {"threads", threads},
                 {"type", name(what.type)},
                 {"bytes_read", what.bytes_read()},
                 {"bytes_written", what.bytes_written()},
                 {"bytes", bytes}};
  for (const ComputationInput& input : what.inputs) record["views"].push_back(to_string(input.view));
  session.time(contenders, plain, bytes, record);
  records.push_back(std::move(record));
}

}  // namespace tenstride::bench
