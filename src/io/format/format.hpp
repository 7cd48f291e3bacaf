// SPDX-License-Identifier: Apache-2.0
// What a kind of file must offer to be read and written like all others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/ends/chunk_store.hpp"
#include "io/format/flat_file.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {

/// The beginning of a file, by which its kind is told.
struct FileStart {
  std::string path;
  /// The file's first bytes, `start_nbytes` at most; none of a folder.
  std::span<const std::byte> bytes;
  std::uint64_t file_nbytes = 0;
  bool is_folder = false;
};
/// As many of the first bytes as any kind is told by: NIfTI-2 has a header of 540.
inline constexpr std::size_t start_nbytes = 4096;

/// Whether tensors have names in a file that is written: it holds one without, one without or several with,
/// or all with. Of a kind that has none, a file may still be read that holds several, and then the first is
/// meant where none is named.
enum class TensorNames : unsigned char { none, optional, required };

/// The orders of elements that a kind of file can have.
enum class Orders : unsigned char { row_major, column_major, both };

class ResultAttributes;
struct ResultOrigin;

/// What a kind of file says about a tensor beside its elements.
enum class TensorFacts : unsigned char {
  none,
  attributes,  ///< attributes, but no names of axes
  axis_names,  ///< names of axes, but no attributes
  both
};

/// A tensor on its way to a new file, by its metadata alone.
struct PermutedTensor {
  FileInfo source;
  /// Axis order[d] of the source is axis d of the result.
  Dims order;
  /// The name within the new file; may be empty for a single one.
  std::string name;
  /// The attributes of the result, where they are not those of the source.
  std::optional<std::string> attributes{};
  /// The groups of the result.
  std::vector<std::shared_ptr<const FileGroup>> groups{};
};

/// A kind of file. A null function is something that the kind does not offer.
struct FileFormat {
  FileKind kind = FileKind::unknown;
  /// "npy", "PNG", "safetensors".
  std::string_view name;
  /// What stands behind "it begins with …": "a .npy file".
  std::string_view description;
  /// The ends of names of files to be written, with the dot, in lower case.
  std::array<std::string_view, 5> suffixes{};
  /// The orders in which elements can be written.
  Orders orders = Orders::row_major;
  TensorNames names = TensorNames::none;
  /// What a new file holds.
  TensorFacts facts = TensorFacts::none;
  /// Whether elements may be dates and spans of time, of all that attributes say (`find_numpy_time`).
  bool has_times = false;
  /// Whether attributes are fields of the header, so that there is no place for those of other kinds.
  bool has_fields = false;
  /// Whether names of tensors make groups, which have attributes.
  bool has_groups = false;
  /// Whether axes of tensors in chunks may be unlimited.
  bool has_unlimited_axes = false;
  /// The name of a single tensor that is given without one, where it must have one.
  std::string_view usual_name{};
  /// Whether `SaveTensorsOptions::is_compressed` compresses its elements.
  bool compresses = false;
  /// Whether this build has what reads its elements.
  bool is_read = true;

  bool (*is_kind_of)(const FileStart& start) = nullptr;
  /// The headers of all tensors, in the order of the file; no element is read. Throws FileError.
  std::vector<FileInfo> (*list)(const std::string& path, std::string_view operation) = nullptr;
  /// All elements in memory, in this machine's order of bytes. Null where they are flat.
  Tensor (*load)(const FileInfo& info) = nullptr;
  /// The chunks of a tensor whose storage is `chunked`.
  std::unique_ptr<ChunkSource> (*chunks)(const FileInfo& info, std::string_view operation) = nullptr;
  /// The file in a folder that changes where elements are kept in another way. Null: paths are files.
  std::string (*header_file)(const std::string& path) = nullptr;
  /// Drops what files of this kind say about a tensor and is not true of a result; the attributes may have
  /// come to another kind of file since. Null: nothing beside what `keep_true_attributes` knows.
  void (*keep_true)(ResultAttributes& attributes, const ResultOrigin& result) = nullptr;
  /// Drops what files of this kind say and what is not written to one. Null: all is written.
  void (*keep_written)(ResultAttributes& attributes, const ResultOrigin& result) = nullptr;
  /// Writes tensors of any layout to a file that appears whole or not at all, where its elements are
  /// neither flat nor in chunks.
  void (*save)(const std::string& path, const std::vector<NamedTensor>& tensors,
               const SaveTensorsOptions& options, std::string_view operation) = nullptr;
  /// How a new tensor is cut, and a new file of tensors in chunks.
  ChunkGrid (*plan_chunks)(const NewTensor& tensor, const ChunkOptions& options,
                           std::string_view operation) = nullptr;
  std::unique_ptr<ChunkFile> (*create_chunks)(const std::string& path, const std::vector<NewTensor>& tensors,
                                              const ChunkOptions& options, Overwrite overwrite,
                                              std::string_view operation) = nullptr;
  /// A file of tensors in chunks in a folder that gets its name later, each unit in files of its own: what is
  /// written of it can be kept for a run that goes on. `existing`: it was made by the same call. Null where a
  /// unit is no file.
  std::unique_ptr<ChunkFile> (*chunks_in_folder)(const std::string& folder,
                                                 const std::vector<NewTensor>& tensors,
                                                 const ChunkOptions& options, ChunkFolder state,
                                                 std::string_view operation) = nullptr;
  /// A new file of tensors of this kind whose axes are permuted while their chunks stay as they are stored;
  /// of the options only the version counts. Throws FileError and ValueError where the kind has no words for
  /// the result. `path` may be the file that is read, to be replaced by it.
  std::unique_ptr<PermutedFile> (*permute_chunks)(const std::string& path,
                                                  const std::vector<PermutedTensor>& tensors,
                                                  const ChunkOptions& options, Overwrite overwrite,
                                                  std::string_view operation) = nullptr;
  /// Why a tensor in a file of the kind that cannot be read is not copied to another one as its bytes are
  /// stored, as the end of "must …"; empty where it is: then what writes a file copies
  /// `ChunkOptions::as_stored`. Null: none is.
  std::string (*obstacle_to_copy)(const FileInfo& source, const ChunkOptions& options) = nullptr;
  /// Copies them into a file whose elements are flat and written.
  void (*add_as_stored)(const std::string& path, const std::vector<FileInfo>& tensors,
                        std::string_view operation) = nullptr;
  /// Everything of a new file but its elements, which lie in it one after the other. Throws TypeError and
  /// ValueError for what the kind cannot hold.
  FlatFile (*plan_flat)(const std::vector<NewTensor>& tensors, std::string_view operation) = nullptr;
  /// Makes the file of the path, or several, of a flat file that was written as planned. Null: that is the
  /// file.
  void (*pack)(const std::string& flat, const std::string& path, Overwrite overwrite,
               std::string_view operation) = nullptr;
  /// Bytes of what it makes of so many, at the least. Null where `pack` is.
  std::uint64_t (*min_packed_nbytes)(std::uint64_t nbytes, const std::string& path) = nullptr;
};

/// Whether files of the kind can be made.
inline bool is_written(const FileFormat& format) {
  return format.plan_flat != nullptr || format.create_chunks != nullptr || format.save != nullptr;
}

/// Whether a new file is written in chunks: where the kind has no other way, and where chunks are asked for.
inline bool writes_chunks(const FileFormat& format, const ChunkOptions& options) {
  const bool is_asked_for = !options.chunk.empty() || !options.shard.empty() || !options.codec.empty();
  return format.create_chunks != nullptr && (format.plan_flat == nullptr || is_asked_for);
}

/// The options for tensors of which one may have unlimited axes, which are kept in chunks alone.
/// `further_of(tensor)` gives its FurtherFacts.
template <class Tensors, class Further>
ChunkOptions chunk_options_for(const FileFormat& format, ChunkOptions options, const Tensors& tensors,
                               const Further& further_of) {
  const auto has_unlimited = [&](const auto& tensor) { return !further_of(tensor).unlimited_axes.empty(); };
  const bool needs_chunks = format.has_unlimited_axes && !writes_chunks(format, options) &&
                            std::any_of(tensors.begin(), tensors.end(), has_unlimited);
  if (needs_chunks) options.codec = "none";
  return options;
}

/// Chunks and shards are for tensors of as many axes as they have; where none has, for all, which is refused.
/// Not for those that are kept: `is_kept(tensor)`.
template <class Tensors, class IsKept>
void take_chunks(Tensors& tensors, const ChunkOptions& options, const IsKept& is_kept) {
  const std::size_t rank = options.chunk.empty() ? options.shard.size() : options.chunk.size();
  const bool is_given = !options.chunk.empty() || !options.shard.empty();
  const auto is_meant = [&](const auto& tensor) { return tensor.shape.size() == rank && !is_kept(tensor); };
  if (!is_given || std::none_of(tensors.begin(), tensors.end(), is_meant)) return;
  for (auto& tensor : tensors) tensor.has_usual_chunks = !is_meant(tensor);
}

/// The chunks of a tensor whose storage is `chunked`, of whatever kind; the files of a stack are its chunks.
std::unique_ptr<ChunkSource> open_chunks(const FileInfo& info, std::string_view operation);

/// All kinds of this build.
std::span<const FileFormat* const> file_formats();
/// Pre: the kind is of this build.
const FileFormat& format_of(FileKind kind);
/// Null where the file is of no known kind.
const FileFormat* find_format(const FileStart& start);
/// Whether tensors in files of a kind have the facts that those in files of the format have: of the same
/// kind, or both with fields of NIfTI.
bool has_same_facts(FileKind kind, const FileFormat& format);
/// Whether a name ends so, in letters of either case. `suffix`: in lower case.
bool has_suffix(std::string_view path, std::string_view suffix);
/// The format by the end of a name, in letters of either case; null where it is that of no kind.
const FileFormat* find_format_by_suffix(std::string_view path);

}  // namespace tenstride::io
