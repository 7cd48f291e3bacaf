// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "memory/watch.hpp"
#include "tenstride/ledger/ledger.hpp"

namespace tenstride::python {

/// Makes `CopyLedger`, `NoCopy` and `NoScramble` in the module.
void define_ledger(nanobind::module_& module);

/// The line of Python that runs, told to the calling thread's ledgers until the scope ends. Costs one load
/// where none is open. Wants the GIL when it begins.
class LedgerPlaces {
 public:
  LedgerPlaces() {
    if (detail::watch != nullptr) [[unlikely]] {
      find();
    }
  }

 private:
  void find();

  ScriptPlace place_;
  std::optional<detail::ScriptScope> scope_;
};

}  // namespace tenstride::python
