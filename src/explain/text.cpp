// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/message.hpp"
#include "explain/call_text.hpp"
#include "tenstride/copy/measure.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

using Row = std::array<std::string, 6>;

constexpr std::string_view dim = "\033[2m";
constexpr std::string_view bold = "\033[1m";
constexpr std::string_view red = "\033[31m";
constexpr std::string_view green = "\033[32m";
constexpr std::string_view yellow = "\033[33m";

class Writer {
 public:
  Writer(const Explanation& explanation, TextStyle style)
      : explanation_(explanation), steps_(explanation.evaluation.steps), style_(style) {}

  std::string run(PlanDetail plans) {
    first_ = explanation_.evaluation.first_step;
    rows();
    if (plans != PlanDetail::left_out) list_plans(plans);
    const Evaluation& evaluation = explanation_.evaluation;
    if (!evaluation.output.empty()) text_ += gap() + evaluation.output;
    if (!evaluation.value.is_none()) text_ += gap() + evaluation.value.repr() + '\n';
    if (!explanation_.note.empty()) text_ += gap() + explanation_.note + '\n';
    if (evaluation.failure) {
      text_ += gap() + painted(evaluation.failure->type, red) + ": " + explanation_.message + '\n';
    } else if (steps_.size() > first_ && !(is_session() && evaluation.totals.copies == 0)) {
      text_ += gap() + totals() + '\n';
    }
    if (explanation_.chain && is_worth_telling(*explanation_.chain)) compare(*explanation_.chain);
    return std::move(text_);
  }

 private:
  /// Steps of one call beyond these are only counted.
  static constexpr std::size_t max_alike = 4;

  [[nodiscard]] std::string gap() const { return text_.empty() ? "" : "\n"; }
  [[nodiscard]] std::string painted(std::string_view text, std::string_view color) const {
    if (style_ == TextStyle::plain || text.empty()) return std::string(text);
    return detail::message(color, text, "\033[0m");
  }
  [[nodiscard]] std::string call(TextRange range) const {
    return detail::call_text(explanation_.expression, range);
  }
  [[nodiscard]] bool same_call(std::size_t i, std::size_t j) const {
    return steps_[i].range == steps_[j].range && steps_[i].op == steps_[j].op;
  }

  /// Bytes, the reason, and the step to blame; of a view what it did to contiguity.
  [[nodiscard]] std::string cost(std::size_t i) const {
    const Step& step = steps_[i];
    std::string text;
    if (step.kind == StepKind::fresh) text = bytes_to_text(step.bytes_allocated);
    if (step.kind == StepKind::file)
      text = bytes_to_text(numel(step.layout) * static_cast<Index>(item_size(step.dtype)));
    if (step.link) text = bytes_to_text(step.bytes_transferred) + " over the link";
    if (step.bytes_moved > 0)
      text += (text.empty() ? "" : ", ") + moved_text(step.bytes_moved, step.bytes_filled);
    if (!step.reason.empty()) text += (text.empty() ? "" : ": ") + step.reason;
    const std::optional<std::size_t> cause =
        i < explanation_.causes.size() ? explanation_.causes[i] : std::nullopt;
    if (!cause) return text;
    if (*cause == i) {
      const std::optional<ContiguityObstacle> obstacle = why_not_contiguous(step.layout);
      if (obstacle) text += (text.empty() ? "" : ": ") + summary(*obstacle);
    } else if (step.kind == StepKind::copy) {
      text += detail::message(" (since step ", *cause + 1, ")");
    }
    return text;
  }

  [[nodiscard]] std::string note(const Step& step) const {
    if (step.hint.empty()) return {};
    std::string text = "   " + painted("note:", yellow) + ' ' + step.hint + '\n';
    if (!step.scramble) return text;
    std::string table = "  " + to_string(*step.scramble);
    for (std::size_t at = 0; (at = table.find('\n', at)) != std::string::npos; at += 3)
      table.insert(at + 1, "  ");
    return text + table + '\n';
  }

  /// Whether less is told, as of one line of a session: nothing where nothing was copied.
  [[nodiscard]] bool is_session() const { return explanation_.is_of_session; }

  void rows() {
    std::vector<Row> rows;
    std::vector<std::string> notes;  // below each row
    for (std::size_t i = first_; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      std::size_t first = i;
      while (first > first_ && same_call(first - 1, i)) --first;
      if (i - first >= max_alike) {
        const bool is_last = i + 1 == steps_.size() || !same_call(i, i + 1);
        if (is_last) notes.back() += detail::message("   … and ", i - first - max_alike + 1, " more\n");
        continue;
      }
      rows.push_back({std::to_string(i + 1), call(step.range), to_string(step.layout),
                      std::string(name(step.dtype)), step.contiguous ? "contiguous" : "not contiguous",
                      std::string(name(step.kind))});
      rows_cost_.push_back(cost(i));
      notes.push_back(note(step));
    }
    const std::optional<Failure>& failure = explanation_.evaluation.failure;
    if (failure && failure->cause == Failure::Cause::operation && !failure->op.empty()) {
      rows.push_back({std::to_string(steps_.size() + 1), call(failure->range), "refused", "", "", ""});
      rows_cost_.emplace_back();
      notes.emplace_back();
    }
    lay_out(rows, notes);
  }

  void lay_out(const std::vector<Row>& rows, const std::vector<std::string>& notes) {
    std::array<std::size_t, 6> widths{};
    for (const Row& row : rows) {
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::string line;
      for (std::size_t c = 0; c < rows[r].size(); ++c) {
        const std::string& cell = rows[r][c];
        line += painted(cell, color(c, cell)) + std::string(widths[c] - cell.size() + 2, ' ');
      }
      line += rows_cost_[r];
      line.erase(line.find_last_not_of(' ') + 1);
      text_ += line + '\n' + notes[r];
    }
  }

  void list_plans(PlanDetail plans) {
    for (std::size_t i = first_; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if (step.plans.empty() && step.reductions.empty()) continue;
      text_ += gap() + detail::message("plan of step ", i + 1, ", ", call(step.range), ":\n");
      for (const CopyPlan& plan : step.plans) {
        const std::string carried_out = run_text(plan);
        list_plan(plan.to_string() + (carried_out.empty() ? "" : "\n  run      " + carried_out));
        if (plans == PlanDetail::measured) list_plan(measured(plan));
      }
      for (const ReducePlan& plan : step.reductions) list_plan(plan.to_string());
      if (step.plan_count > step.plans.size()) {
        text_ += detail::message("  … and ", step.plan_count - step.plans.size(), " more\n");
      }
    }
  }

  static std::string measured(const CopyPlan& plan) {
    const Index bytes = measured_bytes(plan);
    if (bytes <= max_measured_bytes) return to_text(measure_anew(plan, options_here()));
    return detail::message("  not measured: both sides need ", bytes_to_text(bytes), " of memory, more than ",
                           bytes_to_text(max_measured_bytes));
  }

  void list_plan(std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) {
      text.insert(at + 1, "  ");
    }
    text_ += "  " + text + '\n';
  }

  static std::string_view color(std::size_t column, const std::string& cell) {
    if (column == 1) return bold;
    if (cell == "copy" || cell == "transfer") return yellow;
    if (cell == "view" || cell == "self") return green;
    if (cell == "refused") return red;
    return column == 0 || column == 3 ? dim : "";
  }

  /// One copy is one copy, held back or not.
  [[nodiscard]] bool is_worth_telling(const ChainComparison& chain) const {
    const auto is_of_pattern = [](const Step& step) { return step.eager.size() > 1; };
    return chain.bytes_saved() != 0 ||
           std::any_of(steps_.begin() + static_cast<std::ptrdiff_t>(first_), steps_.end(), is_of_pattern);
  }

  static std::string bill(std::size_t copies, Index read, Index written) {
    if (copies == 0) return "no copy";
    return detail::message(copies, copies == 1 ? " copy, " : " copies, ", bytes_to_text(read), " read, ",
                           bytes_to_text(written), " written");
  }

  /// What is repeated after a copy is repeated before it in a chain: that may be more.
  static std::string saving(Index bytes) {
    if (bytes == 0) return "none saved";
    return bytes_to_text(std::abs(bytes)) + (bytes > 0 ? " saved" : " more");
  }

  void compare(const ChainComparison& chain) {
    text_ += gap() + "one by one, as an eager library does it:\n";
    std::array<std::size_t, 2> widths{};
    const auto call = [](const EagerStep& step) {
      std::string text = step.call;
      std::replace(text.begin(), text.end(), '\n', ' ');
      return text;
    };
    for (const EagerStep& step : chain.eager) {
      widths[0] = std::max(widths[0], call(step).size());
      widths[1] = std::max(widths[1], to_string(step.layout).size());
    }
    for (const EagerStep& step : chain.eager) {
      const std::array<std::string, 2> cells{call(step), to_string(step.layout)};
      text_ += "  ";
      for (std::size_t c = 0; c < cells.size(); ++c) {
        text_ += painted(cells[c], c == 0 ? bold : "") + std::string(widths[c] - cells[c].size() + 2, ' ');
      }
      text_ += painted(name(step.kind), color(2, std::string(name(step.kind))));
      if (step.kind == StepKind::copy) {
        text_ += detail::message("  ", bytes_to_text(step.bytes_read), " read, ",
                                 bytes_to_text(step.bytes_written), " written");
      }
      text_ += '\n';
    }
    text_ += "  " + bill(chain.eager_copies, chain.eager_bytes_read, chain.eager_bytes_written) + '\n';
    text_ += detail::message("as one chain from ", to_string(chain.from), ":\n");
    std::string plan = to_string(chain.plan);
    for (std::size_t at = 0; (at = plan.find('\n', at)) != std::string::npos; at += 3) {
      plan.insert(at + 1, "  ");
    }
    const ChainCost& cost = chain.cost;
    text_ += "  " + plan + "\n  " +
             bill(cost.copies, static_cast<Index>(cost.bytes_read), static_cast<Index>(cost.bytes_written)) +
             "; " + saving(chain.bytes_saved()) + '\n';
  }

  /// "192 B moved"; "16 B written" where nothing but fills wrote them.
  static std::string moved_text(Index moved, Index filled) {
    return bytes_to_text(moved) + (moved > 0 && moved == filled ? " written" : " moved");
  }

  /// Where nothing was copied to fresh memory, what was written in place is not called moved.
  static std::string total_moved_text(const Totals& totals) {
    const bool is_copied = totals.copies > 0 || totals.transfers > 0;
    if (is_copied || totals.bytes_moved == totals.bytes_filled)
      return moved_text(totals.bytes_moved, totals.bytes_filled);
    return bytes_to_text(totals.bytes_moved) + " read and written in place";
  }

  [[nodiscard]] std::string totals() const {
    const Totals& totals = explanation_.evaluation.totals;
    std::string text =
        detail::message(totals.copies == 0 ? std::string("no copy") : std::to_string(totals.copies),
                        totals.copies == 0 ? "" : (totals.copies == 1 ? " copy" : " copies"), ", ",
                        total_moved_text(totals), ", at most ", bytes_to_text(totals.peak_bytes), " held");
    if (totals.transfers == 0) return text;
    return text +
           detail::message("\n", totals.transfers, totals.transfers == 1 ? " transfer, " : " transfers, ",
                           bytes_to_text(totals.bytes_transferred), " over the link, ", link_time(),
                           "; at most ", bytes_to_text(totals.peak_device_bytes), " held on other devices");
  }

  /// "about 0.8 ms at 6 GB/s (pageable)": by rates that were not measured, and so are told.
  [[nodiscard]] std::string link_time() const {
    const LinkSpeed speed = link_speed();
    const std::array<double, 3> rates{speed.pageable, speed.pinned, speed.peer};
    std::array<bool, 3> is_used{};
    double seconds = 0;
    for (std::size_t i = first_; i < steps_.size(); ++i) {
      if (!steps_[i].link) continue;
      is_used[static_cast<std::size_t>(steps_[i].link->memory)] = true;
      seconds += transfer_seconds(steps_[i].bytes_transferred, steps_[i].link->memory, speed);
    }
    std::array<char, 48> digits{};
    std::snprintf(digits.data(), digits.size(), "about %.2g ms at ", seconds * 1e3);
    std::string text = digits.data();
    const char* comma = "";
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (!is_used[i]) continue;
      std::snprintf(digits.data(), digits.size(), "%s%.3g GB/s (", comma, rates[i] / 1e9);
      text += detail::message(digits.data(), name(static_cast<LinkMemory>(i)), ")");
      comma = ", ";
    }
    return text;
  }

  const Explanation& explanation_;
  const std::vector<Step>& steps_;
  TextStyle style_;
  /// The first step that is told.
  std::size_t first_ = 0;
  std::string text_;
  std::vector<std::string> rows_cost_;
};

}  // namespace

std::string to_text(const Explanation& explanation, TextStyle style, PlanDetail plans) {
  return Writer(explanation, style).run(plans);
}

}  // namespace tenstride
