// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "input_info.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/io/file_task.hpp"
#include "tenstride/io/npy.hpp"

/// The program `tenstride`: options and printing; the work is the library's.
namespace tenstride::cli {

/// 0 done, 1 the work failed, 2 the call was wrong.
inline constexpr int done = 0;
inline constexpr int failed = 1;
inline constexpr int wrong_call = 2;

/// A call that cannot be meant so; ends the program with `wrong_call`.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Work that failed for a reason that is no library error; ends the program with `failed`.
struct WorkError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Format : unsigned char { text, json };

struct ExplainCommand {
  std::string expression;
  /// "FILE" or "NAME=FILE".
  std::vector<std::string> inputs;
  PlanDetail plans = PlanDetail::left_out;
  ScrambleRule scrambles = ScrambleRule::tell;
  Format format = Format::text;
  /// A picture behind the text.
  bool shows_picture = false;
  /// Of all inputs.
  RawOptions raw;
  /// Bytes, for the plan from file to file; empty: half of the free memory.
  std::string max_mem;
  /// A profile or a file, for the plans; empty: this machine.
  std::string machine;
};
int run(const ExplainCommand& command);

struct ShowCommand {
  /// Or a file.
  std::string expression;
  std::vector<std::string> inputs;
  RawOptions raw;
  /// Nothing: the terminal.
  std::string output;
  bool as_page = false;
  bool force = false;
  std::string subject = "tensors";
  std::string colors = "axis";
  int axis = 0;
  /// "2,2": the ranks that the first tensor is spread over; empty: none.
  std::string mesh;
  /// "S(0),R": one for each axis of the mesh.
  std::string placements;
  /// 0: that of the terminal.
  int width = 0;
};
int run(const ShowCommand& command);

/// The tensors in "FILE" (which is x) and "NAME=FILE"; FILE may be -, standard input. Errors begin with the
/// command's name.
std::map<std::string, Tensor> open_inputs(const std::vector<std::string>& inputs, const RawOptions& raw,
                                          const std::string& command);

struct InfoCommand {
  std::vector<std::string> paths;
  RawOptions raw;
  /// Reads all elements for it.
  bool shows_checksum = false;
  Format format = Format::text;
};
int run(const InfoCommand& command);

/// Measures how fast this machine copies, or how fast the disk under a folder is, for forecasts.
struct BenchCommand {
  int threads = 0;
  /// Nothing: the memory.
  std::string disk;
  /// Which stores and streams of memory are faster, for the plans of copies.
  bool calibrates = false;
  Format format = Format::text;
};
int run(const BenchCommand& command);

/// What happens beside the conversion, or in its place.
enum class Rehearsal : unsigned char { none, dry_run, verify_only };

struct ConvertCommand {
  /// "-" is standard input.
  std::string input;
  RawOptions raw;
  /// A chain on x, or a pattern.
  std::string spec;
  /// Of a pattern: "h=2"; the reduction where axes are folded; whether axes are new.
  std::vector<std::string> sizes;
  std::string reduction;
  bool repeats = false;
  /// "-" is standard output.
  std::string output;
  /// "npy", "png", …; empty: by the end of the output's name.
  std::string output_format;
  /// "100,100": extents of the chunks and shards of a .zarr output; empty: about 4 MiB, no shards.
  std::string chunks;
  std::string shards;
  /// "zstd:3", "blosc:lz4:5:shuffle", "none".
  std::string codec;
  /// 0: 3, or that of the input with --metadata-only.
  int zarr_format = 0;
  /// Chunks stay as they are stored.
  bool is_metadata_only = false;
  /// Tensors of the input that it does not name go to the output unchanged.
  bool keeps_others = false;
  /// Names of tensors, or patterns, that `keeps_others` is not about.
  std::vector<std::string> left_out;
  /// "5G": of each file of an output in several; empty: one file.
  std::string max_file_size;
  /// Members of an .npz file are deflated.
  bool compresses = false;
  /// A picture is seen as its EXIF orientation says, before SPEC.
  bool turns_upright = false;
  std::string dtype;
  std::string order = "C";
  std::string scale;
  std::string shift;
  std::optional<Index> axis;
  /// Scale and shift are those that the input says.
  bool rescales = false;
  Rehearsal rehearsal = Rehearsal::none;
  bool verify = false;
  bool force = false;
  /// "512M"; empty: half of what is free.
  std::string max_mem;
  bool resumes = false;
  /// Of several processes that carry the conversion out together, which this is; whether mpirun says so.
  std::optional<io::FileTask> task;
  bool is_rank = false;
  /// Where the tasks are written that would carry it out; empty: it is carried out.
  std::string plan_only;
  /// All that follows the program's name, and that name.
  std::vector<std::string> arguments;
  bool is_quiet = false;
  int threads = 0;
  Format format = Format::text;
};
int run(const ConvertCommand& command);

/// The script that teaches a shell the program's words; throws UsageError for any but bash, zsh and fish.
std::string completion_script(const std::string& shell);

/// "0.5", "1/255", "1e-3"; throws UsageError, which names the option.
double parse_number(const std::string& option, const std::string& text);
/// "1,2/3,0.5"; empty text gives no numbers.
std::vector<double> parse_numbers(const std::string& option, const std::string& text);

/// Whether standard output (error) is a terminal that wants colour: NO_COLOR is heeded.
TextStyle output_style();
bool is_error_terminal();
/// From now on SIGINT, SIGTERM and SIGHUP remove half-written files and end the program with 128 + the
/// signal's number.
void clean_up_on_signals();

/// Lines of cells, each column as wide as its widest cell.
std::string lay_out(const std::vector<std::vector<std::string>>& rows);

}  // namespace tenstride::cli
