// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "session.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::bench {
namespace {

void run_one(Session& session, const OperationCase& what, int threads, Json& records) {
  const std::size_t read = what.bytes_read();
  const std::size_t written = what.bytes_written();
  const std::size_t plain_bytes = what.only_writes() ? written : (read + written) / 2;
  const std::size_t inputs = static_cast<std::size_t>(std::max(what.inputs(), 1));
  const std::size_t result =
      static_cast<std::size_t>(count_elements(what.result_shape())) * item_size(what.result_type());
  session.source().require(std::max(inputs * what.input_bytes(), plain_bytes));
  session.destination().require(std::max(result, plain_bytes));
  session.source().fill(what.type, inputs * static_cast<std::size_t>(what.input_elements()), operation_mask);
  session.set_threads(threads);

  std::vector<Contender> contenders = what.only_writes()
                                          ? session.plain_fill_contenders(plain_bytes, threads)
                                          : session.plain_copy_contenders(plain_bytes, threads);
  const std::size_t plain = contenders.size();
  const OperationJob job{what, session.source().data(), session.destination().data()};
  const Expected expected = expected_result(job);
  session.admit_all(
      contenders, what.full_name(), [&](Peer& peer) { return peer.operate(job); }, expected, result);
  Json record = {{"family", "operations"},
                 {"name", what.name},
                 {"destination", contenders.back().call.show ? "fresh" : "warm"},
                 {"threads", threads},
                 {"src_type", name(what.type)},
                 {"dst_type", name(what.result_type())},
                 {"source", to_string(what.shape)},
                 {"bytes_read", read},
                 {"bytes_written", written},
                 {"bytes", read + written}};
  session.time(contenders, plain, read + written, record);
  records.push_back(std::move(record));
}

}  // namespace

Json run_operations(Session& session) {
  Json records = Json::array();
  const Options& options = session.options();
  for (const OperationCase& what : operation_cases(options.scope)) {
    if (!options.wants(what.full_name())) continue;
    for (const int threads : options.threads) run_one(session, what, threads, records);
  }
  return records;
}

}  // namespace tenstride::bench
