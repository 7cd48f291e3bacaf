// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "base/message.hpp"
#include "gil.hpp"
#include "ledger.hpp"
#include "module_parts.hpp"
#include "tenstride/copy/measure.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

/// A plan and the two tensors that it is for.
struct BoundPlan {
  Tensor dst;
  Tensor src;
  Measurement measured;

  [[nodiscard]] const CopyPlan& plan() const { return measured.fastest.plan; }

  void run() {
    const LedgerPlaces places;
    without_gil(dst.numel() >= elements_without_gil, [&] { run_plan(plan(), dst, src); });
  }
};

BoundPlan make(Tensor dst, Tensor src, const std::string& effort) {
  if (effort != "estimated" && effort != "measured")
    throw nb::value_error(("plan: effort " + effort + " must be 'estimated' or 'measured'").c_str());
  const LedgerPlaces places;
  BoundPlan made{std::move(dst), std::move(src), {}};
  const nb::gil_scoped_release released;
  if (effort == "measured") {
    made.measured = measure(made.dst, made.src);
  } else {
    made.measured.fastest.plan = plan_copy(made.dst, made.src);
  }
  return made;
}

std::string text_of(const BoundPlan& self) {
  std::string text = self.plan().to_string();
  if (const std::string run = run_text(self.plan()); !run.empty()) text += "\n  run      " + run;
  if (!self.measured.timed.empty()) text += "\n" + to_text(self.measured);
  return text;
}

nb::list ways_of(const BoundPlan& self) {
  nb::list ways;
  for (const TimedPlan& one : self.measured.timed) {
    nb::dict way;
    way["way"] = one.plan.name();
    way["variation"] = nb::str(one.variation.data(), one.variation.size());
    way["cost"] = one.plan.cost();
    way["seconds"] = one.seconds;
    ways.append(way);
  }
  return ways;
}

}  // namespace

void define_plans(nb::module_& module) {
  nb::class_<BoundPlan>(module, "Plan",
                        "How the elements of one tensor are copied to another, decided once and run as often "
                        "as wanted. `str(plan)` says all that will run.\n\n"
                        ">>> x, y = torch.arange(6).view(2, 3), torch.empty(3, 2, dtype=torch.int64)\n"
                        ">>> plan = tenstride.plan(y, x.T)\n"
                        ">>> plan.run()\n"
                        ">>> y.tolist()\n"
                        "[[0, 3], [1, 4], [2, 5]]\n")
      .def("run", &BoundPlan::run, "Copies the elements, as they are now.")
      .def_prop_ro(
          "way", [](const BoundPlan& self) { return self.plan().name(); },
          "What the way is called. Example: \"blocks, gathered\".")
      .def_prop_ro(
          "threads", [](const BoundPlan& self) { return self.plan().threads; },
          "How many threads share the copy.")
      .def_prop_ro(
          "cost", [](const BoundPlan& self) { return self.plan().cost(); },
          "The foretold time as a multiple of a plain copy's; 0 where the copy is so small that none is "
          "foretold.")
      .def_prop_ro(
          "ways", ways_of,
          "What was measured, by rising time: a dict for each way, with its `way`, its `variation` from "
          "what the machine does, its `cost` and its `seconds`. Empty where the plan is estimated, and "
          "where the fastest way was in the user's cache.")
      .def("__str__", text_of)
      .def("__repr__", [](const BoundPlan& self) {
        return detail::message("<tenstride.Plan ", self.plan().name(), ", ", self.plan().count, " elements>");
      });
  module.def(
      "plan", make, nb::arg("dst"), nb::arg("src"), nb::kw_only(), nb::arg("effort") = "estimated",
      "The plan of `dst.copy_(src)`, for a copy that is made again and again. With `effort=\"measured\"` "
      "the ways that may be the fastest are run on the two tensors, in some tens of times the copy's own "
      "time, so that `dst` has the elements of `src` then; the fastest is kept in the user's cache "
      "(`~/.cache/tenstride/plans`), where the next call finds it. RuntimeError where the two share "
      "memory.\n\n"
      ">>> y, x = torch.empty(48, 64), torch.ones(64, 48).T\n"
      ">>> plan = tenstride.plan(y, x)\n"
      ">>> plan.run()\n"
      ">>> plan.way, torch.equal(y, x)\n"
      "('small', True)\n");
}

}  // namespace tenstride::python
