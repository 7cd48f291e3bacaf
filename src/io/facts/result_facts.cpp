// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/result_facts.hpp"

#include "base/message.hpp"
#include "io/facts/element_attributes.hpp"
#include "io/facts/further_facts.hpp"
#include "io/facts/shared_axis_names.hpp"
#include "io/facts/source_axes.hpp"
#include "io/format/format.hpp"
#include "io/format/numpy_dtype.hpp"
#include "io/format/result_attributes.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

bool holds_attributes(const FileFormat& format) {
  return format.facts == TensorFacts::attributes || format.facts == TensorFacts::both;
}

/// The attributes that are true of a result, with what is not.
ResultAttributes attributes_of_result(const ResultOrigin& result, const ElementChanges& changes,
                                      ResultFacts& facts) {
  ElementAttributes of_elements = attributes_of_elements(result, changes);
  facts.notes = std::move(of_elements.notes);
  ResultAttributes attributes(of_elements.attributes);
  for (const DroppedFact& dropped : of_elements.dropped) attributes.tell(dropped.fact, dropped.reason);
  keep_true_attributes(attributes, result);
  for (const FileFormat* const format : file_formats()) {
    if (format->keep_true != nullptr) format->keep_true(attributes, result);
  }
  return attributes;
}

/// What the destination has no place for, where one would look for it there.
void tell_lost(ResultFacts& facts, const FileInfo& source, const FileFormat& destination) {
  if (!has_same_facts(source.kind, destination) && !destination.has_fields) return;
  const ResultAttributes lost(source.attributes);
  for (const auto& [key, value] : lost.json.items()) {
    if (key == numpy_dtype_key && destination.has_times) continue;
    facts.dropped.push_back({{}, key, message("attributes are not written to ", destination.description)});
  }
}

/// The moves whose chains can be followed, and their numbers among all.
struct KnownResults {
  std::vector<std::size_t> numbers;
  std::vector<TensorMove> moves;
  std::vector<ResultOrigin> origins;
};

bool says_nothing(const ResultMove& result) {
  const FileInfo& source = result.move.source;
  return source.axis_names.empty() && source.attributes.empty() && source.further.empty() &&
         result.changes.rescaling == nullptr;
}

KnownResults follow_all(const std::vector<ResultMove>& results) {
  KnownResults known;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& [move, changes] = results[i];
    if (says_nothing(results[i])) continue;
    try {
      known.origins.push_back(origin_of_result(move.source, move.chain));
      known.origins.back().is_scaled = changes.has_arithmetic;
      known.moves.push_back(move);
      known.numbers.push_back(i);
    } catch (const Error&) {
      continue;
    }
  }
  return known;
}

/// The facts of one of the results, whose names of axes are known.
void add_attributes(const KnownResults& known, std::size_t number, const ElementChanges& changes,
                    const FileFormat& destination, ResultFacts& facts) {
  const FileInfo& source = known.moves[number].source;
  const bool is_same = has_same_facts(source.kind, destination);
  const bool has_place = is_same || !destination.has_fields;
  if (!has_place || (!holds_attributes(destination) && is_same)) {
    tell_lost(facts, source, destination);
  }
  ResultAttributes attributes = attributes_of_result(known.origins[number], changes, facts);
  if (!has_place) return;
  if (destination.keep_written != nullptr) destination.keep_written(attributes, known.origins[number]);
  keep_true_references(known.moves, known.origins, number, attributes);
  facts.attributes = attributes.text();
  const bool holds_all = holds_attributes(destination);
  for (const DroppedFact& dropped : attributes.dropped()) {
    const bool is_of_type = destination.has_times && dropped.fact.starts_with(numpy_dtype_key);
    if (holds_all || is_of_type) facts.dropped.push_back(dropped);
  }
}

}  // namespace

ResultFacts facts_of_result(const FileInfo& source, std::string_view chain, FileKind destination,
                            const ElementChanges& changes) {
  return facts_of_results({{{source, std::string(chain), source.name}, changes}}, destination)[0];
}

std::vector<ResultFacts> facts_of_results(const std::vector<ResultMove>& results, FileKind destination) {
  const FileFormat& format = format_of(destination);
  const KnownResults known = follow_all(results);
  std::vector<ResultFacts> facts(known.moves.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const std::vector<std::string>& names = known.moves[i].source.axis_names;
    if (names.empty()) continue;
    for (const auto& axis : known.origins[i].axes)
      facts[i].axis_names.push_back(axis ? names[axis->axis] : std::string());
  }
  if (format.facts == TensorFacts::both) separate_axis_names(known.moves, known.origins, facts);
  std::vector<ResultFacts> all(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const FileInfo& source = results[i].move.source;
    const bool had_times = format.has_times && find_numpy_time(source.attributes, source.dtype);
    if (says_nothing(results[i]) || (format.facts == TensorFacts::none && !had_times)) continue;
    all[i].dropped = {{{}, "names and attributes", "what becomes of the axes is not known without elements"}};
  }
  for (std::size_t i = 0; i < facts.size(); ++i) {
    add_attributes(known, i, results[known.numbers[i]].changes, format, facts[i]);
    all[known.numbers[i]] = std::move(facts[i]);
  }
  std::vector<FollowedResult> followed;
  for (const ResultMove& result : results) followed.push_back({&result, nullptr});
  for (std::size_t i = 0; i < known.numbers.size(); ++i) {
    followed[known.numbers[i]].origin = &known.origins[i];
  }
  for (std::size_t i = 0; i < results.size(); ++i) add_further_facts(followed[i], format, all[i]);
  share_unlimited_axes(followed, all);
  for (std::size_t i = 0; results.size() > 1 && i < results.size(); ++i) {
    for (DroppedFact& fact : all[i].dropped) fact.tensor = results[i].move.name;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const FileInfo& source = results[i].move.source;
    if (!source.is_first_of_several) continue;
    all[i].notes.push_back(message("\"", source.path, "\" holds further tensors, and \"", source.address(),
                                   "\" is meant; \"", source.path, "::*\" means all"));
  }
  const std::vector<DroppedFact> of_groups = add_groups(followed, format, all);
  if (!all.empty()) all[0].dropped.insert(all[0].dropped.end(), of_groups.begin(), of_groups.end());
  return all;
}

std::string to_string(const std::vector<DroppedFact>& dropped) {
  std::string text;
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    const auto is_of_line = [&](const DroppedFact& other) {
      return other.tensor == dropped[i].tensor && other.reason == dropped[i].reason;
    };
    const bool is_new = i == 0 || !is_of_line(dropped[i - 1]);
    if (is_new) text += dropped[i].tensor.empty() ? "dropped  " : "dropped  of " + dropped[i].tensor + ": ";
    text += (is_new ? "" : ", ") + dropped[i].fact;
    if (i + 1 == dropped.size() || !is_of_line(dropped[i + 1])) text += ": " + dropped[i].reason + '\n';
  }
  return text;
}

}  // namespace tenstride::io
