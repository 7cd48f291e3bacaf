// SPDX-License-Identifier: Apache-2.0
#include "convert_in_memory.hpp"

#include <algorithm>
#include <iostream>

#include "convert.hpp"
#include "json.hpp"
#include "rescaling_text.hpp"
#include "tenstride/einops/convert.hpp"
#include "tenstride/io/open_for_notation.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"
#include "verify.hpp"

namespace tenstride::cli {
namespace {

/// What SPEC gives of a tensor, and what that becomes in the file.
struct Conversion {
  const io::TensorMove* move = nullptr;
  io::ElementOptions elements;
  Tensor result;
  DType dtype = DType::float32;
  std::optional<io::Rescaling> rescaling{};
  io::ResultFacts facts{};
  /// Elements that are missing by what the source says; counted when they are written.
  Index missing = 0;

  [[nodiscard]] ScaleShift arithmetic() const { return {elements.scale, elements.shift, elements.axis}; }
  [[nodiscard]] bool is_kept() const { return move->kind == io::MoveKind::keep; }
  [[nodiscard]] const io::Rescaling* meaning() const { return rescaling ? &*rescaling : nullptr; }
  [[nodiscard]] Tensor image() {
    if (rescaling) {
      Tensor meant = empty(result.shape(), {.dtype = dtype});
      missing = io::rescale_elements(meant, result, *rescaling, "convert");
      return meant;
    }
    const bool is_same = !elements.has_arithmetic() && dtype == result.dtype();
    return is_same ? result : convert(result, dtype, arithmetic());
  }
};

/// Of a dry run on meta.
Conversion conversion_of(const io::TensorMove& move, const io::FileOptions& options, Rehearsal rehearsal) {
  const bool is_dry = rehearsal == Rehearsal::dry_run;
  const Tensor x = is_dry ? io::on_meta(move.source) : io::open_tensor_file(move.source);
  const Evaluation evaluation =
      evaluate(Program::parse(move.chain), {.inputs = {{"x", x}}, .slices = SliceRule::both_ways});
  if (evaluation.failure)
    throw WorkError("SPEC: " + move.name + ": " + evaluation.failure->type + ": " +
                    evaluation.failure->message);
  if (evaluation.value.tensor() == nullptr) throw UsageError("SPEC: must give a Tensor");
  Conversion conversion{&move, io::elements_of(move, options, options.kind), *evaluation.value.tensor()};
  if (conversion.elements.is_rescaled) conversion.rescaling = io::rescaling_of(move, conversion.elements);
  conversion.dtype = conversion.rescaling ? conversion.rescaling->dtype
                                          : conversion.elements.dtype.value_or(conversion.result.dtype());
  return conversion;
}

/// What is said of each result, which depends on the others beside it.
void take_facts(std::vector<Conversion>& conversions, io::FileKind kind) {
  std::vector<io::ResultMove> results;
  for (const Conversion& one : conversions)
    results.push_back({*one.move, {one.dtype, one.elements.has_arithmetic(), one.meaning()}});
  std::vector<io::ResultFacts> facts = io::facts_of_results(results, kind);
  for (std::size_t i = 0; i < facts.size(); ++i) conversions[i].facts = std::move(facts[i]);
}

void save_results(std::vector<Conversion>& conversions, const std::vector<io::FileInfo>& stored,
                  const ConvertCommand& command, const io::FileOptions& options) {
  io::ChunkOptions chunks = options.chunks;
  chunks.as_stored = stored;
  std::vector<io::NamedTensor> tensors;
  for (Conversion& conversion : conversions) {
    tensors.push_back({conversion.move->name, conversion.image(), conversion.facts.axis_names,
                       conversion.facts.attributes, conversion.elements.order, conversion.facts.further});
  }
  io::save_tensor_file(command.output, tensors,
                       {.overwrite = options.overwrite,
                        .order = options.order,
                        .is_compressed = command.compresses,
                        .chunks = chunks});
}

/// Compares every tensor with what it must be; gives the number of elements.
Index verify_results(const std::vector<Conversion>& conversions, const ConvertCommand& command) {
  const std::vector<io::FileInfo> written = io::list_tensors(command.output, "verify");
  Index count = 0;
  for (const Conversion& conversion : conversions) {
    const std::string& name = conversion.move->name;
    const auto fail = [&](const std::string& what) {
      throw WorkError("verify: \"" + command.output + "::" + name + "\": " + what);
    };
    const auto info = std::find_if(written.begin(), written.end(),
                                   [&](const io::FileInfo& one) { return one.name == name; });
    if (info == written.end()) fail("the file has no such tensor");
    if (info->layout.shape != conversion.result.shape()) fail("it has another shape than the result");
    const Expected expected{conversion.result, conversion.dtype, conversion.arithmetic(), false,
                            conversion.meaning()};
    if (const std::optional<std::string> wrong = difference(io::open_tensor_file(*info), expected))
      fail(*wrong);
    count += conversion.result.numel();
  }
  return count;
}

std::string results_text(const std::vector<Conversion>& conversions, const std::vector<io::FileInfo>& stored,
                         const ConvertCommand& command, std::optional<Index> verified) {
  std::vector<std::vector<std::string>> rows;
  Index nbytes = 0;
  std::string told, missing;
  for (const Conversion& conversion : conversions) {
    const io::FileInfo& source = conversion.move->source;
    told += to_string(conversion.facts.dropped);
    for (const std::string& note : conversion.facts.notes)
      told += "note: " + conversion.move->name + ": " + note + '\n';
    if (conversion.rescaling)
      missing += missing_line(*conversion.rescaling, conversion.missing, conversion.result.numel());
    const Dims& shape = conversion.result.shape();
    rows.push_back(
        {conversion.move->name, std::string(name(source.dtype)), to_string(source.layout.shape),
         conversion.is_kept() && conversion.move->chain == "x" ? "kept as it is" : conversion.move->chain,
         std::string(name(conversion.dtype)), to_string(shape),
         order_word(conversion.elements.order) + meaning_text(conversion.rescaling, source.dtype) +
             arithmetic_text(conversion.elements.scale, conversion.elements.shift)});
    nbytes += conversion.result.numel() * static_cast<Index>(item_size(conversion.dtype));
  }
  for (const io::FileInfo& info : stored) told += "copied as its bytes are stored: " + info.name + '\n';
  const std::string text = lay_out(rows) + told;
  if (command.rehearsal == Rehearsal::dry_run)
    return text + "dry run: nothing but the headers was read, nothing was written\n";
  return text + "wrote " + command.output + ": " + std::to_string(conversions.size()) + " tensors, " +
         bytes_to_text(nbytes) + '\n' + missing + verified_text(verified);
}

/// What is beside the tensors that are converted.
struct Others {
  std::vector<io::FileInfo> stored;
  /// Of tensors that are not written.
  std::vector<io::DroppedFact> left_out;
};

std::string results_json(const std::vector<Conversion>& conversions, const Others& others,
                         const ConvertCommand& command, std::optional<Index> verified) {
  Json json;
  json["tensors"] = Json::array();
  for (const Conversion& conversion : conversions) {
    json["tensors"].push_back(
        {{"name", conversion.move->name},
         {"input", input_json(command.input, conversion.move->source)},
         {"spec", conversion.is_kept() ? conversion.move->chain : command.spec},
         {"output", output_json(command.output, conversion.dtype, conversion.result.shape(),
                                conversion.elements, conversion.rescaling)},
         {"dropped", dropped_json(conversion.facts.dropped)},
         {"notes", conversion.facts.notes},
         {"missing", conversion.rescaling ? Json(conversion.missing) : Json(nullptr)}});
  }
  for (const io::DroppedFact& fact : others.left_out) json["left_out"][fact.tensor] = fact.reason;
  json["as_stored"] = Json::array();
  for (const io::FileInfo& info : others.stored) json["as_stored"].push_back(info.name);
  json["dry_run"] = command.rehearsal == Rehearsal::dry_run;
  json["verified"] = verified ? Json(*verified) : Json(nullptr);
  return to_line(json) + '\n';
}

}  // namespace

int run_in_memory(const ConvertCommand& command, const std::vector<io::TensorMove>& given,
                  const io::FileOptions& options) {
  if (!command.max_mem.empty() || command.resumes)
    throw UsageError(
        "convert: --max-mem and --resume must go with files whose elements can be written one by one");
  const io::CarriedMoves carried = io::carry_labels(given);
  std::vector<Conversion> conversions;
  // What cannot be read goes along as its bytes are stored.
  Others others{{}, carried.dropped};
  for (const io::TensorMove& move : carried.moves) {
    if (move.source.obstacle.empty()) {
      conversions.push_back(conversion_of(move, options, command.rehearsal));
    } else {
      others.stored.push_back(move.source);
    }
  }
  take_facts(conversions, options.kind);
  std::optional<Index> verified;
  if (command.rehearsal == Rehearsal::none) {
    clean_up_on_signals();
    save_results(conversions, others.stored, command, options);
    if (command.verify) verified = verify_results(conversions, command);
  }
  std::cout << (command.format == Format::json
                    ? results_json(conversions, others, command, verified)
                    : to_string(others.left_out) +
                          results_text(conversions, others.stored, command, verified));
  return done;
}

}  // namespace tenstride::cli
