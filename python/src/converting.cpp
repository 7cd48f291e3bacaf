// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "base/message.hpp"
#include "einops.hpp"
#include "exchange.hpp"
#include "files.hpp"
#include "module_parts.hpp"
#include "sequences.hpp"
#include "tenstride/io/memory_limit.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/pattern/pattern.hpp"
#include "types.hpp"
#include "values.hpp"

/// Files in another order, from file to file.
namespace tenstride::python {
namespace {

namespace nb = nanobind;

std::vector<AxisSize> sizes_of(nb::handle given) {
  if (given.is_none()) return {};
  if (PyDict_Check(given.ptr()) == 0) {
    throw TypeError("convert: sizes must be a dict of names and sizes, e.g. {\"h\": 2}");
  }
  return axis_sizes(nb::borrow<nb::dict>(given));
}

/// The tensors that the source names. A pattern is written out for the shape of each; a chain stands as it
/// is.
std::vector<io::TensorMove> moves_of(const std::string& source, const std::string& given,
                                     const std::vector<AxisSize>& sizes) {
  const bool has_pattern = is_pattern(given);
  return io::moves_that_fit(io::list_tensors(source, "convert"), [&](const io::FileInfo& info) {
    return has_pattern ? Pattern(given).bind(info.layout.shape, sizes).written_out() : given;
  });
}

std::uint64_t memory_of(nb::handle given) {
  if (given.is_none()) return 0;
  if (nb::isinstance<nb::str>(given)) {
    return io::parse_bytes("convert: max_memory", nb::cast<std::string>(given));
  }
  const Index bytes = to_index(given.ptr());
  if (bytes > 0) return static_cast<std::uint64_t>(bytes);
  throw ValueError(detail::message("convert: max_memory ", bytes, " must be positive"));
}

io::Resume resume_of(nb::handle given) {
  if (PyBool_Check(given.ptr()) != 0) {
    return nb::cast<bool>(given) ? io::Resume::required : io::Resume::no;
  }
  if (nb::isinstance<nb::str>(given) && nb::cast<std::string>(given) == "if_there") {
    return io::Resume::if_there;
  }
  throw ValueError("convert: resume must be False, True or 'if_there'");
}

io::ElementOrder order_of(const std::string& given) {
  if (given == "C") return io::ElementOrder::row_major;
  if (given == "F") return io::ElementOrder::column_major;
  throw ValueError(detail::message("convert: order '", given, "' must be 'C' or 'F'"));
}

std::optional<int> version_of(nb::handle zarr_format) {
  if (zarr_format.is_none()) return std::nullopt;
  return static_cast<int>(std::clamp<Index>(to_index(zarr_format.ptr()), 0, 9));
}

std::optional<io::FileTask> task_of(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  const auto refuse = [&]() {
    throw ValueError("convert: task " +
                     nb::cast<std::string>(nb::module_::import_("reprlib").attr("repr")(given)) +
                     " must be a pair (K, N), the K-th of N tasks, with K from 1 to N");
  };
  if (!nb::isinstance<nb::tuple>(given) && !nb::isinstance<nb::list>(given)) refuse();
  const nb::sequence pair = nb::borrow<nb::sequence>(given);
  if (nb::len(pair) != 2) refuse();
  const Index number = to_index(nb::object(pair[0]).ptr()), count = to_index(nb::object(pair[1]).ptr());
  if (number < 1 || number > count) refuse();
  return io::FileTask{static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(count)};
}

/// What both functions are told.
io::FileJob plan(nb::handle source, const std::string& chain, nb::handle destination, nb::handle sizes,
                 nb::handle max_memory, nb::handle dtype, const std::string& order, nb::handle scale,
                 nb::handle shift, Index axis, bool overwrite, nb::handle resume, bool verify,
                 nb::handle chunks, nb::handle shards, nb::handle codec, nb::handle zarr_format,
                 bool metadata_only, bool rescale, nb::handle task) {
  io::FileOptions options;
  options.task = task_of(task);
  options.chunks = chunk_options(chunks, shards, codec, version_of(zarr_format), "convert");
  options.is_metadata_only = metadata_only;
  options.is_rescaled = rescale;
  options.memory = memory_of(max_memory);
  options.resume = resume_of(resume);
  options.check = verify ? io::FileCheck::checksum : io::FileCheck::none;
  options.overwrite = overwrite ? io::Overwrite::replace : io::Overwrite::refuse;
  options.order = order_of(order);
  options.dtype = to_dtype(dtype, "convert");
  options.scale = scale_numbers(scale);
  options.shift = scale_numbers(shift);
  options.axis = axis;
  const std::string from = path_of(source), to = path_of(destination);
  const std::vector<AxisSize> known = sizes_of(sizes);
  if (!sizes.is_none() && !is_pattern(chain))
    throw ValueError("convert: sizes must go with a pattern, e.g. 'h w c -> c h w'");
  const nb::gil_scoped_release released;
  try {
    return io::plan_permute_files(moves_of(from, chain, known), to, options);
  } catch (const io::MemoryLimitError& error) {
    throw ValueError(detail::message("convert: max_memory of ", options.memory, " bytes must be at least ",
                                     error.least(), " for these axes"));
  }
}

/// What of the attributes was left out or not heeded; of several tensors with their names.
std::vector<std::string> notes_of(const io::FileJob& job) {
  std::vector<std::string> notes;
  for (const io::TensorJob& tensor : job.tensors) {
    for (const std::string& note : tensor.notes)
      notes.push_back(job.tensors.size() > 1 ? tensor.name + ": " + note : note);
  }
  return notes;
}

/// The function that takes what `plan` takes, and `progress`, and carries out what is planned.
template <typename... Given>
auto convert_by(io::FileJob (*plan)(Given...)) {
  return [plan](Given... given, nb::handle progress) {
    const io::FileJob job = plan(given...);
    for (const std::string& note : notes_of(job)) {
      if (PyErr_WarnEx(PyExc_UserWarning, ("convert: " + note).c_str(), 2) != 0) throw nb::python_error();
    }
    const nb::gil_scoped_release released;
    return io::run(job, [progress](const io::Progress& now) {
      const nb::gil_scoped_acquire acquired;
      if (!progress.is_none()) progress(nb::cast(now, nb::rv_policy::copy));
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
  };
}

void define_progress(nb::module_& module) {
  nb::class_<io::Progress>(module, "ConvertProgress",
                           "How far `convert` is; what its `progress` is called with. Bytes count once read "
                           "and once written, in each pass.\n\n"
                           ">>> def show(p):\n"
                           "...     print(f\"{p.bytes_done} of {p.bytes} bytes, pass {p.pass_} of "
                           "{p.passes}, {p.seconds_left} s left\")\n")
      .def_ro("bytes_done", &io::Progress::bytes_done, "Bytes read and written so far.")
      .def_ro("bytes", &io::Progress::bytes, "Bytes that are read and written in all.")
      .def_ro("tiles_done", &io::Progress::tiles_done, "Parts that need not be done again.")
      .def_ro("tiles", &io::Progress::tiles, "Parts in all.")
      .def_ro("pass_", &io::Progress::pass, "From 1 on.")
      .def_ro("passes", &io::Progress::passes, "Passes over all elements.")
      .def_ro("seconds", &io::Progress::seconds, "Since the run began.")
      .def_prop_ro(
          "seconds_left", [](const io::Progress& now) { return io::seconds_left(now); },
          "By the speed so far; None where that is not known yet.")
      .def_prop_ro(
          "bytes_per_second", [](const io::Progress& now) { return io::bytes_per_second(now); },
          "The speed so far; None in the first moment.")
      .def(
          "__str__", [](const io::Progress& now) { return io::progress_text(now); }, "One line for people.");
}

/// A list of dicts.
nb::list dropped_list(const std::vector<io::DroppedFact>& dropped) {
  nb::list result;
  for (const io::DroppedFact& one : dropped) {
    nb::dict entry;
    entry["tensor"] = one.tensor;
    entry["fact"] = one.fact;
    entry["reason"] = one.reason;
    result.append(entry);
  }
  return result;
}

constexpr const char* dropped_signature = "def dropped(self) -> list[dict[str, str]]";
constexpr const char* dropped_documentation =
    "What the source says of positions and elements and is not true of the result, so that it is left out: "
    "for each the tensor ('' for a single one), the fact and the reason.";

void define_results(nb::module_& module) {
  nb::class_<io::FileResult>(module, "ConvertResult",
                             "What `convert` did.\n\n"
                             ">>> import os, tempfile\n"
                             ">>> with tempfile.TemporaryDirectory() as folder:\n"
                             "...     a = os.path.join(folder, \"a.npy\")\n"
                             "...     torch.save(a, torch.arange(6))\n"
                             "...     b = os.path.join(folder, \"b.npy\")\n"
                             "...     result = torch.convert(a, \"x.view(2, 3).T\", b, verify=True)\n"
                             "...     result.is_checked, result.is_resumed\n"
                             "(True, False)\n")
      .def_prop_ro(
          "checksum", [](const io::FileResult& result) { return to_string(result.checksum); },
          "Of the elements written, as `checksum` gives it; with metadata_only alone where is_checked.")
      .def_ro("missing", &io::FileResult::missing,
              "With rescale: how many elements are missing by what the source says.")
      .def_ro("bytes_read", &io::FileResult::bytes_read, "Bytes read by this run.")
      .def_ro("bytes_written", &io::FileResult::bytes_written, "Bytes written by this run.")
      .def_ro("seconds", &io::FileResult::seconds, "From the first byte to the last.")
      .def_ro("is_resumed", &io::FileResult::is_resumed, "Whether an earlier run was resumed.")
      .def_ro("tasks_left", &io::FileResult::tasks_left,
              "How many tasks of several have not finished yet; then there is no destination yet, and no "
              "checksum.")
      .def_ro(
          "is_of_other_task", &io::FileResult::is_of_other_task,
          "Whether another task, or an earlier run of this one, has put the destination in place; then there "
          "is no checksum.")
      .def_ro("is_checked", &io::FileResult::is_checked, "Whether the destination was read back.")
      .def_prop_ro(
          "dropped", [](const io::FileResult& result) { return dropped_list(result.dropped); },
          nb::sig(dropped_signature), dropped_documentation)
      .def("__repr__", [](const io::FileResult& result) {
        return detail::message("<tenstride.ConvertResult checksum=", to_string(result.checksum),
                               " bytes_read=", result.bytes_read, " bytes_written=", result.bytes_written,
                               ">");
      });
  nb::class_<io::FileJob>(module, "ConvertPlan",
                          "What `convert` will do, by `plan_convert`; its str() tells tiles, runs and passes "
                          "to people.\n\n"
                          ">>> import os, tempfile\n"
                          ">>> with tempfile.TemporaryDirectory() as folder:\n"
                          "...     a = os.path.join(folder, \"a.npy\")\n"
                          "...     torch.save(a, torch.zeros(300, 400))\n"
                          "...     plan = torch.plan_convert(a, \"x.T\", \"b.npy\", dtype=torch.uint8)\n"
                          "...     plan.shape, plan.dtype\n"
                          "(torch.Size([400, 300]), torch.uint8)\n")
      .def_ro("bytes_read", &io::FileJob::bytes_read, "Bytes read, in all passes.")
      .def_ro("bytes_written", &io::FileJob::bytes_written, "Bytes written, in all passes.")
      .def_prop_ro(
          "temporary_bytes", &io::FileJob::bytes_beside,
          "Of all files that lie beside the destination and are gone at the end: parts of passes, what a "
          "`.gz` unpacks to, and what a `.nii.gz` is packed from.")
      .def_ro("seconds", &io::FileJob::seconds,
              "How long it will take, by what the disk is known to do; None where chunks are decompressed or "
              "compressed, how fast is not known.")
      .def_ro("is_disk_measured", &io::FileJob::is_disk_measured,
              "Whether that was measured here (`tenstride bench --disk FOLDER`) or is what most disks do.")
      .def_prop_ro(
          "dropped", [](const io::FileJob& job) { return dropped_list(io::dropped_facts(job)); },
          nb::sig(dropped_signature), dropped_documentation)
      .def_ro("passes", &io::FileJob::passes, "Passes over all elements.")
      .def_ro("memory", &io::FileJob::memory, "Bytes of all buffers, at most.")
      .def_prop_ro(
          "shape", [](const io::FileJob& job) { return nb::steal(new_size(job.tensors[0].shape)); },
          "Of the destination, or of its first tensor.")
      .def_prop_ro(
          "dtype", [](const io::FileJob& job) { return nb::steal(new_dtype(job.tensors[0].dtype)); },
          "Of the destination, or of its first tensor.")
      .def_prop_ro(
          "notes", notes_of,
          "What the source says of its elements that is not true of the result, and what is not used; "
          "`convert` warns of it.")
      .def("__str__", [](const io::FileJob& job) { return io::to_string(job); });
}

template <typename Function, typename... More>
void define_with_options(nb::module_& module, const char* name, Function function, const More&... more) {
  module.def(name, function, nb::arg("source"), nb::arg("chain"), nb::arg("destination"), nb::kw_only(),
             nb::arg("sizes") = nb::none(), nb::arg("max_memory") = nb::none(), nb::arg("dtype") = nb::none(),
             nb::arg("order") = "C", nb::arg("scale") = nb::none(), nb::arg("shift") = nb::none(),
             nb::arg("axis") = 0, nb::arg("overwrite") = false, nb::arg("resume") = false,
             nb::arg("verify") = false, nb::arg("chunks") = nb::none(), nb::arg("shards") = nb::none(),
             nb::arg("codec") = nb::none(), nb::arg("zarr_format") = nb::none(),
             nb::arg("metadata_only") = false, nb::arg("rescale") = false, nb::arg("task") = nb::none(),
             more...);
}

}  // namespace

void define_converting(nb::module_& module) {
  define_progress(module);
  define_results(module);
  define_with_options(module, "_convert_file", convert_by(plan), nb::arg("progress") = nb::none(),
                      "What `convert` does with files.");
  define_with_options(
      module, "plan_convert", plan,
      "What `convert` would do with the same arguments; only the header of the source is read, and nothing "
      "is written.\n\n"
      "Raises what `convert` raises for its arguments.\n\n"
      ">>> import os, tempfile\n"
      ">>> with tempfile.TemporaryDirectory() as folder:\n"
      "...     a = os.path.join(folder, \"a.npy\")\n"
      "...     torch.save(a, torch.zeros(300, 400))\n"
      "...     plan = torch.plan_convert(a, \"x.T\", os.path.join(folder, \"b.npy\"), max_memory=\"64M\")\n"
      "...     plan.passes, plan.temporary_bytes, plan.shape\n"
      "(1, 0, torch.Size([400, 300]))\n");
}

}  // namespace tenstride::python
