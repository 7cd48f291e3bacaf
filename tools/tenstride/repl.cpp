// SPDX-License-Identifier: Apache-2.0
#include "repl.hpp"

#include <algorithm>
#include <iostream>
#include <new>

#include "cli.hpp"
#include "line_reader.hpp"
#include "show.hpp"
#include "tenstride/io/open_for_notation.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/picture/picture.hpp"
#include "terminal_text.hpp"

namespace tenstride::cli {
namespace {

constexpr const char* help = R"(Type PyTorch's notation: x = torch.arange(6).view(2, 3)
Each line tells the layout that it makes, what is copied and why, and what it gives; names stay.

  :names             what is bound, with its layout
  :picture on | off  draw what a line gives
  :plan on | off     tell how copies and reductions are planned
  :help              this
  :quit              the end, as exit() and Ctrl-D

Tab completes a name, the arrows and Ctrl-R walk the history, Ctrl-C gives up a line.
)";

/// Larger tensors are told, not drawn.
constexpr Index max_drawn = 200;

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

/// Whether more lines belong to the text: a bracket is open, strings and comments aside.
bool is_unfinished(const std::string& text) {
  int open = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\') {
        ++i;
      } else if (c == quote || c == '\n') {
        quote = '\0';
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '(' || c == '[') {
      ++open;
    } else if (c == ')' || c == ']') {
      --open;
    }
  }
  return open > 0;
}

class Repl {
 public:
  explicit Repl(const ReplCommand& command)
      : plans_(command.plans),
        draws_(command.shows_pictures),
        session_({.inputs = open_inputs(command.inputs, {}, "repl"),
                  .scrambles = command.scrambles,
                  .open_file = io::open_for_notation}),
        reader_(make_line_reader(
            [this](std::string_view text) { return complete(text, session_.interpreter().names()); })) {}

  int run() {
    if (is_interactive()) std::cout << "tenstride " TENSTRIDE_VERSION ", :help tells what can be typed\n";
    while (std::optional<std::string> line = reader_->next(">>> ")) {
      std::string text = trimmed(*line);
      if (text.empty() || text.front() == '#' || text == ">>>") continue;
      if (text == ":quit" || text == ":q" || text == "exit()" || text == "quit()") break;
      if (text.front() == ':') {
        command(text);
        continue;
      }
      text = *line;
      close_brackets(text);
      if (!reader_->is_given_up()) carry_out(text);
    }
    return has_failed_ && !is_interactive() ? failed : done;
  }

 private:
  void close_brackets(std::string& text) {
    while (is_unfinished(text)) {
      const std::optional<std::string> line = reader_->next("... ");
      if (!line || trimmed(*line).empty()) break;
      text += '\n' + *line;
    }
  }

  void carry_out(const std::string& text) {
    try {
      const Explanation explanation = session_.explain(text);
      std::cout << fold_for_output(to_text(explanation, output_style(), plans_));
      if (explanation.evaluation.failure) has_failed_ = true;
      if (draws_) draw(explanation.evaluation);
    } catch (const std::bad_alloc&) {
      std::cout << "MemoryError: there is not enough memory\n";
      has_failed_ = true;
    }
    std::cout << std::flush;
  }

  /// The value, or what the line's last step made and is bound to a name.
  void draw(const Evaluation& evaluation) const {
    const Tensor* tensor = evaluation.value.tensor();
    if (tensor == nullptr && evaluation.steps.size() > evaluation.first_step) {
      for (const std::string& name : session_.interpreter().names()) {
        const Value& value = *session_.interpreter().find(name);
        if (value.tensor() != nullptr && value.step() == evaluation.steps.size() - 1) tensor = value.tensor();
      }
    }
    if (tensor == nullptr || tensor->numel() > max_drawn || tensor->numel() == 0) return;
    PictureOptions how;
    how.style = output_style();
    how.width = output_width();
    std::cout << '\n' << to_text(picture_of(*tensor, to_string(tensor->layout())), how);
  }

  void command(const std::string& text) {
    if (text == ":help") {
      std::cout << help;
    } else if (text == ":names") {
      list_names();
    } else if (text == ":picture on" || text == ":picture off") {
      draws_ = text.ends_with("on");
    } else if (text == ":plan on" || text == ":plan off") {
      plans_ = text.ends_with("on") ? PlanDetail::listed : PlanDetail::left_out;
    } else {
      std::cout << "there is no command " << text << ", see :help\n";
      has_failed_ = true;
    }
  }

  void list_names() const {
    std::vector<std::vector<std::string>> rows;
    for (const std::string& name : session_.interpreter().names()) {
      const Value& value = *session_.interpreter().find(name);
      const Tensor* tensor = value.tensor();
      rows.push_back(tensor != nullptr
                         ? std::vector{name, to_string(tensor->layout()),
                                       std::string(tenstride::name(tensor->dtype())),
                                       std::string(tensor->is_contiguous() ? "contiguous" : "not contiguous")}
                         : std::vector{name, std::string(value.type_name())});
    }
    std::cout << lay_out(rows);
  }

  PlanDetail plans_;
  bool draws_;
  bool has_failed_ = false;
  ExplainSession session_;
  std::unique_ptr<LineReader> reader_;
};

}  // namespace

int run(const ReplCommand& command) {
  return Repl(command).run();
}

}  // namespace tenstride::cli
