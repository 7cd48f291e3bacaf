// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <algorithm>
#include <iostream>

#include "convert_large.hpp"
#include "convert_many.hpp"
#include "convert_task.hpp"
#include "plan_only.hpp"
#include "progress.hpp"
#include "slabs.hpp"
#include "speed.hpp"
#include "standard_output.hpp"
#include "tenstride/calibration/bandwidth.hpp"
#include "tenstride/checksum/checksum.hpp"
#include "tenstride/io/image.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::cli {
namespace {

// A slab this large takes some 10 ms: the bar moves, and the seams cost nothing.
constexpr Index slab_bytes = Index{64} << 20;

constexpr const char* in_memory = "such files, or this SPEC, are converted in memory";

/// Copies in slabs along the outermost axis, for the bar; one copy where no bar is wanted. Gives how many
/// elements are missing.
Index copy_in_slabs(Tensor& dst, const Tensor& src, const ConvertPlan& plan) {
  const auto nbytes = static_cast<Index>(dst.nbytes());
  if (!is_error_terminal() || src.dim() == 0 || nbytes < 2 * slab_bytes) {
    return write_elements(dst, src, plan, plan.arithmetic());
  }
  Index missing = 0;
  ProgressReport report(ProgressStyle::automatic);
  const double start = now();
  const auto row_nbytes = static_cast<std::uint64_t>(src.numel() / src.size(0)) *
                          (item_size(src.dtype()) + item_size(dst.dtype()));
  io::Progress progress;
  progress.bytes = row_nbytes * static_cast<std::uint64_t>(src.size(0));
  for (const Slab& slab : slabs_of(src.shape(), item_size(dst.dtype()), 0, slab_bytes)) {
    Tensor part = narrowed(dst, 0, slab);
    missing += write_elements(part, narrowed(src, 0, slab), plan, arithmetic_of(plan, src.dim(), 0, slab));
    progress.bytes_done = row_nbytes * static_cast<std::uint64_t>(slab.first + slab.count);
    progress.seconds = now() - start;
    report.show(progress);
  }
  return missing;
}

/// The checksum is what `info --checksum` says of the file.
Checksum write(const Tensor& source, const ConvertPlan& plan, const ConvertCommand& command, Speed& speed,
               double start, Index& missing) {
  if (plan.is_to_standard_output) {
    const Checksum sum = write_to_standard_output(source, plan, missing);
    speed.seconds = now() - start;
    return sum;
  }
  const io::Overwrite overwrite = command.force ? io::Overwrite::replace : io::Overwrite::refuse;
  if (!io::is_written_flat(plan.kind) || !plan.facts.further.unlimited_axes.empty()) {
    const Tensor result = written_image(source, plan, missing);
    if (plan.kind == io::FileKind::png) {
      io::write_png(plan.output_path, result, overwrite);
    } else {
      io::save_tensor_file(
          plan.output_path,
          {{plan.output_name, result, plan.facts.axis_names, plan.facts.attributes, {}, plan.facts.further}},
          {.overwrite = overwrite,
           .order = plan.order,
           .is_compressed = command.compresses,
           .chunks = chunk_options(command)});
    }
    speed.seconds = now() - start;  // with the compression, which takes most of it, and the flush
    return checksum(io::open_tensor_file(command.output));
  }
  io::TensorFileWriter writer(plan.output_path, plan.kind, {plan.output_tensor()}, overwrite, "convert");
  // What the fused links reshape is written in its shape before them: the same elements in the same order.
  Tensor target = source.shape() == plan.shape ? writer.tensor() : writer.tensor().view(source.shape());
  missing = copy_in_slabs(target, source, plan);
  speed.seconds = now() - start;
  const Checksum sum = checksum(writer.tensor());
  const double begin = now();
  writer.commit();
  speed.flush_seconds = now() - begin;
  return sum;
}

/// The run on meta: the file is there already, so that its memory is none of the forecast's.
Forecast rehearse(const ConvertPlan& plan) {
  const auto bytes = static_cast<std::size_t>(count_elements(plan.shape)) * item_size(plan.dtype);
  const Tensor target(Storage::meta(bytes), plan.output_layout(), plan.dtype);
  const auto input = reach(plan.info.layout);
  const auto held = input ? static_cast<std::size_t>(input->highest + 1) * item_size(plan.info.dtype) : 0;
  const Tensor x(Storage::meta(held), plan.info.layout, plan.info.dtype);
  const CopyLedger ledger;
  const Evaluation evaluation = evaluate(plan.program, {.inputs = {{"x", x}},
                                                        .device = Device::meta,
                                                        .links_left_out = plan.fused,
                                                        .slices = SliceRule::both_ways});
  const Tensor& source = *evaluation.value.tensor();
  Tensor written = source.shape() == plan.shape ? target : target.view(source.shape());
  copy_elements(written, source, plan.arithmetic());
  return {ledger.totals(), forecast_seconds(ledger, machine_bandwidth())};
}

/// What was written, of a file without a header as the plan says it lies.
Tensor open_output(const ConvertPlan& plan, const ConvertCommand& command) {
  if (plan.kind != io::FileKind::raw) return io::open_tensor_file(command.output);
  const bool is_column_major = plan.order == io::ElementOrder::column_major;
  return io::open_tensor_file(
      io::raw_file_info(plan.output_path, {plan.shape, plan.dtype, is_column_major}, "verify"));
}

void verify(const Tensor& source, const ConvertPlan& plan, const ConvertCommand& command, Bill& bill) {
  const Tensor found = open_output(plan, command);
  const bool is_png = plan.kind == io::FileKind::png;
  if (!is_png && found.shape() != plan.shape) {
    throw WorkError("verify: \"" + command.output + "\" has another shape than the result");
  }
  const Expected expected{source, plan.dtype, plan.arithmetic(), is_png && plan.dtype == DType::bool_,
                          plan.rescaling ? &*plan.rescaling : nullptr};
  if (const std::optional<std::string> wrong = difference(found, expected)) {
    throw WorkError("verify: \"" + command.output + "\": " + *wrong);
  }
  bill.verified = source.numel();
}

/// The bill; on standard error where standard output has the result.
void print(const Bill& bill, const ConvertPlan& plan, const ConvertCommand& command) {
  if (plan.is_to_standard_output && command.is_quiet) return;
  std::ostream& out = plan.is_to_standard_output ? std::cerr : std::cout;
  out << (command.format == Format::json ? to_json(bill, plan, command) + '\n'
                                         : to_text(bill, plan, command));
}

}  // namespace

int run(const ConvertCommand& given) {
  ConvertCommand command = given;
  if (command.threads > 0) set_num_threads(command.threads);
  if (!command.task && (command.task = task_of_environment())) command.is_rank = true;
  // What is only told or checked the first rank does.
  const bool is_told_once = command.rehearsal != Rehearsal::none || !command.plan_only.empty();
  if (command.is_rank && is_told_once && command.task->number > 1) return done;
  check_call(command);
  const std::vector<io::FileInfo> named = input_infos(command.input, command.raw, "convert");
  if (named.size() == 1) io::require_readable(named, "convert");
  if (named.size() != 1 || command.keeps_others || !command.max_file_size.empty())
    return run_many(command, named);
  const ConvertPlan plan = make_plan(command, named[0]);
  if (const std::optional<LargeJob> large = plan_large(plan, command)) {
    return command.plan_only.empty() ? run_large(large->job, command)
                                     : write_tasks(large->job, command, large->limit);
  }
  if (!command.plan_only.empty())
    throw UsageError("convert: --plan-only must go with a conversion from file to file, tile by tile (" +
                     std::string(in_memory) + ")");
  if (command.task && command.task->number > 1) return leave_to_first_task(command, in_memory);
  if (command.rehearsal == Rehearsal::dry_run) {
    const std::vector<Step>& steps = plan.forecast.steps;
    Layout source = plan.forecast.value.tensor()->layout();
    DType dtype = plan.forecast.value.tensor()->dtype();
    if (plan.fused > 0) {
      const std::optional<std::size_t> before = steps[steps.size() - plan.fused].source;
      source = before ? steps[*before].layout : plan.info.layout;
      dtype = before ? steps[*before].dtype : plan.info.dtype;
    }
    Bill bill = make_bill(plan, steps, source, dtype);
    bill.forecast = rehearse(plan);
    print(bill, plan, command);
    return done;
  }
  clean_up_on_signals();
  Speed speed;
  const double start = now();
  const Tensor x = open_input(plan);
  const Evaluation evaluation = evaluate(
      plan.program, {.inputs = {{"x", x}}, .links_left_out = plan.fused, .slices = SliceRule::both_ways});
  if (evaluation.failure)
    throw WorkError("SPEC: " + evaluation.failure->type + ": " + evaluation.failure->message);
  const Tensor source = *evaluation.value.tensor();
  Bill bill = make_bill(plan, plan.forecast.steps, source.layout(), source.dtype());
  if (command.rehearsal == Rehearsal::verify_only) {
    verify(source, plan, command, bill);
    print(bill, plan, command);
    return done;
  }
  Index missing = 0;
  bill.checksum = write(source, plan, command, speed, start, missing);
  if (plan.rescaling && plan.rescaling->has_missing()) bill.missing = missing;
  const Index moved = bill.bytes_read + bill.bytes_written;
  if (!plan.is_to_standard_output && io::is_written_flat(plan.kind) && moved >= min_bytes_of_rate)
    speed.rate = {static_cast<double>(moved) / 1e9 / std::max(speed.seconds, 1e-9),
                  measure_memcpy(moved / 2)};
  bill.speed = speed;
  if (command.verify) verify(source, plan, command, bill);
  print(bill, plan, command);
  return done;
}

}  // namespace tenstride::cli
