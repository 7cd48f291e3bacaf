// SPDX-License-Identifier: Apache-2.0
// libhdf5 and what every use of it needs. Only sources libhdf5_*.cpp include this file.
#pragma once

// Later versions of libhdf5 give the functions that changed since under these names.
#define H5_USE_110_API 1
#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tenstride::io {

/// One thread at a time is within libhdf5, which as distributions build it is not safe for threads. A program
/// that calls libhdf5 itself must do so while this library reads and writes no HDF5 file. Holding this lock
/// also makes it silent: by itself it prints errors to stderr. Functions of sources libhdf5_*.cpp take the
/// lock only where they say so; the others expect it to be held.
class Hdf5Lock {
 public:
  Hdf5Lock();
  ~Hdf5Lock();
  Hdf5Lock(const Hdf5Lock&) = delete;
  Hdf5Lock& operator=(const Hdf5Lock&) = delete;

 private:
  std::scoped_lock<std::mutex> lock_;
  /// How the program itself wants errors to be printed.
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// An object of libhdf5, closed at the end of the scope. Pre: the thread holds the lock, here and at the end.
class Hdf5Id {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Id() = default;
  Hdf5Id(hid_t id, Close close) noexcept : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Id() { reset(); }
  /// Negative where the library has refused to close it, which for a file means that it is not written whole.
  herr_t reset() noexcept { return is_open() ? close_(std::exchange(id_, -1)) : 0; }
  [[nodiscard]] bool is_open() const noexcept { return id_ >= 0; }
  [[nodiscard]] hid_t get() const noexcept { return id_; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// What libhdf5 said to its last failure, innermost first, in brackets: " (libhdf5: can't read data)". Empty
/// where it said nothing.
std::string libhdf5_reason();

// The macros of these names check that the program was built with the headers of the library it has found,
// and abort it where it was not.
inline constexpr unsigned hdf5_read_only = 0x0000;
inline constexpr unsigned hdf5_read_write = 0x0001;
inline constexpr unsigned hdf5_truncate = 0x0002;

}  // namespace tenstride::io
