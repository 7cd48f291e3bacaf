// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <filesystem>
#include <string>

#include "base/message.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "tenstride/checksum.hpp"
#include "tenstride/factory.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/image.hpp"
#include "tenstride/io/npy.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

Tensor load(nb::handle file) {
  const std::string path = path_of(file);
  const nb::gil_scoped_release released;
  if (io::sniff(path) == io::FileKind::npy) return io::load_npy(path);
  return io::open_tensor_file(path);
}

bool is_path(nb::handle object) {
  return nb::isinstance<nb::str>(object) || nb::isinstance<nb::bytes>(object) ||
         PyObject_HasAttrString(object.ptr(), "__fspath__") != 0;
}

/// A tensor, or an array of others without a copy where that can be.
Tensor tensor_or_array(nb::handle given, std::string_view operation) {
  if (is_tensor(given.ptr())) return tensor_of(given.ptr());
  const std::optional<Tensor> array = tensor_from_array(given, CopyRule::if_needed, operation);
  if (!array) {
    throw TypeError(detail::message(operation, ": a Tensor or an array must be given (",
                                    std::string_view(Py_TYPE(given.ptr())->tp_name), ")"));
  }
  return *array;
}

/// NumPy gives the path first, PyTorch the tensor.
void save(nb::handle path_given, nb::handle tensor_given, bool overwrite, bool fortran_order) {
  if (is_path(tensor_given) && !is_path(path_given)) std::swap(path_given, tensor_given);
  const std::string path = path_of(path_given);
  const Tensor tensor = tensor_or_array(tensor_given, "save");
  const std::string suffix = std::filesystem::path(path).extension().string();
  const io::Overwrite rule = overwrite ? io::Overwrite::replace : io::Overwrite::refuse;
  const nb::gil_scoped_release released;
  if (suffix == ".npy") {
    const auto order = fortran_order ? io::ElementOrder::column_major : io::ElementOrder::row_major;
    io::save_npy(path, tensor, {.order = order, .overwrite = rule});
  } else if (suffix == ".png") {
    io::write_png(path, tensor, rule);
  } else {
    throw ValueError(detail::message("save: the path (", path, ") must end in .npy or .png"));
  }
}

std::string checksum_digits(nb::handle given) {
  const Tensor x = tensor_or_array(given, "checksum");
  const nb::gil_scoped_release released;
  return to_string(tenstride::checksum(x));
}

MapMode mode_of(const std::string& mode) {
  if (mode == "r") return MapMode::read_only;
  if (mode == "r+") return MapMode::read_write;
  if (mode == "c") return MapMode::copy_on_write;
  throw ValueError(detail::message("memmap: mode '", mode, "' must be 'r', 'r+' or 'c' (copy on write)"));
}

Tensor memmap(nb::handle file, const std::string& mode, nb::handle dtype, nb::handle shape,
              std::size_t offset) {
  const std::string path = path_of(file);
  const MapMode access = mode_of(mode);
  const bool is_raw = !shape.is_none();
  if (!is_raw) return io::open_npy(path, access);
  Dims sizes;
  if (PyLong_Check(shape.ptr()) != 0) {
    sizes.push_back(to_index(shape.ptr()));
  } else {
    for (nb::handle size : nb::borrow<nb::sequence>(shape)) sizes.push_back(to_index(size.ptr()));
  }
  const DType type = to_dtype(dtype, "memmap").value_or(DType::float32);
  const Index count = count_elements(sizes, "memmap");
  const Index nbytes = checked_multiply(count, static_cast<Index>(item_size(type)), "memmap");
  if (offset % item_size(type) != 0) {
    throw ValueError(detail::message("memmap: offset ", offset, " must be a multiple of the ",
                                     item_size(type), " bytes of ", name(type)));
  }
  return Tensor(Storage::map_file(path, access, offset, static_cast<std::size_t>(nbytes)), row_major(sizes),
                type);
}

}  // namespace

std::string path_of(nb::handle path) {
  const nb::object text = nb::steal(PyOS_FSPath(path.ptr()));
  if (!text) throw nb::python_error();
  if (PyBytes_Check(text.ptr()) != 0) return nb::cast<nb::bytes>(text).c_str();
  return nb::cast<std::string>(text);
}

void define_files(nb::module_& module) {
  module.def("checksum", checksum_digits, nb::arg("x"),
             "32 hexadecimal digits that are the same for the same elements in the same row-major order, "
             "whatever the strides. Elements count by their bits; shape and dtype do not count. Arrays of "
             "others are taken too. Not for security.\n\n"
             "Raises RuntimeError for a tensor without memory.\n\n"
             ">>> torch.checksum(torch.arange(6, dtype=torch.float32))\n"
             "'4908bee0692dedb29fd873803cd55182'\n"
             ">>> x = torch.rand(3, 4)\n"
             ">>> torch.checksum(x.T.contiguous().T) == torch.checksum(x)\n"
             "True\n");
  module.def(
      "load", load, nb::arg("path"),
      "The tensor in a .npy, PNG or JPEG file, told by its first bytes, in memory of its own. A picture "
      "is (h,w,c) uint8, a PNG of 16 bits uint16; its EXIF orientation is not applied.\n\n"
      "Raises FileError for a file that cannot be read or is not what it says.\n\n"
      ">>> import os, tempfile\n"
      ">>> with tempfile.TemporaryDirectory() as folder:\n"
      "...     path = os.path.join(folder, \"x.npy\")\n"
      "...     torch.save(path, torch.arange(3))\n"
      "...     torch.load(path)\n"
      "tensor([0, 1, 2])\n");
  module.def("save", save, nb::arg("path"), nb::arg("tensor"), nb::kw_only(), nb::arg("overwrite") = false,
             nb::arg("fortran_order") = false,
             "Writes a .npy file as `numpy.save` does, or a .png (uint8, uint16 or bool of shape (h,w) or "
             "(h,w,c)); whole or not at all. The path may come second, as in PyTorch; arrays of others are "
             "written too.\n\nRaises "
             "FileError where the file exists already and `overwrite` is not given.\n\n"
             ">>> import os, tempfile\n"
             ">>> with tempfile.TemporaryDirectory() as folder:\n"
             "...     path = os.path.join(folder, \"x.npy\")\n"
             "...     torch.save(path, torch.zeros(2, 3), fortran_order=True)\n"
             "...     torch.memmap(path).stride()\n"
             "(1, 2)\n");
  module.def(
      "memmap", memmap, nb::arg("path"), nb::arg("mode") = "r", nb::kw_only(), nb::arg("dtype") = nb::none(),
      nb::arg("shape") = nb::none(), nb::arg("offset") = 0,
      "A .npy file as a tensor without reading it; with `shape`, raw elements of `dtype` (float32) from byte "
      "`offset` on. mode 'r': read-only; 'r+': writing changes the file; 'c': writing stays in memory.\n\n"
      "Raises FileError for a file that cannot be read or is too short, ValueError for another mode or an "
      "offset that is "
      "no multiple of the element.\n\n"
      ">>> import os, tempfile\n"
      ">>> with tempfile.TemporaryDirectory() as folder:\n"
      "...     path = os.path.join(folder, \"x.npy\")\n"
      "...     torch.save(path, torch.arange(3))\n"
      "...     torch.memmap(path)[1:]\n"
      "tensor([1, 2])\n");
}

}  // namespace tenstride::python
