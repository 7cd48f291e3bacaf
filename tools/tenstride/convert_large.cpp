// SPDX-License-Identifier: Apache-2.0
#include "convert_large.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "convert_task.hpp"
#include "failure.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "rescaling_text.hpp"
#include "tenstride/io/memory_limit.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/text.hpp"
#include "terminal_text.hpp"

namespace tenstride::cli {
namespace {

/// Of threads, plans and what the copies need beside the buffers: measured 9 MiB at most.
constexpr std::uint64_t memory_beside_buffers = std::uint64_t{16} << 20;

/// The program's own memory differs from run to run: by 0.5 MiB measured, by more where its libraries are not
/// in the page cache. A run that is resumed needs the buffers it was begun with, and so may have less
/// beside.
constexpr std::uint64_t memory_between_runs = std::uint64_t{4} << 20;

/// Fewer bytes of buffers would do, in no time that anyone waits: the plan's least may be one element a tile.
constexpr std::uint64_t min_buffers = std::uint64_t{1} << 20;

/// A disk that was never measured is measured before so many bytes are moved: that takes a second, they take
/// ten.
constexpr std::uint64_t bytes_worth_measuring = std::uint64_t{10} << 30;

std::atomic<int> signal_caught{0};

extern "C" {
static void note_signal(int signal_number) {
  signal_caught = signal_number;
}
}

/// The first signal ends the run in order, a second one at once.
void end_in_order_on_signals() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigfillset(&action.sa_mask);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal_number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal_number, &action, nullptr);
  }
}

std::uint64_t nbytes_of(const Dims& shape, DType dtype) {
  return static_cast<std::uint64_t>(count_elements(shape)) * item_size(dtype);
}

/// Of all results.
std::uint64_t nbytes_of(const io::FileJob& job) {
  std::uint64_t nbytes = 0;
  for (const io::TensorJob& tensor : job.tensors) nbytes += nbytes_of(tensor.shape, tensor.dtype);
  return nbytes;
}

/// All that the usual way has in memory at once: both files are mapped.
std::uint64_t memory_of_usual_way(const ConvertPlan& plan) {
  return nbytes_of(plan.info.layout.shape, plan.info.dtype) + nbytes_of(plan.shape, plan.dtype) +
         static_cast<std::uint64_t>(plan.forecast.totals.peak_bytes);
}

/// The limit that is named holds in the next run, too.
[[noreturn]] void refuse_limit(const std::string& limit, std::uint64_t used, std::uint64_t buffers) {
  constexpr std::uint64_t unit = std::uint64_t{1} << 20;
  const std::uint64_t least = (used + buffers + memory_between_runs + unit - 1) / unit;
  throw UsageError("convert: --max-mem " + limit + " must be at least " + std::to_string(least) +
                   "M: " + std::to_string(used) + " bytes for the program and " + std::to_string(buffers) +
                   " for buffers");
}

io::FileOptions options_of(const ConvertPlan& plan, const ConvertCommand& command, std::uint64_t memory) {
  io::FileOptions options = file_options(command, plan.kind);
  options.memory = memory;
  options.resume = command.resumes ? io::Resume::required : io::Resume::no;
  options.order = plan.order;
  options.dtype = plan.dtype;
  return options;
}

/// Where the same could be had without decoding a chunk.
std::string metadata_hint(const io::FileJob& job) {
  const io::FileOptions& options = job.options;
  if (options.is_metadata_only || job.tensors[0].source.kind != io::FileKind::zarr ||
      options.chunks.zarr_format != 0 || !io::obstacle_to_metadata_only(job).empty()) {
    return {};
  }
  return "with --metadata-only chunks would stay as they are stored, and none would be decoded\n";
}

std::string metadata_plan_text(const io::FileJob& job) {
  std::string text = to_string(job) + "forecast: nothing is decoded, ";
  return text + (job.bytes_written == 0
                     ? "no data is moved\n"
                     : bytes_to_text(static_cast<Index>(job.bytes_written)) +
                           " copied by the file system, or none where it shares them (XFS, Btrfs)\n");
}

std::string plan_text(const io::FileJob& job) {
  if (job.options.is_metadata_only) return metadata_plan_text(job);
  std::string text = to_string(job) + "forecast: " + bytes_to_text(static_cast<Index>(job.bytes_read)) +
                     " read, " + bytes_to_text(static_cast<Index>(job.bytes_written)) + " written, " +
                     bytes_to_text(static_cast<Index>(job.bytes_beside())) + " of temporary space, ";
  if (!job.seconds)
    return text + "in unknown time: how fast chunks are decompressed and compressed is not known\n";
  text += "about " + decimal(*job.seconds, "%.3g") + " s";
  text += job.is_disk_measured ? " at this disk's speed\n"
                               : " if the disk is as most are (tenstride bench --disk FOLDER measures it)\n";
  return text;
}

/// How many elements are missing; nothing where none may be.
std::string missing_text(const io::FileJob& job, const io::FileResult& result) {
  const io::TensorJob& first = job.tensors[0];
  const auto missing = static_cast<Index>(result.missing);
  if (job.tensors.size() == 1)
    return first.rescaling ? missing_line(*first.rescaling, missing, count_elements(first.shape)) : "";
  if (!job.options.is_rescaled) return {};
  return std::to_string(missing) + " elements of all tensors are missing\n";
}

std::string result_text(const io::FileJob& job, const io::FileResult& result) {
  const std::optional<io::FileTask>& task = job.options.task;
  if (result.is_of_other_task && result.bytes_written == 0)
    return name_of_task(*task) + ": nothing is left to do, " + job.destination + " is written\n";
  const auto moved = static_cast<double>(result.bytes_read + result.bytes_written);
  std::string text = bytes_to_text(static_cast<Index>(result.bytes_read)) + " read, " +
                     bytes_to_text(static_cast<Index>(result.bytes_written)) + " written in " +
                     decimal(result.seconds, "%.4g") +
                     " s: " + decimal(moved / 1e9 / std::max(result.seconds, 1e-9), "%.2f") + " GB/s" +
                     (result.is_resumed && !task ? ", beside what an earlier run had done\n" : "\n");
  if (result.tasks_left > 0 || result.is_of_other_task) {
    text = name_of_task(*task) + ": " + text + name_of_task(*task) + " is finished, ";
    if (result.is_of_other_task) return text + "and " + job.destination + " is written\n";
    return text + std::to_string(result.tasks_left) + (result.tasks_left == 1 ? " is" : " are") +
           " still to be finished for " + job.destination + '\n';
  }
  const io::TensorJob& first = job.tensors[0];
  if (job.options.is_metadata_only) {
    text = "nothing decoded, " + bytes_to_text(static_cast<Index>(result.bytes_written)) + " copied in " +
           decimal(result.seconds, "%.4g") + " s\n";
  }
  text += "wrote " + job.destination + ": ";
  if (job.tensors.size() > 1) {
    text += std::to_string(job.tensors.size()) + " tensors";
  } else {
    text += std::string(name(first.dtype)) + " " + to_string(first.shape) + ", " +
            order_word(first.elements.order);
  }
  text += ", " + bytes_to_text(static_cast<Index>(nbytes_of(job))) + '\n';
  text += missing_text(job, result);
  if (!job.options.is_metadata_only || result.is_checked)
    text += "checksum " + to_string(result.checksum) + '\n';
  if (result.is_checked) text += "verified: what was read back from the disk has this checksum\n";
  return text + metadata_hint(job);
}

/// What is read, what is written, and the plans between.
void add_tensor(Json& json, const io::TensorJob& tensor, Json& plan, const io::FileJob& job,
                const ConvertCommand& command) {
  json["input"] = input_json(command.input, tensor.source);
  json["spec"] = tensor.kind == io::MoveKind::keep ? tensor.chain : command.spec;
  json["output"] =
      output_json(job.destination, tensor.dtype, tensor.shape, tensor.elements, tensor.rescaling);
  json["dropped"] = dropped_json(tensor.dropped);
  json["notes"] = tensor.notes;
  json["metadata_only"] = job.options.is_metadata_only;
  json["stages"] = std::move(plan["stages"]);
}

std::string to_json(const io::FileJob& job, const ConvertCommand& command, const io::FileResult* result) {
  Json json, plans = Json::parse(io::to_json(job))["tensors"];
  if (job.tensors.size() == 1) {
    add_tensor(json, job.tensors[0], plans[0], job, command);
  } else {
    json["tensors"] = Json::array();
    for (std::size_t i = 0; i < plans.size(); ++i) {
      Json& one = json["tensors"].emplace_back(Json{{"name", job.tensors[i].name}});
      add_tensor(one, job.tensors[i], plans[i], job, command);
    }
  }
  for (const io::DroppedFact& fact : job.dropped) json["left_out"][fact.tensor] = fact.reason;
  json["passes"] = job.passes;
  json["as_stored"] = Json::array();
  for (const io::FileInfo& info : job.options.chunks.as_stored) json["as_stored"].push_back(info.name);
  json["forecast"] = {{"bytes_read", job.bytes_read},
                      {"bytes_written", job.bytes_written},
                      {"temporary_bytes", job.bytes_beside()},
                      {"seconds", job.seconds ? Json(*job.seconds) : Json(nullptr)},
                      {"disk_measured", job.is_disk_measured}};
  if (const std::optional<io::FileTask>& task = job.options.task) {
    json["task"] = {{"number", task->number}, {"count", task->count}};
    if (result != nullptr) json["task"]["tasks_left"] = result->tasks_left;
  }
  json["dry_run"] = result == nullptr;
  json["totals"] = nullptr;
  if (result != nullptr) {
    json["totals"] = {{"bytes_read", result->bytes_read},
                      {"bytes_written", result->bytes_written},
                      {"seconds", result->seconds},
                      {"peak_resident", io::memory_use().peak_resident},
                      {"resumed", result->is_resumed}};
    json["missing"] = job.options.is_rescaled ? Json(result->missing) : Json(nullptr);
    json["checksum"] = nullptr;
    const bool has_checksum = result->tasks_left == 0 && !result->is_of_other_task &&
                              (!job.options.is_metadata_only || result->is_checked);
    if (has_checksum) json["checksum"] = to_string(result->checksum);
    json["verified"] = result->is_checked;
  }
  return to_line(json);
}

ProgressStyle style_of(const ConvertCommand& command) {
  if (command.is_quiet) return ProgressStyle::quiet;
  return command.format == Format::json ? ProgressStyle::json : ProgressStyle::automatic;
}

}  // namespace

std::uint64_t parse_limit(const std::string& option, const std::string& text) {
  try {
    return io::parse_bytes(option, text);
  } catch (const ValueError& error) {
    throw UsageError(error.what());
  }
}

std::uint64_t memory_of_program() {
  return io::memory_use().peak_resident + memory_beside_buffers;
}

std::uint64_t memory_for_buffers(std::uint64_t limit) {
  const std::uint64_t used = memory_of_program();
  return limit > used ? limit - used : 0;
}

std::optional<LargeJob> plan_large(const ConvertPlan& plan, const ConvertCommand& command) {
  const bool has_limit = !command.max_mem.empty();
  if (plan.is_to_standard_output) return std::nullopt;
  const bool has_chunks =
      plan.source.storage == io::ElementStorage::chunked || io::is_written_in_chunks(plan.kind);
  const bool has_elements_in_files =
      (io::is_written_flat(plan.kind) || io::is_written_in_chunks(plan.kind)) &&
      plan.source.storage != io::ElementStorage::encoded;
  if (!has_elements_in_files) {
    if (command.is_metadata_only)
      throw UsageError("convert: --metadata-only must go with a .zarr input, not with \"" + command.input +
                       '"');
    if (has_limit || command.resumes)
      throw UsageError(
          "convert: --max-mem and --resume must go with files whose elements can be read and written one by "
          "one (.npy, .safetensors, …)");
    return std::nullopt;
  }
  if (command.rehearsal == Rehearsal::verify_only) return std::nullopt;
  const std::uint64_t limit = has_limit ? parse_limit("convert: --max-mem", command.max_mem)
                                        // All tasks may run on this machine.
                                        : io::free_memory() / 2 / (command.task ? command.task->count : 1);
  std::uint64_t memory = memory_for_buffers(limit);
  const std::uint64_t used = memory_of_program();
  // Chunks are decoded and encoded one by one in any case: that is faster than all of them in memory.
  if (!command.resumes && !command.task && !has_chunks && memory_of_usual_way(plan) <= memory)
    return std::nullopt;
  std::string obstacle = "what it gives depends on the elements of x";
  if (command.is_metadata_only && plan.is_forecast) {
    obstacle.clear();  // planning says what it refuses
  } else if (plan.is_forecast) {
    obstacle = has_chunks ? io::obstacle_to_chunks(command.spec, plan.info)
                          : io::obstacle_to_permute_file(command.spec, plan.info);
  }
  if (!obstacle.empty()) {
    if (command.is_metadata_only)
      throw UsageError("convert: SPEC must permute the axes of x to go with --metadata-only: " + obstacle);
    if (!has_limit && !command.resumes) return std::nullopt;
    throw UsageError(
        "convert: SPEC must move, convert or once reduce elements to be carried out with " +
        (has_limit ? "--max-mem " + command.max_mem : "--resume") + ": " + obstacle + "; the files need " +
        bytes_to_text(static_cast<Index>(memory_of_usual_way(plan) + used)) + " to be in memory");
  }
  const std::string folder = std::filesystem::absolute(plan.output_path).parent_path().string();
  const bool is_worth_measuring =
      nbytes_of(plan.shape, plan.dtype) >= bytes_worth_measuring && command.rehearsal == Rehearsal::none;
  if (is_worth_measuring && !io::known_disk(folder).is_measured) io::refresh_disk(folder);
  const std::string limit_text = has_limit ? command.max_mem : std::to_string(limit);
  if (command.resumes) memory += memory_between_runs;
  if (memory < min_buffers) refuse_limit(limit_text, used, min_buffers);
  if ((command.resumes || command.task) && !has_limit) memory = 0;  // as it was begun
  try {
    return LargeJob{io::plan_permute_files({{plan.source, command.spec, plan.output_name}}, plan.output_path,
                                           options_of(plan, command, memory)),
                    limit};
  } catch (const io::MemoryLimitError& error) {
    refuse_limit(limit_text, used, error.least());
  }
}

int run_large(const io::FileJob& job, const ConvertCommand& command) {
  const bool is_json = command.format == Format::json;
  if (command.rehearsal == Rehearsal::dry_run) {
    std::cout << (is_json ? to_json(job, command, nullptr) + '\n'
                          : plan_text(job) + metadata_hint(job) +
                                "dry run: nothing but the header was read, nothing was written\n");
    return done;
  }
  const std::optional<io::FileTask>& task = job.options.task;
  const bool is_first = !task || task->number == 1;
  if (const std::string obstacle = io::obstacle_to_tasks(job); !is_first && !obstacle.empty())
    return leave_to_first_task(command, obstacle);
  end_in_order_on_signals();
  if (!is_json && !command.is_quiet && is_first) std::cout << plan_text(job) << std::flush;
  ProgressReport report(style_of(command));
  try {
    const io::FileResult result = io::run(job, [&](const io::Progress& progress) {
      report.show(progress);
      if (signal_caught == 0) return;
      if (job.options.is_metadata_only) throw io::Interrupted("convert: interrupted; nothing was changed");
      throw io::Interrupted(
          keeps_finished(job) ? "convert: interrupted; what is finished is kept beside \"" + job.destination +
                                    "\": the same command " + (task ? "goes on" : "with --resume goes on")
                              : "convert: interrupted; nothing is kept of \"" + job.destination + "\"");
    });
    report.end(io::ProgressEvent::done);
    std::cout << (is_json ? to_json(job, command, &result) + '\n' : result_text(job, result));
    return done;
  } catch (const io::Interrupted& interruption) {
    report.end(io::ProgressEvent::interrupted, interruption.what());
    std::cerr << "tenstride: " << interruption.what() << '\n';
    return 128 + signal_caught;
  } catch (const std::exception& error) {
    report.end(io::ProgressEvent::error, in_words_of_program(error.what(), "convert"));
    throw;
  }
}

}  // namespace tenstride::cli
