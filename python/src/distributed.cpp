// SPDX-License-Identifier: Apache-2.0
#include "distributed.hpp"

#include <string>
#include <vector>

#include "base/message.hpp"
#include "cpython.hpp"
#include "tenstride/distribution/local_view.hpp"
#include "tenstride/layout/reshape.hpp"
#include "types.hpp"
#include "values.hpp"

/// Who holds what of a tensor over many ranks.
namespace tenstride::python {
namespace {

namespace nb = nanobind;
using distributed::Distribution;
using distributed::Placement;

Placement to_placement(nb::handle given) {
  if (nb::isinstance<Placement>(given)) return nb::cast<Placement>(given);
  if (nb::isinstance<nb::str>(given)) return distributed::parse_placement(nb::cast<std::string>(given));
  throw TypeError(detail::message("distribute: a placement must be Replicate(), Shard(dim) and the like, or ",
                                  "a text as \"S(0)\" (", name_of_type(given), ")"));
}

/// One placement, for a mesh of one axis, or several, also as one text.
std::vector<Placement> to_placements(nb::handle given) {
  if (nb::isinstance<Placement>(given)) return {nb::cast<Placement>(given)};
  if (nb::isinstance<nb::str>(given)) return distributed::parse_placements(nb::cast<std::string>(given));
  std::vector<Placement> placements;
  for (const nb::handle entry : given) placements.push_back(to_placement(entry));
  return placements;
}

Distribution distribute(nb::handle shape, nb::handle mesh, nb::handle placements) {
  return distributed::distribute(to_dims(shape), {to_dims(mesh)}, to_placements(placements));
}

nb::list held_by(const Distribution& self, Index rank) {
  nb::list axes;
  for (const std::vector<distributed::IndexRange>& ranges : self.held_by(rank).ranges) {
    nb::list pairs;
    for (const distributed::IndexRange& range : ranges) pairs.append(nb::make_tuple(range.begin, range.end));
    axes.append(pairs);
  }
  return axes;
}

std::optional<std::string> why_not_local(const Distribution& self, const nb::args& sizes) {
  const Dims shape = tenstride::view(row_major(self.shape), to_dims(sizes)).shape;
  const auto obstacle = distributed::why_not_local(self, shape);
  return obstacle ? std::optional("the view is not local " + obstacle->to_string()) : std::nullopt;
}

/// Objects of one class that are equal where C++ says so, and show themselves by `to_string`.
template <typename Class, typename ToString>
void define_as_value(nb::class_<Class>& type, ToString to_string) {
  type.def(
          "__eq__",
          [](const Class& self, nb::handle other) {
            return nb::isinstance<Class>(other) && self == nb::cast<const Class&>(other);
          },
          nb::arg("other").none())
      .def("__hash__",
           [to_string](const Class& self) { return std::hash<std::string>()(to_string(self)) >> 1; })
      .def("__repr__", to_string);
}

void define_placements(nb::module_& distributed) {
  nb::class_<Placement> type(
      distributed, "Placement",
      "What the ranks along one axis of a mesh hold of a tensor. A text says it, too.\n\n"
      ">>> from tenstride.distributed import Placement, Shard\n"
      ">>> Placement(\"S(0)\"), Placement(\"BlockCyclic(1,64)\"), Shard(0) == Placement(\"S(0)\")\n"
      "(Shard(0), BlockCyclic(1,64), True)\n");
  type.def(
          "__init__",
          [](Placement* self, const std::string& text) {
            new (self) Placement(distributed::parse_placement(text));
          },
          nb::arg("text"))
      .def_prop_ro("is_replicate", &Placement::is_replicate, "Whether each rank holds all.")
      .def_ro("dim", &Placement::axis, "The axis of the tensor; 0 where each rank holds all.")
      .def_ro("split_factor", &Placement::split_factor,
              "Of StridedShard: into how many pieces the axis is cut first.")
      .def_ro("block", &Placement::block, "Of BlockCyclic: how many indices make a block.");
  define_as_value(type, [](const Placement& self) { return distributed::to_string(self); });
  distributed.def("Replicate", distributed::replicate,
                  "Each rank holds all elements.\n\n"
                  ">>> from tenstride.distributed import Replicate\n>>> Replicate()\nReplicate()\n");
  distributed.def(
      "Shard", distributed::shard, nb::arg("dim"),
      "Each rank holds consecutive indices of an axis, ceil(size / ranks) of them, the last ranks "
      "fewer.\n\n"
      ">>> from tenstride.distributed import Shard, distribute\n"
      ">>> [distribute(5, 4, Shard(0)).held_by(rank) for rank in range(4)]\n"
      "[[[(0, 2)]], [[(2, 4)]], [[(4, 5)]], [[]]]\n");
  distributed.def("StridedShard", distributed::strided_shard, nb::arg("dim"), nb::arg("split_factor"),
                  "An axis is cut into pieces, and each piece is sharded.\n\n"
                  ">>> from tenstride.distributed import StridedShard, distribute\n"
                  ">>> [distribute(8, 2, StridedShard(0, 2)).held_by(rank) for rank in range(2)]\n"
                  "[[[(0, 2), (4, 6)]], [[(2, 4), (6, 8)]]]\n");
  distributed.def("BlockCyclic", distributed::block_cyclic, nb::arg("dim"), nb::arg("block"),
                  "Blocks of consecutive indices are dealt to the ranks in turn.\n\n"
                  ">>> from tenstride.distributed import BlockCyclic, distribute\n"
                  ">>> [distribute(7, 3, BlockCyclic(0, 2)).held_by(rank) for rank in range(3)]\n"
                  "[[[(0, 2), (6, 7)]], [[(2, 4)]], [[(4, 6)]]]\n");
}

void define_local_views(nb::class_<Distribution>& type) {
  type.def(
          "view",
          [](const Distribution& self, const nb::args& shape) {
            return distributed::view(self, to_dims(shape));
          },
          "What the ranks hold of a view that each takes of its own part; RuntimeError where it is not "
          "local.")
      .def("why_not_local", why_not_local,
           "Why such a view needs a redistribution, and to which placement; None where it needs none.")
      .def(
          "permute",
          [](const Distribution& self, const nb::args& dims) {
            return distributed::permute(self, to_dims(dims));
          },
          "With the axes in another order, which is always local.")
      .def(
          "slice",
          [](const Distribution& self, Index dim, Index start, Index end, Index step) {
            return distributed::slice(self, dim, start, end, step);
          },
          nb::arg("dim"), nb::arg("start"), nb::arg("end"), nb::arg("step") = 1,
          "Every step-th index of a part of an axis; RuntimeError where the axis is sharded.")
      .def("select", distributed::select, nb::arg("dim"), nb::arg("index"),
           "One index of an axis, which goes; RuntimeError where the axis is sharded.")
      .def(
          "expand",
          [](const Distribution& self, const nb::args& sizes) {
            return distributed::expand(self, to_dims(sizes));
          },
          "With axes of size 1 repeated; RuntimeError where such an axis is sharded.");
}

}  // namespace

void define_distributions(nb::module_& distributed) {
  define_placements(distributed);
  nb::class_<Distribution> type(
      distributed, "Distribution",
      "A tensor's shape, and how it is spread over a mesh of ranks. `distribute` makes it.\n\n"
      ">>> from tenstride.distributed import distribute\n"
      ">>> held = distribute((8, 6), (2, 2), \"S(0),S(1)\")\n"
      ">>> held, held.local_shape(3), held.held_by(3)\n"
      "((8,6) on (2,2): Shard(0), Shard(1), torch.Size([4, 3]), [[(4, 8)], [(3, 6)]])\n"
      ">>> held.permute(1, 0)\n"
      "(6,8) on (2,2): Shard(1), Shard(0)\n"
      ">>> held.view(2, 4, 6), held.why_not_local(12, 4) is None\n"
      "((2,4,6) on (2,2): Shard(0), Shard(2), False)\n");
  type.def_prop_ro(
          "shape", [](const Distribution& self) { return nb::steal(new_size(self.shape)); },
          "Of the whole tensor.")
      .def_prop_ro(
          "mesh", [](const Distribution& self) { return nb::steal(new_tuple(self.mesh.shape)); },
          "The ranks as a grid, numbered row by row.")
      .def_prop_ro(
          "placements", [](const Distribution& self) { return nb::tuple(nb::cast(self.placements)); },
          "One for each axis of the mesh.")
      .def(
          "local_shape",
          [](const Distribution& self, Index rank) {
            return nb::steal(new_size(self.held_by(rank).local_shape()));
          },
          nb::arg("rank"), "The shape of a rank's own tensor.")
      .def("held_by", held_by, nb::arg("rank"),
           "The indices along each axis that a rank holds, as pairs (begin, end).");
  define_local_views(type);
  define_as_value(type, [](const Distribution& self) { return self.to_string(); });
  distributed.def(
      "distribute", distribute, nb::arg("shape"), nb::arg("mesh"), nb::arg("placements"),
      "Spreads a tensor of a shape over a mesh of ranks, an int or a tuple, by a placement for each axis "
      "of the mesh.\n\n"
      ">>> from tenstride.distributed import Replicate, Shard, distribute\n"
      ">>> distribute((8, 6), (2, 2), (Shard(-1), Replicate()))\n"
      "(8,6) on (2,2): Shard(1), Replicate()\n");
}

void define_distributed(nb::module_& module) {
  nb::module_ distributed =
      module.def_submodule("_distributed", "What stands behind `tenstride.distributed`.");
  define_distributions(distributed);
  define_redistribution_plans(distributed);
  define_redistributors(distributed);
  for (const auto& [name, object] : nb::borrow<nb::dict>(distributed.attr("__dict__"))) {
    if (PyType_Check(object.ptr()) != 0) nb::setattr(object, "__module__", nb::str("tenstride.distributed"));
  }
}

}  // namespace tenstride::python
