// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>

#include "base/message.hpp"
#include "tenstride/memory/storage.hpp"

namespace tenstride {
namespace {

struct MappedBlock : detail::StorageBlock {
  void* mapping = nullptr;
  std::size_t mapped_bytes = 0;
};

void release_mapped(detail::StorageBlock* block) {
  auto* const mapped = static_cast<MappedBlock*>(block);
  if (mapped->mapping != nullptr) munmap(mapped->mapping, mapped->mapped_bytes);
  delete mapped;
}

[[noreturn]] void throw_system(const std::string& path, std::string_view what) {
  const std::string reason = std::generic_category().message(errno);
  throw FileError(detail::message("map_file: \"", path, "\" ", what, " (", reason, ")"), path);
}

/// Closes the file when the scope ends: a mapping lives on without it.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC)) {
    if (number_ < 0) throw_system(path, "must be a file that can be opened");
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

Storage Storage::map_file(const std::string& path, MapMode mode, std::uint64_t offset, std::uint64_t nbytes) {
  const Descriptor file(path, mode == MapMode::read_write ? O_RDWR : O_RDONLY);
  struct stat facts {};
  if (fstat(file.number(), &facts) != 0) throw_system(path, "must be a file whose size can be told");
  if (!S_ISREG(facts.st_mode)) {
    throw FileError(detail::message("map_file: \"", path, "\" must be a regular file"), path);
  }
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  if (offset > size || nbytes > size - offset) {
    throw FileError(detail::message("map_file: \"", path, "\" has ", size, " bytes and must have ", nbytes,
                                    " from byte ", offset, " on"),
                    path);
  }
  auto block = std::make_unique<MappedBlock>();
  block->nbytes = nbytes;
  block->access = mode == MapMode::read_only ? Access::read_only : Access::read_write;
  block->release = release_mapped;
  if (nbytes > 0) {
    const auto before = static_cast<std::size_t>(offset % static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
    if (nbytes > SIZE_MAX - before) {
      throw FileError(detail::message("map_file: \"", path, "\": addresses do not reach ", nbytes, " bytes"),
                      path);
    }
    const int protection = mode == MapMode::read_only ? PROT_READ : PROT_READ | PROT_WRITE;
    const int flags = mode == MapMode::copy_on_write ? MAP_PRIVATE : MAP_SHARED;
    block->mapped_bytes = static_cast<std::size_t>(nbytes) + before;
    void* const mapping = mmap(nullptr, block->mapped_bytes, protection, flags, file.number(),
                               static_cast<off_t>(offset - before));
    if (mapping == MAP_FAILED) throw_system(path, "must be a file that can be mapped");
    block->mapping = mapping;
    block->data = static_cast<std::byte*>(mapping) + before;
  }
  return Storage(block.release());
}

}  // namespace tenstride
