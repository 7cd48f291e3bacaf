# SPDX-License-Identifier: Apache-2.0
# What each PART links: tenstride_PART_libraries (targets), tenstride_PART_packages (what a user of the static library must
# find), tenstride_PART_pc_targets (the same by pkg-config, NAME=package) and tenstride_PART_pc_requires (the same for
# pkg-config).

foreach(part IN LISTS TENSTRIDE_EVERY_PART)
  set(tenstride_${part}_libraries "")
  set(tenstride_${part}_packages "")
  set(tenstride_${part}_pc_requires "")
  set(tenstride_${part}_pc_targets "")
endforeach()

# tenstride_depends(PART PACKAGE LIBRARIES PKG-CONFIG)
macro(tenstride_depends part package libraries pc)
  list(APPEND tenstride_${part}_packages ${package})
  list(APPEND tenstride_${part}_libraries ${libraries})
  list(APPEND tenstride_${part}_pc_requires ${pc})
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
tenstride_depends(core Threads Threads::Threads "")

# Highway: SIMD from one source for every instruction set.
# Its headers alone are used, so that nobody who links the library needs it.
find_package(hwy CONFIG QUIET)
if(TARGET hwy::hwy)
  set(highway $<TARGET_PROPERTY:hwy::hwy,INTERFACE_INCLUDE_DIRECTORIES>)
else()
  find_path(TENSTRIDE_HIGHWAY_INCLUDE hwy/highway.h REQUIRED)
  mark_as_advanced(TENSTRIDE_HIGHWAY_INCLUDE)
  set(highway ${TENSTRIDE_HIGHWAY_INCLUDE})
endif()
add_library(tenstride_highway INTERFACE)
target_include_directories(tenstride_highway SYSTEM INTERFACE ${highway})
list(APPEND tenstride_core_libraries $<BUILD_INTERFACE:tenstride_highway>)

# oneTBB: threads that compose with the caller's own.
set(TENSTRIDE_HAS_TBB OFF)
if(TENSTRIDE_WITH_TBB)
  find_package(TBB CONFIG QUIET)
  if(TBB_FOUND)
    set(TENSTRIDE_HAS_TBB ON)
    tenstride_depends(core TBB TBB::tbb tbb)
  else()
    message(STATUS "tenstride: oneTBB not found, the build is serial")
  endif()
endif()

# JSON: headers only, used only in the sources, so that users of the library do not need them.
if(notation IN_LIST TENSTRIDE_PARTS)
  find_package(nlohmann_json CONFIG REQUIRED)
endif()

set(TENSTRIDE_FEATURES "")
if(NOT io IN_LIST TENSTRIDE_PARTS)
  return()
endif()

if(TENSTRIDE_WITH_IMAGES)
  find_package(JPEG REQUIRED)
  find_package(PNG REQUIRED)
  tenstride_depends(io JPEG JPEG::JPEG libjpeg)
  tenstride_depends(io PNG PNG::PNG libpng)
  list(APPEND TENSTRIDE_FEATURES TENSTRIDE_WITH_IMAGES)
endif()

# tenstride_optional(NAME PACKAGE WHAT): links the library of a pkg-config package where it is found, and defines
# TENSTRIDE_HAS_NAME for the sources. Where it is not, the sources refuse WHAT.
find_package(PkgConfig QUIET)
macro(tenstride_optional name package what)
  set(TENSTRIDE_HAS_${name} OFF)
  if(TENSTRIDE_WITH_FORMATS AND PkgConfig_FOUND)
    pkg_check_modules(TENSTRIDE_${name} QUIET IMPORTED_TARGET ${package})
  endif()
  if(TENSTRIDE_${name}_FOUND)
    set(TENSTRIDE_HAS_${name} ON)
    list(APPEND TENSTRIDE_FEATURES TENSTRIDE_HAS_${name})
    tenstride_depends(io "" PkgConfig::TENSTRIDE_${name} ${package})
    list(APPEND tenstride_io_pc_targets ${name}=${package})
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
if(TENSTRIDE_WITH_HDF5)
  tenstride_optional(HDF5 hdf5 "HDF5 and netCDF-4")
endif()

# liburing: many requests of large files in flight by one thread.
set(TENSTRIDE_HAS_URING OFF)
if(TENSTRIDE_WITH_URING)
  if(PkgConfig_FOUND)
    pkg_check_modules(TENSTRIDE_URING QUIET IMPORTED_TARGET liburing>=2.2)
  endif()
  if(TENSTRIDE_URING_FOUND)
    set(TENSTRIDE_HAS_URING ON)
    tenstride_depends(io "" PkgConfig::TENSTRIDE_URING liburing)
    list(APPEND tenstride_io_pc_targets URING=liburing)
  else()
    message(STATUS "tenstride: liburing not found, large files are moved by threads")
  endif()
endif()
