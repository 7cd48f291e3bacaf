// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/copy/lazy.hpp"
#include "tenstride/expression/expression.hpp"

/// What an expression does with memory, in words: each step's layout, what is a view and what a copy and why,
/// and for what is refused the reason and the ways out.
namespace tenstride {

/// A part of a text that another text takes the place of.
struct TextEdit {
  TextRange range;
  std::string text;
  friend bool operator==(const TextEdit&, const TextEdit&) = default;
};

/// A way round a refused view. Each was carried out on a meta tensor and does what it says.
struct Fix {
  /// ".reshape(12)"; or, where a step that can be undone is known, ".view(12) before .permute(0,2,1)".
  std::string code;
  /// 0 where nothing is copied.
  Index elements_copied = 0;
  Index bytes_copied = 0;
  /// Whether the result has the elements in another order than the refused view would have had.
  bool reorders = false;
  /// What writes it into the expression; empty where there is none, and where that takes more than the call
  /// and those before it.
  std::vector<TextEdit> edits{};
};

/// Why a refused view is none, for a tensor.
struct ViewExplanation {
  ViewObstacle obstacle;
  std::vector<Fix> fixes;
  /// What the error of `Tensor::view` says below PyTorch's line: from and to, the axes that cannot merge and
  /// their numbers, where the elements lie, the groups, the fixes with their price. Lines are indented by two
  /// spaces.
  std::string text;
};

/// Nothing where `x.view(sizes)` is possible. One size may be -1; throws ShapeError where they do not fit.
/// Example: `why_not_view(zeros({2, 3}).t(), {6})->fixes[0].bytes_copied == 24`.
TENSTRIDE_API std::optional<ViewExplanation> why_not_view(const Tensor& x, const Dims& sizes);

/// What keeps a layout from being row-major; several may be true of one.
struct ContiguityObstacle {
  Layout layout;
  /// The last axis whose stride is not the row-major one; axes of size 1 play no part.
  std::size_t axis = 0;
  Index stride_found = 0;
  Index stride_needed = 0;
  /// Axes stand in another order than in memory: the order that sorts them, or empty.
  Dims order;
  /// An axis of stride 0 has one element for all its indexes.
  bool repeats = false;
  /// An axis is walked from its end, by a negative stride.
  bool is_backwards = false;
  /// Elements of the storage lie between those of the tensor.
  bool has_gaps = false;
  /// Two indexes may reach the same element, though no stride is 0 (windows); see is_provably_unique.
  bool may_overlap = false;
};

/// Nothing where the layout is contiguous. Example: of `(3,2):(1,3)+0` axis 1 moves 3 and must move 1, and
/// the order (1,0) sorts the axes.
TENSTRIDE_API std::optional<ContiguityObstacle> why_not_contiguous(const Layout& layout);

/// The obstacle in a few words: "axes out of order, gaps", "repeats elements", "backwards".
TENSTRIDE_API std::string summary(const ContiguityObstacle& obstacle);

/// In full, lines indented by two spaces: strides and the row-major ones, the axis, what is the matter in
/// words, and what `contiguous` copies or what makes it contiguous without. `item_size` in bytes prices the
/// copy; 0 leaves the bytes out.
TENSTRIDE_API std::string to_string(const ContiguityObstacle& obstacle, std::size_t item_size = 0);

/// What transpose and reshape to the same shape make of one tensor: the sentence of `to_string(Scramble)`,
/// then a table of the first places that differ, with the elements there, then how many differ. Nothing where
/// the sizes are no scramble of the tensor's. One size may be -1. Lines but the first are indented by two
/// spaces.
TENSTRIDE_API std::optional<std::string> explain_scramble(const Tensor& x, const Dims& sizes);
/// What `explain_scramble` says, as facts.
TENSTRIDE_API std::optional<ScrambleSeen> see_scramble(const Tensor& x, const Dims& sizes);
/// The table and the count.
TENSTRIDE_API std::string to_string(const ScrambleSeen& seen);

/// The layout operations that led to a value: carried out one by one, and held back as one chain.
struct ChainComparison {
  /// The step that made the tensor they begin with; nothing for a bound input.
  std::optional<std::size_t> source;
  Layout from;
  DType dtype = DType::float32;
  std::vector<EagerStep> eager;
  std::size_t eager_copies = 0;
  Index eager_bytes_read = 0;
  Index eager_bytes_written = 0;
  /// What `lazy(x)….materialize()` does.
  ChainPlan plan;
  ChainCost cost;
  /// Read and written, that the chain need not.
  [[nodiscard]] TENSTRIDE_API Index bytes_saved() const;
};

struct Explanation {
  /// The text that was explained; in an ExplainSession all texts so far, each with a line end behind it.
  std::string expression;
  Evaluation evaluation;
  /// For each step: which step is to blame that it is not contiguous, or that it had to copy. The step's own
  /// number where it is that step. Nothing where nothing is to blame, or where the tensor came so from
  /// outside.
  std::vector<std::optional<std::size_t>> causes;
  /// The step to blame for the layout of the tensor that a failure was about.
  std::optional<std::size_t> failure_cause;
  /// What a chain would cost for the value, or the last tensor where the value is none; nothing where it is
  /// not made by layout operations, after a failure, and where elements are written on the way.
  std::optional<ChainComparison> chain;
  /// What may be done instead of a refused view.
  std::vector<Fix> fixes;
  /// The failure's whole text without its type: message, fixes, and the place in the expression. Empty
  /// without one.
  std::string message;
  /// Why the value was left out; else empty.
  std::string note;
  /// Made by an ExplainSession: then less is told where nothing happened.
  bool is_of_session = false;
};

struct ExplainOptions {
  /// Names that stand for tensors.
  std::map<std::string, Tensor> inputs{};
  /// An expression that needs more memory than this is followed without any (on meta), and has no value.
  Index max_bytes = Index{1} << 30;
  /// A reshape that is a scramble (see scramble.hpp) is a failure if refused. A comment `# as meant` in the
  /// line where the call ends lets it be.
  ScrambleRule scrambles = ScrambleRule::tell;
  /// What opens files; see EvaluateOptions. Elements are read only where an operation needs them, and in an
  /// ExplainSession.
  FileOpener open_file{};
};

/// Parses and evaluates; a text that does not parse is a failure of type "SyntaxError". Throws nothing but
/// std::bad_alloc.
/// Example: `explain("torch.zeros(2, 3).T.view(6)").fixes[0].code == ".reshape(6)"`.
TENSTRIDE_API Explanation explain(std::string_view expression, const ExplainOptions& options = {});

/// Explanations one after another: what a text binds is bound in the next, and causes are found across texts.
class TENSTRIDE_API ExplainSession {
 public:
  explicit ExplainSession(ExplainOptions options = {});
  /// Explains a text as `explain` does, with the steps of this text alone. One that needs more memory than
  /// allowed is not carried out and is a failure of type "MemoryError".
  Explanation explain(std::string_view text);
  [[nodiscard]] const Interpreter& interpreter() const noexcept { return interpreter_; }

 private:
  ExplainOptions options_;
  Interpreter interpreter_;
};

/// `color` adds ANSI escapes.
enum class TextStyle : unsigned char { plain, color };

/// Whether it is told how each copy was planned, and what was foretold and measured of its other ways.
enum class PlanDetail : unsigned char { left_out, listed, measured };
/// Copies whose two sides need more memory together are not measured.
inline constexpr Index max_measured_bytes = Index{4} << 30;

/// A line for each step (call, layout, dtype, contiguity, kind, bytes, reason, the step to blame), then,
/// where they are asked for, the plans, then what was printed, the value, the failure, the totals; then what
/// the steps would cost as a chain, where there is a pattern among them or a chain saves bytes. Ends with a
/// line end.
TENSTRIDE_API std::string to_text(const Explanation& explanation, TextStyle style = TextStyle::plain,
                                  PlanDetail plans = PlanDetail::left_out);

/// Everything as JSON on one line:
/// ```text
/// {"expr",
///  "steps":[{"op","kind","dtype","shape","strides","offset","contiguous","shares_storage","bytes_moved",
///    "bytes_allocated","transfer":null|{"from","to","memory","blocking","bytes"},"reason","cause",
///    "not_contiguous":null|{"axis","stride_found","stride_needed","order","repeats","backwards","gaps",
///      "may_overlap"},
///    "scramble":null|{"from","to","split","order","certainty","meant","places":[{"index","reshaped_from",
///      "meant_from","found","meant"}],"differing"},
///    "layout","call","range":[begin, end]}],
///  "printed","value","value_text","note",
///  "error":null|{"type","message","range","call","notation","step","obstacle","cause","scramble"},
///  "totals":{"copies","bytes_moved","transfers","bytes_transferred","peak_bytes","peak_device_bytes"},
///  "chain":null|{"source","shape","strides","offset","dtype",
///    "eager":{"steps":[{"call","kind","shape","strides","offset","bytes_read","bytes_written"}],"copies",
///      "bytes_read","bytes_written"},
///    "lazy":{"copies","bytes_read","bytes_written","peak_bytes","plan":[{"from","to"}],"result"},
///    "bytes_saved"}}
/// ```
/// "layout" is text, such as "(3,2):(1,3)+0". A range has places of the expression, in bytes. "printed" is
/// what `print` printed, "value_text" the value as Python prints it, "note" why it was left out; empty where
/// there is none. "notation" is true where the text says what does not exist, and "call" is null then. The
/// fixes of an obstacle have
/// `"edits":[{"range","text"}]`, which write them into the expression. "source" is the number of the step
/// that the chain begins with, null for an input; "plan" has layouts as text. The "step" of an error is the
/// number of steps done before it; "cause" the number of the step to blame, from 1 on, or null. "reason" is
/// null where there is none, and holds the hint of a likely mistake too. A complex number is `[re, im]`, a
/// number that is not finite a string, the value of more than 10000 elements null. With plans each step has
/// `plan_count` too, and
/// ```text
/// "plans":[{"kernel","elements","src_dtype","dst_dtype","streaming","threads",
///   "loops":[{"extent","dst_stride","src_stride"}],"text","costs","run"}],
/// "reductions":[{"way","reduction","src_dtype","dst_dtype","results","tile","cuts","streaming",
///   "result_loops","reduction_loops","text"}]
/// ```
/// where "text" is `CopyPlan::to_string` or `ReducePlan::to_string`, "run" is `run_text`, and "costs" has
/// what was weighed as multiples of a plain copy's time, such as `{"rows":3.5,"blocks, gathered":1.67}`. Of
/// `PlanDetail::measured` each plan has `"measured":[{"way","variation","foretold","measured","seconds"}]`
/// too, by rising time;
/// null where it was not measured.
TENSTRIDE_API std::string to_json(const Explanation& explanation, PlanDetail plans = PlanDetail::left_out);

/// The steps, each as in `to_json` but for "call" and "range", as a JSON array.
TENSTRIDE_API std::string to_json(const std::vector<Step>& steps);

}  // namespace tenstride
