// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <optional>
#include <string>

#include "base/message.hpp"
#include "cpython.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "file_objects.hpp"
#include "sequences.hpp"
#include "tenstride/checksum/checksum.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/tensor/factory.hpp"
#include "types.hpp"
#include "values.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

/// How a file without a header lies, where a shape is given.
std::optional<io::RawElements> raw_elements(nb::handle shape, nb::handle dtype, const std::string& order,
                                            std::uint64_t offset, bool byteswap, std::string_view operation) {
  if (order != "C" && order != "F")
    throw ValueError(detail::message(operation, ": order '", order, "' must be 'C' or 'F'"));
  if (shape.is_none()) {
    if (dtype.is_none() && offset == 0 && !byteswap && order == "C") return std::nullopt;
    throw ValueError(detail::message(operation,
                                     ": dtype, order, offset and byteswap must go with a shape, for a file ",
                                     "without a header"));
  }
  return io::RawElements{to_dims(shape), to_dtype(dtype, operation).value_or(DType::float32), order == "F",
                         offset, byteswap};
}

/// Whether an address names one tensor of a file, which is given by itself and not in a dict.
bool names_one(const std::string& address, const std::vector<io::FileInfo>& found) {
  if (found.size() != 1) return false;
  if (!found[0].files.empty() || !io::has_tensor_names(found[0].kind)) return true;
  const std::string names = io::parse_address(address).names;
  return found[0].name == names || "/" + found[0].name == names;
}

/// The tensors that an address names, each read by `read`: one by itself, several as a dict.
template <class Read>
nb::object read_tensors(const std::string& address, std::string_view operation, const Read& read) {
  std::vector<io::FileInfo> found;
  std::vector<Tensor> tensors;
  {
    const nb::gil_scoped_release released;
    found = io::list_tensors(address, operation);
    io::require_readable(found, operation);
    for (const io::FileInfo& info : found) tensors.push_back(read(info));
  }
  if (names_one(address, found)) return nb::cast(tensors[0]);
  nb::dict result;
  for (std::size_t i = 0; i < found.size(); ++i)
    result[nb::str(found[i].name.c_str(), found[i].name.size())] = nb::cast(tensors[i]);
  return result;
}

nb::object load_path(const std::string& path, const std::optional<io::RawElements>& raw) {
  if (!raw)
    return read_tensors(path, "load", [](const io::FileInfo& info) { return io::load_tensor_file(info); });
  Tensor tensor;
  {
    const nb::gil_scoped_release released;
    tensor = io::load_tensor_file(io::raw_file_info(path, *raw, "load"));
  }
  return nb::cast(tensor);
}

nb::object load(nb::handle file, nb::handle shape, nb::handle dtype, const std::string& order,
                std::uint64_t offset, bool byteswap) {
  const auto raw = raw_elements(shape, dtype, order, offset, byteswap, "load");
  if (!is_file_object(file)) return load_path(path_of(file), raw);
  const FileObjectCopy copy(file, "load");
  return copy.with_its_name([&] { return load_path(copy.path(), raw); });
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
    throw TypeError(
        detail::message(operation, ": a Tensor or an array must be given (", name_of_type(given), ")"));
  }
  return *array;
}

/// What is saved: a dict of tensors, or one without a name.
std::vector<io::NamedTensor> named_tensors(nb::handle given) {
  std::vector<io::NamedTensor> tensors;
  if (PyDict_Check(given.ptr()) == 0) {
    tensors.push_back({"", tensor_or_array(given, "save")});
    return tensors;
  }
  for (const auto& [name, tensor] : nb::borrow<nb::dict>(given)) {
    if (!nb::isinstance<nb::str>(name)) throw TypeError("save: the names of tensors must be text");
    tensors.push_back({nb::cast<std::string>(name), tensor_or_array(tensor, "save")});
  }
  return tensors;
}

io::TiedTensors tied_of(const std::string& given) {
  if (given == "write") return io::TiedTensors::write;
  if (given == "once") return io::TiedTensors::once;
  throw ValueError(detail::message("save: tied '", given, "' must be 'write' or 'once'"));
}

/// NumPy gives the path first, PyTorch the tensor.
void save(nb::handle path_given, nb::handle tensor_given, bool overwrite, bool fortran_order, bool compressed,
          const std::string& tied, nb::handle attributes, nb::handle axes, nb::handle chunks,
          nb::handle shards, nb::handle codec, int zarr_format) {
  if (is_path(tensor_given) && !is_path(path_given)) std::swap(path_given, tensor_given);
  const std::string path = path_of(path_given);
  std::vector<io::NamedTensor> tensors = named_tensors(tensor_given);
  if (!attributes.is_none() && !tensors.empty()) {
    const nb::object json = nb::module_::import_("json").attr("dumps")(attributes);
    for (io::NamedTensor& tensor : tensors) tensor.attributes = nb::cast<std::string>(json);
  }
  if (!axes.is_none()) {
    if (tensors.size() != 1) throw ValueError("save: axes must go with one tensor");
    each_of(axes, [&](PyObject* axis) {
      tensors[0].axis_names.push_back(nb::cast<std::string>(nb::handle(axis)));
    });
  }
  io::SaveTensorsOptions options;
  options.chunks = chunk_options(chunks, shards, codec, zarr_format, "save");
  options.overwrite = overwrite ? io::Overwrite::replace : io::Overwrite::refuse;
  options.order = fortran_order ? io::ElementOrder::column_major : io::ElementOrder::row_major;
  options.is_compressed = compressed;
  options.tied = tied_of(tied);
  const nb::gil_scoped_release released;
  io::save_tensor_file(path, tensors, options);
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

nb::object memmap(nb::handle file, const std::string& mode, nb::handle dtype, nb::handle shape,
                  std::uint64_t offset, const std::string& order) {
  const std::string path = path_of(file);
  const MapMode access = mode_of(mode);
  if (const auto raw = raw_elements(shape, dtype, order, offset, false, "memmap")) {
    if (offset % item_size(raw->dtype) != 0) {
      throw ValueError(detail::message("memmap: offset ", offset, " must be a multiple of the ",
                                       item_size(raw->dtype), " bytes of ", name(raw->dtype)));
    }
    Tensor tensor;
    {
      const nb::gil_scoped_release released;
      tensor = io::map_tensor_file(io::raw_file_info(path, *raw, "memmap"), access);
    }
    return nb::cast(tensor);
  }
  return read_tensors(path, "memmap",
                      [&](const io::FileInfo& info) { return io::map_tensor_file(info, access); });
}

nb::object file_info(nb::handle file) {
  const std::string path = path_of(file);
  std::vector<io::FileInfo> found;
  {
    const nb::gil_scoped_release released;
    found = io::list_tensors(io::parse_address(path).names.empty() ? path + "::*" : path, "file_info");
  }
  nb::list result;
  for (io::FileInfo& info : found) result.append(nb::cast(std::move(info)));
  return result;
}

void define_file_info(nb::module_& module) {
  const auto or_none = [](const std::string& text) -> nb::object {
    return text.empty() ? nb::none() : nb::object(nb::str(text.c_str(), text.size()));
  };
  static constexpr auto text_of = or_none;
  nb::class_<io::FileInfo>(
      module, "FileInfo",
      "What the headers of a file say about a tensor in it, by `file_info`.\n\n"
      ">>> import os, tempfile\n"
      ">>> with tempfile.TemporaryDirectory() as folder:\n"
      "...     path = os.path.join(folder, \"x.npz\")\n"
      "...     torch.save(path, {\"a\": torch.zeros(2, 3), \"b\": torch.arange(4)})\n"
      "...     [(t.name, t.shape, t.format) for t in torch.file_info(path)]\n"
      "[('a', torch.Size([2, 3]), 'npz, stored'), ('b', torch.Size([4]), 'npz, stored')]\n")
      .def_prop_ro(
          "name", [](const io::FileInfo& info) { return text_of(info.name); },
          "Within the file; None where a file of the kind holds one tensor.")
      .def_ro("path", &io::FileInfo::path, "The file that has the elements.")
      .def_ro("format", &io::FileInfo::format, "With the version where there are several: 'npy 1.0'.")
      .def_prop_ro(
          "shape", [](const io::FileInfo& info) { return nb::steal(new_size(info.layout.shape)); },
          "Of the tensor that `load` gives.")
      .def_prop_ro(
          "strides", [](const io::FileInfo& info) { return nb::steal(new_size(info.layout.strides)); },
          "Of the tensor that `load` gives, in elements.")
      .def_prop_ro(
          "dtype",
          [](const io::FileInfo& info) -> nb::object {
            if (!info.obstacle.empty()) return nb::none();
            return nb::steal(new_dtype(info.dtype));
          },
          "Of the elements; None where they cannot be read.")
      .def_prop_ro(
          "obstacle", [](const io::FileInfo& info) { return text_of(info.obstacle); },
          "Why the elements cannot be read, as the end of \"must …\"; None where they can.")
      .def_ro("is_mapped", &io::FileInfo::is_mapped, "Whether `memmap` takes it.")
      .def_ro("is_byte_swapped", &io::FileInfo::is_byte_swapped,
              "Whether the bytes of its numbers stand in the other order than this machine's.")
      .def_ro("axes", &io::FileInfo::axis_names, "Names of the axes; empty where the file has none.")
      .def_prop_ro(
          "chunk", [](const io::FileInfo& info) { return info.chunk.to_vector(); },
          "Extents of a chunk; empty where there are none.")
      .def_prop_ro(
          "codec", [](const io::FileInfo& info) { return text_of(info.codec); },
          "How it is compressed; None where it is not.")
      .def_prop_ro(
          "attributes",
          [](const io::FileInfo& info) {
            return nb::module_::import_("json").attr("loads")(
                info.attributes.empty() ? "{}" : info.attributes.c_str());
          },
          "What else the file says about it, as a dict.")
      .def_ro("scale", &io::FileInfo::scale,
              "An element x means scale * x + shift; `convert` with rescale=True applies it, with what "
              "`attributes` "
              "say of missing elements; `load` does not.")
      .def_ro("shift", &io::FileInfo::shift, "See `scale`.")
      .def("__repr__", [](const io::FileInfo& info) {
        return detail::message("<tenstride.FileInfo ", info.address(), " ",
                               info.obstacle.empty() ? name(info.dtype) : "unreadable", " ",
                               info.layout.shape, " ", info.format, ">");
      });
  module.def(
      "file_info", file_info, nb::arg("path"),
      "What the headers of a file say about the tensors in it, a list of `FileInfo`; no element is read. "
      "\"x.npz::weight\" names one tensor of a file, \"model.safetensors::blocks.*\" several.\n\n"
      "Raises FileError for a file that cannot be read or is not what it says, and where no tensor has "
      "such a name.\n\n"
      ">>> import os, tempfile\n"
      ">>> with tempfile.TemporaryDirectory() as folder:\n"
      "...     path = os.path.join(folder, \"x.npy\")\n"
      "...     torch.save(path, torch.arange(3))\n"
      "...     torch.file_info(path)[0].format\n"
      "'npy 1.0'\n");
}

}  // namespace

io::ChunkOptions chunk_options(nb::handle chunks, nb::handle shards, nb::handle codec,
                               std::optional<int> zarr_format, std::string_view operation) {
  io::ChunkOptions options;
  if (!chunks.is_none()) options.chunk = to_dims(chunks);
  if (!shards.is_none()) options.shard = to_dims(shards);
  if (!codec.is_none()) options.codec = nb::cast<std::string>(codec);
  if (zarr_format && *zarr_format != 2 && *zarr_format != 3)
    throw ValueError(detail::message(operation, ": zarr_format ", *zarr_format, " must be 2 or 3"));
  options.zarr_format = zarr_format.value_or(0);
  return options;
}

std::string path_of(nb::handle path) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &bytes) == 0) throw nb::python_error();
  return nb::steal<nb::bytes>(bytes).c_str();
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
  define_file_info(module);
  module.def(
      "load", load, nb::arg("path"), nb::kw_only(), nb::arg("shape") = nb::none(),
      nb::arg("dtype") = nb::none(), nb::arg("order") = "C", nb::arg("offset") = 0,
      nb::arg("byteswap") = false,
      "The tensor in a file, told by its first bytes, in memory of its own. Of a file of several tensors "
      "(.npz, safetensors) a dict by name; \"x.npz::weight\" names one of them, "
      "\"model.safetensors::blocks.*\" some. The files of a pattern, \"frames/*.tif\", are stacked along a "
      "new "
      "first axis. A file object, such as `io.BytesIO`, is read from where it stands to its end. "
      "A picture is (h,w,c) uint8, a PNG of 16 bits uint16; its EXIF orientation is not applied. NumPy's "
      "dates "
      "and spans of time are int64; the attribute numpy_dtype of `file_info` says what they count. With "
      "`shape` "
      "the file has no header, but elements of `dtype` (float32) from byte `offset` on; order 'F': the first "
      "axis fastest; byteswap: their bytes stand in the other order than this machine's.\n\n"
      "Raises FileError for a file that cannot be read or is not what it says, and where no tensor has such "
      "a "
      "name.\n\n"
      ">>> import os, tempfile\n"
      ">>> with tempfile.TemporaryDirectory() as folder:\n"
      "...     path = os.path.join(folder, \"x.npz\")\n"
      "...     torch.save(path, {\"a\": torch.arange(3), \"b\": torch.zeros(2)})\n"
      "...     torch.load(path), torch.load(path + \"::a\")\n"
      "({'a': tensor([0, 1, 2]), 'b': tensor([0., 0.])}, tensor([0, 1, 2]))\n");
  module.def(
      "save", save, nb::arg("path"), nb::arg("tensor"), nb::kw_only(), nb::arg("overwrite") = false,
      nb::arg("fortran_order") = false, nb::arg("compressed") = false, nb::arg("tied") = "write",
      nb::arg("attributes") = nb::none(), nb::arg("axes") = nb::none(), nb::arg("chunks") = nb::none(),
      nb::arg("shards") = nb::none(), nb::arg("codec") = nb::none(), nb::arg("zarr_format") = 3,
      "Writes a tensor, or a dict of them by name, into a file of the kind that the end of its name tells: "
      ".npy "
      "as `numpy.save` does, .npz, .safetensors, .zarr (a folder), .nii, .tif, .raw (elements without a "
      "header), .png (uint8, uint16 or bool "
      "of shape (h,w) or (h,w,c)); whole or not at all. Tensors may have any strides; only their elements "
      "are "
      "written, not their storages. The path may come second, as in PyTorch; arrays of others are written "
      "too. "
      "compressed: deflates an .npz or .tif, and is refused elsewhere. tied 'once': of names for one and the "
      "same view only the "
      "first is written, and the metadata of a .safetensors file say which names mean it. attributes: a "
      "dict, "
      "and axes, the names of the axes: kept where the kind has a place for them. Of .zarr: chunks and "
      "shards are "
      "their extents (about 4 MiB, no shards), codec is 'none', 'gzip:6', 'zstd:3', 'blosc:lz4:5:shuffle', "
      "with "
      "'+crc32c' behind it (zstd).\n\n"
      "Raises FileError where the file exists already and `overwrite` is not given, TypeError for element "
      "types "
      "that the kind lacks, ValueError for a name that ends otherwise.\n\n"
      ">>> import os, tempfile\n"
      ">>> with tempfile.TemporaryDirectory() as folder:\n"
      "...     path = os.path.join(folder, \"x.npy\")\n"
      "...     torch.save(path, torch.zeros(2, 3), fortran_order=True)\n"
      "...     torch.memmap(path).stride()\n"
      "(1, 2)\n");
  module.def(
      "memmap", memmap, nb::arg("path"), nb::arg("mode") = "r", nb::kw_only(), nb::arg("dtype") = nb::none(),
      nb::arg("shape") = nb::none(), nb::arg("offset") = 0, nb::arg("order") = "C",
      "The tensor in a file without reading it, where its elements lie uncompressed (.npy, .safetensors, "
      "stored "
      "members of .npz): one, or a dict as `load` gives it. With `shape`, raw elements of `dtype` (float32) "
      "from "
      "byte `offset` on. mode 'r': read-only; 'r+': writing changes the file; 'c': writing stays in "
      "memory.\n\n"
      "Raises FileError for a file that cannot be read or is too short and where elements cannot be used as "
      "they lie, ValueError for another mode or an offset that is no multiple of the element.\n\n"
      ">>> import os, tempfile\n"
      ">>> with tempfile.TemporaryDirectory() as folder:\n"
      "...     path = os.path.join(folder, \"x.npy\")\n"
      "...     torch.save(path, torch.arange(3))\n"
      "...     torch.memmap(path)[1:]\n"
      "tensor([1, 2])\n");
}

}  // namespace tenstride::python
