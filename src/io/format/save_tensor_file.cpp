// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/message.hpp"
#include "io/ends/write_tensor.hpp"
#include "io/format/format.hpp"
#include "io/format/python_json.hpp"
#include "ledger/watch.hpp"
#include "tensor/require_memory.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

constexpr std::string_view saving = "save";

bool is_same_view(const Tensor& a, const Tensor& b) {
  return a.storage() == b.storage() && a.layout() == b.layout() && a.dtype() == b.dtype() &&
         a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg() && a.numel() > 0;
}

/// Each view once; the metadata say which names are left out, as `{"head.weight": "embed.weight"}`.
std::vector<NamedTensor> without_tied(const std::vector<NamedTensor>& tensors) {
  std::vector<NamedTensor> kept;
  nlohmann::ordered_json left_out = nlohmann::ordered_json::object();
  for (const NamedTensor& tensor : tensors) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const NamedTensor& other) {
      return is_same_view(tensor.tensor, other.tensor);
    });
    if (same == kept.end()) {
      kept.push_back(tensor);
    } else {
      left_out[tensor.name] = same->name;
    }
  }
  if (!left_out.empty()) {
    nlohmann::ordered_json attributes = parse_attributes(kept[0].attributes);
    if (!attributes.is_object()) attributes = nlohmann::ordered_json::object();
    try {
      static_cast<void>(left_out.dump());
    } catch (const nlohmann::ordered_json::type_error&) {
      throw ValueError(message(saving, ": the names of tied tensors must be UTF-8"));
    }
    attributes.update(left_out);
    kept[0].attributes = python_json_text(attributes);
  }
  return kept;
}

/// Levels of objects and lists in attributes: they are written by functions that call themselves.
constexpr int max_attribute_levels = 64;

void require_few_levels(const std::string& attributes) {
  using SavedJson = nlohmann::ordered_json;
  const auto look = [](int depth, SavedJson::parse_event_t, const SavedJson&) {
    if (depth <= max_attribute_levels) return;
    throw ValueError(message(saving, ": the attributes must have at most ", max_attribute_levels,
                             " levels of objects and lists"));
  };
  try {
    static_cast<void>(parse_python_json<SavedJson>(attributes, look));
  } catch (const SavedJson::exception&) {
    return;  // no JSON: what that means is for the format to say
  }
}

/// What each tensor is called in the file: a single one without a name by the kind's usual name.
std::vector<NamedTensor> with_names(std::vector<NamedTensor> tensors, const FileFormat& format) {
  std::set<std::string> names;
  for (NamedTensor& tensor : tensors) {
    if (format.names == TensorNames::none) {
      if (tensors.size() > 1) {
        throw ValueError(message(saving, ": ", tensors.size(),
                                 " tensors must go to a file that holds several, ",
                                 "as .npz and .safetensors do, not to ", format.description));
      }
      tensor.name.clear();
    } else if (tensor.name.empty() && tensors.size() == 1) {
      tensor.name = format.usual_name;
    }
    if (!names.insert(tensor.name).second) {
      throw ValueError(message(saving, ": the name \"", tensor.name, "\" must stand once in a file"));
    }
    if (!tensor.axis_names.empty() && tensor.axis_names.size() != tensor.tensor.shape().size()) {
      throw ValueError(message(saving, ": ", tensor.axis_names.size(),
                               " names of axes must be as many as the ", tensor.tensor.dim(), " axes of ",
                               tensor.tensor.shape()));
    }
  }
  return tensors;
}

/// The ends of names of the kinds that can be made and are meant.
template <class IsMeant>
std::vector<std::string> suffixes_where(const IsMeant& is_meant) {
  std::vector<std::string> suffixes;
  for (const FileFormat* format : file_formats()) {
    if (!is_written(*format) || !is_meant(*format)) continue;
    for (const std::string_view suffix : format->suffixes) {
      if (!suffix.empty()) suffixes.emplace_back(suffix);
    }
  }
  return suffixes;
}

/// ".npz, .tif or .tiff".
std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

/// Refuses tensors that go along as their bytes are stored, where the format does not take them.
void require_taken(const std::vector<NamedTensor>& tensors, const SaveTensorsOptions& options,
                   const FileFormat& format) {
  const std::vector<FileInfo>& stored = options.chunks.as_stored;
  if (stored.empty()) return;
  std::set<std::string> names;
  for (const NamedTensor& tensor : tensors) names.insert(tensor.name);
  for (const FileInfo& info : stored) {
    const std::string obstacle = obstacle_to_keeping(info, format.kind, options.chunks);
    if (!obstacle.empty())
      throw FileError(message(saving, ": \"", info.address(), "\" must ", obstacle), info.path);
    if (info.obstacle.empty())
      throw ValueError(
          message(saving, ": \"", info.address(), "\" can be read and must be among the tensors"));
    if (!names.insert(info.name).second)
      throw ValueError(message(saving, ": the name \"", info.name, "\" must stand once in a file"));
  }
  if (format.save != nullptr || writes_chunks(format, options.chunks)) return;
  throw ValueError(message(saving, ": tensors in ", format.description,
                           " must be in chunks where others go along as they are stored (give a chunk)"));
}

}  // namespace

bool is_written_flat(FileKind kind) {
  return kind != FileKind::unknown && format_of(kind).plan_flat != nullptr;
}

FileKind kind_of_name(std::string_view path) {
  const FileFormat* const format = find_format_by_suffix(path);
  return format == nullptr || !is_written(*format) ? FileKind::unknown : format->kind;
}

bool is_written_in_chunks(FileKind kind) {
  return kind != FileKind::unknown && format_of(kind).create_chunks != nullptr;
}

std::string_view usual_tensor_name(FileKind kind) {
  return kind == FileKind::unknown ? std::string_view() : format_of(kind).usual_name;
}

bool has_tensor_names(FileKind kind) {
  return kind != FileKind::unknown && format_of(kind).names != TensorNames::none;
}

ElementOrder written_order(FileKind kind, ElementOrder wanted, std::string_view operation) {
  const FileFormat& format = format_of(kind);
  if (format.orders == Orders::column_major) return ElementOrder::column_major;
  if (format.orders == Orders::both || wanted == ElementOrder::row_major) return wanted;
  throw ValueError(message(operation, ": elements of ", format.description, " must be row-major (order C)"));
}

std::string flat_head(FileKind kind, const NewTensor& tensor, std::string_view operation) {
  NewTensor named = tensor;
  if (named.name.empty()) named.name = format_of(kind).usual_name;
  return format_of(kind).plan_flat({named}, operation).head;
}

std::vector<std::string> written_suffixes() {
  return suffixes_where([](const FileFormat&) { return true; });
}

std::string writable_suffixes() {
  return alternatives(written_suffixes());
}

std::string obstacle_to_compression(FileKind kind) {
  if (format_of(kind).compresses) return {};
  const auto compresses = [](const FileFormat& format) { return format.compresses; };
  const auto takes_codec = [](const FileFormat& format) { return format.create_chunks != nullptr; };
  return message("go with ", alternatives(suffixes_where(compresses)), ", not with ", name(kind),
                 " (codec compresses ", alternatives(suffixes_where(takes_codec)), ")");
}

void save_tensor_file(const std::string& path, const std::vector<NamedTensor>& given,
                      const SaveTensorsOptions& options, Caller caller) {
  const FileKind kind = kind_of_name(path);
  if (kind == FileKind::unknown) {
    throw ValueError(message(saving, ": the path (", path, ") must end in ", writable_suffixes()));
  }
  const FileFormat& format = format_of(kind);
  if (options.is_compressed && !format.compresses)
    throw ValueError(message(saving, ": compression must ", obstacle_to_compression(kind)));
  if (given.empty()) throw ValueError(message(saving, ": there must be a tensor to be written"));
  for (const NamedTensor& tensor : given) require_few_levels(tensor.attributes);
  const bool has_tied = options.tied == TiedTensors::once;
  const std::vector<NamedTensor> tensors = with_names(has_tied ? without_tied(given) : given, format);
  require_taken(tensors, options, format);
  for (const NamedTensor& tensor : tensors) {
    tenstride::detail::require_memory(tensor.tensor, saving, "written");
  }
  const tenstride::detail::OperationScope scope(saving, caller);
  const tenstride::detail::ReadingScope reading;  // what goes to a file is handed out
  SaveTensorsOptions resolved = options;
  resolved.order = written_order(kind, options.order, saving);
  if (format.save != nullptr) return format.save(path, tensors, resolved, saving);
  std::vector<NewTensor> planned;
  planned.reserve(tensors.size());
  for (const NamedTensor& tensor : tensors) {
    const ElementOrder order = written_order(kind, tensor.order.value_or(resolved.order), saving);
    planned.push_back({tensor.name, tensor.tensor.shape(), tensor.tensor.dtype(), order, tensor.axis_names,
                       tensor.attributes, 1, 0, tensor.further});
  }
  take_chunks(planned, options.chunks, [](const NewTensor&) { return false; });
  const ChunkOptions chunks = chunk_options_for(format, options.chunks, planned,
                                                [](const NewTensor& tensor) { return tensor.further; });
  if (writes_chunks(format, chunks)) {
    const auto file = format.create_chunks(path, planned, chunks, options.overwrite, saving);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      write_tensor(file->sink(i), tensors[i].tensor.resolve_conj().resolve_neg());
    }
    return file->commit();
  }
  TensorFileWriter writer(path, kind, planned, options.overwrite, saving);
  for (std::size_t i = 0; i < tensors.size(); ++i) copy_elements(writer.tensor(i), tensors[i].tensor);
  writer.commit();
}

}  // namespace tenstride::io
