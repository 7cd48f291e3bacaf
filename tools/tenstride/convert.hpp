// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli.hpp"
#include "tenstride/checksum/checksum.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/io/rescaling.hpp"
#include "tenstride/io/result_facts.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "verify.hpp"

namespace tenstride::cli {

/// All of a conversion that is known before an element is read.
struct ConvertPlan {
  /// Of the input as it stands in the file.
  io::FileInfo source;
  /// Of the input, its layout made upright where that was asked for.
  io::FileInfo info;
  Program program;
  /// Of the whole SPEC, on meta; steps only where the SPEC needs no elements to be followed.
  Evaluation forecast;
  /// Whether the forecast holds: false where the SPEC needs elements (a mask as an index).
  bool is_forecast = true;
  /// The last links of the SPEC that are done by the write itself; as many steps end the forecast.
  std::size_t fused = 0;
  /// What the SPEC gives, and how it is written.
  Dims shape;
  DType dtype = DType::float32;
  io::FileKind kind = io::FileKind::npy;
  /// Of the output, and of the tensor in it where it is named ("out.safetensors::weight").
  std::string output_path;
  std::string output_name;
  /// What is said of the result in a file that has a place for it.
  io::ResultFacts facts;
  io::ElementOrder order = io::ElementOrder::row_major;
  std::vector<double> scale;
  std::vector<double> shift;
  Index axis = 0;
  /// In place of scale and shift, where the elements become what the input says they mean.
  std::optional<io::Rescaling> rescaling{};
  bool is_to_standard_output = false;
  bool turns_upright = false;

  [[nodiscard]] bool has_arithmetic() const { return !scale.empty() || !shift.empty(); }
  [[nodiscard]] ScaleShift arithmetic() const { return {scale, shift, axis}; }
  [[nodiscard]] io::NewTensor output_tensor() const {
    return {output_name, shape, dtype, order, facts.axis_names, facts.attributes, 1, 0, facts.further};
  }
  [[nodiscard]] Layout output_layout() const {
    return order == io::ElementOrder::row_major ? row_major(shape) : column_major(shape);
  }
};

/// SPEC as a chain on x: a pattern written out for a file of that shape. Throws UsageError.
std::string written_out(const ConvertCommand& command, const Dims& shape);
/// The same; throws PatternError.
std::string chain_for(const ConvertCommand& command, const Dims& shape);
/// Says so where a SPEC that is wrong is a file, as a shell leaves it of a pattern without quotes.
void refuse_file_as_spec(const ConvertCommand& command);

/// How the output is cut into chunks.
io::ChunkOptions chunk_options(const ConvertCommand& command);
/// The type that --dtype names, or nothing. Throws UsageError.
std::optional<DType> dtype_option(const ConvertCommand& command);
/// What the options say of an output of this kind. The memory, the type and whether it is resumed are left
/// to be told.
io::FileOptions file_options(const ConvertCommand& command, io::FileKind kind);

/// Throws UsageError for options that cannot be together, before anything is read.
void check_call(const ConvertCommand& command);

/// Parses, evaluates on meta, checks the options against each other. Throws UsageError and Error; prints
/// nothing.
/// Gives SPEC in the command back as a chain. `source` is what the input names.
ConvertPlan make_plan(ConvertCommand& command, const io::FileInfo& source);

/// How many links at the end of the SPEC the write can carry out: those that keep the elements' row-major
/// order, and of the conversions the last, or more where the first lose nothing.
std::size_t fusable_links(const ConvertPlan& plan);

/// Writes what the plan makes of the elements of `src` into `dst`; of several numbers of scale and shift with
/// those of the part. Gives how many are missing.
Index write_elements(Tensor& dst, const Tensor& src, const ConvertPlan& plan, const ScaleShift& arithmetic);

/// The same in memory of its own, in the shape of the result.
Tensor written_image(const Tensor& source, const ConvertPlan& plan, Index& missing);

/// x, as the plan has it.
Tensor open_input(const ConvertPlan& plan);

/// Below so many bytes read and written a rate is that of starting, not of copying: memcpy takes 0.4 ms for
/// them at 10 GB/s.
inline constexpr Index min_bytes_of_rate = Index{4} << 20;

struct Rate {
  double gigabytes_per_second = 0;
  /// Of memcpy, for as many bytes (256 MiB at most), measured beside it.
  double memcpy_gigabytes_per_second = 0;
};

struct Speed {
  double seconds = 0;
  /// Until the .npy file was on the disk under its name; otherwise nothing.
  std::optional<double> flush_seconds;
  /// From `min_bytes_of_rate` on; nothing of a PNG, where the time is that of the compression, and on
  /// standard output, where it is that of its reader, too.
  std::optional<Rate> rate;
};

/// What a run will need, as its ledger on meta tells, and this machine's bandwidth.
struct Forecast {
  LedgerTotals totals;
  double seconds = 0;
};

struct Bill {
  std::vector<Step> steps;
  std::size_t fused = 0;
  std::size_t copies = 0;
  Index bytes_read = 0;
  Index bytes_written = 0;
  std::optional<Speed> speed;
  /// Of a dry run.
  std::optional<Forecast> forecast;
  /// Of the elements that were written.
  std::optional<Checksum> checksum;
  /// Elements that are missing by what the input says.
  std::optional<Index> missing;
  /// Elements compared by --verify.
  std::optional<Index> verified;
};

/// The bill before anything was done; `source` is what the write reads.
Bill make_bill(const ConvertPlan& plan, const std::vector<Step>& steps, const Layout& source,
               DType source_dtype);
std::string to_text(const Bill& bill, const ConvertPlan& plan, const ConvertCommand& command);
/// "row-major" or "column-major".
std::string order_word(io::ElementOrder order);
/// ", times 0.5, plus 3", or nothing.
std::string arithmetic_text(const std::vector<double>& scale, const std::vector<double>& shift);
/// The same of elements of type `given` that become what they mean: ", read as uint8, times 0.5, plus 0".
std::string meaning_text(const std::optional<io::Rescaling>& rescaling, DType given);
/// The line of so many elements that --verify compared, or nothing.
std::string verified_text(std::optional<Index> count);
std::string to_json(const Bill& bill, const ConvertPlan& plan, const ConvertCommand& command);

}  // namespace tenstride::cli
