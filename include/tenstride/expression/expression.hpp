// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/layout/chain.hpp"
#include "tenstride/layout/reshape.hpp"
#include "tenstride/layout/scramble.hpp"
#include "tenstride/memory/transfer.hpp"
#include "tenstride/operations/value.hpp"
#include "tenstride/plan/copy_plan.hpp"
#include "tenstride/reduce/reduce_plan.hpp"
#include "tenstride/tensor/tensor.hpp"

/// PyTorch's notation as text: `x.permute(0, 2, 1)[:, ::2].view(-1)`.
namespace tenstride {

/// The line of `text` that holds the range, and below it a caret and a tilde for each further character, both
/// indented by two spaces. Columns are counted in code points.
/// Example: `point_at("x.perm(0)", {2, 6}) == "  x.perm(0)\n    ^~~~"`.
TENSTRIDE_API std::string point_at(std::string_view text, TextRange range);

namespace detail {
struct ProgramTree;
}

/// Statements in PyTorch's notation, parsed: expressions and assignments (`y = x.T`, `y[0, 0] = 3`,
/// `n += 1`), and `import torch` (which does nothing), separated by `;` or line ends. Python's numbers,
/// strings, lists and tuples with their arithmetic and comparisons; of its functions `print` alone, and no
/// blocks. Comments begin with `#`; a leading `>>>` is skipped. A value, cheap to copy.
class TENSTRIDE_API Program {
 public:
  /// Throws ParseError: what was found and what was expected, the line and a caret under the place.
  /// Example: `Program::parse("x = torch.arange(6); x.view(2, 3).T")`.
  static Program parse(std::string_view text);
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const detail::ProgramTree& tree() const { return *tree_; }

 private:
  explicit Program(std::shared_ptr<const detail::ProgramTree> tree) : tree_(std::move(tree)) {}
  std::shared_ptr<const detail::ProgramTree> tree_;
};

/// A layout operation as a library does it that carries out each at once. A call is one, a pattern several.
struct EagerStep {
  /// ".reshape(2,4,15)"; of a call its text.
  std::string call;
  StepKind kind = StepKind::view;
  Layout layout;
  /// The bytes that a copy reads and writes; otherwise 0.
  Index bytes_read = 0;
  Index bytes_written = 0;
};

/// A scramble as it was met: where the elements stand, and where they would stand had the axes been moved.
struct ScrambleSeen {
  Scramble scramble;
  /// The first places that differ, at most 3; and the elements there after the reshape, and after what was
  /// probably meant, as Python prints numbers. No elements where there is no memory.
  std::vector<ScrambledPlace> places;
  std::vector<std::string> found;
  std::vector<std::string> meant;
  /// The places that differ, by their index; counted up to 65536 elements.
  std::optional<Index> differing;
};

/// A reduction of elements whose origin is known.
struct ReducedOrigin {
  Reduction reduction = Reduction::sum;
  /// The bound tensor's elements with the axes that stay in front of those that are reduced.
  Chain axes;
  std::size_t kept = 0;
  /// The type that elements are converted to before, where the call says one.
  std::optional<DType> dtype;
};

/// One tensor that a call of the notation made; a call with several results makes several steps.
struct Step {
  /// PyTorch's name: "permute", "T"; "index" and "index_put_" for brackets; "eq" and the like for
  /// comparisons.
  std::string op;
  StepKind kind = StepKind::view;
  DType dtype = DType::float32;
  Layout layout;
  bool contiguous = true;
  /// Whether the result lies in the storage of the tensor the call began with.
  bool shares_storage = false;
  /// Bytes read plus bytes written by a copy, each written element being read once; 0 for every other kind,
  /// and in-place writes (`copy_`, `fill_`, `y[0] = 1`) count as their elements do.
  Index bytes_moved = 0;
  /// The part of `bytes_moved` that was written without reading as many: by `fill_` and the like.
  Index bytes_filled = 0;
  /// Bytes of the fresh storage.
  Index bytes_allocated = 0;
  /// The link of a transfer, and the bytes that cross it. What is copied before and after it on either side
  /// is `bytes_moved`.
  std::optional<Link> link{};
  Index bytes_transferred = 0;
  /// Why a copy was made; empty for other kinds.
  std::string reason;
  /// How a copy, or a write in place, was planned; an operation may copy several times, and the first 16
  /// plans are kept. Empty for other kinds, and where single elements were picked rather than a layout
  /// copied.
  std::vector<CopyPlan> plans;
  /// How many plans there were.
  std::size_t plan_count = 0;
  /// How its reductions were planned; the first 16 are kept.
  std::vector<ReducePlan> reductions;
  /// A likely mistake: a reshape that is a scramble (see scramble.hpp), and what was probably meant; or what
  /// a transfer costs that it need not. Mostly empty.
  std::string hint;
  /// The facts of the hint of a reshape. Nothing, and no hint, where the rest of the call's line is a comment
  /// that says `as meant`.
  std::optional<ScrambleSeen> scramble;
  /// The step that made the tensor the call began with; nothing where that was bound from outside or where
  /// the call is a factory.
  std::optional<std::size_t> source;
  /// The layout of that tensor and its element type; nothing where the call is a factory or takes a list.
  std::optional<Layout> from;
  DType from_dtype = DType::float32;
  /// The call in the text: ".permute(0, 2, 1)", "[1:]", "torch.zeros(2)", "x == y".
  TextRange range;
  /// The layout operations up to this one with nothing carried out, from the last tensor on that was made
  /// otherwise.
  std::optional<Chain> chain;
  /// The layout operation itself, or those that a pattern consists of.
  std::vector<EagerStep> eager;
  /// Which element of the bound tensor each element is, if all steps from there on move or convert elements:
  /// the layout operations as one chain. Behind a reduction, which element of its row-major result each is.
  /// Only with `OriginRule::followed`.
  std::optional<Chain> origin{};
  /// The reduction that lies between the bound tensor and `origin`.
  std::optional<ReducedOrigin> reduced{};
};

/// Why an evaluation stopped.
struct Failure {
  /// `notation`: the text names or passes what does not exist; `operation`: a well-formed call was refused.
  enum class Cause : unsigned char { notation, operation };
  Cause cause = Cause::operation;
  /// Python's name of it: "RuntimeError", "NameError".
  std::string type;
  /// The text of the error without the type; for a refused view PyTorch's line and the obstacle.
  std::string message;
  TextRange range;
  /// The name of the refused operation; empty where none was reached.
  std::string op;
  /// The tensor it was called on, where there is one, and the step that made that tensor.
  std::optional<Layout> layout;
  DType dtype = DType::float32;
  std::optional<std::size_t> source;
  std::optional<ViewObstacle> obstacle;
  /// What a refused scramble would have done.
  std::optional<ScrambleSeen> scramble;
};

struct Totals {
  /// Steps of kind copy.
  std::size_t copies = 0;
  Index bytes_moved = 0;
  /// The part of `bytes_moved` that no copy moved: it was written without reading as many.
  Index bytes_filled = 0;
  /// Steps of kind transfer, and the bytes that cross the links.
  std::size_t transfers = 0;
  Index bytes_transferred = 0;
  /// The most bytes of storages of other devices alive at once.
  Index peak_device_bytes = 0;
  /// The most bytes of storages on the cpu (or meta) alive at once, those of bound inputs left out; a value
  /// lives as in Python, until the call that used it is over or its name is bound anew.
  Index peak_bytes = 0;
};

/// What `evaluate` gives; on failure all up to there.
struct Evaluation {
  std::vector<Step> steps;
  /// The first step of this program; above 0 only in an Interpreter that carried out others before.
  std::size_t first_step = 0;
  /// The value of the last statement; None where that is no expression.
  Value value;
  /// What `print` printed.
  std::string output;
  std::optional<Failure> failure;
  Totals totals;
};

/// What happens at a reshape that is a scramble (see scramble.hpp): it is told by `Step::hint`, or it is a
/// Failure.
enum class ScrambleRule : unsigned char { tell, refuse };

/// Whether steps tell where their elements came from (`Step::origin`).
enum class OriginRule : unsigned char { left_out, followed };

/// Whether a slice may walk backwards, `x[:, ::-1]`: PyTorch refuses that, NumPy does not. A flip of what the
/// slice walks over forwards then takes its place.
enum class SliceRule : unsigned char { forwards, both_ways };

/// What is wanted of a file that is opened: its layout, by a tensor on meta; or its elements, too.
enum class FileContent : unsigned char { layout, elements };

/// A tensor of a file, and how it stands there: "mapped", "in chunks of (1,64,64), deflate".
struct OpenedFile {
  Tensor tensor;
  std::string standing;
};
/// Opens the tensor that an address means, as the program takes it: "x.npy", "f.h5::a/b". Throws Error.
using FileOpener = std::function<OpenedFile(const std::string& address, FileContent content)>;

struct EvaluateOptions {
  /// Names that stand for tensors, e.g. x.
  std::map<std::string, Tensor> inputs{};
  /// Where factories allocate unless told otherwise; on meta nothing is allocated and nothing moves.
  Device device = Device::cpu;
  /// Whether tensors with elements may go to a device that has none here; without elements, all may.
  AbsentDevice absent = AbsentDevice::refuse;
  /// So many links at the end of the last statement's chain are not carried out: 1 of `x.T.contiguous()`
  /// gives `x.T`. What is left out must exist.
  std::size_t links_left_out = 0;
  /// Is shown each step and its tensor as soon as they are there. A tensor that is kept keeps its storage
  /// alive, which then counts in `Totals::peak_bytes`.
  std::function<void(const Step&, const Tensor&)> on_step{};
  ScrambleRule scrambles = ScrambleRule::tell;
  OriginRule origins = OriginRule::left_out;
  SliceRule slices = SliceRule::forwards;
  /// What `open("x.npy")` and `open("f.h5")["a/b"]` are carried out by, of layouts alone where the device is
  /// meta; nothing refuses them. `io::open_for_notation` is one.
  FileOpener open_file{};
};

/// Carries out a program, statement by statement. A refused call ends it and stands in `failure`; nothing is
/// thrown but std::bad_alloc. Random numbers begin at the seed 0 unless `torch.manual_seed` is called. A
/// program whose lists have more than 4,000,000 items together is stopped.
/// Example: `evaluate(Program::parse("torch.arange(6).view(2, 3).T")).steps[2].layout` is `(3,2):(1,3)+0`.
TENSTRIDE_API Evaluation evaluate(const Program& program, const EvaluateOptions& options = {});

/// Programs one after another, as at Python's prompt: names, steps and the random numbers stay.
/// Example: after `run("x = torch.arange(6)")` the program `run("x.view(2, 3).T")` gives three steps, of
/// which it made the last two.
class TENSTRIDE_API Interpreter {
 public:
  /// `links_left_out` is not heeded.
  explicit Interpreter(EvaluateOptions options = {});
  ~Interpreter();
  Interpreter(Interpreter&& other) noexcept;
  Interpreter& operator=(Interpreter&& other) noexcept;

  /// Carries out the next program. The steps are those of all programs so far, and ranges are those in
  /// `text()`. A failure ends this program only; what it bound before stays bound. Throws ParseError, and
  /// then nothing has changed, and std::bad_alloc.
  Evaluation run(std::string_view program);
  /// What `run` would give, on meta, and with no effect on what comes after.
  [[nodiscard]] Evaluation forecast(std::string_view program) const;

  /// All programs so far, each with a line end behind it.
  [[nodiscard]] const std::string& text() const noexcept;
  /// The names that are bound, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  /// What the name stands for, or null.
  [[nodiscard]] const Value* find(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How the text before a cursor may go on: the names that fit the unfinished name at its end, sorted; after a
/// dot behind a tensor's name the methods and attributes of tensors, behind `torch.` the functions and
/// constants. `begin` is where that name begins in the text. Example: "x.perm" gives {2, {"permute",
/// "permute_"}}.
struct Completion {
  std::size_t begin = 0;
  std::vector<std::string> names;
};
TENSTRIDE_API Completion complete(std::string_view text, const std::vector<std::string>& bound_names = {});

}  // namespace tenstride
