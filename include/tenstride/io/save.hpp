// SPDX-License-Identifier: Apache-2.0
// Files of any kind that can be written.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/export.hpp"
#include "tenstride/files/atomic_file.hpp"
#include "tenstride/io/element_order.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

/// A tensor and what the file says about it.
struct NamedTensor {
  /// The name within the file; empty for a file of one tensor.
  std::string name;
  Tensor tensor;
  /// One for each axis, or none.
  std::vector<std::string> axis_names{};
  /// A JSON object, or empty.
  std::string attributes{};
  /// Nothing: that of the options.
  std::optional<ElementOrder> order{};
  FurtherFacts further{};
  /// Chunks and shards of the options are for others (`take_chunks`): this one has the usual chunks.
  bool has_usual_chunks = false;
};

/// Tensors that are the same view of the same storage, as tied weights are.
enum class TiedTensors : unsigned char {
  write,  ///< each in full, under its name
  once,   ///< the first alone; of a safetensors file the metadata say which names mean it
};

/// How a file of chunks keeps a tensor. What does not fit its shape is refused.
struct ChunkOptions {
  /// Extents of a chunk, for tensors of as many axes; empty: of about 4 MiB.
  Dims chunk{};
  /// Extents of a file that holds several chunks (Zarr 3), a multiple of the chunk's; empty: none.
  Dims shard{};
  /// "none", "gzip:6", "zstd:3", "blosc:lz4:5:shuffle", with "+crc32c" behind it; empty: the kind's usual
  /// one.
  std::string codec{};
  /// The version of Zarr: 2 or 3; 0: 3, or that of the source where only metadata change.
  int zarr_format = 0;
  /// Tensors of files of the same kind that cannot be read (they have an obstacle): they go along under their
  /// names, as their bytes are stored. Taken by .npz, .zarr, .h5 and .nc, as far as `obstacle_to_keeping`
  /// says.
  std::vector<FileInfo> as_stored{};
};

struct SaveTensorsOptions {
  Overwrite overwrite = Overwrite::refuse;
  /// The order of elements in files that know both: .npy, .npz and raw.
  ElementOrder order = ElementOrder::row_major;
  /// .npz and .tif: elements are compressed (deflate). Refused for kinds that it does not compress.
  bool is_compressed = false;
  TiedTensors tied = TiedTensors::write;
  /// How .zarr, .h5 and .nc are divided into chunks.
  ChunkOptions chunks{};
};

/// Writes tensors of any layout, each element once, into a new file of the kind that the end of its name
/// tells: .npy, .npz, .safetensors, .zarr, .h5, .nc, .cdf, .nii, .nii.gz, .tif, .raw, .bin or .png. The file
/// appears whole or not at all; of a pair (.hdr) each file does. Only the elements of a view are written, not
/// its storage. Throws ValueError where the name tells no kind, where two tensors have one name, and where
/// the kind holds one tensor and several are given; TypeError for element types that the kind lacks;
/// FileError; RuntimeError for a meta tensor. Example: `save_tensor_file("w.safetensors", {{"weight",
/// w.t()}})`.
TENSTRIDE_API void save_tensor_file(const std::string& path, const std::vector<NamedTensor>& tensors,
                                    const SaveTensorsOptions& options = {},
                                    Caller caller = Caller::current());

/// A tensor that is to be written.
struct NewTensor {
  /// Empty where the file holds one tensor.
  std::string name;
  Dims shape;
  DType dtype = DType::float32;
  ElementOrder order = ElementOrder::row_major;
  std::vector<std::string> axis_names{};
  /// A JSON object, or empty.
  std::string attributes{};
  /// What a stored element means, as `FileInfo` has it.
  double scale = 1;
  double shift = 0;
  FurtherFacts further{};
  /// Chunks and shards of the options are for others (`take_chunks`): this one has the usual chunks.
  bool has_usual_chunks = false;
};

/// A file of a kind whose elements are flat, written in place, into a map of the file, so that a conversion
/// is one pass from its source to the file. The file has its name only after `commit`; without it nothing is
/// left.
///
/// Example: writes the transpose of x without holding it in memory:
/// ```
/// TensorFileWriter writer("t.nii", FileKind::nifti, {{.shape = {x.size(1), x.size(0)}, .dtype =
/// x.dtype()}}); writer.tensor().copy_(x.t()); writer.commit();
/// ```
class TENSTRIDE_API TensorFileWriter {
 public:
  /// Takes all the room on the disk, writes the header. Throws FileError where the file cannot be had (see
  /// AtomicFile) or its room cannot, TypeError and ValueError for what the kind cannot hold, ShapeError and
  /// OverflowError for a shape that cannot be. `operation` begins the errors.
  TensorFileWriter(const std::string& path, FileKind kind, const std::vector<NewTensor>& tensors,
                   Overwrite overwrite = Overwrite::refuse, std::string_view operation = "save");
  ~TensorFileWriter();
  TensorFileWriter(const TensorFileWriter&) = delete;
  TensorFileWriter& operator=(const TensorFileWriter&) = delete;

  /// The elements, to be written; zero until then. Must not be used after `commit`.
  [[nodiscard]] Tensor& tensor(std::size_t number = 0);
  /// Flushes the elements to the disk and gives the file its name. Throws FileError.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether the elements of a new file of the kind are flat.
TENSTRIDE_API bool is_written_flat(FileKind kind);

/// Whether a new file of the kind is written chunk by chunk.
TENSTRIDE_API bool is_written_in_chunks(FileKind kind);

/// The order in which a kind has elements where `wanted` is asked for: NIfTI is always column-major. Throws
/// ValueError where the kind cannot have that order.
TENSTRIDE_API ElementOrder written_order(FileKind kind, ElementOrder wanted,
                                         std::string_view operation = "save");

/// What a new file of one tensor begins with; the elements follow, in that order. Pre: is_written_flat(kind).
/// Throws as TensorFileWriter does.
TENSTRIDE_API std::string flat_head(FileKind kind, const NewTensor& tensor,
                                    std::string_view operation = "save");

/// The name that a single tensor has where it is given without one and the kind needs one: "arr_0" of .npz;
/// empty where it needs none.
TENSTRIDE_API std::string_view usual_tensor_name(FileKind kind);

/// Whether a file of the kind holds several tensors by name.
TENSTRIDE_API bool has_tensor_names(FileKind kind);

/// Why `SaveTensorsOptions::is_compressed` is refused for a kind, as the end of "must …"; empty where
/// elements are compressed by it. Example, of npy: "go with .npz, .tif or .tiff, not with npy (codec
/// compresses .zarr, .h5, .hdf5, .h5ad, .nc or .nc4)". Pre: the kind is of this build.
TENSTRIDE_API std::string obstacle_to_compression(FileKind kind);

/// Why a tensor does not go along to a new file of the kind, as the end of "must …"; empty where it does:
/// what can be read does, the rest where its bytes can be copied as they are stored. Example, of text in an
/// .npz file to .safetensors: "hold numbers, not text (descr '<U2'); save it as numbers; as its bytes are
/// stored it goes along to a file of its own kind only, not to a safetensors file".
TENSTRIDE_API std::string obstacle_to_keeping(const FileInfo& source, FileKind kind,
                                              const ChunkOptions& options = {});

/// The kind that a name's end tells; `unknown` where that is none that can be written.
TENSTRIDE_API FileKind kind_of_name(std::string_view path);

/// The ends of names of all kinds that can be written, with their dots.
TENSTRIDE_API std::vector<std::string> written_suffixes();
/// The ends of names that can be written, for errors: ".npy, .png, .npz or .raw".
TENSTRIDE_API std::string writable_suffixes();

}  // namespace tenstride::io
