// SPDX-License-Identifier: Apache-2.0
#include "distributed.hpp"
#include "distributed_transport.hpp"
#include "exchange.hpp"
#include "ledger.hpp"
#include "tenstride/distributed/redistribute.hpp"
#include "types.hpp"
#include "values.hpp"

/// Redistributions carried out over a transport of Python's.
namespace tenstride::python {
namespace {

namespace nb = nanobind;
using distributed::Redistributor;

void make_redistributor(Redistributor* self, PythonTransport& transport,
                        const distributed::RedistributionPlan& plan, Index max_bytes,
                        bool uses_shared_memory) {
  const nb::gil_scoped_release released;
  new (self) Redistributor(transport, plan, {max_bytes, uses_shared_memory});
}

void run_redistributor(Redistributor& self, const Tensor& source, const Tensor& destination) {
  const LedgerPlaces places;
  const nb::gil_scoped_release released;
  self.run(source, destination);
}

}  // namespace

void define_redistributors(nb::module_& distributed) {
  nb::class_<PythonTransport>(distributed, "Transport", "Ranks by the methods of an object.")
      .def(nb::init<nb::object>(), nb::arg("calls"))
      .def("close", &PythonTransport::close)
      .def(
          "empty_shared",
          [](PythonTransport& self, nb::handle shape, nb::handle dtype) {
            return self.empty_shared(to_dims(shape), to_dtype(dtype, "empty").value_or(DType::float32));
          },
          nb::arg("shape"), nb::arg("dtype") = nb::none());
  nb::class_<Redistributor>(distributed, "Redistributor", "Carries a plan out.")
      .def("__init__", make_redistributor, nb::arg("transport"), nb::arg("plan"), nb::arg("max_bytes"),
           nb::arg("uses_shared_memory"), nb::keep_alive<1, 2>())
      .def_prop_ro("buffer_bytes", &Redistributor::buffer_bytes)
      .def("run", run_redistributor, nb::arg("source"), nb::arg("destination"))
      .def("refuse", &Redistributor::refuse, nb::arg("message"));
}

}  // namespace tenstride::python
