# SPDX-License-Identifier: Apache-2.0
# The library: for each part tenstride::PART, static or shared by BUILD_SHARED_LIBS, made of objects that are compiled
# once, position independent; with TENSTRIDE_BUILD_BOTH the other kind too. tenstride::tenstride is all of them.

set(tenstride_sources "")
foreach(part IN LISTS TENSTRIDE_PARTS)
  list(TRANSFORM tenstride_${part}_folders PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE folders)
  list(TRANSFORM folders APPEND /*.cpp)
  file(GLOB_RECURSE tenstride_${part}_sources CONFIGURE_DEPENDS ${folders})
  list(APPEND tenstride_sources ${tenstride_${part}_sources})
endforeach()

# What asks the system ends in its name.
set(left_out "/src/.*_wasi\\.cpp$")
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  set(left_out "/src/.*_linux\\.cpp$")
endif()
if(NOT TENSTRIDE_WITH_IMAGES)
  list(APPEND left_out "/src/io/image/(animated_png|animation|gif|image|jpeg|jpeg2000|png|png_write)\\.cpp$")
endif()
if(NOT TENSTRIDE_HAS_TIFF)
  list(APPEND left_out "/src/io/tiff/libtiff_[a-z]+\\.cpp$")
endif()
if(NOT TENSTRIDE_HAS_HDF5)
  list(APPEND left_out "/src/io/hdf5/libhdf5_[a-z0-9_]+\\.cpp$")
endif()
if(NOT TENSTRIDE_HAS_TBB)
  list(APPEND left_out "/src/parallel/parallel_tbb\\.cpp$")
elseif(TENSTRIDE_SANITIZE MATCHES "thread")
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/src/parallel/parallel_tbb.cpp PROPERTIES COMPILE_OPTIONS -fno-sanitize=thread
                                                                   SKIP_PRECOMPILE_HEADERS ON
                                                                   SKIP_UNITY_BUILD_INCLUSION ON)
endif()
if(NOT TENSTRIDE_HAS_URING)
  list(APPEND left_out "/src/io/disk/queue_uring\\.cpp$")
endif()

# Kernels: sources over Highway, which are compiled once for each instruction set, without precompiled headers, and
# their like.
set(kernel_pattern "(/src/.*/kernels/.*|_simd|/copy/row_converter)\\.cpp$")
set(tenstride_kernels ${tenstride_sources})
list(FILTER tenstride_kernels INCLUDE REGEX ${kernel_pattern})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Highway's NEON has the cryptographic extension, which no kernel uses: GCC inlines its functions where all have it.
  set_property(SOURCE ${tenstride_kernels} APPEND PROPERTY COMPILE_OPTIONS -march=armv8-a+crypto)
endif()
if(NOT TENSTRIDE_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  # GCC 12 vectorizes these from -O3 on only: with the -O2 of distributions conversions take up to ten times as long.
  set_property(
    SOURCE
    ${PROJECT_SOURCE_DIR}/src/elementwise/kernels/arithmetic_simd.cpp
    ${PROJECT_SOURCE_DIR}/src/elementwise/kernels/compare_simd.cpp ${PROJECT_SOURCE_DIR}/src/checksum/kernels_simd.cpp
    ${PROJECT_SOURCE_DIR}/src/copy/row_converter.cpp ${PROJECT_SOURCE_DIR}/src/copy/kernels/convert_simd.cpp
    ${PROJECT_SOURCE_DIR}/src/copy/kernels/portable_convert.cpp
    APPEND
    PROPERTY COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O3>)
  # These throw nothing. Without tables to unwind their stacks the library is half a megabyte smaller.
  set(tenstride_not_throwing ${tenstride_kernels})
  list(FILTER tenstride_not_throwing INCLUDE REGEX "/src/((copy|checksum|elementwise)/.*_simd|reduce/kernels/.*)\\.cpp$")
  set_property(
    SOURCE ${tenstride_not_throwing}
    APPEND
    PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-fno-exceptions> $<$<CONFIG:Release>:-fno-asynchronous-unwind-tables>)
endif()
if(TENSTRIDE_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Kernels hand out no address of their variables; not to check that takes .4 of their time to compile. Checks of
  # addresses by calls in place of inlined ones: simd.cpp compiles in less than half the time. Reductions are left out
  # of that: their tests would take longer than it saves.
  set_property(SOURCE ${tenstride_kernels} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize-address-use-after-scope)
  set(tenstride_checked_by_calls ${tenstride_kernels})
  list(FILTER tenstride_checked_by_calls EXCLUDE REGEX "/src/reduce/")
  set_property(
    SOURCE ${tenstride_checked_by_calls}
    APPEND
    PROPERTY COMPILE_OPTIONS --param=asan-instrumentation-with-call-threshold=0)
endif()

# Each way has constants of its own under common names.
set(tenstride_ways ${tenstride_sources})
list(FILTER tenstride_ways INCLUDE REGEX "/(plan|copy)/ways/")
set_source_files_properties(${tenstride_ways} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# The only source that may end a process, the child of fork: a test knows its object by its name.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/io/hdf5/libhdf5_child.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# Checksums are read at the speed of memory. Their part's precompiled headers are for size.
set(tenstride_checksums ${PROJECT_SOURCE_DIR}/src/checksum/checksum.cpp ${PROJECT_SOURCE_DIR}/src/checksum/kernels.cpp)
set_property(SOURCE ${tenstride_checksums} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
set_property(SOURCE ${tenstride_checksums} PROPERTY SKIP_PRECOMPILE_HEADERS ON)

# HDF5 stands apart in objects of its own, so that a build without it, as the wheel's, has all others in common with one
# that has it.
set(tenstride_hdf5_sources ${tenstride_io_sources})
list(FILTER tenstride_hdf5_sources INCLUDE REGEX "/src/io/hdf5/")
list(FILTER tenstride_io_sources EXCLUDE REGEX "/src/io/hdf5/")
set(tenstride_hdf5_libraries ${tenstride_io_libraries})
set(tenstride_hdf5_features ${TENSTRIDE_FEATURES})
set(tenstride_io_features ${TENSTRIDE_FEATURES} $<$<BOOL:${TENSTRIDE_HAS_URING}>:TENSTRIDE_HAS_URING>)
list(REMOVE_ITEM tenstride_io_features TENSTRIDE_HAS_HDF5)
set(tenstride_core_features $<$<BOOL:${TENSTRIDE_HAS_TBB}>:TENSTRIDE_HAS_TBB>)

# tenstride_objects(NAME SUFFIX SOURCES …): the sources as the objects tenstride_NAME_SUFFIX.
function(tenstride_objects name suffix)
  set(target tenstride_${name}_${suffix})
  add_library(${target} OBJECT ${ARGN})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  tenstride_target(${target})
  target_include_directories(
    ${target}
    PUBLIC ${PROJECT_SOURCE_DIR}/include
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE TENSTRIDE_VERSION="${PROJECT_VERSION}" ${tenstride_${name}_features})
  set(libraries ${tenstride_core_libraries} ${tenstride_${name}_libraries})
  if(NOT name STREQUAL "hdf5")
    list(REMOVE_ITEM libraries PkgConfig::TENSTRIDE_HDF5)
  endif()
  target_link_libraries(${target} PRIVATE ${libraries})
  if(suffix STREQUAL "objects")
    target_precompile_headers(${target} PRIVATE ${TENSTRIDE_PRECOMPILED})
    tenstride_units(${target})
  endif()
  # What parses, explains, draws and handles files is compiled for size, the others for speed: -fpeel-loops unrolls loops
  # over vectors in registers, as -O3 does. All of -O3 would make the library a fourth larger.
  if(name MATCHES "^(notation|io|hdf5)$")
    target_link_libraries(${target} PRIVATE nlohmann_json::nlohmann_json)
    # The library neither prints nor aborts: nothing of the JSON library that would is compiled in.
    target_compile_definitions(${target} PRIVATE JSON_NO_IO)
    target_compile_options(${target} PRIVATE "-DJSON_ASSERT(condition)=static_cast<void>(0)")
    tenstride_for_size(${target})
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2> $<$<CONFIG:Release>:-fpeel-loops>)
  endif()
endfunction()

# Kernels, which take longest, come before all others, so that no processor waits for them in the end.
set(object_names ${TENSTRIDE_PARTS})
if(io IN_LIST TENSTRIDE_PARTS)
  list(APPEND object_names hdf5)
endif()
foreach(suffix IN ITEMS kernels objects)
  foreach(name IN LISTS object_names)
    set(sources ${tenstride_${name}_sources})
    foreach(pattern IN LISTS left_out)
      list(FILTER sources EXCLUDE REGEX ${pattern})
    endforeach()
    if(suffix STREQUAL "kernels")
      list(FILTER sources INCLUDE REGEX ${kernel_pattern})
    else()
      list(FILTER sources EXCLUDE REGEX ${kernel_pattern})
    endif()
    if(sources)
      tenstride_objects(${name} ${suffix} ${sources})
      set(output ${name})
      if(name STREQUAL "hdf5")
        set(output io)
      endif()
      list(APPEND tenstride_${output}_objects $<TARGET_OBJECTS:tenstride_${name}_${suffix}>)
    endif()
  endforeach()
endforeach()

# tenstride_library(PART KIND SUFFIX): tenstride_PART_SUFFIX, which links those of the same suffix that the part needs.
function(tenstride_library part kind suffix)
  set(target tenstride_${part}${suffix})
  add_library(${target} ${kind} ${tenstride_${part}_objects})
  tenstride_target(${target})
  set_target_properties(
    ${target}
    PROPERTIES LINKER_LANGUAGE CXX
               OUTPUT_NAME tenstride-${part}
               EXPORT_NAME ${part}
               VERSION ${PROJECT_VERSION}
               # Before 1.0 every minor version may change the ABI.
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
               INSTALL_RPATH "$ORIGIN")
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM tenstride_${part}_needs REPLACE "(.+)" "tenstride_\\1${suffix}" OUTPUT_VARIABLE needed)
  target_link_libraries(${target} PUBLIC ${needed} PRIVATE ${tenstride_${part}_libraries})
  # Reports an undefined symbol here, and not when a user links. A sanitizer's own symbols are undefined here.
  if(kind STREQUAL "SHARED" AND NOT TENSTRIDE_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
endfunction()

# tenstride_libraries(KIND SUFFIX): every part, and all of them as one target.
function(tenstride_libraries kind suffix)
  add_library(tenstride${suffix} INTERFACE)
  foreach(part IN LISTS TENSTRIDE_PARTS)
    tenstride_library(${part} ${kind} "${suffix}")
    target_link_libraries(tenstride${suffix} INTERFACE tenstride_${part}${suffix})
  endforeach()
endfunction()

if(BUILD_SHARED_LIBS)
  set(TENSTRIDE_KIND shared)
  set(TENSTRIDE_OTHER_KIND static)
else()
  set(TENSTRIDE_KIND static)
  set(TENSTRIDE_OTHER_KIND shared)
endif()
string(TOUPPER ${TENSTRIDE_KIND} kind)
string(TOUPPER ${TENSTRIDE_OTHER_KIND} other_kind)

tenstride_libraries(${kind} "")
add_library(tenstride::tenstride ALIAS tenstride)
foreach(part IN LISTS TENSTRIDE_PARTS)
  add_library(tenstride::${part} ALIAS tenstride_${part})
endforeach()
if(TENSTRIDE_BUILD_BOTH)
  tenstride_libraries(${other_kind} _other)
endif()
