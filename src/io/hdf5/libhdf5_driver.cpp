// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_driver.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <tuple>
#include <variant>

#include "files/transfer.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

/// What libhdf5 holds of an open file. Its part comes first, as the library wants it.
struct DrivenFile {
  H5FD_t common{};
  std::variant<Hdf5ReadFile*, Hdf5MemoryFile*, Hdf5DiskFile*> file;
  haddr_t end_of_allocation = 0;
  /// The file that a link leads to, where it is not the one that is read.
  std::optional<Hdf5Input> other = {};
};

struct DriverInfo {
  std::variant<Hdf5ReadFile*, Hdf5MemoryFile*, Hdf5DiskFile*> file;
};

DrivenFile& driven(H5FD_t* file) {
  return *reinterpret_cast<DrivenFile*>(file);
}
const DrivenFile& driven(const H5FD_t* file) {
  return *reinterpret_cast<const DrivenFile*>(file);
}

/// Null where the file is none that is read.
const Hdf5Input* input_of(const DrivenFile& file) {
  const auto* const* read = std::get_if<Hdf5ReadFile*>(&file.file);
  if (read == nullptr) return nullptr;
  return file.other ? &*file.other : (*read)->input;
}

/// What further files are opened with that links lead to.
void* info_of_driven(H5FD_t* file) try {
  return new DriverInfo{driven(file).file};
} catch (const std::bad_alloc&) {
  return nullptr;
}

void* copy_driver_info(const void* info) try {
  return new DriverInfo(*static_cast<const DriverInfo*>(info));
} catch (const std::bad_alloc&) {
  return nullptr;
}

herr_t free_driver_info(void* info) {
  delete static_cast<DriverInfo*>(info);
  return 0;
}

H5FD_t* open_driven(const char* name, unsigned /*flags*/, hid_t access, haddr_t max_address) {
  const auto* const info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  auto file = std::make_unique<DrivenFile>();
  file->common.maxaddr = max_address;
  file->file = info->file;
  const Hdf5Input* const input = input_of(*file);
  if (input != nullptr && input->path != name) {
    std::string& refused = std::get<Hdf5ReadFile*>(file->file)->refused;
    try {
      file->other.emplace(open_hdf5(name, "open"));
    } catch (const FileError& error) {
      if (refused.empty()) refused = error.what();  // libhdf5 looks in other folders, too
      return nullptr;
    } catch (...) {
      return nullptr;  // no exception passes through C
    }
    refused.clear();
  }
  return &file.release()->common;
}

herr_t close_driven(H5FD_t* file) {
  const std::unique_ptr<DrivenFile> closed(&driven(file));
  return 0;
}

/// Files that are read are compared as the system tells them apart: links may lead back to one that is open.
int compare_driven(const H5FD_t* a, const H5FD_t* b) {
  const Hdf5Input* const first = input_of(driven(a));
  const Hdf5Input* const second = input_of(driven(b));
  struct stat of_first {};
  struct stat of_second {};
  if (first != nullptr && second != nullptr && fstat(first->file.get(), &of_first) == 0 &&
      fstat(second->file.get(), &of_second) == 0) {
    const auto number_a = std::tie(of_first.st_dev, of_first.st_ino);
    const auto number_b = std::tie(of_second.st_dev, of_second.st_ino);
    return number_a < number_b ? -1 : number_b < number_a ? 1 : 0;
  }
  return std::less<>()(a, b) ? -1 : a == b ? 0 : 1;
}

haddr_t end_of_allocation(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return driven(file).end_of_allocation;
}

herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  DrivenFile& own = driven(file);
  own.end_of_allocation = end;
  if (auto* const* memory = std::get_if<Hdf5MemoryFile*>(&own.file)) (*memory)->end = end;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t /*type*/) {
  const DrivenFile& own = driven(file);
  if (const Hdf5Input* const input = input_of(own)) return input->nbytes;
  if (const auto* const* disk = std::get_if<Hdf5DiskFile*>(&own.file)) return (*disk)->end;
  return std::get<Hdf5MemoryFile*>(own.file)->flushed_end;
}

/// What the file does not have is zero, as the library's own drivers do it.
herr_t read_input(Hdf5ReadFile& file, const Hdf5Input& input, H5FD_mem_t type, haddr_t begin,
                  std::span<std::byte> bytes) {
  if (file.is_catching && type == H5FD_MEM_DRAW) {
    if (file.caught_nbytes == 0) {
      file.caught_begin = begin;
      file.caught_nbytes = bytes.size();
    }
    return 0;
  }
  const std::uint64_t held = begin >= input.nbytes ? 0 : input.nbytes - begin;
  const std::size_t count = std::min<std::uint64_t>(held, bytes.size());
  std::memset(bytes.data() + count, 0, bytes.size() - count);
  return try_read(input, begin, bytes.first(count)) ? 0 : -1;
}

/// Calls `use(page number, first byte within the page, first byte within the range, count)` for each page.
template <class Use>
void for_each_page(haddr_t begin, std::size_t nbytes, const Use& use) {
  constexpr std::uint64_t page_nbytes = Hdf5MemoryFile::page_nbytes;
  for (std::size_t done = 0; done < nbytes;) {
    const std::uint64_t at = begin + done;
    const std::size_t within = at % page_nbytes;
    const std::size_t count = std::min(nbytes - done, page_nbytes - within);
    use(at / page_nbytes, within, done, count);
    done += count;
  }
}

herr_t read_driven(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, haddr_t begin, std::size_t nbytes,
                   void* buffer) {
  auto* const bytes = static_cast<std::byte*>(buffer);
  DrivenFile& own = driven(file);
  if (auto* const* read = std::get_if<Hdf5ReadFile*>(&own.file)) {
    return read_input(**read, *input_of(own), type, begin, {bytes, nbytes});
  }
  if (auto* const* disk = std::get_if<Hdf5DiskFile*>(&own.file)) {
    const Transfer read = read_at((*disk)->file.get(), {bytes, nbytes}, begin);
    std::memset(bytes + read.nbytes, 0, nbytes - read.nbytes);
    return read.error == 0 ? 0 : -1;
  }
  const auto& pages = std::get<Hdf5MemoryFile*>(own.file)->pages;
  for_each_page(begin, nbytes,
                [&](std::uint64_t number, std::size_t within, std::size_t at, std::size_t count) {
                  const auto page = pages.find(number);
                  if (page == pages.end()) {
                    std::memset(bytes + at, 0, count);
                  } else {
                    std::memcpy(bytes + at, page->second.data() + within, count);
                  }
                });
  return 0;
}

void write_disk(Hdf5DiskFile& file, haddr_t begin, std::span<const std::byte> bytes) {
  if (file.error != 0) return;
  const Transfer written = write_at(file.file.get(), bytes, begin);
  if (written.nbytes < bytes.size()) file.error = written.error;
  file.end = std::max<std::uint64_t>(file.end, begin + bytes.size());
}

/// Makes the file as long as what was allocated, which a reader expects.
herr_t truncate_driven(H5FD_t* file, hid_t /*transfer*/, hbool_t /*is_closing*/) {
  const DrivenFile& own = driven(file);
  if (auto* const* memory = std::get_if<Hdf5MemoryFile*>(&own.file))
    (*memory)->flushed_end = own.end_of_allocation;
  auto* const* disk = std::get_if<Hdf5DiskFile*>(&own.file);
  if (disk == nullptr || (*disk)->error != 0) return 0;
  (*disk)->end = own.end_of_allocation;
  if (ftruncate((*disk)->file.get(), static_cast<off_t>(own.end_of_allocation)) != 0) (*disk)->error = errno;
  return 0;
}

herr_t write_driven(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, haddr_t begin, std::size_t nbytes,
                    const void* buffer) try {
  if (auto* const* disk = std::get_if<Hdf5DiskFile*>(&driven(file).file)) {
    write_disk(**disk, begin, {static_cast<const std::byte*>(buffer), nbytes});
    return 0;
  }
  auto* const* memory = std::get_if<Hdf5MemoryFile*>(&driven(file).file);
  if (memory == nullptr) return -1;
  if (type == H5FD_MEM_DRAW && (*memory)->is_dropping) return 0;
  (*memory)->written_end = std::max<std::uint64_t>((*memory)->written_end, begin + nbytes);
  const auto* const bytes = static_cast<const std::byte*>(buffer);
  for_each_page(begin, nbytes,
                [&](std::uint64_t number, std::size_t within, std::size_t at, std::size_t count) {
                  std::string& page = (*memory)->pages[number];
                  page.resize(Hdf5MemoryFile::page_nbytes, '\0');
                  std::memcpy(page.data() + within, bytes + at, count);
                });
  return 0;
} catch (const std::bad_alloc&) {
  return -1;
}

herr_t query_driven(const H5FD_t* /*file*/, unsigned long* flags) {
  if (flags != nullptr) *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA;
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t result{};
#ifdef H5FD_CLASS_VERSION
  result.version = H5FD_CLASS_VERSION;
  result.value = static_cast<H5FD_class_value_t>(600);
#endif
  result.name = "tenstride";
  result.maxaddr = static_cast<haddr_t>(INT64_MAX);
  result.fc_degree = H5F_CLOSE_STRONG;
  result.fapl_size = sizeof(DriverInfo);
  result.fapl_get = info_of_driven;
  result.fapl_copy = copy_driver_info;
  result.fapl_free = free_driver_info;
  result.open = open_driven;
  result.close = close_driven;
  result.cmp = compare_driven;
  result.query = query_driven;
  result.get_eoa = end_of_allocation;
  result.set_eoa = set_end_of_allocation;
  result.get_eof = end_of_file;
  result.read = read_driven;
  result.write = write_driven;
  result.truncate = truncate_driven;
  const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), std::begin(result.fl_map));
  return result;
}

/// Properties by which a file is opened with the driver.
Hdf5Id driver_access(const DriverInfo& info) {
  static const H5FD_class_t described = driver_class();
  static const hid_t driver = H5FDregister(&described);
  Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (driver < 0 || !access.is_open() || H5Pset_driver(access.get(), driver, &info) < 0) return {};
  return access;
}

/// Elements begin at multiples of 64, so that they can be mapped.
constexpr hsize_t element_alignment = 64;

/// How a file is written. `min_aligned`: what is shorter may begin anywhere.
void set_form(hid_t access, hsize_t min_aligned) {
  H5Pset_alignment(access, min_aligned, element_alignment);
  // Version 1.8 reads it: attributes may be large, and groups have an order.
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
}

Hdf5Id create_with(hid_t access, const char* path) {
  const Hdf5Id creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  // netCDF-4 numbers dimensions and variables as they were created.
  constexpr unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  H5Pset_link_creation_order(creation.get(), order);
  H5Pset_attr_creation_order(creation.get(), order);
  set_form(access, element_alignment);
  return {H5Fcreate(path, hdf5_truncate, creation.get(), access), H5Fclose};
}

}  // namespace

Hdf5Id open_hdf5_file(Hdf5ReadFile& file) {
  const Hdf5Id access = driver_access({&file});
  if (!access.is_open()) return {};
  static const bool has_filters [[maybe_unused]] = (register_hdf5_filters(), true);
  // Links open further files so, and a file that they lead back to must be open in the same way.
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_WEAK);
  Hdf5Id opened(H5Fopen(file.input->path.c_str(), hdf5_read_only, access.get()), H5Fclose);
  // The end of `access` clears what libhdf5 says.
  if (!opened.is_open()) file.reason = libhdf5_reason();
  return opened;
}

std::string Hdf5MemoryFile::start(std::uint64_t nbytes) const {
  std::string bytes(nbytes, '\0');
  for (const auto& [number, page] : pages) {
    const std::uint64_t begin = number * page_nbytes;
    if (begin < nbytes) page.copy(bytes.data() + begin, std::min(page_nbytes, nbytes - begin));
  }
  return bytes;
}

Hdf5Id create_hdf5_file(Hdf5MemoryFile& file) {
  const Hdf5Id access = driver_access({&file});
  return access.is_open() ? create_with(access.get(), "memory") : Hdf5Id();
}

Hdf5Id reopen_hdf5_file(Hdf5MemoryFile& file) {
  const Hdf5Id access = driver_access({&file});
  if (!access.is_open()) return {};
  set_form(access.get(), 1);
  return {H5Fopen("memory", hdf5_read_write, access.get()), H5Fclose};
}

Hdf5Id create_hdf5_file(Hdf5DiskFile& file) {
  const Hdf5Id access = driver_access({&file});
  return access.is_open() ? create_with(access.get(), "disk") : Hdf5Id();
}

}  // namespace tenstride::io
#endif
