// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "convert.hpp"
#include "convert_task.hpp"
#include "input_path.hpp"
#include "standard_output.hpp"
#include "tenstride/base/dtype_exact.hpp"
#include "tenstride/io/open_for_notation.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"
#include "upright.hpp"

namespace tenstride::cli {
namespace {

io::FileKind output_kind(const ConvertCommand& command, const std::string& path) {
  if (!command.output_format.empty()) return io::kind_of_name("x." + command.output_format);
  if (is_standard_output(path)) return io::FileKind::npy;
  const io::FileKind kind = io::kind_of_name(path);
  if (kind != io::FileKind::unknown) return kind;
  if (command.is_metadata_only) return io::FileKind::zarr;  // an array in a group
  throw UsageError("convert: the output \"" + path + "\" must end in " + io::writable_suffixes() +
                   ", or go with --format");
}

/// "out.safetensors::weight" is the tensor weight in out.safetensors.
io::TensorAddress output_address(const ConvertCommand& command) {
  const std::size_t colons = command.output.rfind("::");
  if (colons == std::string::npos) return {command.output, {}};
  return {command.output.substr(0, colons), command.output.substr(colons + 2)};
}

/// Of the calls that cannot be, before anything is read.
void check_places(const ConvertCommand& command) {
  if (command.resumes && is_read_once(command.input))
    throw UsageError("convert: --resume must go with an input that can be read again, not with a pipe");
  if (command.task && (is_read_once(command.input) || is_standard_output(command.output)))
    throw UsageError(
        "convert: " + option_of_task(command) +
        " must go with files that several processes can open, not with a pipe or standard output");
  if (!is_standard_output(command.output)) return;
  const auto refuse = [](const std::string& option) {
    throw UsageError("convert: " + option +
                     " must go with an output that is a file, not with standard output");
  };
  if (!command.max_mem.empty()) refuse("--max-mem");
  if (command.resumes) refuse("--resume");
  if (command.verify) refuse("--verify");
  if (command.rehearsal == Rehearsal::verify_only) refuse("--verify-only");
  if (command.rehearsal == Rehearsal::none) check_standard_output();
}

/// The header, with the layout that x has. Of a TIFF file SPEC makes it upright.
io::FileInfo upright_info(io::FileInfo info, const ConvertCommand& command) {
  if (!command.turns_upright || info.storage != io::ElementStorage::encoded) return info;
  info.layout = io::upright(info.layout, info.orientation);
  return info;
}

void check_rescaling(const ConvertCommand& command) {
  if (!command.rescales) return;
  for (const auto& [option, numbers] :
       {std::pair{"--scale", &command.scale}, std::pair{"--shift", &command.shift}}) {
    if (numbers->empty()) continue;
    throw UsageError(
        std::string("convert: --rescale takes scale and shift from the input and must not go with ") +
        option + " (leave one of them out)");
  }
}

/// Options that need elements, or make chunks.
void check_metadata_only(const ConvertCommand& command, io::FileKind kind) {
  if (!command.is_metadata_only) return;
  const auto refuse = [](const std::string& option) {
    throw UsageError("convert: --metadata-only decodes nothing and must not go with " + option +
                     " (leave one of them out)");
  };
  if (kind != io::FileKind::zarr)
    throw UsageError("convert: --metadata-only must go with a .zarr output, not with \"" + command.output +
                     '"');
  if (!command.chunks.empty()) refuse("--chunks");
  if (!command.shards.empty()) refuse("--shards");
  if (!command.codec.empty()) refuse("--codec");
  if (!command.dtype.empty()) refuse("--dtype");
  if (!command.scale.empty()) refuse("--scale");
  if (!command.shift.empty()) refuse("--shift");
  if (command.rescales) refuse("--rescale");
  if (command.turns_upright) refuse("--upright");
  if (command.resumes) refuse("--resume");
  if (!command.max_mem.empty()) refuse("--max-mem");
}

void check_output(const ConvertCommand& command, const std::string& output, const io::FileInfo& input) {
  if (is_standard_output(output)) return;
  struct stat out {};
  if (stat(output.c_str(), &out) != 0) return;
  const auto is_output = [&](const std::string& file) {
    struct stat in {};
    return stat(file.c_str(), &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
  };
  const std::vector<std::string> files = io::element_files(input);
  if (std::any_of(files.begin(), files.end(), is_output)) {
    if (!command.is_metadata_only || command.rehearsal == Rehearsal::verify_only)
      throw UsageError("convert: the output \"" + command.output + "\" must not be the input");
    if (!command.force)
      throw UsageError("convert: the output \"" + command.output +
                       "\" is the input and must go with --force to be permuted in place");
  }
  // A task may come when the others have put the output in place.
  if (!command.force && !command.task && command.rehearsal != Rehearsal::verify_only) {
    throw WorkError("convert: the output \"" + command.output +
                    "\" must not exist yet (--force replaces it)");
  }
}

bool keeps_order(const Step& step, DType before) {
  static constexpr std::array<std::string_view, 27> free_of_order{
      "contiguous", "clone",   "to",         "bool",         "byte",        "char",    "short",
      "int",        "long",    "half",       "float",        "double",      "cfloat",  "cdouble",
      "bfloat16",   "type",    "reshape",    "flatten",      "ravel",       "squeeze", "unsqueeze",
      "unflatten",  "view_as", "reshape_as", "resolve_conj", "resolve_neg", "chalf"};
  if (step.op == "view") return step.dtype == before;
  return std::find(free_of_order.begin(), free_of_order.end(), step.op) != free_of_order.end();
}

[[noreturn]] void fail_evaluation(const Failure& failure, const ConvertCommand& command,
                                  const io::FileInfo& info) {
  refuse_file_as_spec(command);
  std::string text = failure.message + '\n' + point_at(command.spec, failure.range);
  if (failure.obstacle)
    text = explain(command.spec, {.inputs = {{"x", io::on_meta(info)}}}).message;  // with all ways out
  text = "SPEC: " + failure.type + ": " + text;
  if (failure.cause == Failure::Cause::notation) throw UsageError(text);
  throw WorkError(text);
}

Evaluation forecast(const ConvertPlan& plan, std::size_t links_left_out) {
  const Tensor x = io::on_meta(plan.info);
  return evaluate(plan.program, {.inputs = {{"x", x}},
                                 .device = Device::meta,
                                 .links_left_out = links_left_out,
                                 .slices = SliceRule::both_ways});
}

void check_numbers(const ConvertPlan& plan, const ConvertCommand& command) {
  const auto rank = static_cast<Index>(plan.shape.size());
  if (plan.axis < -rank || plan.axis >= std::max<Index>(rank, 1)) {
    throw UsageError("convert: --axis " + std::to_string(plan.axis) + " must be an axis of the result " +
                     to_string(plan.shape));
  }
  for (const auto& [option, numbers] :
       {std::pair{"--scale", &plan.scale}, std::pair{"--shift", &plan.shift}}) {
    if (numbers->size() <= 1) continue;
    if (!command.axis)
      throw UsageError(std::string("convert: ") + option + " with several numbers needs --axis");
    const Index size = plan.shape[static_cast<std::size_t>(plan.axis < 0 ? plan.axis + rank : plan.axis)];
    if (static_cast<Index>(numbers->size()) != size) {
      throw UsageError(std::string("convert: ") + option + " has " + std::to_string(numbers->size()) +
                       " numbers and must have 1, or " + std::to_string(size) + " for axis " +
                       std::to_string(plan.axis) + " of the result " + to_string(plan.shape));
    }
  }
}

/// The numbers and the type by which elements become what the input says they mean.
void take_scaling(ConvertPlan& plan, const ConvertCommand& command) {
  const std::string obstacle = plan.is_forecast ? io::obstacle_to_rescaling(command.spec, plan.info)
                                                : "what it gives depends on the elements of x";
  if (!obstacle.empty())
    throw UsageError("convert: SPEC must only move elements to go with --rescale: " + obstacle);
  if (command.dtype.empty()) plan.dtype = io::rescaled_dtype(plan.dtype);
  plan.rescaling = io::rescaling_of(plan.info, plan.dtype, "convert");
}

}  // namespace

std::size_t fusable_links(const ConvertPlan& plan) {
  const bool is_per_index = plan.scale.size() > 1 || plan.shift.size() > 1;
  const bool may_reshape = plan.order == io::ElementOrder::row_major && !is_per_index;
  // A conversion may be merged with one that follows it only where it loses nothing.
  bool converts_later =
      plan.has_arithmetic() || plan.rescaling || plan.dtype != plan.forecast.value.tensor()->dtype();
  std::size_t fused = 0;
  Evaluation outer = plan.forecast;
  for (;;) {
    const std::optional<std::size_t> last = outer.value.step();
    if (!last || *last + 1 != outer.steps.size()) return fused;
    Evaluation inner;
    try {
      inner = forecast(plan, fused + 1);
    } catch (const ValueError&) {
      return fused;  // no link is left
    }
    const Step& step = outer.steps[*last];
    const Tensor* before = inner.value.tensor();
    const bool is_last_link =
        before != nullptr && inner.steps.size() == *last && inner.value.step() == step.source;
    if (!is_last_link || !keeps_order(step, before->dtype())) return fused;
    if (!may_reshape && before->shape() != step.layout.shape) return fused;
    if (before->dtype() != step.dtype) {
      if (converts_later && !is_exact(before->dtype(), step.dtype)) return fused;
      converts_later = true;
    }
    ++fused;
    outer = std::move(inner);
  }
}

Index write_elements(Tensor& dst, const Tensor& src, const ConvertPlan& plan, const ScaleShift& arithmetic) {
  if (plan.rescaling) return io::rescale_elements(dst, src, *plan.rescaling, "convert");
  copy_elements(dst, src, arithmetic);
  return 0;
}

Tensor written_image(const Tensor& source, const ConvertPlan& plan, Index& missing) {
  const bool is_changed = plan.rescaling || plan.has_arithmetic() || source.dtype() != plan.dtype;
  if (!is_changed) return source.reshape(plan.shape);
  Tensor result = empty(source.shape(), {.dtype = plan.dtype});
  missing += write_elements(result, source, plan, plan.arithmetic());
  return result.reshape(plan.shape);
}

Tensor open_input(const ConvertPlan& plan) {
  const Tensor x = io::open_tensor_file(plan.source);
  const bool is_view = plan.turns_upright && plan.info.storage == io::ElementStorage::encoded;
  return is_view ? io::upright(x, plan.info.orientation) : x;
}

io::ChunkOptions chunk_options(const ConvertCommand& command) {
  io::ChunkOptions chunks;
  if (!command.chunks.empty()) chunks.chunk = parse_shape("convert: --chunks", command.chunks);
  if (!command.shards.empty()) chunks.shard = parse_shape("convert: --shards", command.shards);
  chunks.codec = command.codec;
  chunks.zarr_format = command.zarr_format;
  return chunks;
}

std::optional<DType> dtype_option(const ConvertCommand& command) {
  if (command.dtype.empty()) return std::nullopt;
  const std::optional<DType> dtype = parse_dtype(command.dtype);
  if (!dtype) throw UsageError("convert: --dtype \"" + command.dtype + "\" must be a dtype, e.g. float32");
  return dtype;
}

io::FileOptions file_options(const ConvertCommand& command, io::FileKind kind) {
  io::FileOptions options;
  options.check = command.verify ? io::FileCheck::checksum : io::FileCheck::none;
  options.overwrite = command.force ? io::Overwrite::replace : io::Overwrite::refuse;
  options.kind = kind;
  options.chunks = chunk_options(command);
  options.order = command.order == "F" ? io::ElementOrder::column_major : io::ElementOrder::row_major;
  options.scale = parse_numbers("--scale", command.scale);
  options.shift = parse_numbers("--shift", command.shift);
  options.axis = command.axis.value_or(0);
  options.is_metadata_only = command.is_metadata_only;
  options.is_rescaled = command.rescales;
  options.task = command.task;
  return options;
}

void check_call(const ConvertCommand& command) {
  const io::TensorAddress output = output_address(command);
  const io::FileKind kind = output_kind(command, output.file);
  if (!output.names.empty() && !io::has_tensor_names(kind))
    throw UsageError("convert: the output \"" + command.output +
                     "\" must not name a tensor, such a file holds one without a name");
  if (command.compresses) {
    const std::string obstacle = io::obstacle_to_compression(kind);
    if (!obstacle.empty()) throw UsageError("convert: --compress must " + obstacle);
  }
  check_places(command);
  check_metadata_only(command, kind);
  check_rescaling(command);
}

ConvertPlan make_plan(ConvertCommand& command, const io::FileInfo& source) {
  const io::TensorAddress output = output_address(command);
  const io::FileKind kind = output_kind(command, output.file);
  const io::FileInfo info = upright_info(source, command);
  const bool is_seen_by_links = command.turns_upright && source.storage != io::ElementStorage::encoded;
  command.spec = is_seen_by_links
                     ? behind_links(written_out(command, upright_shape(source)), upright_links(source))
                     : written_out(command, info.layout.shape);
  const Program program = Program::parse(command.spec);
  ConvertPlan plan{.source = source,
                   .info = info,
                   .program = program,
                   .forecast = {},
                   .shape = {},
                   .kind = kind,
                   .output_path = output.file,
                   .output_name = output.names,
                   .facts = {},
                   .scale = {},
                   .shift = {},
                   .is_to_standard_output = is_standard_output(command.output),
                   .turns_upright = command.turns_upright};
  const bool needs_name = !io::usual_tensor_name(kind).empty();
  if (needs_name && plan.output_name.empty()) plan.output_name = source.name;
  plan.scale = parse_numbers("--scale", command.scale);
  plan.shift = parse_numbers("--shift", command.shift);
  plan.axis = command.axis.value_or(0);
  if (command.order == "F") plan.order = io::ElementOrder::column_major;
  try {
    plan.order = io::written_order(kind, plan.order, "convert");
  } catch (const ValueError&) {
    throw UsageError("convert: --order F must go with a .npy, .npz, NIfTI or raw output");
  }
  check_output(command, output.file, source);
  plan.forecast = forecast(plan, 0);
  if (plan.forecast.failure) {
    // Only what needs elements fails here and not for real; that is tried where it may be.
    const bool may_try = command.rehearsal != Rehearsal::dry_run &&
                         plan.forecast.failure->cause == Failure::Cause::operation &&
                         !plan.forecast.failure->obstacle;
    if (!may_try) fail_evaluation(*plan.forecast.failure, command, plan.info);
    plan.is_forecast = false;
    plan.forecast = evaluate(program, {.inputs = {{"x", open_input(plan)}}, .slices = SliceRule::both_ways});
    if (plan.forecast.failure) fail_evaluation(*plan.forecast.failure, command, plan.info);
  }
  const Tensor* result = plan.forecast.value.tensor();
  if (result == nullptr) {
    throw UsageError("SPEC: must give a Tensor, it gives " + std::string(plan.forecast.value.type_name()));
  }
  plan.shape = result->shape();
  plan.dtype = dtype_option(command).value_or(result->dtype());
  if (command.rescales) take_scaling(plan, command);
  plan.facts = io::facts_of_results(
      {{{plan.source, command.spec, plan.output_name},
        {plan.dtype, plan.has_arithmetic(), plan.rescaling ? &*plan.rescaling : nullptr}}},
      kind)[0];
  check_numbers(plan, command);
  if (plan.is_forecast) plan.fused = fusable_links(plan);
  return plan;
}

}  // namespace tenstride::cli
