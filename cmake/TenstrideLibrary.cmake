# SPDX-License-Identifier: Apache-2.0
# The library. Every source is compiled once, position independent, into `tenstride_engine`, `tenstride_frontend` or
# `tenstride_hdf5`; `tenstride` is made of all three, static or shared by BUILD_SHARED_LIBS, and with TENSTRIDE_BUILD_BOTH `tenstride_other` is the other kind.

file(
  GLOB_RECURSE tenstride_sources
  CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*.cpp)
if(NOT TENSTRIDE_WITH_IMAGES)
  list(FILTER tenstride_sources EXCLUDE REGEX "/src/io/image/(image|jpeg|png|png_write)\\.cpp$")
endif()
if(NOT TENSTRIDE_HAS_TIFF)
  list(FILTER tenstride_sources EXCLUDE REGEX "/src/io/tiff/libtiff_[a-z]+\\.cpp$")
endif()
if(NOT TENSTRIDE_HAS_HDF5)
  list(FILTER tenstride_sources EXCLUDE REGEX "/src/io/hdf5/libhdf5_[a-z0-9_]+\\.cpp$")
endif()
if(NOT TENSTRIDE_HAS_TBB)
  list(REMOVE_ITEM tenstride_sources ${PROJECT_SOURCE_DIR}/src/parallel/parallel_tbb.cpp)
elseif(TENSTRIDE_SANITIZE MATCHES "thread")
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/src/parallel/parallel_tbb.cpp PROPERTIES COMPILE_OPTIONS -fno-sanitize=thread
                                                                   SKIP_PRECOMPILE_HEADERS ON
                                                                   SKIP_UNITY_BUILD_INCLUSION ON)
endif()
if(NOT TENSTRIDE_HAS_URING)
  list(REMOVE_ITEM tenstride_sources ${PROJECT_SOURCE_DIR}/src/io/disk/queue_uring.cpp)
endif()

# Sources over Highway are compiled once for each instruction set, without precompiled headers.
set(tenstride_kernels ${tenstride_sources})
list(FILTER tenstride_kernels INCLUDE REGEX "(/src/.*/kernels/.*|_simd|/copy/convert/.*)\\.cpp$")
set_source_files_properties(${tenstride_kernels} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
if(NOT TENSTRIDE_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  # GCC 12 vectorizes these from -O3 on only: with the -O2 of distributions conversions take up to ten times as long.
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/src/copy/kernels/simd.cpp ${PROJECT_SOURCE_DIR}/src/copy/kernels/converting_simd.cpp
    ${PROJECT_SOURCE_DIR}/src/elementwise/kernels/arithmetic_simd.cpp
    ${PROJECT_SOURCE_DIR}/src/elementwise/kernels/compare_simd.cpp ${PROJECT_SOURCE_DIR}/src/checksum/kernels_simd.cpp
    ${PROJECT_SOURCE_DIR}/src/copy/convert/convert.cpp ${PROJECT_SOURCE_DIR}/src/copy/convert/convert_simd.cpp
    PROPERTIES COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O3>)
  # These throw nothing. Without tables to unwind their stacks the library is half a megabyte smaller.
  set(tenstride_not_throwing ${tenstride_kernels})
  list(FILTER tenstride_not_throwing INCLUDE REGEX "/src/((copy|checksum|elementwise)/.*_simd|reduce/kernels/.*)\\.cpp$")
  set_property(
    SOURCE ${tenstride_not_throwing}
    APPEND
    PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-fno-exceptions> $<$<CONFIG:Release>:-fno-asynchronous-unwind-tables>)
endif()
if(TENSTRIDE_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Checks of addresses by calls in place of inlined ones: simd.cpp compiles in less than half the time. Reductions are
  # left out, whose tests would take longer than that saves.
  set(tenstride_checked_by_calls ${tenstride_kernels})
  list(FILTER tenstride_checked_by_calls EXCLUDE REGEX "/src/reduce/")
  set_source_files_properties(
    ${tenstride_checked_by_calls} PROPERTIES COMPILE_OPTIONS --param=asan-instrumentation-with-call-threshold=0)
endif()

# Each strategy has constants of its own under common names.
set(tenstride_strategies ${tenstride_sources})
list(FILTER tenstride_strategies INCLUDE REGEX "/strategies/")
set_source_files_properties(${tenstride_strategies} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# The only source that may end a process, the child of fork: a test knows its object by its name.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/io/hdf5/libhdf5_child.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# Three libraries of objects: the engine is compiled for speed; what parses, explains, draws and handles files, for size.
# HDF5 stands apart, so that a build without it, as the wheel's, has all other objects in common with one that has it.
set(frontend "/src/(calibration|einops|explain|expression|io|operations|pattern|picture|plan/files|print)/")
foreach(part IN ITEMS engine frontend hdf5)
  set(tenstride_${part}_sources ${tenstride_sources})
  set(tenstride_${part}_dependencies ${TENSTRIDE_DEPENDENCIES})
  set(tenstride_${part}_features ${TENSTRIDE_FEATURES})
endforeach()
list(FILTER tenstride_engine_sources EXCLUDE REGEX ${frontend})
list(FILTER tenstride_engine_dependencies INCLUDE REGEX "^(Threads|hwy|TBB)::")
set(tenstride_engine_features "")
list(FILTER tenstride_frontend_sources INCLUDE REGEX ${frontend})
list(FILTER tenstride_frontend_sources EXCLUDE REGEX "/src/io/hdf5/")
list(FILTER tenstride_frontend_dependencies EXCLUDE REGEX "HDF5")
list(FILTER tenstride_frontend_features EXCLUDE REGEX "HDF5")
list(FILTER tenstride_hdf5_sources INCLUDE REGEX "/src/io/hdf5/")

# tenstride_objects(PART): the objects of one of them, tenstride_PART.
function(tenstride_objects part)
  set(name tenstride_${part})
  add_library(${name} OBJECT ${tenstride_${part}_sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  tenstride_target(${name})
  target_include_directories(
    ${name}
    PUBLIC ${PROJECT_SOURCE_DIR}/include
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(
    ${name} PRIVATE TENSTRIDE_VERSION="${PROJECT_VERSION}" $<$<BOOL:${TENSTRIDE_HAS_TBB}>:TENSTRIDE_HAS_TBB>
                    $<$<BOOL:${TENSTRIDE_HAS_URING}>:TENSTRIDE_HAS_URING>
                    $<$<BOOL:${TENSTRIDE_WITH_IMAGES}>:TENSTRIDE_WITH_IMAGES> ${tenstride_${part}_features})
  target_link_libraries(${name} PRIVATE ${tenstride_${part}_dependencies} nlohmann_json::nlohmann_json)
  target_precompile_headers(${name} PRIVATE ${TENSTRIDE_PRECOMPILED})
  tenstride_units(${name})
endfunction()

tenstride_objects(engine)
# -fpeel-loops unrolls loops over vectors in registers, as -O3 does. All of -O3 would make the library a fourth larger.
target_compile_options(tenstride_engine PRIVATE $<$<CONFIG:Release>:-O2> $<$<CONFIG:Release>:-fpeel-loops>)
foreach(part IN ITEMS frontend hdf5)
  tenstride_objects(${part})
  # The library neither prints nor aborts: nothing of the JSON library that would is compiled in.
  target_compile_definitions(tenstride_${part} PRIVATE JSON_NO_IO)
  target_compile_options(tenstride_${part} PRIVATE "-DJSON_ASSERT(condition)=static_cast<void>(0)")
  tenstride_for_size(tenstride_${part})
endforeach()

function(tenstride_library name kind)
  add_library(${name} ${kind} $<TARGET_OBJECTS:tenstride_engine> $<TARGET_OBJECTS:tenstride_frontend>
                      $<TARGET_OBJECTS:tenstride_hdf5>)
  tenstride_target(${name})
  set_target_properties(
    ${name}
    PROPERTIES LINKER_LANGUAGE CXX
               OUTPUT_NAME tenstride
               EXPORT_NAME tenstride
               VERSION ${PROJECT_VERSION}
               # Before 1.0 every minor version may change the ABI.
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PRIVATE ${TENSTRIDE_DEPENDENCIES})
  # Reports an undefined symbol here, and not when a user links. A sanitizer's own symbols are undefined here.
  if(kind STREQUAL "SHARED" AND NOT TENSTRIDE_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(${name} PRIVATE LINKER:--no-undefined)
  endif()
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

tenstride_library(tenstride ${kind})
add_library(tenstride::tenstride ALIAS tenstride)
if(TENSTRIDE_BUILD_BOTH)
  tenstride_library(tenstride_other ${other_kind})
endif()
