// SPDX-License-Identifier: Apache-2.0
// New NIfTI files that are packed, or pairs of a header and elements. They are read as all NIfTI files are.
#include <algorithm>
#include <optional>

#include "io/format/element_blocks.hpp"
#include "io/format/known_formats.hpp"
#include "io/input.hpp"
#include "io/nifti/analyze.hpp"
#include "io/nifti/files.hpp"
#include "io/nifti/header.hpp"
#include "io/stream/gzip_stream.hpp"
#include "io/stream/inflate_stream.hpp"

namespace tenstride::io {
namespace {

/// A file of a header, of elements, or both, which appears whole or not at all.
class NiftiPart {
 public:
  NiftiPart(const std::string& path, NiftiPacking packing, Overwrite overwrite, std::string_view operation)
      : file_(path, overwrite, operation) {
    if (packing == NiftiPacking::none) return;
    gzip_.emplace(path, operation, [this](std::span<const std::byte> bytes) { file_.write(bytes); });
  }
  void write(std::span<const std::byte> bytes) {
    if (gzip_) {
      gzip_->write(bytes);
    } else {
      file_.write(bytes);
    }
  }
  void end() {
    if (gzip_) gzip_->end();
  }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
  std::optional<GzipStream> gzip_;
};

/// Writes the file, or the pair, that a path names. `give_elements(take)` gives all elements to `take`.
template <class GiveElements>
void write_nifti(const std::string& path, const std::string& head, Overwrite overwrite,
                 std::string_view operation, const GiveElements& give_elements) {
  const NewNiftiNames names = new_nifti_names(path);
  const bool is_pair = names.header != names.elements;
  NiftiPart elements(names.elements, names.packing, overwrite, operation);
  std::optional<NiftiPart> header;
  if (is_pair) header.emplace(names.header, names.packing, overwrite, operation);
  const std::string first = is_pair ? nifti_pair_header(head) : head;
  (is_pair ? *header : elements).write(std::as_bytes(std::span(first)));
  give_elements([&](std::span<const std::byte> bytes) { elements.write(bytes); });
  elements.end();
  if (header) header->end();
  // A header without elements would be refused; elements alone are no file of any kind.
  elements.commit();
  if (header) header->commit();
}

void save_nifti(const std::string& path, const std::vector<NamedTensor>& tensors,
                const SaveTensorsOptions& options, std::string_view operation) {
  const NamedTensor& tensor = tensors.at(0);
  const std::string head =
      nifti_header(tensor.tensor.shape(), tensor.tensor.dtype(),
                   {tensor.attributes, tensor.further.header_extensions, std::string(operation)});
  write_nifti(path, head, options.overwrite, operation, [&](const BlockVisitor& take) {
    for_each_block(tensor.tensor, ElementOrder::column_major, take);
  });
}

void pack_nifti(const std::string& flat, const std::string& path, Overwrite overwrite,
                std::string_view operation) {
  const Storage file = map_input(flat, operation);
  std::span<const std::byte> bytes = bytes_of(file);
  const std::size_t begin = parse_nifti_header(bytes, bytes.size(), flat).data_begin;
  const std::string head(reinterpret_cast<const char*>(bytes.data()), begin);
  constexpr std::size_t max_step = std::size_t{8} << 20;
  write_nifti(path, head, overwrite, operation, [&](const BlockVisitor& take) {
    for (std::size_t at = begin; at < bytes.size(); at += max_step)
      take(bytes.subspan(at, std::min(max_step, bytes.size() - at)));
  });
}

std::uint64_t min_packed_nbytes(std::uint64_t nbytes, const std::string& path) {
  return new_nifti_names(path).packing == NiftiPacking::gzip ? nbytes / max_inflation : nbytes;
}

}  // namespace

const FileFormat nifti_packed_format{.kind = FileKind::nifti_packed,
                                     .name = "NIfTI-packed",
                                     .description = "a NIfTI file that is packed or a pair",
                                     .suffixes = {".nii.gz", ".hdr", ".img", ".hdr.gz", ".img.gz"},
                                     .orders = Orders::column_major,
                                     .facts = TensorFacts::attributes,
                                     .has_fields = true,
                                     .is_read = false,  // its files are read as NIfTI
                                     .keep_written = keep_fields_of_nifti,
                                     .save = save_nifti,
                                     .plan_flat = plan_nifti,
                                     .pack = pack_nifti,
                                     .min_packed_nbytes = min_packed_nbytes};

}  // namespace tenstride::io
