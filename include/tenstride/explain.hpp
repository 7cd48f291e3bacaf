// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/expression.hpp"
#include "tenstride/lazy.hpp"

/// What an expression does with memory, in words: each step's layout, what is a view and what a copy and why,
/// and for what is refused the reason and the ways out.
namespace tenstride {

/// A way round a refused view. Each was carried out on a meta tensor and does what it says.
struct Fix {
  /// ".reshape(12)"; or, where a step that can be undone is known, ".view(12) before .permute(0,2,1)".
  std::string code;
  /// 0 where nothing is copied.
  Index elements_copied = 0;
  Index bytes_copied = 0;
  /// Whether the result has the elements in another order than the refused view would have had.
  bool reorders = false;
};

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
  std::string expression;
  Evaluation evaluation;
  /// For the value, or the last tensor where the value is none; nothing where it is not made by layout
  /// operations, after a failure, and where elements are written on the way.
  std::optional<ChainComparison> chain;
  /// For a refused view.
  std::vector<Fix> fixes;
  /// The failure's whole text without its type: message, fixes, and the place in the expression. Empty
  /// without one.
  std::string message;
  /// Why the value was left out; else empty.
  std::string note;
};

struct ExplainOptions {
  /// Names that stand for tensors.
  std::map<std::string, Tensor> inputs{};
  /// An expression that needs more memory than this is followed without any (on meta), and has no value.
  Index max_bytes = Index{1} << 30;
};

/// Parses and evaluates; a text that does not parse is a failure of type "SyntaxError". Throws nothing but
/// std::bad_alloc.
/// Example: `explain("torch.zeros(2, 3).T.view(6)").fixes[0].code == ".reshape(6)"`.
TENSTRIDE_API Explanation explain(std::string_view expression, const ExplainOptions& options = {});

/// `color` adds ANSI escapes.
enum class TextStyle : unsigned char { plain, color };

/// Whether it is told how each copy was planned.
enum class PlanDetail : unsigned char { left_out, listed };

/// A line for each step (call, layout, dtype, contiguity, kind, bytes, reason), then, where they are asked
/// for, the plans, then what was printed, the value, the failure, the totals; then what the steps would cost
/// as a chain, where there is a pattern among them or a chain saves bytes. Ends with a line end.
TENSTRIDE_API std::string to_text(const Explanation& explanation, TextStyle style = TextStyle::plain,
                                  PlanDetail plans = PlanDetail::left_out);

/// `{"expr","steps":[{"op","kind","dtype","shape","strides","offset","contiguous","shares_storage","bytes_moved",
/// "bytes_allocated","reason"}],"value","error":null|{"type","message","step","obstacle"},"totals":{"copies",
/// "bytes_moved","peak_bytes"},"chain":null|{"source","shape","strides","offset","dtype","eager":{"steps":[{"call",
/// "kind","shape","strides","offset","bytes_read","bytes_written"}],"copies","bytes_read","bytes_written"},
/// "lazy":{"copies","bytes_read","bytes_written","peak_bytes","plan":[{"from","to"}],"result"},"bytes_saved"}}`
/// on one line; "source" is the number of the step that the chain begins with, null for an input, "plan" has
/// layouts as text. `step` is the number of steps done before the failure; `reason`
/// is null where there is none, and holds the hint of a likely mistake too; a complex number is [re, im], a
/// number that is not finite a string; the value of more than 10000 elements is null. With plans each step
/// has `"plans":[{"kernel","elements","src_dtype","dst_dtype","streaming","threads","loops":[{"extent",
/// "dst_stride","src_stride"}],"text"}]` and `plan_count` too; `text` is `CopyPlan::to_string`.
TENSTRIDE_API std::string to_json(const Explanation& explanation, PlanDetail plans = PlanDetail::left_out);

/// The steps, each as in `to_json`, as a JSON array.
TENSTRIDE_API std::string to_json(const std::vector<Step>& steps);

/// "48 B", "1.5 MiB".
TENSTRIDE_API std::string bytes_to_text(Index bytes);

}  // namespace tenstride
