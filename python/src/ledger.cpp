// SPDX-License-Identifier: Apache-2.0
#include "ledger.hpp"

#include <memory>
#include <thread>
#include <utility>

#include "base/message.hpp"
#include "types.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

/// A scope of the library as a `with` of Python, which may be entered again once it was left. What the scope
/// knows can be read after it has ended.
template <typename Scope>
class With {
 public:
  template <typename... Arguments>
  void enter(Arguments&&... arguments) {
    if (is_open_) throw RuntimeError("with: the scope is open already");
    scope_ = std::make_unique<Scope>(std::forward<Arguments>(arguments)...);
    thread_ = std::this_thread::get_id();
    is_open_ = true;
  }
  /// What to do on the thread that opened it.
  template <typename End>
  void leave(const End& end) {
    if (!is_open_) return;
    if (thread_ != std::this_thread::get_id()) {
      throw RuntimeError("with: a scope must end on the thread that it began on");
    }
    is_open_ = false;
    end(scope_);
  }
  [[nodiscard]] Scope& scope() {
    if (!scope_) throw RuntimeError("with: the scope has not begun yet");
    return *scope_;
  }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

 private:
  std::unique_ptr<Scope> scope_;
  std::thread::id thread_;
  bool is_open_ = false;
};

struct Ledger : With<CopyLedger> {
  explicit Ledger(std::size_t max_entries) : most(max_entries) {}
  std::size_t most;
};
struct NoCopyWith : With<NoCopy> {};
struct AllowCopy : With<NoCopy::Allow> {
  explicit AllowCopy(std::string name) : place(std::move(name)) {}
  std::string place;
};
struct NoScrambleWith : With<NoScramble> {};
struct AllowScramble : With<NoScramble::Allow> {};

template <typename Type>
void define_exit(nb::class_<Type>& type) {
  type.def(
      "__exit__",
      [](Type& self, nb::args) {
        self.leave([](auto& scope) { scope.reset(); });
        return false;
      },
      "Ends the scope.");
}

/// One member of a JSON text, as Python's objects.
nb::object member(const std::string& text, const char* name) {
  const nb::object all = nb::module_::import_("json").attr("loads")(text);
  return all[name];
}

/// Where the package's Python files lie, with a slash behind; empty before it is imported.
std::string package_folder() {
  const nb::str name("tenstride");
  const nb::object module = nb::steal(PyImport_GetModule(name.ptr()));
  if (!module.is_valid()) {
    PyErr_Clear();
    return {};
  }
  const nb::object path = nb::getattr(module, "__path__", nb::none());
  if (path.is_none() || nb::len(path) == 0) return {};
  return nb::cast<std::string>(nb::str(nb::object(path[0]))) + "/";
}

}  // namespace

void LedgerPlaces::find() {
  PyFrameObject* current = PyEval_GetFrame();
  if (current == nullptr) return;
  const std::string package = package_folder();
  for (nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(current)); frame.is_valid();) {
    auto* const here = reinterpret_cast<PyFrameObject*>(frame.ptr());
    const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(here)));
    place_.file = nb::cast<std::string>(code.attr("co_filename"));
    place_.function = nb::cast<std::string>(code.attr("co_name"));
    place_.line = static_cast<unsigned>(PyFrame_GetLineNumber(here));
    // The package's own lines are not what its user wrote.
    if (package.empty() || !place_.file.starts_with(package)) break;
    frame = frame.attr("f_back");
    if (frame.is_none()) break;
  }
  scope_.emplace(place_);
}

void define_ledger(nb::module_& module) {
  nb::class_<Ledger>(
      module, "CopyLedger",
      "Lists every copy and every allocation of the calling thread inside `with`: operation, bytes, "
      "layouts, reason, kernel, seconds and the line of Python. Ledgers nest.\n\n"
      ">>> with tenstride.CopyLedger() as ledger:\n"
      "...     y = torch.arange(6).reshape(2, 3).T.contiguous()\n"
      ">>> ledger.copies, ledger.bytes_read\n"
      "(1, 48)\n")
      .def(nb::init<std::size_t>(), nb::arg("most") = std::size_t{1} << 16)
      .def("__enter__",
           [](nb::handle self) {
             auto& ledger = nb::cast<Ledger&>(self);
             ledger.enter(ledger.most);
             return self;
           })
      .def("__exit__",
           [](Ledger& self, nb::args) {
             self.leave([](auto& scope) { scope->close(); });
             return false;
           })
      .def(
          "clear", [](Ledger& self) { self.scope().clear(); }, "Begins anew.")
      .def_prop_ro(
          "entries", [](Ledger& self) { return member(to_json(self.scope()), "entries"); },
          "What happened, in order: a list of dicts with kind ('copy', 'fill', 'allocation', 'scramble', "
          "'transfer', 'reduction'), operation, reason, src, dst, bytes_read, bytes_written, "
          "bytes_allocated, kernel, link, seconds, file, line, "
          "function.")
      .def_prop_ro(
          "totals", [](Ledger& self) { return member(to_json(self.scope()), "totals"); },
          "Sums over all: a dict of copies, fills, allocations, scrambles, transfers, reductions, "
          "bytes_read, "
          "bytes_written, bytes_allocated, bytes_transferred, bytes_reduced, peak_bytes and seconds. What "
          "reductions read is in bytes_reduced alone.")
      .def_prop_ro(
          "copies", [](Ledger& self) { return self.scope().totals().copies; }, "How many copies.")
      .def_prop_ro(
          "transfers", [](Ledger& self) { return self.scope().totals().transfers; },
          "How many transfers to other devices, which are foretold.")
      .def_prop_ro(
          "bytes_transferred", [](Ledger& self) { return self.scope().totals().bytes_transferred; },
          "Bytes that cross the links.")
      .def_prop_ro(
          "bytes_read", [](Ledger& self) { return self.scope().totals().bytes_read; },
          "Bytes that copies read.")
      .def_prop_ro(
          "bytes_written", [](Ledger& self) { return self.scope().totals().bytes_written; },
          "Bytes that copies and fills wrote.")
      .def_prop_ro(
          "peak_bytes", [](Ledger& self) { return self.scope().totals().peak_bytes; },
          "The most bytes allocated inside that were alive at once.")
      .def(
          "to_json", [](Ledger& self) { return to_json(self.scope()); }, "All of it as one line of JSON.")
      .def(
          "to_trace", [](Ledger& self) { return to_trace(self.scope()); },
          "Chrome's trace events as JSON, for Perfetto or chrome://tracing.")
      .def("__str__", [](Ledger& self) { return to_text(self.scope()); })
      .def("__len__", [](Ledger& self) { return self.scope().entries().size(); });

  nb::class_<NoCopyWith> no_copy(
      module, "NoCopy",
      "Inside `with` a copy of elements raises NoCopyError before anything is written; "
      "views, fresh memory and fills are free.\n\n"
      ">>> with tenstride.NoCopy():\n"
      "...     y = torch.zeros(2, 3).T\n");
  no_copy.def(nb::init<>()).def("__enter__", [](nb::handle self) {
    nb::cast<NoCopyWith&>(self).enter();
    return self;
  });
  define_exit(no_copy);
  nb::class_<AllowCopy> allow_copy(no_copy, "Allow",
                                   "A named place inside `NoCopy` where copies are welcome.");
  allow_copy.def(nb::init<std::string>(), nb::arg("place")).def("__enter__", [](nb::handle self) {
    auto& allow = nb::cast<AllowCopy&>(self);
    allow.enter(allow.place);
    return self;
  });
  define_exit(allow_copy);

  nb::class_<NoScrambleWith> no_scramble(module, "NoScramble",
                                         "Inside `with` a view or reshape in which an axis stands elsewhere "
                                         "and nothing moves raises ScrambleError, which names the "
                                         "transpose that was probably meant.\n\n"
                                         ">>> with tenstride.NoScramble():\n"
                                         "...     y = torch.zeros(2, 3).view(3, 2)\n"
                                         "Traceback (most recent call last):\n"
                                         "    ...\n"
                                         "tenstride.ScrambleError: view: …\n");
  no_scramble.def(nb::init<>()).def("__enter__", [](nb::handle self) {
    nb::cast<NoScrambleWith&>(self).enter();
    return self;
  });
  define_exit(no_scramble);
  nb::class_<AllowScramble> allow_scramble(no_scramble, "Allow",
                                           "Where such a reshape is meant as it stands.");
  allow_scramble.def(nb::init<>()).def("__enter__", [](nb::handle self) {
    nb::cast<AllowScramble&>(self).enter();
    return self;
  });
  define_exit(allow_scramble);
}

}  // namespace tenstride::python
