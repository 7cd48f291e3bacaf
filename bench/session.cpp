// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tenstride::bench {
namespace {

Call local(std::function<void()> run) {
  Call call;
  call.run = std::move(run);
  return call;
}

}  // namespace

double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return std::strtod(text, nullptr);
}

Session::Session(const Options& options) : options_(options), memory_(available_memory() / 10 * 7) {
  for (const auto& peer : tenstride::bench::peers()) {
    if (options_.wants_peer(peer->name())) peers_.push_back(peer.get());
  }
}

void Session::set_threads(int count) {
  for (Peer* const peer : peers_) peer->set_threads(count);
}

Team& Session::team(int threads) {
  std::unique_ptr<Team>& team = teams_[threads];
  if (!team) team = std::make_unique<Team>(threads);
  return *team;
}

std::vector<Contender> Session::plain_copy_contenders(std::size_t bytes, int threads) {
  std::vector<Contender> contenders;
  std::byte* const dst = destination_.data();
  const std::byte* const src = source_.data();
  for (const PlainCopy& plain : copies_) {
    contenders.push_back({plain.name, local([=, copy = plain.copy] { copy(dst, src, bytes); })});
    if (threads == 1) continue;
    contenders.back().call.run = [=, &team = team(threads)] { copy_with(team, plain, dst, src, bytes); };
  }
  // Waking the team can cost more than copying so few bytes: one thread may be the faster yardstick.
  constexpr std::size_t max_for_one_thread = std::size_t{8} << 20;
  if (threads > 1 && bytes < max_for_one_thread) {
    contenders.push_back({"memcpy, 1 thread", local([=] { std::memcpy(dst, src, bytes); }), true});
  }
  return contenders;
}

std::vector<Contender> Session::plain_fill_contenders(std::size_t bytes, int threads) {
  std::vector<Contender> contenders;
  std::byte* const dst = destination_.data();
  for (const PlainFill& plain : fills_) {
    contenders.push_back(
        {plain.name, local([=, &team = team(threads)] { fill_with(team, plain, dst, 3, bytes); }), true});
  }
  return contenders;
}

std::vector<Contender> Session::plain_read_contenders(const std::byte* src, std::size_t bytes,
                                                      std::size_t written, int threads) {
  std::vector<Contender> contenders;
  std::byte* const dst = destination_.data();
  for (const PlainRead& read : reads_) {
    const auto add = [&](const std::string& name, auto write) {
      contenders.push_back({name, local([=, &read, &team = team(threads)] {
                              read_with(team, read, src, bytes);
                              write();
                            }),
                            true});
    };
    if (written == 0) {
      add(read.name, [] {});
      continue;
    }
    for (const PlainFill& fill : fills_) {
      add(read.name + ", " + fill.name,
          [=, &fill, &team = team(threads)] { fill_with(team, fill, dst, 3, written); });
    }
  }
  return contenders;
}

Contender Session::fresh_plain_copy(std::size_t bytes) {
  return {"malloc, memcpy, free", local([bytes, src = source_.data()] {
            void* memory = std::malloc(bytes);
            if (memory == nullptr) throw std::bad_alloc();
            std::memcpy(memory, src, bytes);
            keep(memory);
            std::free(memory);
          })};
}

void Session::complain(const std::string& case_name, const Peer& peer, const std::string& what) {
  std::fprintf(stderr, "WRONG: %s by %s: %s\n", case_name.c_str(), peer.name().c_str(), what.c_str());
  ++complaints_;
}

void Session::admit(std::vector<Contender>& contenders, const std::string& case_name, const Peer& peer,
                    Call call, const Expected& expected, std::size_t dst_bytes) {
  if (!call.is_offered()) return;
  try {
    const Checked checked = check(call, expected, destination_.data(), dst_bytes);
    if (checked.complaint) {
      complain(case_name, peer, *checked.complaint);
    } else {
      contenders.push_back({peer.name(), std::move(call), peer.is_reference(), checked.seconds});
    }
  } catch (const std::exception& error) {
    complain(case_name, peer, error.what());
  }
}

void Session::admit_all(std::vector<Contender>& contenders, const std::string& case_name,
                        const std::function<Call(Peer&)>& offer, const Expected& expected,
                        std::size_t dst_bytes) {
  for (Peer* const peer : peers_) {
    Call call;
    try {
      call = offer(*peer);
    } catch (const std::exception& error) {
      complain(case_name, *peer, error.what());
    }
    admit(contenders, case_name, *peer, std::move(call), expected, dst_bytes);
  }
}

void Session::time(std::vector<Contender>& contenders, std::size_t plain, std::size_t bytes, Json& record) {
  const std::vector<Timing> timings = time_in_rounds(contenders, options_.rounds);
  const auto best =
      std::min_element(timings.begin(), timings.begin() + static_cast<std::ptrdiff_t>(plain),
                       [](const Timing& a, const Timing& b) { return a.median() < b.median(); });
  const double best_seconds = best->median();
  record["best_plain"] = best->name;
  record["best_plain_gb_per_s"] = rounded(static_cast<double>(bytes) * 1e-9 / best_seconds);
  std::printf("%s, %s, %d thread%s: %s %.1f GB/s\n ",
              (record["family"].get<std::string>() + "/" + record["name"].get<std::string>()).c_str(),
              record["destination"].get<std::string>().c_str(), record["threads"].get<int>(),
              record["threads"] == 1 ? "" : "s", best->name.c_str(),
              static_cast<double>(bytes) * 1e-9 / best_seconds);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const Timing& timing = timings[i];
    Json samples = Json::array();
    for (const double seconds : timing.seconds) samples.push_back(rounded(seconds));
    const double share = best_seconds / timing.median();
    Json& entry = record[i < plain ? "plain" : "contenders"][timing.name];
    entry = {{"seconds", rounded(timing.median())}, {"share", rounded(share)}, {"samples", samples}};
    if (i >= plain) std::printf(" %s %.3f", timing.name.c_str(), share);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace tenstride::bench
