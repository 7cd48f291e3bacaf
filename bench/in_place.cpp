// SPDX-License-Identifier: Apache-2.0
// Axes permuted in place, compared with a plain copy of as many bytes and with the copy into a second tensor:
// the table of docs/in-place.md.
#include "session.hpp"
#include "tenstride/copy/permute_in_place.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::bench {
namespace {

struct InPlaceCase {
  std::string_view name;
  Dims shape;  ///< of float32
  Dims dims;
};

/// The cases; in a smoke run their first axis is short.
std::vector<InPlaceCase> in_place_cases(Scope scope) {
  std::vector<InPlaceCase> cases = {
      {"to channels last", {32, 3, 224, 224}, {0, 2, 3, 1}},
      {"square", {4096, 4096}, {1, 0}},
      {"panels", {4000, 6000}, {1, 0}},
      {"reversed", {100, 300, 500}, {2, 1, 0}},
      {"primes", {4001, 6007}, {1, 0}},
  };
  if (scope == Scope::smoke) {
    for (InPlaceCase& what : cases) what.shape[0] = 4;
  }
  return cases;
}

std::string full_name(const InPlaceCase& what) {
  return "in_place/" + std::string(what.name);
}

}  // namespace

std::vector<std::string> in_place_names(Scope scope) {
  std::vector<std::string> names;
  for (const InPlaceCase& what : in_place_cases(scope)) names.push_back(full_name(what));
  return names;
}

Json run_in_place(Session& session) {
  Json records = Json::array();
  const Options& options = session.options();
  for (const InPlaceCase& what : in_place_cases(options.scope)) {
    if (!options.wants(full_name(what))) continue;
    const Tensor x = zeros(what.shape);
    Tensor copied = zeros(x.permute(what.dims).shape());
    session.source().require(x.nbytes());
    session.destination().require(x.nbytes());
    for (const int threads : options.threads) {
      session.set_threads(threads);
      std::vector<Contender> contenders = session.plain_copy_contenders(x.nbytes(), threads);
      const std::size_t plain = contenders.size();
      // A new handle for each call, so that every call permutes the same shape.
      Call in_place;
      in_place.run = [&] {
        Tensor handle = x;
        permute_(handle, what.dims);
      };
      contenders.push_back({"tenstride", in_place, true});
      Call copy;
      copy.run = [&] { copied.copy_(x.permute(what.dims)); };
      contenders.push_back({"copy", copy, true});
      Json record = {{"family", "in_place"},
                     {"name", what.name},
                     {"destination", "warm"},
                     {"threads", threads},
                     {"plan", permute_plan(x, what.dims).to_string()},
                     {"bytes", 2 * x.nbytes()}};
      session.time(contenders, plain, 2 * x.nbytes(), record);
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace tenstride::bench
