// SPDX-License-Identifier: Apache-2.0
// What the page calls. A function takes a request and gives an answer, both JSON of UTF-8: the request lies
// where tenstride_room said, the answer is valid until the next call, and tenstride_answer_size has its
// bytes. An answer that is {"refused": TEXT} says why there is none.
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tenstride/explain/explain.hpp"
#include "tenstride/expression/expression.hpp"
#include "tenstride/picture/picture.hpp"
#include "tenstride/plan/machine.hpp"

namespace tenstride::explorer {
namespace {

using Json = nlohmann::ordered_json;

/// Programs that need more have no values: the page has 128 MiB in all.
constexpr Index max_bytes = Index{16} << 20;

std::string request_bytes;
std::string answer;

/// {"text"} is in each request. "max_bytes" 0 carries nothing out: the expression's costs alone are told.
struct Request {
  Json json = Json::parse(request_bytes);
  std::string text = json.at("text");

  [[nodiscard]] ExplainOptions options() const {
    ExplainOptions options;
    options.max_bytes = json.value("max_bytes", max_bytes);
    return options;
  }
  [[nodiscard]] PlanDetail plans() const {
    return json.value("plans", false) ? PlanDetail::listed : PlanDetail::left_out;
  }
  /// "machine": a name of `machine_names`; else plans are for whatever runs the page.
  [[nodiscard]] Machine machine() const {
    const std::optional<Machine> named = machine_named(json.value("machine", std::string()));
    return named ? *named : Machine::here();
  }
};

/// Bytes that are no UTF-8 are replaced: the text came from a caller.
std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Answer>
const char* answer_by(const Answer& find) {
  try {
    answer = find(Request());
  } catch (const std::bad_alloc&) {
    answer = R"({"refused":"MemoryError: the page has 128 MiB of memory, and this needs more"})";
  } catch (const std::exception& error) {
    answer = dumped({{"refused", error.what()}});
  }
  return answer.data();
}

}  // namespace
}  // namespace tenstride::explorer

using tenstride::explorer::answer;
using tenstride::explorer::answer_by;
using tenstride::explorer::dumped;
using tenstride::explorer::Json;
using tenstride::explorer::Request;
using tenstride::explorer::request_bytes;

extern "C" {

/// Room for a request of so many bytes.
__attribute__((export_name("tenstride_room"))) char* tenstride_room(std::size_t size) {
  request_bytes.resize(size);
  return request_bytes.data();
}

__attribute__((export_name("tenstride_answer_size"))) std::size_t tenstride_answer_size() {
  return answer.size();
}

/// What `explain --json` prints; with "plans" and "machine" how copies are planned.
__attribute__((export_name("tenstride_explain"))) const char* tenstride_explain() {
  return answer_by([](const Request& request) {
    const tenstride::MachineScope scope(request.machine());
    return to_json(tenstride::explain(request.text, request.options()), request.plans());
  });
}

/// {"text"}: what `explain` prints.
__attribute__((export_name("tenstride_text"))) const char* tenstride_text() {
  return answer_by([](const Request& request) {
    const tenstride::MachineScope scope(request.machine());
    const tenstride::Explanation explanation = tenstride::explain(request.text, request.options());
    return dumped({{"text", to_text(explanation, tenstride::TextStyle::plain, request.plans())}});
  });
}

/// {"svg"}, or {"text"} where "form" is that: what `show` draws; "subject" and "width" as there.
__attribute__((export_name("tenstride_picture"))) const char* tenstride_picture() {
  return answer_by([](const Request& request) {
    const tenstride::Picture picture = tenstride::picture_of(request.text, request.options());
    tenstride::PictureOptions options;
    options.subject = tenstride::picture_subject(request.json.value("subject", std::string()))
                          .value_or(tenstride::PictureSubject::tensors);
    options.width = request.json.value("width", options.width);
    if (request.json.value("form", std::string()) == "text")
      return dumped({{"text", to_text(picture, options)}});
    return dumped({{"svg", to_svg(picture, options)}});
  });
}

/// {"begin","names"}: how the text may go on, where "names" of the request are bound; of "machines": true
/// what "machine" may be.
__attribute__((export_name("tenstride_complete"))) const char* tenstride_complete() {
  return answer_by([](const Request& request) {
    if (request.json.value("machines", false)) {
      const auto machines = tenstride::machine_names();
      return dumped({{"begin", 0}, {"names", std::vector<std::string>(machines.begin(), machines.end())}});
    }
    const tenstride::Completion found =
        tenstride::complete(request.text, request.json.value("names", std::vector<std::string>()));
    return dumped({{"begin", found.begin}, {"names", found.names}});
  });
}
}
