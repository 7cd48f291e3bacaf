// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/dtype.hpp"
#include "tenstride/checksum/checksum.hpp"
#include "tenstride/files/atomic_file.hpp"
#include "tenstride/io/disk.hpp"
#include "tenstride/io/element_order.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/file_task.hpp"
#include "tenstride/io/progress.hpp"
#include "tenstride/io/rescaling.hpp"
#include "tenstride/io/result_facts.hpp"
#include "tenstride/io/resume.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/io/tensor_move.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/reduce/reduce.hpp"

/// Files in another order, of any size, under a memory limit.
namespace tenstride::io {

/// A memory limit under which no plan can be made.
class TENSTRIDE_API MemoryLimitError : public ValueError {
 public:
  MemoryLimitError(const std::string& message, std::uint64_t least) : ValueError(message), least_(least) {}
  /// The least that would do, in bytes.
  [[nodiscard]] std::uint64_t least() const noexcept { return least_; }

 private:
  std::uint64_t least_;
};

/// What is read back when all is written.
enum class FileCheck : unsigned char {
  none,
  /// The destination: its checksum must be that of what was to be written. Where elements are only moved,
  /// that is the checksum of the source's elements, each with the place it belongs to.
  checksum,
};

/// What becomes of the elements of a tensor behind its chain.
struct ElementOptions {
  ElementOrder order = ElementOrder::row_major;
  /// Nothing: as the chain gives.
  std::optional<DType> dtype{};
  /// Each element is multiplied and shifted before it is converted, as ScaleShift says.
  std::vector<double> scale{};
  std::vector<double> shift{};
  Index axis = 0;
  /// The elements become what they mean, as the file says of each tensor (`rescaling_of`), and `dtype` is by
  /// default `rescaled_dtype`. Not together with scale and shift.
  bool is_rescaled = false;

  [[nodiscard]] bool has_arithmetic() const { return !scale.empty() || !shift.empty(); }
};

/// How a file is written. What it says of elements holds for tensors that are converted, not for kept ones.
struct FileOptions {
  /// Bytes of all buffers; 0: half of free_memory().
  std::uint64_t memory = 0;
  /// What the disks like; nothing: as measured before (`known_disk`), otherwise as DiskRates{} says.
  std::optional<DiskRates> disk{};
  DiskAccess access = DiskAccess::automatic;
  Resume resume = Resume::no;
  FileCheck check = FileCheck::none;
  Overwrite overwrite = Overwrite::refuse;
  /// The kind of the destination; `unknown`: as the end of its name tells, or .npy where that tells none.
  FileKind kind = FileKind::unknown;
  /// These, with `is_rescaled` below, are what ElementOptions say.
  ElementOrder order = ElementOrder::row_major;
  std::optional<DType> dtype{};
  std::vector<double> scale{};
  std::vector<double> shift{};
  Index axis = 0;
  /// How a destination in chunks is divided.
  ChunkOptions chunks{};
  /// Permutes a .zarr folder by its metadata and the names of its files; nothing is decoded, and chunks,
  /// codecs and version stay those of the source. Files of chunks are copied by the file system, which shares
  /// their bytes where it can (XFS, Btrfs). With `replace` the destination may be the source: then its files
  /// are moved to the new folder by links, and nothing but the shards is copied.
  bool is_metadata_only = false;
  bool is_rescaled = false;
  /// This run is one of several that write the destination together. The plan then has one pass and as many
  /// tiles as the tasks need; where other tasks have begun the destination, their limits are used.
  std::optional<FileTask> task{};

  [[nodiscard]] ElementOptions elements() const { return {order, dtype, scale, shift, axis, is_rescaled}; }
};

/// What is known of one tensor before an element is read.
struct TensorJob {
  FileInfo source;
  std::string chain;
  /// The name of the result.
  std::string name;
  MoveKind kind = MoveKind::convert;
  /// What becomes of the elements of this tensor, with the order that the destination's kind has.
  ElementOptions elements{};
  Dims shape;
  DType dtype = DType::float32;
  /// Names of axes and attributes, where the destination has a place for them.
  std::vector<std::string> axis_names{};
  std::string attributes{};
  FurtherFacts further{};
  /// What the source says and is not true of the result.
  std::vector<DroppedFact> dropped{};
  /// Whether chunks are the usual ones, as NewTensor says.
  bool has_usual_chunks = false;
  /// What of the attributes was left out or not heeded, for the user.
  std::vector<std::string> notes{};
  /// Where its elements lie in the destination: at the strides of `layout`, from byte `data_begin` on.
  Layout layout;
  std::uint64_t data_begin = 0;
  /// Whether the bytes of its elements stand there in the other order than this machine's.
  bool is_byte_swapped = false;
  /// The conversions on the way, the last of them to `dtype`; those that lose nothing are left out.
  std::vector<DType> conversions;
  /// Makes elements what they mean, in place of conversions.
  std::optional<Rescaling> rescaling{};
  /// The reduction of the axes of stride 0 in the last stage, behind the conversions.
  std::optional<Reduction> reduction;

  [[nodiscard]] std::uint64_t result_nbytes() const {
    return static_cast<std::uint64_t>(count_elements(shape)) * item_size(dtype);
  }
  [[nodiscard]] NewTensor planned() const {
    NewTensor tensor{name, shape, dtype, elements.order, axis_names, attributes};
    tensor.further = further;
    tensor.has_usual_chunks = has_usual_chunks;
    return tensor;
  }
};

/// How a job is carried out; `to_string` and `to_json` tell it.
struct JobPlan;

/// All that is known before an element is read.
struct FileJob {
  std::string destination;
  /// The options as given, with the destination's kind; what becomes of elements, each tensor says.
  FileOptions options;
  std::vector<TensorJob> tensors;
  /// What is said of tensors that are not written (`carry_labels`).
  std::vector<DroppedFact> dropped{};
  /// The length of the file whose elements are written: the destination, or what it is packed from. 0 where
  /// chunks are written or only metadata change.
  std::uint64_t nbytes = 0;
  /// Of a destination that is packed (`.nii.gz`) or a pair, its least bytes. They are written when all else
  /// is, beside the file of `nbytes`, which is gone then. 0: that file is the destination.
  std::uint64_t min_packed_bytes = 0;
  /// Passes over all elements, summed over the tensors.
  std::size_t passes = 0;
  /// Bytes of all buffers, at most; 0 where only metadata change.
  std::uint64_t memory = 0;
  bool is_disk_measured = false;
  std::uint64_t temporary_bytes = 0;
  /// Bytes of what must be unpacked before elements of it can be read: it lies in a file without a name
  /// beside the destination.
  std::uint64_t unpacked_bytes = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  /// Seconds by the disk's rates; nothing where chunks are compressed or decompressed.
  std::optional<double> seconds = 0.0;

  /// Bytes of all files that lie beside the destination and are gone when it is there.
  [[nodiscard]] std::uint64_t bytes_beside() const {
    return temporary_bytes + unpacked_bytes + (min_packed_bytes > 0 ? nbytes : 0);
  }

 private:
  friend const JobPlan& plan_of(const FileJob& job);
  friend void set_plan(FileJob& job, JobPlan plan);
  std::shared_ptr<const JobPlan> plan_{};
};

/// Whether what is finished of an interrupted run is kept, to be resumed: not where a library places the
/// chunks of a file (HDF5).
TENSTRIDE_API bool keeps_finished(const FileJob& job);

/// Why a job cannot be divided among tasks, so that the first of them does all of it, as the end of a
/// sentence; empty where it can.
TENSTRIDE_API std::string obstacle_to_tasks(const FileJob& job);

/// What one task does of a job.
struct FileShare {
  FileTask task;
  /// Tiles, or units of a destination in chunks.
  std::uint64_t parts = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
};
/// The shares of so many tasks where nothing is begun; of a job that cannot be divided the first has all.
/// Throws ValueError for numbers outside 1..max_file_tasks.
TENSTRIDE_API std::vector<FileShare> shares_of(const FileJob& job, std::uint64_t tasks);
/// What the sources say and is not true of the results, of all tensors.
TENSTRIDE_API std::vector<DroppedFact> dropped_facts(const FileJob& job);

/// What makes two runs write the same parts: 16 digits.
TENSTRIDE_API std::string plan_hash_text(const FileJob& job);

struct FileResult {
  /// The checksum of the elements; where only metadata change, only if `is_checked`.
  Checksum checksum;
  /// Elements of the destination that are missing by what the sources say; counted where `is_rescaled`.
  std::uint64_t missing = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  double seconds = 0;
  /// Whether an earlier run was resumed.
  bool is_resumed = false;
  /// Whether the destination was read back.
  bool is_checked = false;
  /// What the sources say and is not true of the results, so that it was left out.
  std::vector<DroppedFact> dropped{};
  /// How many tasks of several have not finished yet. Where there are any the destination has not its name,
  /// and there is no checksum.
  std::uint64_t tasks_left = 0;
  /// Whether another task, or an earlier run of this one, has put the destination in place: then there is no
  /// checksum either.
  bool is_of_other_task = false;
};

/// Whether a chain can be carried out from file to file: it moves, converts and once reduces the elements of
/// `x`. The text says what it does beside that; empty where it can. Throws ParseError.
TENSTRIDE_API std::string obstacle_to_permute_file(std::string_view chain, const FileInfo& info);
/// What keeps a chain from being carried out where the source or the destination is in chunks: each axis of
/// the result must be one of `x`, or a part of one, in any order. Empty where nothing does.
TENSTRIDE_API std::string obstacle_to_chunks(std::string_view chain, const FileInfo& info);

/// The type of what elements of the type mean: float32, or float64 for float64 and for integers of 32 and 64
/// bits; of complex elements their own.
TENSTRIDE_API DType rescaled_dtype(DType stored);
/// Whether what a chain gives of `x` can be rescaled in place of `x`: it only moves elements. The text says
/// what it does beside that; empty where it can. Throws ParseError.
TENSTRIDE_API std::string obstacle_to_rescaling(std::string_view chain, const FileInfo& info);
/// What becomes of the elements of one tensor of several in a file of the kind: what the options say, nothing
/// where it is kept. Throws ValueError for an order that the kind cannot have.
TENSTRIDE_API ElementOptions elements_of(const TensorMove& move, const FileOptions& options,
                                         FileKind destination);
/// How the elements of a move become what they mean, where `is_rescaled`. Throws ValueError where the options
/// have numbers of their own, the chain does more than move elements, and as the other `rescaling_of`.
TENSTRIDE_API Rescaling rescaling_of(const TensorMove& move, const ElementOptions& options);

/// Why a planned job cannot be carried out with `is_metadata_only`, as the end of an error; empty where it
/// can.
TENSTRIDE_API std::string obstacle_to_metadata_only(const FileJob& job);

/// Plans; reads the headers of the sources, and the limits of an earlier run where that is to be resumed.
/// `source` is an address: several tensors may be meant, each of which goes through the chain and keeps its
/// name. Throws FileError for a source whose elements cannot be read one by one, ValueError for a chain that
/// cannot be carried out from file to file, MemoryLimitError, and what the chain throws.
TENSTRIDE_API FileJob plan_permute_file(const std::string& source, std::string_view chain,
                                        const std::string& destination, const FileOptions& options = {});
/// Plans a run for tensors of several files, each with a chain of its own. What the options say of elements
/// is about those that are converted. Example: `plan_permute_files({{info, "x.t()", "weight"}},
/// "new.safetensors")`.
TENSTRIDE_API FileJob plan_permute_files(const std::vector<TensorMove>& moves, const std::string& destination,
                                         const FileOptions& options = {});

/// Bytes of what a move gives. Throws what planning throws for its chain.
TENSTRIDE_API std::uint64_t result_nbytes(const TensorMove& move, const FileOptions& options = {});

/// Carries out a plan. The destination has its name when all is done; until then, what is finished is kept
/// beside it (see docs/large-files.md). Throws FileError; Interrupted, or what `progress` throws, when that
/// ends the run. An error of a file or a full disk removes what was made; an interruption keeps it, to be
/// resumed.
TENSTRIDE_API FileResult run(const FileJob& job, const ProgressCallback& progress = {});

/// Writes what the chain makes of the tensor `x` in a file into another file, with the memory that `options`
/// allow, whatever the size. Example: `permute_file("tyx.npy", "x.permute(2, 1, 0)", "xyt.npy")`.
TENSTRIDE_API FileResult permute_file(const std::string& source, std::string_view chain,
                                      const std::string& destination, const FileOptions& options = {},
                                      const ProgressCallback& progress = {});

/// The checksum of the elements of a tensor in a file, read once, with at most so many bytes of memory where
/// they are flat; what is compressed is read into memory. Throws FileError.
TENSTRIDE_API Checksum checksum_file(const FileInfo& info, std::uint64_t memory = std::uint64_t{64} << 20,
                                     const ProgressCallback& progress = {});
TENSTRIDE_API Checksum checksum_file(const std::string& address,
                                     std::uint64_t memory = std::uint64_t{64} << 20,
                                     const ProgressCallback& progress = {});

/// The axes, passes, blocks and costs of all stages, several lines for people.
TENSTRIDE_API std::string to_string(const FileJob& job);
/// The plan as JSON: {"tensors": [{"stages": [...]}, ...]}, in the order of `tensors`. A stage reads one
/// file and writes another; a tensor has one, and one more for each reshape that cuts across axes; none
/// where only metadata change.
TENSTRIDE_API std::string to_json(const FileJob& job);

}  // namespace tenstride::io
