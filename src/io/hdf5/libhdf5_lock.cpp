// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5.hpp"

#include "io/hdf5/refuse.hpp"

namespace tenstride::io {
namespace {

std::mutex& libhdf5_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// The library calls that direction upward.
constexpr auto innermost_first = static_cast<H5E_direction_t>(0);

herr_t take_description(unsigned /*number*/, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr && *error->desc != '\0') *static_cast<std::string*>(text) = error->desc;
  return 1;  // the first is the innermost
}

}  // namespace

Hdf5Lock::Hdf5Lock() : lock_(libhdf5_mutex()) {
  static const bool is_open [[maybe_unused]] = H5open() >= 0;
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Lock::~Hdf5Lock() {
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

std::string libhdf5_reason() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, innermost_first, take_description, &text);
  if (text.empty()) return text;
  if (!text.starts_with("bad version number")) return " (libhdf5: " + text + ")";
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return tenstride::detail::message(" (libhdf5 ", major, '.', minor, '.', release, ": ", text, ")",
                                    hdf5_rewriting);
}

}  // namespace tenstride::io
#endif
