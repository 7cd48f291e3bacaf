// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "io/format/known_formats.hpp"
#include "io/tiff/attribute_tags.hpp"
#include "io/tiff/stack.hpp"
#include "io/tiff/tiff_sink.hpp"
#include "io/tiff/tiff_source.hpp"
#include "io/tiff/true_attributes.hpp"

namespace tenstride::io {
namespace {

/// The order of bytes, then 42 or, of BigTIFF, 43.
bool is_tiff(const FileStart& start) {
  using namespace std::string_view_literals;
  const std::string_view chars(reinterpret_cast<const char*>(start.bytes.data()), start.bytes.size());
  for (const std::string_view known : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}) {
    if (chars.starts_with(known)) return true;
  }
  return false;
}

FileInfo tiff_info(TiffStack stack) {
  FileInfo info;
  info.format = stack.version == 43 ? "BigTIFF" : "TIFF";
  info.name = stack.name;
  info.dtype = stack.dtype;
  info.layout = row_major(stack.shape);
  info.axis_names = stack.axis_names;
  info.orientation = stack.orientation;
  info.attributes = stack.attributes;
  info.further.unread_attributes = stack.unread_attributes;
  if (stack.is_flat()) {
    info.layout = *stack.flat->layout;
    info.data_begin = stack.flat->begin;
    info.is_byte_swapped =
        stack.byte_order == ByteOrder::swapped && item_size(component_type(stack.dtype)) > 1;
    return info;
  }
  const bool is_compressed = stack.compression != 1;
  info.storage = ElementStorage::chunked;
  if (is_compressed) info.codec = tiff_compression_text(stack.compression);
  if (!stack.obstacle.empty()) {
    const std::string_view subject = stack.obstacle.starts_with("page ") ? "" : "the file ";
    info.obstacle = tenstride::detail::message("have pages that can be read (", subject, stack.obstacle, ")");
    return info;
  }
  info.chunk = TiffSource(std::move(stack)).grid().chunk;
  return info;
}

std::vector<FileInfo> list_tiff(const std::string& path, std::string_view operation) {
  std::vector<TiffStack> stacks = list_tiff_stacks(path, operation);
  std::vector<FileInfo> tensors;
  for (TiffStack& stack : stacks) {
    const std::shared_ptr<const TiffFile> file = stack.file;
    TiffStack other = stacks.size() > 1 ? stack : TiffStack();
    try {
      tensors.push_back(tiff_info(std::move(stack)));
    } catch (const FileError& error) {
      // One that cannot be decoded blocks no other.
      if (stacks.size() == 1) throw;
      other.obstacle = file->reason_of(error);
      tensors.push_back(tiff_info(std::move(other)));
    }
  }
  return tensors;
}

std::unique_ptr<ChunkSource> tiff_chunks(const FileInfo& info, std::string_view operation) {
  return std::make_unique<TiffSource>(open_tiff_stack(info.path, operation, info.name));
}

void save_tiff(const std::string& path, const std::vector<NamedTensor>& tensors,
               const SaveTensorsOptions& options, std::string_view operation) {
  const NamedTensor& given = tensors.at(0);
  TiffOptions how;
  how.compression = options.is_compressed ? TiffCompression::deflate : TiffCompression::none;
  how.axis_names = given.axis_names;
  how.attributes = given.attributes;
  how.description = tiff_description(given.attributes);
  how.overwrite = options.overwrite;
  how.operation = operation;
  TiffWriter writer(path, given.tensor.shape(), given.tensor.dtype(), how);
  const std::size_t page_rank = writer.page_shape().size();
  for (Index page = 0; page < writer.page_count(); ++page) {
    Tensor one = given.tensor;
    Index rest = page;
    for (std::size_t d = given.tensor.shape().size() - page_rank; d-- > 0;) {
      const Index extent = given.tensor.shape()[d];
      one = one.select(static_cast<Index>(d), rest % extent);
      rest /= extent;
    }
    one = one.resolve_conj().resolve_neg().contiguous();
    writer.write_page(page, {static_cast<const std::byte*>(one.data_ptr()), one.nbytes()});
  }
  writer.close();
}

}  // namespace

const FileFormat tiff_format{.kind = FileKind::tiff,
                             .name = "TIFF",
                             .description = "a TIFF file",
                             .suffixes = {".tif", ".tiff"},
                             .facts = TensorFacts::both,
                             .has_fields = true,
                             .compresses = true,
                             .is_kind_of = is_tiff,
                             .list = list_tiff,
                             .chunks = tiff_chunks,
                             .keep_true = keep_true_tiff,
                             .keep_written = keep_written_tiff,
                             .save = save_tiff};

}  // namespace tenstride::io
