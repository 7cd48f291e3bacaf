# SPDX-License-Identifier: Apache-2.0
# Collects what the library links: TENSTRIDE_DEPENDENCIES (targets), TENSTRIDE_PACKAGES (what a user of the static
# library must find), TENSTRIDE_PC_TARGETS (the same by pkg-config, NAME=package) and TENSTRIDE_PC_REQUIRES (the same for pkg-config).

set(TENSTRIDE_DEPENDENCIES Threads::Threads)
set(TENSTRIDE_PACKAGES Threads)
set(TENSTRIDE_PC_REQUIRES "")
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Highway: SIMD from one source for every instruction set.
find_package(hwy CONFIG REQUIRED)
list(APPEND TENSTRIDE_DEPENDENCIES hwy::hwy)
list(APPEND TENSTRIDE_PACKAGES hwy)
list(APPEND TENSTRIDE_PC_REQUIRES libhwy)

# JSON: headers only, used only in the sources, so that users of the library do not need them.
find_package(nlohmann_json CONFIG REQUIRED)

# oneTBB: threads that compose with the caller's own.
set(TENSTRIDE_HAS_TBB OFF)
if(TENSTRIDE_WITH_TBB)
  find_package(TBB CONFIG QUIET)
  if(TBB_FOUND)
    set(TENSTRIDE_HAS_TBB ON)
    list(APPEND TENSTRIDE_DEPENDENCIES TBB::tbb)
    list(APPEND TENSTRIDE_PACKAGES TBB)
    list(APPEND TENSTRIDE_PC_REQUIRES tbb)
  else()
    message(STATUS "tenstride: oneTBB not found, the build is serial")
  endif()
endif()

if(TENSTRIDE_WITH_IMAGES)
  find_package(JPEG REQUIRED)
  find_package(PNG REQUIRED)
  list(APPEND TENSTRIDE_DEPENDENCIES JPEG::JPEG PNG::PNG)
  list(APPEND TENSTRIDE_PACKAGES JPEG PNG)
  list(APPEND TENSTRIDE_PC_REQUIRES libjpeg libpng)
endif()

# tenstride_optional(NAME PACKAGE WHAT): links the library of a pkg-config package where it is found, and defines
# TENSTRIDE_HAS_NAME for the sources. Where it is not, the sources refuse WHAT.
find_package(PkgConfig QUIET)
set(TENSTRIDE_FEATURES "")
set(TENSTRIDE_PC_TARGETS "")
macro(tenstride_optional name package what)
  set(TENSTRIDE_HAS_${name} OFF)
  if(TENSTRIDE_WITH_FORMATS AND PkgConfig_FOUND)
    pkg_check_modules(TENSTRIDE_${name} QUIET IMPORTED_TARGET ${package})
  endif()
  if(TENSTRIDE_${name}_FOUND)
    set(TENSTRIDE_HAS_${name} ON)
    list(APPEND TENSTRIDE_FEATURES TENSTRIDE_HAS_${name})
    list(APPEND TENSTRIDE_DEPENDENCIES PkgConfig::TENSTRIDE_${name})
    list(APPEND TENSTRIDE_PC_REQUIRES ${package})
    list(APPEND TENSTRIDE_PC_TARGETS ${name}=${package})
  else()
    message(STATUS "tenstride: ${package} not found, the build has no ${what}")
  endif()
endmacro()
tenstride_optional(ISAL libisal "inflater, for .npz and .nii.gz")
tenstride_optional(MINIZIP minizip ".npz")
tenstride_optional(TIFF libtiff-4 "compressed TIFF")
tenstride_optional(DEFLATE libdeflate "gzip and zlib in Zarr")
tenstride_optional(ZSTD libzstd "zstd in Zarr")
tenstride_optional(BLOSC blosc "blosc in Zarr")

# liburing: many requests of large files in flight by one thread.
set(TENSTRIDE_HAS_URING OFF)
if(TENSTRIDE_WITH_URING)
  if(PkgConfig_FOUND)
    pkg_check_modules(TENSTRIDE_URING QUIET IMPORTED_TARGET liburing>=2.2)
  endif()
  if(TENSTRIDE_URING_FOUND)
    set(TENSTRIDE_HAS_URING ON)
    list(APPEND TENSTRIDE_DEPENDENCIES PkgConfig::TENSTRIDE_URING)
    list(APPEND TENSTRIDE_PC_REQUIRES liburing)
    list(APPEND TENSTRIDE_PC_TARGETS URING=liburing)
  else()
    message(STATUS "tenstride: liburing not found, large files are moved by threads")
  endif()
endif()
