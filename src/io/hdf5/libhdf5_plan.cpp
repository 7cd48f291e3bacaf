// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <algorithm>
#include <array>

#include "io/hdf5/hdf5_sink.hpp"
#include "io/hdf5/libhdf5_driver.hpp"
#include "io/hdf5/libhdf5_write.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

/// Makes libhdf5 allocate all of the elements, which it does when the first of them is written; the file in
/// memory drops what is written.
bool allocate_elements(hid_t dataset, std::size_t rank) {
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose);
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose);
  const Hdf5Id one(H5Screate(H5S_SCALAR), H5Sclose);
  const std::vector<hsize_t> first(rank, 0);
  const std::vector<hsize_t> count(rank, 1);
  if (rank > 0)
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
  const std::array<char, 16> zero{};
  return H5Dwrite(dataset, type.get(), one.get(), space.get(), H5P_DEFAULT, zero.data()) >= 0;
}

}  // namespace

FlatFile plan_hdf5(const std::vector<NewTensor>& tensors, std::string_view operation) {
  check_hdf5_tensors(tensors, operation);
  FlatFile result;
  for (const NewTensor& tensor : tensors) {
    result.parts.push_back({row_major(tensor.shape), 0});
    checked_multiply(count_elements(tensor.shape, operation), static_cast<Index>(item_size(tensor.dtype)),
                     operation);
  }
  const Hdf5Lock lock;
  Hdf5MemoryFile memory;
  Hdf5Id file = create_hdf5_file(memory);
  if (!file.is_open()) refuse_creation(operation, "the file", "");
  // Everything else is allocated before the first element, and nothing is left free for small ones.
  const std::vector<Hdf5Layout> layouts(tensors.size());
  create_hdf5_datasets(file.get(), tensors, layouts, operation);
  if (file.reset() < 0) refuse_creation(operation, "the file", "");
  file = reopen_hdf5_file(memory);
  if (!file.is_open()) refuse_creation(operation, "the file", "");
  memory.is_dropping = true;
  std::uint64_t begin = UINT64_MAX;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (numel(result.parts[i].layout) == 0) continue;
    const Hdf5Id dataset(H5Dopen2(file.get(), tensors[i].name.c_str(), H5P_DEFAULT), H5Dclose);
    const bool is_allocated = dataset.is_open() && allocate_elements(dataset.get(), tensors[i].shape.size());
    const haddr_t place = is_allocated ? H5Dget_offset(dataset.get()) : HADDR_UNDEF;
    if (place == HADDR_UNDEF) refuse_creation(operation, "the dataset", tensors[i].name);
    result.parts[i].begin = place;
    begin = std::min<std::uint64_t>(begin, place);
  }
  if (file.reset() < 0) refuse_creation(operation, "the file", "");
  result.nbytes = memory.end;
  begin = std::min(begin, memory.end);
  if (memory.written_end > begin) {
    throw RuntimeError(std::string(operation) +
                       ": the metadata of an HDF5 file must come before its elements, this "
                       "libhdf5 has written some behind them");
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (numel(result.parts[i].layout) == 0) result.parts[i].begin = begin;
  }
  result.head = memory.start(begin);
  return result;
}

}  // namespace tenstride::io
#endif
