// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "session.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::bench {
namespace {

/// If a copy writes more than this many bytes for each byte that it reads, its yardstick is a fill.
constexpr std::size_t max_written_per_read = 8;

/// How `run` carries out a plan, on its own line; empty if it runs the plan's loop nest.
std::string run_line(const CopyPlan& made) {
  const std::string text = run_text(made);
  return text.empty() ? text : "\n  " + text;
}

Json description(const CopyCase& what, const std::string& destination, int threads) {
  const std::size_t moved = what.bytes_read() + what.destination_bytes();
  const CopyPlan made =
      plan_copy(row_major(what.view.shape), what.dst_type, what.view, what.src_type, options_here());
  return {{"family", what.family},
          {"name", what.name},
          {"destination", destination},
          {"threads", threads},
          {"src_type", name(what.src_type)},
          {"dst_type", name(what.dst_type)},
          {"source", to_string(what.source)},
          {"view", to_string(what.view)},
          {"elements", what.elements()},
          {"bytes_read", what.bytes_read()},
          {"bytes_of_lines_read", what.bytes_of_lines_read()},
          {"bytes_written", what.destination_bytes()},
          {"bytes", moved},
          {"kernel", made.method()},
          {"plan", made.to_string() + run_line(made)}};
}

/// Above this many source bytes only the reference libraries take part: the others take minutes for a case.
constexpr std::size_t max_bytes_for_all = std::size_t{768} << 20;

/// The plain copy or fill that moves as many bytes as the case reads and writes.
struct Yardstick {
  bool is_fill;
  std::size_t bytes;
};
Yardstick yardstick(const CopyCase& what) {
  const std::size_t read = what.bytes_read();
  const std::size_t written = what.destination_bytes();
  if (read * max_written_per_read < written) return {true, written};
  return {false, (read + written) / 2};
}

}  // namespace

bool has_memory_for(const Session& session, const CopyCase& what) {
  // The source, the destination, and a new result as large as the destination.
  if (session.fits(what.source_bytes() + 2 * what.destination_bytes())) return true;
  std::printf("%s: left out, this machine has too little memory\n", what.full_name().c_str());
  return false;
}

void run_copy(Session& session, const CopyCase& what, const std::string& destination, int threads,
              Json& records) {
  const bool is_fresh = destination == "fresh";
  const Yardstick with = yardstick(what);
  const std::uint32_t mask = exact_mask(what.src_type, what.dst_type);
  const auto source_elements = static_cast<std::size_t>(count_elements(what.source));
  session.source().require(std::max(what.source_bytes(), with.bytes));
  session.destination().require(std::max(what.destination_bytes(), with.bytes));
  session.source().fill(what.src_type, source_elements, mask);
  session.set_threads(threads);

  std::vector<Contender> contenders = with.is_fill ? session.plain_fill_contenders(with.bytes, threads)
                                                   : session.plain_copy_contenders(with.bytes, threads);
  const std::size_t plain = contenders.size();
  if (is_fresh && threads == 1) contenders.push_back(session.fresh_plain_copy(with.bytes));

  const CopyJob job{what, session.source().data(), session.destination().data()};
  const Expected expected = expected_copy(what, job.src);
  for (Peer* const peer : session.peers()) {
    if (threads > 1 && !peer->uses_threads()) continue;
    if (what.source_bytes() > max_bytes_for_all && !peer->is_reference()) continue;
    Call call;
    try {
      call = is_fresh ? peer->copy_fresh(job) : peer->copy(job);
    } catch (const std::exception& error) {
      session.complain(what.full_name(), *peer, error.what());
    }
    if (call.spoilt_the_source) session.source().forget();
    session.source().fill(what.src_type, source_elements, mask);
    session.admit(contenders, what.full_name(), *peer, std::move(call), expected, what.destination_bytes());
  }
  Json record = description(what, destination, threads);
  session.time(contenders, plain, with.is_fill ? with.bytes : 2 * with.bytes, record);
  records.push_back(std::move(record));
}

void run_copies(Session& session, const std::function<void(const Json&)>& keep) {
  Json records = Json::array();
  const Options& options = session.options();
  for (const CopyCase& what : copy_cases(options.scope)) {
    if (!options.wants(what.full_name()) || !has_memory_for(session, what)) continue;
    for (const int threads : options.threads) {
      for (const std::string& destination : options.destinations) {
        // The curves over size and the permutations of the TTC benchmark are measured in warm memory only.
        const bool is_warm_only = what.family.starts_with("sizes") || what.family == "ttc";
        if (is_warm_only && destination == "fresh") continue;
        run_copy(session, what, destination, threads, records);
      }
    }
    keep(records);
  }
}

}  // namespace tenstride::bench
