// SPDX-License-Identifier: Apache-2.0
#include "convert_many.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "convert.hpp"
#include "convert_in_memory.hpp"
#include "convert_large.hpp"
#include "convert_task.hpp"
#include "input_path.hpp"
#include "io/safetensors/checkpoint.hpp"
#include "standard_output.hpp"
#include "tenstride/io/memory_limit.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::cli {
namespace {

/// What goes to one file of an output.
struct Shard {
  std::string path;
  std::vector<io::TensorMove> moves;
};

/// What cannot be read and cannot be copied as it is stored.
void require_keepable(const io::FileInfo& info, const io::FileOptions& options) {
  io::ChunkOptions chunks = options.chunks;
  if (options.is_metadata_only && chunks.zarr_format == 0 && info.format == "Zarr 2") chunks.zarr_format = 2;
  const std::string obstacle = io::obstacle_to_keeping(info, options.kind, chunks);
  if (obstacle.empty()) return;
  throw WorkError("convert: \"" + info.address() + "\" must " + obstacle + " (--leave-out '" + info.name +
                  "' leaves it out)");
}

bool has_name_of(const std::vector<io::FileInfo>& infos, const io::FileInfo& info) {
  return std::any_of(infos.begin(), infos.end(),
                     [&](const io::FileInfo& other) { return other.name == info.name; });
}

/// The tensors of the input that --leave-out names.
std::vector<io::FileInfo> left_out(const ConvertCommand& command, const std::string& file) {
  std::vector<io::FileInfo> all;
  for (const std::string& name : command.left_out) {
    const std::vector<io::FileInfo> found = io::list_tensors(file + "::" + name, "convert");
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

/// The named tensors with SPEC, as far as it fits them, and, with --keep-others, the others, in the order of
/// the file.
std::vector<io::TensorMove> moves_of(const ConvertCommand& command, std::vector<io::FileInfo> named,
                                     const io::FileOptions& options) {
  const std::string file = io::parse_address(command.input).file;
  const std::vector<io::FileInfo> without = left_out(command, file);
  const auto is_without = [&](const io::FileInfo& info) { return has_name_of(without, info); };
  if (named.size() > 1) std::erase_if(named, is_without);
  std::vector<io::TensorMove> moves = io::moves_that_fit(
      named, [&](const io::FileInfo& info) { return chain_for(command, info.layout.shape); });
  if (moves.size() == 1) moves[0].name = named[0].name;
  if (command.keeps_others) {
    const std::vector<io::TensorMove> fitting = std::move(moves);
    moves.clear();
    for (io::FileInfo& info : input_infos(file + "::*", {}, "convert")) {
      const auto found = std::find_if(fitting.begin(), fitting.end(),
                                      [&](const io::TensorMove& move) { return move.name == info.name; });
      if (found != fitting.end()) {
        moves.push_back(*found);
      } else if (!is_without(info)) {
        moves.push_back({info, "x", info.name, io::MoveKind::keep});
      }
    }
  }
  for (const io::TensorMove& move : moves) {
    if (move.kind == io::MoveKind::keep) require_keepable(move.source, options);
  }
  return moves;
}

void check_options(const ConvertCommand& command) {
  const auto refuse = [](const std::string& option) {
    throw UsageError("convert: " + option + " must go with one tensor, the input names several");
  };
  if (command.rehearsal == Rehearsal::verify_only) refuse("--verify-only");
  if (command.turns_upright) refuse("--upright");
  if (is_standard_output(command.output)) refuse("the output -");
  if (command.output.find("::") != std::string::npos) refuse("a name of the output");
}

io::FileOptions options_for(const ConvertCommand& command, io::FileKind kind) {
  const std::uint64_t limit =
      command.max_mem.empty() ? io::free_memory() / 2 : parse_limit("convert: --max-mem", command.max_mem);
  const std::uint64_t memory = memory_for_buffers(limit);
  if (memory == 0)
    throw UsageError("convert: --max-mem " + command.max_mem + " must be more than the program's own " +
                     std::to_string(memory_of_program()) + " bytes");
  io::FileOptions options = file_options(command, kind);
  options.memory = memory;
  options.resume = command.resumes ? io::Resume::if_there : io::Resume::no;
  options.dtype = dtype_option(command);
  return options;
}

/// The files of the output: one, or several of at most --max-file-size each.
std::vector<Shard> shards_of(const ConvertCommand& command, std::vector<io::TensorMove> moves,
                             const io::FileOptions& options) {
  if (command.max_file_size.empty()) return {{command.output, std::move(moves)}};
  const std::uint64_t most = parse_limit("convert: --max-file-size", command.max_file_size);
  std::vector<Shard> shards;
  std::uint64_t held = 0;
  for (io::TensorMove& move : moves) {
    const std::uint64_t nbytes = io::result_nbytes(move, options);
    if (shards.empty() || held + nbytes > most) {
      shards.emplace_back();
      held = 0;
    }
    held += nbytes;
    shards.back().moves.push_back(std::move(move));
  }
  for (std::size_t i = 0; i < shards.size(); ++i) {
    shards[i].path = io::checkpoint_file(command.output, i, shards.size());
  }
  return shards;
}

}  // namespace

int run_many(const ConvertCommand& command, const std::vector<io::FileInfo>& named) {
  check_options(command);
  if (!command.plan_only.empty())
    throw UsageError("convert: --plan-only must go with one tensor, the input names several");
  const io::FileKind kind = command.output_format.empty() ? io::kind_of_name(command.output)
                                                          : io::kind_of_name("x." + command.output_format);
  if (!io::has_tensor_names(kind))
    throw UsageError("convert: " + std::to_string(named.size()) +
                     " tensors must go to a file that holds several, as .safetensors and .npz do, not to \"" +
                     command.output + '"');
  if (!command.max_file_size.empty() && kind != io::FileKind::safetensors)
    throw UsageError("convert: --max-file-size must go with .safetensors files");
  const bool has_elements_in_files = io::is_written_flat(kind) || io::is_written_in_chunks(kind);
  if (command.task && (!has_elements_in_files || !command.max_file_size.empty())) {
    if (command.task->number > 1)
      return leave_to_first_task(command,
                                 "such files are converted in memory, or the output is several files");
    ConvertCommand whole = command;
    whole.task.reset();
    return run_many(whole, named);
  }
  const io::FileOptions options = options_for(command, kind);
  std::vector<io::TensorMove> moves = moves_of(command, named, options);
  if (!has_elements_in_files) return run_in_memory(command, moves, options);
  const std::vector<Shard> shards = shards_of(command, std::move(moves), options);
  const bool has_index = !command.max_file_size.empty() && command.rehearsal == Rehearsal::none;
  const std::string index_path = command.output + ".index.json";
  // Before the files of the checkpoint are written.
  if (has_index && !command.force && std::filesystem::exists(index_path))
    throw WorkError("convert: \"" + index_path +
                    "\" exists already and must not be replaced (--force replaces it)");
  std::vector<io::CheckpointEntry> index;
  int result = done;
  for (const Shard& shard : shards) {
    io::FileJob job;
    try {
      job = io::plan_permute_files(shard.moves, shard.path, options);
    } catch (const io::MemoryLimitError& error) {
      throw UsageError("convert: --max-mem " + command.max_mem + " must leave at least " +
                       std::to_string(error.least()) + " bytes for buffers");
    }
    for (const io::TensorJob& tensor : job.tensors) {
      index.push_back({tensor.name, std::filesystem::path(shard.path).filename().string(),
                       static_cast<std::uint64_t>(numel(tensor.layout)) * item_size(tensor.dtype)});
    }
    result = run_large(job, command);
    if (result != done) return result;
  }
  if (has_index) io::write_checkpoint_index(command.output, index, options.overwrite);
  return result;
}

}  // namespace tenstride::cli
