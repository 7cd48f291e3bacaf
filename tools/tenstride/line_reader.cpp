// SPDX-License-Identifier: Apache-2.0
#include "line_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#ifdef TENSTRIDE_HAS_LIBEDIT
#include <histedit.h>

#include "shared_library.hpp"
#endif

namespace tenstride::cli {
namespace {

class PlainReader : public LineReader {
 public:
  std::optional<std::string> next(const std::string& prompt) override {
    if (is_interactive()) std::cout << prompt << std::flush;
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (is_first_ && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    is_first_ = false;
    return line;
  }

 private:
  bool is_first_ = true;
};

#ifdef TENSTRIDE_HAS_LIBEDIT

constexpr int kept_lines = 1000;

/// $XDG_STATE_HOME/tenstride/history, or the same in ~/.local/state; empty where there is no such place.
std::string history_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (state != nullptr && *state == '/') {
    folder = state;
  } else if (home != nullptr && *home != '\0') {
    folder = std::filesystem::path(home) / ".local" / "state";
  } else {
    return {};
  }
  std::error_code error;
  std::filesystem::create_directories(folder / "tenstride", error);
  return error ? std::string() : (folder / "tenstride" / "history").string();
}

/// The functions of libedit, which is loaded when a line is to be edited.
struct Libedit {
  decltype(&::el_init) el_init = nullptr;
  decltype(&::el_end) el_end = nullptr;
  decltype(&::el_set) el_set = nullptr;
  decltype(&::el_get) el_get = nullptr;
  decltype(&::el_gets) el_gets = nullptr;
  decltype(&::el_line) el_line = nullptr;
  decltype(&::el_insertstr) el_insertstr = nullptr;
  decltype(&::el_source) el_source = nullptr;
  decltype(&::history) history = nullptr;
  decltype(&::history_init) history_init = nullptr;
  decltype(&::history_end) history_end = nullptr;

  /// Nothing where it is not installed, or lacks a function.
  static std::optional<Libedit> load() {
    const SharedLibrary library("libedit.so.2");
    if (!library.is_loaded()) return std::nullopt;
    Libedit found;
    const auto find = [&]<class Function>(Function*& function, const char* name) {
      function = library.find<Function>(name);
      return function != nullptr;
    };
    const bool has_all = find(found.el_init, "el_init") && find(found.el_end, "el_end") &&
                         find(found.el_set, "el_set") && find(found.el_get, "el_get") &&
                         find(found.el_gets, "el_gets") && find(found.el_line, "el_line") &&
                         find(found.el_insertstr, "el_insertstr") && find(found.el_source, "el_source") &&
                         find(found.history, "history") && find(found.history_init, "history_init") &&
                         find(found.history_end, "history_end");
    return has_all ? std::optional(found) : std::nullopt;
  }
};

/// Null where there is none.
const Libedit* libedit() {
  static const std::optional<Libedit> loaded = Libedit::load();
  return loaded ? &*loaded : nullptr;
}

class Editor : public LineReader {
 public:
  /// Pre: libedit() is not null.
  explicit Editor(Completer completer) : completer_(std::move(completer)), file_(history_file()) {
    std::setlocale(LC_CTYPE, "");
    edit_ = libedit()->el_init("tenstride", stdin, stdout, stderr);
    history_ = libedit()->history_init();
    HistEvent event;
    libedit()->history(history_, &event, H_SETSIZE, kept_lines);
    libedit()->history(history_, &event, H_SETUNIQUE, 1);
    if (!file_.empty()) libedit()->history(history_, &event, H_LOAD, file_.c_str());
    libedit()->el_set(edit_, EL_CLIENTDATA, this);
    libedit()->el_set(edit_, EL_EDITOR, "emacs");
    libedit()->el_set(edit_, EL_PROMPT, &Editor::prompt_of);
    libedit()->el_set(edit_, EL_HIST, libedit()->history, history_);
    libedit()->el_set(edit_, EL_ADDFN, "complete-name", "Complete the name before the cursor",
                      &Editor::complete);
    libedit()->el_set(edit_, EL_BIND, "\t", "complete-name", nullptr);
    // Ctrl-C gives up the line, not the program: it comes as a key while a line is edited.
    libedit()->el_set(edit_, EL_SETTY, "-d", "-isig", nullptr);
    libedit()->el_set(edit_, EL_ADDFN, "give-up-line", "Give up the line", &Editor::give_up);
    libedit()->el_set(edit_, EL_BIND, "^C", "give-up-line", nullptr);
    libedit()->el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    libedit()->el_source(edit_, nullptr);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  ~Editor() override {
    HistEvent event;
    if (!file_.empty()) libedit()->history(history_, &event, H_SAVE, file_.c_str());
    libedit()->history_end(history_);
    libedit()->el_end(edit_);
  }

  std::optional<std::string> next(const std::string& prompt) override {
    prompt_ = prompt;
    is_given_up_ = false;
    int count = 0;
    libedit()->el_set(edit_, EL_PREP_TERM,
                      1);  // else between the prompt and the first key Ctrl-C is a signal
    const char* read = libedit()->el_gets(edit_, &count);
    if (is_given_up_) return std::string();  // of an empty line libedit gives what stands for the end, too
    if (read == nullptr || count <= 0) {
      std::cout << '\n';
      return std::nullopt;
    }
    std::string line(read, static_cast<std::size_t>(count));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    HistEvent event;
    if (line.find_first_not_of(" \t") != std::string::npos)
      libedit()->history(history_, &event, H_ENTER, line.c_str());
    return line;
  }
  [[nodiscard]] bool is_given_up() const override { return is_given_up_; }

 private:
  static Editor& self_of(EditLine* edit) {
    void* self = nullptr;
    libedit()->el_get(edit, EL_CLIENTDATA, &self);
    return *static_cast<Editor*>(self);
  }
  static char* prompt_of(EditLine* edit) { return self_of(edit).prompt_.data(); }

  static unsigned char give_up(EditLine* edit, int) {
    self_of(edit).is_given_up_ = true;
    std::cout << "^C\n" << std::flush;
    return CC_NEWLINE;
  }

  /// Adds what all fitting names have in common; where that is nothing, lists them.
  static unsigned char complete(EditLine* edit, int) {
    const LineInfo* line = libedit()->el_line(edit);
    const auto before = static_cast<std::size_t>(line->cursor - line->buffer);
    const Completion found = self_of(edit).completer_(std::string_view(line->buffer, before));
    if (found.names.empty()) return CC_ERROR;
    std::string common = found.names.front();
    for (const std::string& name : found.names) {
      const auto [end, other] = std::mismatch(common.begin(), common.end(), name.begin(), name.end());
      common.erase(end, common.end());
    }
    const std::size_t typed = before - found.begin;
    if (common.size() > typed) {
      libedit()->el_insertstr(edit, common.substr(typed).c_str());
      return CC_REFRESH;
    }
    if (found.names.size() == 1) return CC_NORM;
    std::cout << '\n';
    for (const std::string& name : found.names) std::cout << name << "  ";
    std::cout << '\n' << std::flush;
    return CC_REDISPLAY;
  }

  Completer completer_;
  std::string file_;
  std::string prompt_;
  bool is_given_up_ = false;
  EditLine* edit_ = nullptr;
  History* history_ = nullptr;
};

#endif

}  // namespace

bool is_interactive() {
  return isatty(STDIN_FILENO) == 1;
}

std::unique_ptr<LineReader> make_line_reader(Completer completer) {
#ifdef TENSTRIDE_HAS_LIBEDIT
  if (is_interactive() && isatty(STDOUT_FILENO) == 1 && libedit() != nullptr)
    return std::make_unique<Editor>(std::move(completer));
#else
  static_cast<void>(completer);
#endif
  return std::make_unique<PlainReader>();
}

}  // namespace tenstride::cli
