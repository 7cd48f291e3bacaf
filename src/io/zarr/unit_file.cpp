// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/unit_file.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "files/free_room.hpp"
#include "files/system_reason.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

std::string temporary_beside(const std::string& name) {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    static std::atomic<std::uint64_t> counter{0};
    number = (static_cast<std::uint64_t>(getpid()) << 32) + counter.fetch_add(1);
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), ".tenstride-%016llx.tmp", static_cast<unsigned long long>(number));
  const std::size_t slash = name.rfind('/');
  return (slash == std::string::npos ? "" : name.substr(0, slash + 1)) + text.data();
}

int create(int folder, const std::string& name) {
  return openat(folder, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
}

/// Makes the folders of a name; those that are there, or that another thread makes, are fine.
void make_folders(int folder, const std::string& name, const std::string& path) {
  for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string part = name.substr(0, slash);
    if (mkdirat(folder, part.c_str(), 0777) != 0 && errno != EEXIST) {
      refuse_zarr(path, "must lie in a folder that can be made", system_reason(errno));
    }
  }
}

}  // namespace

UnitFile::UnitFile(int folder, const std::string& name, const std::string& path)
    : folder_(folder),
      name_(name),
      path_(path),
      temporary_(temporary_beside(name)),
      file_(create(folder, temporary_)) {
  if (!file_.is_open() && errno == ENOENT) {
    make_folders(folder, name, path);
    file_ = Descriptor(create(folder, temporary_));
  }
  if (!file_.is_open()) {
    refuse_zarr(path, "must lie in a folder that can be written to", system_reason(errno));
  }
}

UnitFile::~UnitFile() {
  if (file_.is_open()) unlinkat(folder_, temporary_.c_str(), 0);
}

void UnitFile::write(std::span<const std::byte> bytes) {
  write_at(bytes, nbytes_);
  nbytes_ += bytes.size();
}

void UnitFile::write_at(std::span<const std::byte> bytes, std::uint64_t begin) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (written < 0 && errno == EINTR) continue;
    const int error = errno;
    if (written < 0) {
      refuse_zarr(path_, "must have room for ", bytes.size(), " more bytes", of_which_free(file_.get()),
                  system_reason(error));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    begin += static_cast<std::uint64_t>(written);
  }
}

std::uint64_t UnitFile::copy(const InputFile& input, const std::string& path) {
  if (nbytes_ == 0 && ioctl(file_.get(), FICLONE, input.file.get()) == 0) {
    nbytes_ = input.nbytes;
    return 0;
  }
  auto begin = off64_t{0};
  auto place = static_cast<off64_t>(nbytes_);
  const auto end = static_cast<off64_t>(input.nbytes);
  while (begin < end) {
    const ssize_t count = copy_file_range(input.file.get(), &begin, file_.get(), &place,
                                          static_cast<std::size_t>(end - begin), 0);
    if (count == 0 || (count < 0 && errno != EINTR))
      break;  // across file systems: bytes are read and written
  }
  constexpr std::uint64_t max_run = std::uint64_t{1} << 20;
  std::vector<std::byte> run;
  nbytes_ += static_cast<std::uint64_t>(begin);
  for (auto from = static_cast<std::uint64_t>(begin); from < input.nbytes; from += run.size()) {
    run.resize(std::min(max_run, input.nbytes - from));
    read_exactly(input, run, from, path);
    write(run);
  }
  return input.nbytes;
}

void UnitFile::commit() {
  // Some file systems find only now that there is no room.
  const int duplicate = dup(file_.get());
  if (duplicate >= 0 && close(duplicate) != 0) {
    refuse_zarr(path_, "must be written to the disk", system_reason(errno));
  }
  if (renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0) {
    refuse_zarr(path_, "must be a name that a file can have", system_reason(errno));
  }
  file_.reset();
}

bool link_unit(const std::string& src_path, int folder, const std::string& name, const std::string& path) {
  const auto link = [&] {
    return linkat(AT_FDCWD, src_path.c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link()) return true;
  if (errno != ENOENT) return false;
  make_folders(folder, name, path);
  return link();
}

}  // namespace tenstride::io
