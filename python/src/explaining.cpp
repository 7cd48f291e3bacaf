// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <span>
#include <string>

#include "base/message.hpp"
#include "ledger.hpp"
#include "ledger/reasons.hpp"
#include "module_parts.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/files/atomic_file.hpp"
#include "tenstride/io/open_for_notation.hpp"
#include "tenstride/layout/scramble.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/memory/transfer.hpp"
#include "tenstride/picture/picture.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

/// Tensors by name, as keyword arguments give them.
std::map<std::string, Tensor> inputs_of(const nb::dict& inputs) {
  std::map<std::string, Tensor> result;
  for (const auto& [name, value] : inputs) {
    const auto key = nb::cast<std::string>(name);
    if (!is_tensor(value.ptr())) {
      throw TypeError(detail::message("explain: the input ", key, " must be a Tensor"));
    }
    result.emplace(key, tensor_of(value.ptr()));
  }
  return result;
}

Dims to_sizes(nb::handle sizes) {
  Dims dims;
  if (PyLong_Check(sizes.ptr()) != 0) return {to_index(sizes.ptr())};
  for (nb::handle size : nb::borrow<nb::sequence>(sizes)) dims.push_back(to_index(size.ptr()));
  return dims;
}

/// A layout as Python holds it, `(shape, strides, offset)`.
Layout to_layout(nb::handle parts) {
  return {to_sizes(parts[0]), to_sizes(parts[1]), to_index(nb::object(parts[2]).ptr())};
}

/// A tensor without memory that lies so; further on where the layout reaches before the storage.
PyObject* stand_in(nb::handle layout, nb::handle dtype) {
  Layout lies = to_layout(layout);
  const Reach touched = reach(lies).value_or(Reach{lies.offset, lies.offset});
  const Index shift = std::max<Index>(-touched.lowest, 0);
  lies.offset += shift;
  const DType type = find_dtype(dtype.ptr()).value_or(DType::float32);
  const auto length = static_cast<std::uint64_t>(touched.highest + shift + 1);
  return new_tensor(Tensor(Storage::meta(length * item_size(type)), lies, type));
}

/// What the audit asks of layouts and sizes, of which it has no tensors.
void define_questions(nb::module_& module) {
  nb::class_<ViewObstacle>(module, "_Obstacle", "Why a layout cannot be viewed in some sizes.")
      .def_ro("left_axis", &ViewObstacle::left_axis)
      .def_ro("right_axis", &ViewObstacle::right_axis)
      .def_ro("stride_found", &ViewObstacle::stride_found)
      .def_ro("stride_needed", &ViewObstacle::stride_needed)
      .def("__str__", [](const ViewObstacle& self) { return detail::reshape_reason(self.from, self.to); });
  const auto tuple_of = [](Dims Scramble::*member) {
    return [member](const Scramble& self) { return nb::steal<nb::tuple>(new_tuple(self.*member)); };
  };
  nb::class_<Scramble>(module, "_Scramble", "A reshape that was probably meant to be a transpose.")
      .def_prop_ro("source", tuple_of(&Scramble::from))
      .def_prop_ro("to", tuple_of(&Scramble::to))
      .def_prop_ro("split", tuple_of(&Scramble::split))
      .def_prop_ro("order", tuple_of(&Scramble::order))
      .def_prop_ro("certainty", [](const Scramble& self) { return name(self.certainty); })
      .def_prop_ro("code", [](const Scramble& self) { return to_code(self); })
      .def("__str__", [](const Scramble& self) { return to_string(self); });
  module.def(
      "_is_contiguous", [](nb::handle layout) { return is_contiguous(to_layout(layout)); },
      nb::arg("layout"));
  module.def(
      "_contiguity_summary",
      [](nb::handle layout) -> std::optional<std::string> {
        const std::optional<ContiguityObstacle> obstacle = why_not_contiguous(to_layout(layout));
        if (!obstacle) return std::nullopt;
        return summary(*obstacle);
      },
      nb::arg("layout"));
  module.def(
      "_is_channels_last",
      [](nb::handle layout) {
        const Layout given = to_layout(layout);
        return is_contiguous(given, MemoryFormat::channels_last) ||
               is_contiguous(given, MemoryFormat::channels_last_3d);
      },
      nb::arg("layout"));
  module.def(
      "_obstacle",
      [](nb::handle layout, nb::handle sizes) -> std::optional<ViewObstacle> {
        const Layout from = to_layout(layout);
        const Dims to = to_sizes(sizes);
        if (count_elements(to) != numel(from)) return std::nullopt;
        return why_not_view(from, to);
      },
      nb::arg("layout"), nb::arg("sizes"));
  module.def(
      "_stand_in", [](nb::handle layout, nb::handle dtype) { return nb::steal(stand_in(layout, dtype)); },
      nb::arg("layout"), nb::arg("dtype") = nb::none());
  module.def(
      "_transfer_seconds",
      [](Index bytes, std::string_view memory) {
        const bool is_peer = memory == name(LinkMemory::peer);
        const bool is_pinned = memory == name(LinkMemory::pinned);
        return transfer_seconds(bytes, is_peer     ? LinkMemory::peer
                                       : is_pinned ? LinkMemory::pinned
                                                   : LinkMemory::pageable);
      },
      nb::arg("bytes"), nb::arg("memory"));
  module.def(
      "_find_scramble",
      [](nb::handle from, nb::handle to) { return find_scramble(to_sizes(from), to_sizes(to)); },
      nb::arg("source"), nb::arg("to"));
}

/// What is known of a tensor as it stands, without the calls that made it.
std::string facts_of(const Tensor& tensor) {
  std::string text = detail::message(to_string(tensor.layout()), " ", name(tensor.dtype()), " on ",
                                     name(tensor.device()), ", ", tensor.nbytes(),
                                     " B of elements in a storage of ", tensor.storage().nbytes(), " B\n");
  const std::optional<ContiguityObstacle> obstacle = why_not_contiguous(tensor.layout());
  if (!obstacle) return text + "contiguous\n";
  return detail::message(text, "not contiguous\n", to_string(*obstacle, tensor.element_size()), '\n');
}

struct PythonPicture {
  Picture picture;
  PictureOptions options;
};

PictureOptions options_of(const std::string& subject, const std::string& color, std::size_t axis) {
  const std::optional<PictureSubject> known = picture_subject(subject);
  if (!known) {
    throw ValueError(detail::message("show: subject '", subject, "' must be 'tensors', 'atoms' or 'walk'"));
  }
  if (color != "axis" && color != "position") {
    throw ValueError(detail::message("show: color '", color, "' must be 'axis' or 'position'"));
  }
  PictureOptions options;
  options.subject = *known;
  options.colors = color == "axis" ? PictureColors::axis : PictureColors::position;
  options.axis = axis;
  return options;
}

Picture picture_for(nb::handle what, const std::string& title, const nb::dict& inputs) {
  if (is_tensor(what.ptr())) return picture_of(tensor_of(what.ptr()), title);
  if (PyUnicode_Check(what.ptr()) == 0) {
    throw TypeError("show: a Tensor or an expression in PyTorch's notation must be given");
  }
  ExplainOptions options;
  options.inputs = inputs_of(inputs);
  options.open_file = io::open_for_notation;
  Picture picture = picture_of(nb::cast<std::string>(what), options);
  if (picture.is_wrong_notation) throw ValueError(detail::message("show: ", picture.error));
  return picture;
}

void save_picture(const PythonPicture& self, const std::string& path, bool overwrite) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  if (suffix != ".svg" && suffix != ".html" && suffix != ".htm") {
    throw ValueError(detail::message("save: the path (", path, ") must end in .svg or .html"));
  }
  const std::string text =
      suffix == ".svg" ? to_svg(self.picture, self.options) : to_html(self.picture, self.options);
  io::AtomicFile file(path, overwrite ? io::Overwrite::replace : io::Overwrite::refuse, "save");
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace

void define_explaining(nb::module_& module) {
  nb::class_<Explanation>(module, "Explanation",
                          "What `explain` gives: print it, or read it as JSON.\n\n"
                          ">>> steps = tenstride.explain(\"torch.arange(6).view(2, 3).T.contiguous()\")\n"
                          ">>> steps.copies, steps.bytes_moved, steps.error\n(1, 96, None)\n")
      .def("__str__", [](const Explanation& self) { return to_text(self); })
      .def("__repr__", [](const Explanation& self) { return to_text(self); })
      .def("_repr_html_",
           [](nb::handle self) {
             return nb::str(nb::module_::import_("tenstride._display").attr("html")(self));
           })
      .def(
          "to_text",
          [](const Explanation& self, bool color, bool plans) {
            return to_text(self, color ? TextStyle::color : TextStyle::plain,
                           plans ? PlanDetail::listed : PlanDetail::left_out);
          },
          nb::arg("color") = false, nb::arg("plans") = false,
          "For people, with the copies' plans where asked for.")
      .def(
          "to_json", [](const Explanation& self) { return to_json(self); }, "The same as JSON.")
      .def_prop_ro(
          "copies", [](const Explanation& self) { return self.evaluation.totals.copies; },
          "How many copies were made.")
      .def_prop_ro(
          "bytes_moved", [](const Explanation& self) { return self.evaluation.totals.bytes_moved; },
          "Bytes read and written by them.")
      .def_prop_ro(
          "transfers", [](const Explanation& self) { return self.evaluation.totals.transfers; },
          "How many tensors were sent to another device: foretold, see `device`.")
      .def_prop_ro(
          "bytes_transferred",
          [](const Explanation& self) { return self.evaluation.totals.bytes_transferred; },
          "Bytes that cross the links.")
      .def_prop_ro(
          "error",
          [](const Explanation& self) -> std::optional<std::string> {
            if (!self.evaluation.failure) return std::nullopt;
            return detail::message(self.evaluation.failure->type, ": ", self.message);
          },
          "The refusal with its fixes; None where all went well.")
      .def_prop_ro(
          "value", [](const Explanation& self) { return nb::steal(from_value(self.evaluation.value)); },
          "What the last statement gave.");

  nb::class_<Fix>(module, "Fix",
                  "What to write instead of a refused view, and its price.\n\n"
                  ">>> fix = tenstride.why_not_view(torch.zeros(2, 3).T, (6,)).fixes[0]\n"
                  ">>> fix.code, fix.bytes_copied, fix.reorders\n('.reshape(6)', 24, False)\n")
      .def_ro("code", &Fix::code, "The call.")
      .def_ro("elements_copied", &Fix::elements_copied, "0 where nothing is copied.")
      .def_ro("bytes_copied", &Fix::bytes_copied, "0 where nothing is copied.")
      .def_ro("reorders", &Fix::reorders, "Whether the elements come in another order.")
      .def("__repr__", [](const Fix& self) {
        return detail::message("Fix(code='", self.code, "', bytes_copied=", self.bytes_copied, ")");
      });
  nb::class_<ViewExplanation>(module, "ViewExplanation",
                              "Why a view is not possible: print it, or read the numbers.\n\n"
                              ">>> why = tenstride.why_not_view(torch.zeros(2, 3).T, (6,))\n"
                              ">>> why.axes, why.stride_found, why.stride_needed\n((0, 1), 1, 6)\n")
      .def("__str__", [](const ViewExplanation& self) { return self.text; })
      .def("__repr__", [](const ViewExplanation& self) { return self.text; })
      .def_prop_ro(
          "axes",
          [](const ViewExplanation& self) {
            return nb::make_tuple(self.obstacle.left_axis, self.obstacle.right_axis);
          },
          "The two axes that would have to merge.")
      .def_prop_ro(
          "stride_found", [](const ViewExplanation& self) { return self.obstacle.stride_found; },
          "The stride of the first of the two, in elements.")
      .def_prop_ro(
          "stride_needed", [](const ViewExplanation& self) { return self.obstacle.stride_needed; },
          "What it would have to be: size * stride of the second.")
      .def_ro("fixes", &ViewExplanation::fixes, "What to write instead.");

  module.def(
      "_explain",
      [](const std::string& expression, bool strict, nb::dict inputs) {
        ExplainOptions options;
        options.inputs = inputs_of(inputs);
        options.scrambles = strict ? ScrambleRule::refuse : ScrambleRule::tell;
        options.open_file = io::open_for_notation;
        const LedgerPlaces places;
        return explain(expression, options);
      },
      nb::arg("expression"), nb::arg("strict"), nb::arg("inputs"));
  module.def(
      "_facts", [](const Tensor& tensor) { return facts_of(tensor); }, nb::arg("tensor"));
  module.def(
      "_why_not_view",
      [](const Tensor& tensor, nb::handle sizes) { return why_not_view(tensor, to_sizes(sizes)); },
      nb::arg("tensor"), nb::arg("sizes"));
  module.def(
      "_why_not_contiguous",
      [](const Tensor& tensor) -> std::optional<std::string> {
        const std::optional<ContiguityObstacle> obstacle = why_not_contiguous(tensor.layout());
        if (!obstacle) return std::nullopt;
        return to_string(*obstacle, tensor.element_size());
      },
      nb::arg("tensor"));
  module.def(
      "_explain_scramble",
      [](const Tensor& tensor, nb::handle sizes) { return explain_scramble(tensor, to_sizes(sizes)); },
      nb::arg("tensor"), nb::arg("sizes"));
  define_questions(module);

  nb::class_<PythonPicture>(
      module, "Picture",
      "What `show` gives; notebooks draw it.\n\n"
      ">>> picture = tenstride.show(torch.zeros(2, 3))\n>>> picture.to_svg().startswith(\"<svg\")\nTrue\n")
      .def(
          "to_svg", [](const PythonPicture& self) { return to_svg(self.picture, self.options); },
          "As SVG, without anything from the network.")
      .def(
          "to_html", [](const PythonPicture& self) { return to_html(self.picture, self.options); },
          "One page with all steps: hover an element to see it in each.")
      .def(
          "to_text", [](const PythonPicture& self) { return to_text(self.picture, self.options); },
          "With box characters.")
      .def("save", save_picture, nb::arg("path"), nb::arg("overwrite") = false,
           "Writes a .svg or .html file, whole or not at all. Raises FileError where it exists already.")
      .def("_repr_svg_", [](const PythonPicture& self) { return to_svg(self.picture, self.options); })
      .def("__str__", [](const PythonPicture& self) { return to_text(self.picture, self.options); })
      .def("__repr__", [](const PythonPicture& self) {
        return detail::message("<tenstride.Picture of ", self.picture.tensors.size(), " tensors>");
      });
  module.def(
      "_show",
      [](nb::handle what, const std::string& title, const std::string& subject, const std::string& color,
         std::size_t axis, nb::dict inputs) {
        return PythonPicture{picture_for(what, title, inputs), options_of(subject, color, axis)};
      },
      nb::arg("what"), nb::arg("title"), nb::arg("subject"), nb::arg("color"), nb::arg("axis"),
      nb::arg("inputs"));
}

}  // namespace tenstride::python
