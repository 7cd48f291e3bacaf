// SPDX-License-Identifier: Apache-2.0
#include "io/format/format.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {

struct TensorFileWriter::State {
  AtomicFile file;
  std::vector<Tensor> tensors{};

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
  AtomicFile& file = state_->file;
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
  state_->tensors.clear();
  state_->file.commit();
}

}  // namespace tenstride::io
