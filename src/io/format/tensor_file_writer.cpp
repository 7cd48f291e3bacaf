// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "copy/swap_bytes.hpp"
#include "io/format/format.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {

struct TensorFileWriter::State {
  AtomicFile file;
  std::vector<Tensor> tensors{};
  ByteOrder byte_order = ByteOrder::native;
  /// Of a kind that is packed.
  std::function<void()> pack{};

  State(const std::string& path, Overwrite overwrite, std::string_view operation)
      : file(path, overwrite, operation) {}
};

TensorFileWriter::TensorFileWriter(const std::string& path, FileKind kind,
                                   const std::vector<NewTensor>& tensors, Overwrite overwrite,
                                   std::string_view operation) {
  // What cannot be written is refused before there is a file.
  std::vector<NewTensor> named = tensors;
  if (named.size() == 1 && named[0].name.empty()) named[0].name = format_of(kind).usual_name;
  const FlatFile plan = format_of(kind).plan_flat(named, operation);
  state_ = std::make_unique<State>(path, overwrite, operation);
  state_->byte_order = plan.byte_order;
  AtomicFile& file = state_->file;
  if (const auto pack = format_of(kind).pack) {
    state_->pack = [&file, pack, overwrite, text = std::string(operation)] {
      pack(file.temporary_path(), file.path(), overwrite, text);
    };
  }
  file.reserve(static_cast<std::size_t>(plan.nbytes));
  file.write(std::as_bytes(std::span(plan.head)));
  const Storage whole =
      Storage::map_file(file.temporary_path(), MapMode::read_write, 0, static_cast<std::size_t>(plan.nbytes));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const FlatFile::Part& part = plan.parts[i];
    const auto nbytes = static_cast<std::size_t>(numel(part.layout)) * item_size(tensors[i].dtype);
    std::byte* const first = nbytes == 0 ? nullptr : whole.mutable_data() + part.begin;
    state_->tensors.emplace_back(Storage::adopt(first, nbytes, [kept = whole](void*) {}), part.layout,
                                 tensors[i].dtype);
  }
}

TensorFileWriter::~TensorFileWriter() = default;

Tensor& TensorFileWriter::tensor(std::size_t number) {
  return state_->tensors.at(number);
}

void TensorFileWriter::commit() {
  for (const Tensor& tensor : state_->tensors) {
    const std::size_t width = item_size(component_type(tensor.dtype()));
    if (state_->byte_order == ByteOrder::native || width == 1) continue;
    std::byte* const elements = tensor.storage().mutable_data();
    swap_bytes(elements, elements, tensor.storage().nbytes(), width);
  }
  state_->tensors.clear();
  if (!state_->pack) return state_->file.commit();
  state_->pack();
  state_.reset();  // what was packed is removed
}

}  // namespace tenstride::io
