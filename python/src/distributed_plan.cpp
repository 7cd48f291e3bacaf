// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "distributed.hpp"
#include "exchange.hpp"
#include "tenstride/distribution/redistribution.hpp"
#include "types.hpp"
#include "values.hpp"

/// Who sends what to whom.
namespace tenstride::python {
namespace {

namespace nb = nanobind;
using distributed::Distribution;
using distributed::RedistributionPlan;

Dims order_of(nb::handle given, std::size_t rank) {
  if (!given.is_none()) return to_dims(given);
  Dims order;
  for (std::size_t d = 0; d < rank; ++d) order.push_back(static_cast<Index>(d));
  return order;
}

RedistributionPlan plan_redistribution(const Distribution& source, const Distribution& destination,
                                       nb::handle order, nb::handle dtype) {
  const DType type = to_dtype(dtype, "plan_redistribution").value_or(DType::float32);
  const distributed::RedistributionProblem problem{source, order_of(order, source.shape.size()), destination,
                                                   item_size(type)};
  const nb::gil_scoped_release released;
  return distributed::plan_redistribution(problem);
}

nb::list exchanges(const RedistributionPlan& self) {
  nb::list all;
  for (const distributed::Exchange& exchange : self.exchanges)
    all.append(nb::make_tuple(exchange.sender, exchange.receiver, exchange.elements));
  return all;
}

nb::list rounds(const RedistributionPlan& self, Index max_bytes) {
  nb::list all;
  for (const distributed::ExchangeRound& round : self.rounds_of(max_bytes)) {
    nb::list parts;
    for (const distributed::ExchangePart& part : round) {
      const distributed::Exchange& exchange = self.exchanges[part.exchange];
      parts.append(nb::make_tuple(exchange.sender, exchange.receiver, part.first, part.elements));
    }
    all.append(parts);
  }
  return all;
}

}  // namespace

void define_redistribution_plans(nb::module_& distributed) {
  nb::class_<RedistributionPlan>(
      distributed, "RedistributionPlan",
      "Who sends what to whom, as `plan_redistribution` found it. `print` shows it.\n\n"
      ">>> from tenstride.distributed import distribute, plan_redistribution\n"
      ">>> held, wanted = distribute((4, 6), 2, \"S(0)\"), distribute((6, 4), 2, \"S(0)\")\n"
      ">>> plan = plan_redistribution(held, wanted, order=(1, 0))\n"
      ">>> plan.exchanges\n"
      "[(0, 0, 6), (1, 0, 6), (0, 1, 6), (1, 1, 6)]\n"
      ">>> plan.rounds(max_bytes=24)\n"
      "[[(1, 0, 0, 3), (0, 1, 0, 3)], [(1, 0, 3, 3), (0, 1, 3, 3)]]\n")
      .def_prop_ro("bytes_sent", &RedistributionPlan::bytes_sent, "From rank to rank; no plan needs fewer.")
      .def_prop_ro("bytes_kept", &RedistributionPlan::bytes_kept, "What ranks copy from their own part.")
      .def_prop_ro("exchanges", exchanges,
                   "Tuples (sender, receiver, elements); a rank keeps what it sends to itself.")
      .def("rounds", rounds, nb::arg("max_bytes"),
           "What ranks send each other in rounds, of each of which a rank packs and unpacks at most "
           "`max_bytes`: lists of "
           "tuples (sender, receiver, first, elements), from element `first` of the exchange on.")
      .def_prop_ro(
          "source", [](const RedistributionPlan& self) { return self.problem.from; },
          "The tensor as it is held.")
      .def_prop_ro(
          "destination", [](const RedistributionPlan& self) { return self.problem.to; },
          "The tensor as it is wanted.")
      .def_prop_ro(
          "order", [](const RedistributionPlan& self) { return nb::steal(new_tuple(self.problem.order)); },
          "The order into which the axes are brought.")
      .def("__str__", &RedistributionPlan::to_string)
      .def("__repr__", &RedistributionPlan::to_string);
  distributed.def("plan_redistribution", plan_redistribution, nb::arg("source"), nb::arg("destination"),
                  nb::arg("order") = nb::none(), nb::arg("dtype") = nb::none(),
                  "Plans how a tensor gets from one distribution to another: its axes are brought into "
                  "`order`, then viewed in the "
                  "other's shape. `dtype` (float32) says the bytes of an element. Needs no MPI.\n\n"
                  ">>> from tenstride.distributed import distribute, plan_redistribution\n"
                  ">>> print(plan_redistribution(distribute((4, 6), 2, \"S(0)\"), distribute((6, 4), 2, "
                  "\"S(0)\"), order=(1, 0)))\n"
                  "redistribute 24 elements of 4 B\n"
                  "  from   (4,6) on (2): Shard(0)\n"
                  "  order  (1,0)\n"
                  "  to     (6,4) on (2): Shard(0)\n"
                  "  sent   48 B of 96 B, no plan sends less; kept 48 B\n"
                  "  rank 1 -> 0  6 elements\n"
                  "  rank 0 -> 1  6 elements\n");
}

}  // namespace tenstride::python
