// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::bench {
namespace {

void run_one(Session& session, const ChainCase& what, int threads, Json& records) {
  const std::size_t bytes = what.bytes();
  session.source().require(bytes);
  session.destination().require(bytes);
  session.source().fill(what.type, static_cast<std::size_t>(count_elements(what.shape)), operation_mask);
  session.set_threads(threads);

  std::vector<Contender> contenders = session.plain_copy_contenders(bytes, threads);
  const std::size_t plain = contenders.size();
  contenders.push_back(session.fresh_plain_copy(bytes));
  const ChainJob job{what, session.source().data()};
  const Expected expected = expected_chain(job);
  session.admit_all(
      contenders, what.full_name(), [&](Peer& peer) { return peer.chain(job); }, expected, bytes);
  Json record = {{"family", "chains"},
                 {"name", what.name},
                 {"destination", "fresh"},
                 {"threads", threads},
                 {"src_type", name(what.type)},
                 {"dst_type", name(what.type)},
                 {"source", to_string(what.shape)},
                 {"bytes_read", bytes},
                 {"bytes_written", bytes},
                 {"bytes", 2 * bytes}};
  session.time(contenders, plain, 2 * bytes, record);
  records.push_back(std::move(record));
}

}  // namespace

Json run_chains(Session& session) {
  Json records = Json::array();
  const Options& options = session.options();
  for (const ChainCase& what : chain_cases(options.scope)) {
    if (!options.wants(what.full_name())) continue;
    for (const int threads : options.threads) run_one(session, what, threads, records);
  }
  return records;
}

}  // namespace tenstride::bench
