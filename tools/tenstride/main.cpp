// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "cli.hpp"
#include "convert_task.hpp"
#include "descriptor_io.hpp"
#include "explore.hpp"
#include "failure.hpp"
#include "input_path.hpp"
#include "repl.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/save.hpp"
#include "terminal_text.hpp"

namespace tenstride::cli {
namespace {

constexpr const char* examples = R"(Examples:
  tenstride convert photo.jpg 'x.permute(2,0,1).contiguous()' -o chw.npy --dtype float32 --scale 1/255
  tenstride explain 'torch.randn(2,3,2).permute(0,2,1).view(-1)'
  tenstride show 'x = torch.arange(12).view(3,4); y = x.permute(1,0); z = y.contiguous()' -o picture.svg
  tenstride info chw.npy

Exit codes: 0 done, 1 the work failed, 2 the call was wrong. The manual: man tenstride)";

constexpr const char* convert_examples =
    R"(SPEC is a chain on x in PyTorch's notation, or a pattern in einops'; what can be is a view, and the last copy
goes straight into the file.

Examples:
  tenstride convert photo.jpg 'x.permute(2,0,1)' -o chw.npy --dtype float32 --scale 1/255 --verify
  tenstride convert photo.jpg 'h w c -> c h w' -o chw.npy --dtype float32 --scale 1/255
  tenstride convert photo.jpg '(h h1) (w w1) c -> h w c' h1=2 w1=2 --reduce max -o half.png
  tenstride convert big.npy 'x[:, ::2].to(float16)' -o half.npy --dry-run
  tenstride convert 'frames/*.tif' x -o stack.npy
  tenstride convert chw.npy 'x.permute(1,2,0)' -o back.png --dtype uint8 --scale 255 --shift 0.5
  curl -s https://example.org/photo.jpg | tenstride convert - 'h w c -> c h w' -o - --upright > chw.npy
  tenstride convert photo.png x -o normal.npy --dtype float32 --axis 2 --scale 1/58,1/57,1/58 --shift=-2,-2,-1.8)";

constexpr const char* explain_examples =
    R"text(EXPR is PyTorch's notation (`torch.` may be left out), statements apart by `;`; - reads it from standard input.

Examples:
  tenstride explain 'torch.randn(2,3,2).permute(0,2,1).view(-1)'
  tenstride explain 'x = torch.arange(6).reshape(2,3); x.T.reshape(-1)' --json
  tenstride explain 'torch.zeros(4096,4096).t().contiguous()' --plan
  tenstride explain 'torch.zeros(4096,4096).t().contiguous()' --plan --machine zen5
  tenstride explain 'rearrange(x, "h w c -> c (h w)").T' --input photo.jpg)text";

constexpr const char* show_examples =
    R"text(A picture of each step: the tensor as a grid, beside its storage; what has the same colour is the same element.
Without -o it is drawn in the terminal. However large a tensor is, the picture is small.

Examples:
  tenstride show 'torch.arange(6).view(2,3).T'
  tenstride show 'torch.randn(2,3,2).permute(0,2,1).view(-1)' -o refused.svg
  tenstride show 'x = torch.arange(24).view(2,3,4); x[:, ::2].contiguous()' --html -o steps.html
  tenstride show 'torch.zeros(2,3,4,5).permute(0,2,1,3).reshape(2,4,15)' --what atoms -o atoms.svg
  tenstride show 'torch.arange(24).view(4,6).t().contiguous()' --what walk -o walk.png
  tenstride show 'torch.arange(24).view(4,6).t()' --mesh 2,2 --placements 'S(0),S(1)'
  tenstride show photo.jpg)text";

constexpr const char* repl_examples =
    R"(Without a terminal lines are read without prompts; all are carried out, and the exit code is 1 if one of them
failed. :help tells what can be typed beside the notation.

Examples:
  tenstride repl
  tenstride repl --input photo.jpg
  tenstride repl < statements.txt)";

constexpr const char* explore_examples = R"(Examples:
  tenstride explore
  tenstride explore 'torch.zeros(2,3).T.view(-1)'
  tenstride explore --no-browser --port 8000)";

constexpr const char* info_examples = R"(Examples:
  tenstride info photo.jpg
  tenstride info weights.npy --json
  tenstride info weights.npy --checksum
  tenstride info 'frames/*.tif'
  zcat weights.npy.gz | tenstride info -)";

constexpr const char* bench_examples = R"(Examples:
  tenstride bench
  tenstride bench --threads 1 --json
  tenstride bench --disk .
  tenstride bench --calibrate)";

constexpr const char* completion_examples = R"(Examples:
  source <(tenstride completion bash)
  tenstride completion fish > ~/.config/fish/completions/tenstride.fish)";

/// With the formats of this build, "w" behind those that are written.
std::string version_text() {
  std::string text = "tenstride " TENSTRIDE_VERSION "\nreads";
  std::string written;
  for (const io::FormatSupport& format : io::supported_formats()) {
    if (format.is_read) text += ' ' + format.name;
    if (format.is_written) written += ' ' + format.name;
  }
  return text + "\nwrites" + written;
}

/// Nothing of the command line is kept beyond one run.
class CommandLine {
 public:
  CommandLine()
      : app_("Tensors seen through strides: convert files, explain views and copies.", "tenstride") {
    app_.set_version_flag("--version", version_text());
    app_.footer(examples);
    app_.require_subcommand(1);
    add_convert();
    add_explain();
    add_repl();
    add_show();
    add_explore();
    add_info();
    add_bench();
    add_completion();
  }

  int run(int argc, char** argv) {
    try {
      convert_.arguments.assign(argv, argv + argc);
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return app_.exit(error);  // help, version
      const Words words(argv + 1, static_cast<std::size_t>(argc - 1));
      const std::string text = wrong_call_text(words, commands(), error.what());
      return fail(text + "\nSee tenstride --help.", wrong_call, words);
    }
    return result_;
  }

 private:
  void add_convert() {
    CLI::App* command =
        app_.add_subcommand("convert", "Read a file, apply a chain of operations, write the result");
    command->footer(convert_examples);
    command->add_option("IN", convert_.input, "A file, or FILE::NAME for a tensor in it; - is standard input")
        ->required();
    add_raw(*command, convert_.raw);
    command
        ->add_option("SPEC", convert_.spec, "What to do with x, e.g. x.permute(2,0,1), or 'h w c -> c h w'")
        ->required();
    command->add_option("SIZES", convert_.sizes, "Sizes of a pattern's axes: h1=2 w1=2");
    command
        ->add_option("--reduce", convert_.reduction, "Reduce the axes that only the pattern's left side has")
        ->check(CLI::IsMember({"sum", "mean", "prod", "min", "max", "any", "all"}));
    command->add_flag("--repeat", convert_.repeats, "Repeat along the axes that only its right side has");
    command
        ->add_option("-o,--output", convert_.output,
                     "The file to write: " + io::writable_suffixes() + "; - is standard output")
        ->required();
    command
        ->add_option("--format", convert_.output_format,
                     "npy, png, …, whatever the output's name (of -: npy by default)")
        ->check(CLI::IsMember(output_formats()));
    command->add_flag("--keep-others", convert_.keeps_others,
                      "Tensors of IN that it does not name go to the output unchanged");
    command
        ->add_option("--leave-out", convert_.left_out,
                     "A tensor that does not go to the output, by its NAME or a pattern; "
                     "may be repeated")
        ->allow_extra_args(false);
    command->add_option("--max-file-size", convert_.max_file_size,
                        "Write several .safetensors files of at most so many bytes, e.g. 5G, and an index");
    command->add_option("--chunks", convert_.chunks,
                        "Extents of the chunks of a .zarr or .h5 output: 100,100 (about 4 MiB)");
    command->add_option("--shards", convert_.shards, "Extents of its shards, multiples of the chunks (none)");
    command->add_option("--codec", convert_.codec,
                        "none, gzip:6, zstd:3, blosc:lz4:5:shuffle, with +crc32c behind it (zstd)");
    command->add_option("--zarr-format", convert_.zarr_format, "2 or 3 (3)")->check(CLI::IsMember({2, 3}));
    command->add_flag(
        "--metadata-only", convert_.is_metadata_only,
        "Permute a .zarr folder by its metadata; decode nothing, and with --force and the input "
        "as output move no data");
    command->add_flag("--compress", convert_.compresses, "Deflate the elements of an .npz or .tif file");
    command->add_flag("--upright", convert_.turns_upright,
                      "Rotate or mirror a picture or a TIFF file by its orientation, before SPEC");
    command->add_option("--dtype", convert_.dtype, "Element type of the output, e.g. float32");
    command->add_option("--order", convert_.order, "C: last axis fastest; F: first axis fastest")
        ->check(CLI::IsMember({"C", "F"}))
        ->capture_default_str();
    command->add_option("--scale", convert_.scale,
                        "Multiply by: 0.5, 1/255, or one number per channel: 1,2,3");
    command->add_option("--shift", convert_.shift, "Then add; as --scale");
    command->add_option("--axis", convert_.axis, "The axis of the result that several numbers run along");
    command->add_flag(
        "--rescale", convert_.rescales,
        "Make elements what the input says they mean (NIfTI scl_slope, netCDF scale_factor, _FillValue), in "
        "float32 or float64");
    CLI::Option* dry = command->add_flag("--dry-run", is_dry_run_,
                                         "Print the bill and a forecast; read the header, write nothing");
    CLI::Option* verify =
        command->add_flag("--verify", convert_.verify,
                          "Read the result back and compare every element; of large files, the checksum");
    CLI::Option* verify_only =
        command->add_flag("--verify-only", is_verify_only_, "Write nothing: compare the existing output")
            ->excludes(dry)
            ->excludes(verify);
    dry->excludes(verify);
    command->add_flag("--json", is_json_, "The bill as JSON");
    command->add_option("--threads", convert_.threads, "Use at most so many threads")
        ->check(CLI::Range(1, 1024));
    command->add_flag("--force", convert_.force, "Replace the output where it exists");
    command
        ->add_option("--max-mem", convert_.max_mem,
                     "Use at most so much memory, e.g. 512M (half of what is free)")
        ->excludes(verify_only);
    command->add_flag("--resume", convert_.resumes, "Go on with a run that was interrupted")
        ->excludes(dry)
        ->excludes(verify_only);
    CLI::Option* task =
        command
            ->add_option("--task", task_,
                         "Do the K-th of N parts of a large conversion, e.g. 3/8; N processes do all of it, "
                         "in any order")
            ->excludes(verify_only);
    CLI::Option* plan_only =
        command
            ->add_option("--plan-only", convert_.plan_only,
                         "Write no output, but the tasks that would, as JSON to this file")
            ->excludes(dry)
            ->excludes(verify_only)
            ->excludes(task);
    command->add_option("--tasks", tasks_, "With --plan-only: how many tasks (8)")
        ->check(CLI::Range(std::uint64_t{1}, io::max_file_tasks))
        ->needs(plan_only);
    command->add_flag("--quiet", convert_.is_quiet, "Show no progress and, with -o -, no bill");
    add_max_spool(*command);
    command->callback([this] {
      limit_spool(max_spool_);
      convert_.format = format();
      if (is_dry_run_) convert_.rehearsal = Rehearsal::dry_run;
      if (is_verify_only_) convert_.rehearsal = Rehearsal::verify_only;
      if (task_) convert_.task = parse_task(*task_);
      if (!convert_.plan_only.empty()) convert_.task = io::FileTask{1, tasks_};
      result_ = cli::run(convert_);
    });
  }

  void add_explain() {
    CLI::App* command =
        app_.add_subcommand("explain", "Show what an expression does with memory, step by step");
    command->footer(explain_examples);
    command->add_option("EXPR", explain_.expression, "Statements in PyTorch's notation, or -")->required();
    command
        ->add_option("--input", explain_.inputs, "Bind x (or NAME=) to the tensor in a file; may be repeated")
        ->allow_extra_args(false);
    add_raw(*command, explain_.raw);
    add_raw_aliases(*command, explain_.raw);
    command->add_flag(
        "--plan", lists_plans_,
        "Tell how copies and reductions are planned: kernel, tiles, loops, threads; of a file also how "
        "convert goes from file to file");
    command->add_option(
        "--machine", explain_.machine,
        "With --plan: as on another processor: cascade_lake, emerald_rapids, zen3, zen5, or a file of "
        "bench --calibrate");
    command
        ->add_flag(
            "--measure", measures_plans_,
            "With --plan: run the ways of each copy on memory of their own, and tell what was measured "
            "beside what was foretold")
        ->excludes("--machine");
    command->add_option("--max-mem", explain_.max_mem,
                        "With --plan: the memory that convert may use, e.g. 512M (half of the free memory)");
    command->add_flag("--strict", is_strict_,
                      "A reshape that reorders the sizes fails; # as meant behind the call lets it be");
    command->add_flag("--picture", explain_.shows_picture, "Draw each step too, as tenstride show does");
    command->add_flag("--json", is_json_, "Steps, value, error and totals as JSON");
    add_max_spool(*command);
    command->callback([this] {
      if (measures_plans_ && !lists_plans_) throw UsageError("explain: --measure must go with --plan");
      if (lists_plans_) explain_.plans = measures_plans_ ? PlanDetail::measured : PlanDetail::listed;
      if (is_strict_) explain_.scrambles = ScrambleRule::refuse;
      explain_.format = format();
      limit_spool(max_spool_);
      result_ = cli::run(explain_);
    });
  }

  void add_show() {
    CLI::App* command =
        app_.add_subcommand("show", "Draw each step of an expression, or the tensor in a file");
    command->footer(show_examples);
    command->add_option("EXPR", show_.expression, "Statements in PyTorch's notation, a file, or - for either")
        ->required();
    command->add_option("-o,--output", show_.output, "The file to write: .svg, .png or .html");
    command->add_flag("--html", show_.as_page,
                      "One page to explore with the mouse and the arrow keys; without -o on standard output");
    command->add_option("--input", show_.inputs, "Bind x (or NAME=) to the tensor in a file; may be repeated")
        ->allow_extra_args(false);
    add_raw(*command, show_.raw);
    add_raw_aliases(*command, show_.raw);
    command->add_option("--what", show_.subject, "tensors; atoms of the chain; the walk of each copy")
        ->check(CLI::IsMember({"tensors", "atoms", "walk"}))
        ->capture_default_str();
    command
        ->add_option("--color", show_.colors, "By the index along an axis, or by the position in the storage")
        ->check(CLI::IsMember({"axis", "position"}))
        ->capture_default_str();
    command->add_option("--axis", show_.axis, "The axis whose index gives the colour")
        ->check(CLI::Range(0, 63))
        ->capture_default_str();
    CLI::Option* const mesh = command->add_option(
        "--mesh", show_.mesh,
        "Spread the first tensor over ranks, 4 or as a grid 2,2, and show who holds what");
    CLI::Option* const placements = command->add_option(
        "--placements", show_.placements,
        "With --mesh: one for each of its axes: S(0) or Shard(0), R, StridedShard(0,2), BlockCyclic(0,64)");
    mesh->needs(placements);
    placements->needs(mesh);
    command->add_option("--width", show_.width, "Columns of the terminal's form")
        ->check(CLI::Range(40, 1000));
    command->add_flag("--force", show_.force, "Replace the output where it exists");
    add_max_spool(*command);
    command->callback([this] {
      limit_spool(max_spool_);
      result_ = cli::run(show_);
    });
  }

  void add_repl() {
    CLI::App* command =
        app_.add_subcommand("repl", "Type PyTorch's notation line by line, see layouts, copies and pictures");
    command->footer(repl_examples);
    command->add_option("--input", repl_.inputs, "Bind x (or NAME=) to the tensor in a file; may be repeated")
        ->allow_extra_args(false);
    command->add_flag("--plan", lists_plans_, "Tell how copies and reductions are planned");
    command->add_flag("--picture", repl_.shows_pictures, "Draw what a line gives");
    command->add_flag("--strict", is_strict_, "A reshape that reorders the sizes fails, as in explain");
    command->callback([this] {
      if (lists_plans_) repl_.plans = PlanDetail::listed;
      if (is_strict_) repl_.scrambles = ScrambleRule::refuse;
      result_ = cli::run(repl_);
    });
  }

  void add_explore() {
    CLI::App* command =
        app_.add_subcommand("explore", "Open the explorer, a page that runs expressions in the browser");
    command->footer(explore_examples);
    command->add_option("EXPR", explore_.expression, "What the page begins with");
    command->add_option("--port", explore_.port, "Of the page's address on 127.0.0.1; 0: one that is free")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    command->add_flag("--no-browser", explore_.opens_nothing, "Print the address, open nothing");
    command->add_option("--folder", explore_.folder, "The page's files (where they were installed or built)");
    command->callback([this] { result_ = cli::run(explore_); });
  }

  void add_info() {
    CLI::App* command =
        app_.add_subcommand("info", "Show what a file holds; without --checksum only its header is read");
    command->footer(info_examples);
    command
        ->add_option("FILE", info_.paths,
                     "A file, or FILE::NAME for a tensor in it (* for several); - is standard input. Of "
                     "several files, "
                     "a folder or a pattern ('frames/*.tif') a table")
        ->required();
    add_raw(*command, info_.raw);
    add_raw_aliases(*command, info_.raw);
    command->add_flag("--checksum", info_.shows_checksum, "Read all elements and show their checksum");
    command->add_flag("--json", is_json_, "The same as JSON");
    add_max_spool(*command);
    command->callback([this] {
      limit_spool(max_spool_);
      info_.format = format();
      result_ = cli::run(info_);
    });
  }

  void add_bench() {
    CLI::App* command = app_.add_subcommand(
        "bench", "Measure how fast this machine, or a disk, is; forecasts use the result");
    command->footer(bench_examples);
    command->add_flag("--json", is_json_, "The same as JSON");
    CLI::Option* threads = command->add_option("--threads", bench_.threads, "Use at most so many threads")
                               ->check(CLI::Range(1, 1024));
    command->add_option("--disk", bench_.disk, "Measure the disk under this folder, not the memory")
        ->excludes(threads);
    command
        ->add_flag("--calibrate", bench_.calibrates,
                   "Measure which stores and streams of memory are faster here; copies are planned by that")
        ->excludes(threads)
        ->excludes("--disk");
    command->callback([this] {
      bench_.format = format();
      result_ = cli::run(bench_);
    });
  }

  void add_completion() {
    CLI::App* command =
        app_.add_subcommand("completion", "Print a script that completes tenstride's words in a shell");
    command->footer(completion_examples);
    command->add_option("SHELL", shell_, "bash, zsh or fish")->required();
    command->callback([this] { std::cout << completion_script(shell_); });
  }

  /// How the elements of an input without a header lie.
  static void add_raw(CLI::App& command, RawOptions& raw) {
    command.add_option("--shape", raw.shape, "The input has no header, but elements of this shape: 480,640");
    command.add_option("--input-dtype", raw.dtype, "With --shape: their type (uint8)");
    command.add_option("--input-order", raw.order, "With --shape: C (last axis fastest) or F")
        ->check(CLI::IsMember({"C", "F"}));
    command.add_option("--offset", raw.offset, "With --shape: bytes before them");
    command.add_flag("--byteswap", raw.is_byte_swapped, "With --shape: their bytes stand in the other order");
  }

  /// Of commands without an output, which has a type and an order of its own.
  static void add_raw_aliases(CLI::App& command, RawOptions& raw) {
    command.add_option("--dtype", raw.dtype, "The same as --input-dtype");
    command.add_option("--order", raw.order, "The same as --input-order")->check(CLI::IsMember({"C", "F"}));
  }

  /// The ends of names without their dots.
  static std::vector<std::string> output_formats() {
    std::vector<std::string> formats;
    for (const std::string& suffix : io::written_suffixes()) formats.push_back(suffix.substr(1));
    return formats;
  }

  void add_max_spool(CLI::App& command) {
    command.add_option("--max-spool", max_spool_,
                       "Read at most so much from a pipe, e.g. 4G (half of what is free where it is kept)");
  }

  [[nodiscard]] std::vector<std::string> commands() const {
    std::vector<std::string> names;
    for (const CLI::App* command : app_.get_subcommands(nullptr)) names.push_back(command->get_name());
    return names;
  }

  [[nodiscard]] Format format() const { return is_json_ ? Format::json : Format::text; }

  CLI::App app_;
  ConvertCommand convert_;
  ExplainCommand explain_;
  ReplCommand repl_;
  ShowCommand show_;
  ExploreCommand explore_;
  InfoCommand info_;
  BenchCommand bench_;
  std::string shell_;
  std::string max_spool_;
  std::optional<std::string> task_;
  std::uint64_t tasks_ = 8;
  bool is_json_ = false;
  bool lists_plans_ = false;
  bool measures_plans_ = false;
  bool is_strict_ = false;
  bool is_dry_run_ = false;
  bool is_verify_only_ = false;
  int result_ = done;
};

}  // namespace
}  // namespace tenstride::cli

int main(int argc, char** argv) {
  namespace cli = tenstride::cli;
  cli::hold_standard_descriptors();
  const cli::Words words(argv + 1, static_cast<std::size_t>(std::max(argc, 1) - 1));
  const cli::TerminalEncoding encoding;
  int result = cli::failed;
  try {
    result = cli::CommandLine().run(argc, argv);
  } catch (const cli::UsageError& error) {
    result = cli::fail(error.what(), cli::wrong_call, words);
  } catch (const tenstride::ParseError& error) {
    result = cli::fail(error.what(), cli::wrong_call, words);
  } catch (const std::bad_alloc&) {
    result = cli::fail("there is not enough memory", cli::failed, words);
  } catch (const std::exception& error) {
    result = cli::fail(error.what(), cli::failed, words);
  }
  std::cout.flush();
  if (!std::cout && result == cli::done) {
    std::cerr << "tenstride: standard output cannot be written\n";
    return cli::failed;
  }
  return result;
}
