// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include "calls.hpp"
#include "defaults.hpp"
#include "distributed.hpp"
#include "einops.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "files.hpp"
#include "layouts.hpp"
#include "ledger.hpp"
#include "module_parts.hpp"
#include "tenstride/memory/memory.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "types.hpp"
#include "values.hpp"

namespace nb = nanobind;

NB_MODULE(_tenstride, module) {
  using namespace tenstride;
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (...) {
      python::set_python_error();
    }
  });
  // Types and constants such as `float32` live as long as the process: C++ refers to them.
  nb::set_leak_warnings(false);
  module.attr("__version__") = TENSTRIDE_VERSION;
  python::define_types(module);
  python::define_errors(module);
  python::define_storages(module);
  python::define_tensor(module);
  python::define_methods(module.attr("Tensor"));
  python::define_absent_methods(module.attr("Tensor"));
  python::define_layouts(module, module.attr("Tensor"));
  python::define_functions(module);
  python::define_ledger(module);
  python::define_exchange(module, module.attr("Tensor"));
  python::define_einops(module);
  python::define_array_namespace(module.attr("Tensor"));
  python::define_numpy_functions(module);
  python::define_lazy(module);
  python::define_plans(module);
  python::define_explaining(module);
  python::define_files(module);
  python::define_defaults(module);
  python::define_converting(module);
  python::define_converting_elements(module);
  python::define_distributed(module);
  for (const auto& [name, object] : nb::borrow<nb::dict>(module.attr("__dict__"))) {
    if (PyType_Check(object.ptr()) != 0) nb::setattr(object, "__module__", nb::str("tenstride"));
  }
  module.def("get_num_threads", num_threads,
             "How many threads a large copy uses.\n\n"
             ">>> torch.get_num_threads() >= 1\nTrue\n");
  module.def(
      "set_num_threads", set_num_threads, nb::arg("count"),
      "How many threads a large copy uses from here on, for the whole process; "
      "1 for none beside the caller's.\n\n"
      ">>> before = torch.get_num_threads()\n>>> torch.set_num_threads(1)\n>>> torch.get_num_threads()\n1\n"
      ">>> torch.set_num_threads(before)\n");
  module.def("empty_cache", empty_cache,
             "Gives the memory kept for reuse back to the system; tensors keep theirs.\n\n>>> "
             "torch.empty_cache()\n");
  module.def("_import", python::import_foreign, nb::arg("object"));
  module.def("_set_importer", python::set_importer, nb::arg("importer"));
  python::put_refusals_in_front(module);
}
