// SPDX-License-Identifier: Apache-2.0
#include "io/job/as_stored.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/message.hpp"
#include "files/descriptor.hpp"
#include "files/system_reason.hpp"
#include "files/transfer.hpp"
#include "io/ends/operation.hpp"
#include "io/format/format.hpp"
#include "io/hdf5/copy_objects.hpp"
#include "io/job/job_plan.hpp"

namespace tenstride::io {

using tenstride::detail::message;

namespace {

bool is_field(const TensorMove& move) {
  return move.source.format == hdf5_field_format;
}

/// The name of the compound, or what stands before its first dot.
std::string_view compound_of(std::string_view name) {
  const std::size_t group = name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1;
  return name.substr(0, name.find('.', group));
}

/// A field of the same compound that is converted, so that the others are tensors, too; or null.
const TensorMove* other_field(const TensorMove& field, const std::vector<TensorMove>& moves) {
  if (!is_field(field)) return nullptr;
  const auto found = std::find_if(moves.begin(), moves.end(), [&](const TensorMove& other) {
    return other.kind != MoveKind::keep && is_field(other) && other.source.path == field.source.path &&
           compound_of(other.source.name) == compound_of(field.source.name);
  });
  return found == moves.end() ? nullptr : &*found;
}

}  // namespace

std::string obstacle_to_keeping(const FileInfo& source, FileKind kind, const ChunkOptions& options) {
  if (source.obstacle.empty()) return {};
  const FileFormat& format = format_of(kind);
  if (source.kind == kind && format.obstacle_to_copy != nullptr)
    return format.obstacle_to_copy(source, options);
  return message(source.obstacle,
                 "; as its bytes are stored it goes along to a file of its own kind only, not to ",
                 format.description);
}

std::vector<FileInfo> take_as_stored(std::vector<TensorMove>& moves, const FileOptions& options) {
  ChunkOptions chunks = options.chunks;
  // Where only metadata change the version stays.
  if (options.is_metadata_only && chunks.zarr_format == 0 && moves[0].source.format == "Zarr 2")
    chunks.zarr_format = 2;
  std::vector<FileInfo> taken;
  const auto is_stored = [&](const TensorMove& move) {
    if (move.kind != MoveKind::keep) return false;
    if (!move.source.obstacle.empty()) return true;
    return is_field(move) && options.kind == FileKind::hdf5 && other_field(move, moves) == nullptr;
  };
  for (const TensorMove& move : moves) {
    if (!is_stored(move)) continue;
    std::string obstacle = obstacle_to_keeping(move.source, options.kind, chunks);
    const TensorMove* const other = other_field(move, moves);
    if (obstacle.empty() && other != nullptr) {
      obstacle = message("be left out: it is copied with its compound alone, of which \"", other->source.name,
                         "\" is converted");
    }
    if (!obstacle.empty()) {
      throw FileError(message(this_operation, ": \"", move.source.address(), "\" must ", obstacle),
                      move.source.path);
    }
    taken.push_back(move.source);
  }
  // What is copied last must replace nothing.
  std::set<std::string> names;
  for (const TensorMove& move : moves) {
    const std::string& name = is_stored(move) ? move.source.name : move.name;
    if (taken.empty() || names.insert(name).second) continue;
    throw ValueError(message(this_operation, ": the name \"", name, "\" must stand once in a file"));
  }
  std::erase_if(moves, is_stored);
  if (moves.empty()) {
    throw ValueError(message(this_operation, ": there must be a tensor that can be read to be written"));
  }
  return taken;
}

void add_as_stored(const FileJob& job, const std::string& path) {
  if (job.options.chunks.as_stored.empty()) return;
  // An earlier run may have ended while it was here.
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const auto head = std::as_bytes(std::span(plan_of(job).head));
  const bool is_whole = file.is_open() && ftruncate(file.get(), static_cast<off_t>(job.nbytes)) == 0 &&
                        write_at(file.get(), head, 0).nbytes == head.size();
  if (!is_whole)
    throw FileError(message(this_operation, ": \"", path, "\" must be writable", system_reason(errno)), path);
  format_of(job.options.kind).add_as_stored(path, job.options.chunks.as_stored, this_operation);
}

}  // namespace tenstride::io
