// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "io/hdf5/libhdf5_fields.hpp"
#include "io/hdf5/refuse.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {
namespace {

using HdfExtents = std::array<hsize_t, H5S_MAX_RANK>;

/// The first element of a chunk.
HdfExtents first_of(const Dims& index, const Dims& chunk) {
  HdfExtents first{};
  for (std::size_t d = 0; d < index.size(); ++d) first[d] = static_cast<hsize_t>(index[d] * chunk[d]);
  return first;
}

}  // namespace

Hdf5Reader::Hdf5Reader(const Hdf5Input& input, const Hdf5Dataset& dataset, std::string_view operation)
    : input_(&input), facts_(&dataset), operation_(operation), driven_{&input} {
  file_ = open_hdf5_file(driven_);
  if (file_.is_open())
    dataset_ = Hdf5Id(H5Dopen2(file_.get(), hdf5_path_of(dataset).c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset_.is_open()) {
    refuse_hdf5(operation_, input.path, "must have a dataset \"", dataset.name, "\" that can be opened",
                file_.is_open() ? libhdf5_reason() : driven_.reason);
  }
  // Another program may have replaced what was listed.
  const Hdf5Id space(H5Dget_space(dataset_.get()), H5Sclose);
  HdfExtents extents{};
  const int rank = H5Sget_simple_extent_ndims(space.get());
  const bool is_same_rank =
      rank >= 0 && static_cast<std::size_t>(rank) + dataset.array_rank == dataset.shape.size();
  if (is_same_rank) H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  const auto is_same = [](Index a, hsize_t b) { return static_cast<hsize_t>(a) == b; };
  if (!is_same_rank ||
      !std::equal(dataset.shape.begin(), dataset.shape.begin() + rank, extents.begin(), is_same)) {
    refuse_changed();
  }
}

void Hdf5Reader::refuse_changed() const {
  refuse_hdf5(operation_, input_->path, "must stay as it is while it is read; \"", facts_->name,
              "\" has changed");
}

Hdf5Id Hdf5Reader::memory_type() const {
  const Hdf5Id type(H5Dget_type(dataset_.get()), H5Tclose);
  for (const Hdf5Field& field : fields_of_hdf5_type(type.get())) {
    const bool is_named =
        facts_->compound.empty() ? field.name.empty() : facts_->name == facts_->compound + "." + field.name;
    const auto first = facts_->shape.end() - static_cast<std::ptrdiff_t>(facts_->array_rank);
    if (is_named && field.type && field.type->dtype == facts_->dtype &&
        std::equal(first, facts_->shape.end(), field.axes.begin(), field.axes.end())) {
      return make_hdf5_field_type(type.get(), field);
    }
  }
  refuse_changed();
}

Hdf5Chunk Hdf5Reader::find(const Dims& index) {
  if (facts_->stored_nbytes == 0) return {};
  const HdfExtents first = first_of(index, facts_->chunk);
  hsize_t nbytes = 0;
  if (H5Dget_chunk_storage_size(dataset_.get(), first.data(), &nbytes) < 0) {
    // Of a missing chunk some versions say 0 bytes, and some that.
    if (libhdf5_reason().find("not allocated") != std::string::npos) return {};
    refuse_hdf5(operation_, input_->path, "must have an index of the chunks of \"", facts_->name,
                "\" that can be read", libhdf5_reason());
  }
  if (nbytes == 0) return {};
  // Nothing is written here: reads of elements are caught.
  std::byte unused{};
  std::uint32_t mask = 0;
  driven_.is_catching = true;
  driven_.caught_nbytes = 0;
  const herr_t state = H5Dread_chunk(dataset_.get(), H5P_DEFAULT, first.data(), &mask, &unused);
  driven_.is_catching = false;
  if (state >= 0 && driven_.caught_nbytes != nbytes) {
    refuse_hdf5(operation_, input_->path, "has a chunk ", index, " of \"", facts_->name, "\" of ",
                driven_.caught_nbytes, " bytes, which must be ", nbytes);
  }
  if (state < 0) {
    refuse_hdf5(operation_, input_->path, "must have the place of chunk ", index, " of \"", facts_->name,
                "\"", libhdf5_reason());
  }
  return {driven_.caught_begin, nbytes, mask};
}

void Hdf5Reader::read(const Dims& index, std::span<std::byte> elements) {
  const std::size_t rank = index.size() - facts_->array_rank;
  const HdfExtents first = first_of(index, facts_->chunk);
  HdfExtents count{};
  HdfExtents block{};
  const HdfExtents zero{};
  bool is_whole = true;
  for (std::size_t d = 0; d < rank; ++d) {
    block[d] = static_cast<hsize_t>(facts_->chunk[d]);
    count[d] = std::min(block[d], static_cast<hsize_t>(facts_->shape[d]) - first[d]);
    is_whole = is_whole && count[d] == block[d];
  }
  if (!is_whole) std::memset(elements.data(), 0, elements.size());
  Hdf5Id in_file(H5Dget_space(dataset_.get()), H5Sclose);
  Hdf5Id in_memory(H5Screate(H5S_SCALAR), H5Sclose);
  if (rank > 0) {
    const int signed_rank = static_cast<int>(rank);
    in_memory = Hdf5Id(H5Screate_simple(signed_rank, block.data(), nullptr), H5Sclose);
    H5Sselect_hyperslab(in_memory.get(), H5S_SELECT_SET, zero.data(), nullptr, count.data(), nullptr);
    H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
  }
  if (!type_.is_open()) type_ = memory_type();
  if (H5Dread(dataset_.get(), type_.get(), in_memory.get(), in_file.get(), H5P_DEFAULT, elements.data()) <
      0) {
    refuse_hdf5(operation_, input_->path, "must have elements of \"", facts_->name,
                "\" that libhdf5 can read, ", "chunk ", index, " has not", libhdf5_reason());
  }
}

}  // namespace tenstride::io
#endif
