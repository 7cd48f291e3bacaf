// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>

#include "files/descriptor.hpp"
#include "io/hdf5/dataset.hpp"
#include "io/hdf5/hdf5_source.hpp"
#include "io/hdf5/superblock.hpp"

namespace tenstride::io {

/// A child process that has a dataset open in libhdf5 and reads of it what it is asked, chunk by chunk. It is
/// started by the first request, and ends with this object. A crash or an endless loop there is a FileError
/// here. For one thread at a time.
class Hdf5Worker {
 public:
  Hdf5Worker() = default;
  ~Hdf5Worker();
  Hdf5Worker(const Hdf5Worker&) = delete;
  Hdf5Worker& operator=(const Hdf5Worker&) = delete;

  /// Do as the functions of Hdf5Reader. Only `index` and `elements` differ from request to request.
  Hdf5Chunk find(const Hdf5Input& input, const Hdf5Dataset& dataset, const std::string& operation,
                 const Dims& index);
  void read(const Hdf5Input& input, const Hdf5Dataset& dataset, const std::string& operation,
            const Dims& index, std::span<std::byte> elements);

 private:
  enum class Request : char { find, read };
  void answer(Request request, const Hdf5Input& input, const Hdf5Dataset& dataset,
              const std::string& operation, const Dims& index, std::span<std::byte> result);
  void start(const Hdf5Input& input, const Hdf5Dataset& dataset, const std::string& operation);
  static int serve(int socket, const Hdf5Input& input, const Hdf5Dataset& dataset,
                   const std::string& operation);
  /// Ends the child and says how it ended.
  std::string end();

  pid_t child_ = -1;
  Descriptor socket_;
};

}  // namespace tenstride::io
