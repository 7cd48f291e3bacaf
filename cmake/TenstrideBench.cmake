# SPDX-License-Identifier: Apache-2.0
# bench/*.cpp is the program tenstride-bench. bench/peers/NAME.cpp runs its cases with another library, and is built in
# if that library is found (scripts/bench_setup.sh installs them all).

find_package(benchmark CONFIG QUIET)
find_package(CLI11 CONFIG QUIET)
find_package(nlohmann_json CONFIG QUIET)
if(NOT benchmark_FOUND OR NOT CLI11_FOUND OR NOT nlohmann_json_FOUND)
  message(STATUS "tenstride: no benchmarks are built; they need Google Benchmark, CLI11 and nlohmann-json")
  return()
endif()

file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
set(bench_peers ${PROJECT_SOURCE_DIR}/bench/peers)
add_executable(
  tenstride-bench
  ${bench_sources} ${bench_peers}/matrices.cpp ${bench_peers}/numpy.cpp ${bench_peers}/tenstride.cpp
  ${bench_peers}/tenstride_chains.cpp ${bench_peers}/tenstride_computations.cpp ${bench_peers}/tenstride_operations.cpp ${bench_peers}/tenstride_tiny.cpp)
tenstride_target(tenstride-bench)
target_link_libraries(tenstride-bench PRIVATE tenstride::tenstride benchmark::benchmark CLI11::CLI11
                                              nlohmann_json::nlohmann_json Threads::Threads)
target_precompile_headers(tenstride-bench PRIVATE ${TENSTRIDE_PRECOMPILED} <nlohmann/json.hpp>)
# Only releases are timed; elsewhere the benchmarks are compiled for a check of their results.
target_compile_options(tenstride-bench PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # At -O3 it warns of `"text" + std::string` in its own library (GCC bugs 105329 and 105651).
  target_compile_options(tenstride-bench PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
endif()

# NumPy runs in its own process, by the Python of .venv if there is one (scripts/bench_setup.sh makes it).
set(TENSTRIDE_BENCH_PYTHON "" CACHE FILEPATH "Python that has NumPy, for the benchmarks; empty: .venv, else python3")
set(bench_python ${TENSTRIDE_BENCH_PYTHON})
if(NOT bench_python)
  set(bench_python python3)
  if(EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python3)
    set(bench_python ${PROJECT_SOURCE_DIR}/.venv/bin/python3)
  endif()
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" bench_build_type)
target_compile_definitions(
  tenstride-bench
  PRIVATE TENSTRIDE_VERSION="${PROJECT_VERSION}"
          TENSTRIDE_BENCH_PYTHON="${bench_python}"
          TENSTRIDE_BENCH_NUMPY_PEER="${PROJECT_SOURCE_DIR}/bench/numpy_peer.py"
          TENSTRIDE_BENCH_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
          TENSTRIDE_BENCH_FLAGS="${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${bench_build_type}}")

# tenstride_bench_peer(NAME LIBRARIES … INCLUDES … SOURCES …): built in if every library and folder is found. Its
# headers give no warnings. It is compiled for this machine's processor, as a user of a header-only library would do.
set(bench_peers_found NumPy)
function(tenstride_bench_peer name)
  cmake_parse_arguments(peer "" "" "LIBRARIES;INCLUDES;SOURCES" ${ARGN})
  foreach(part IN LISTS peer_LIBRARIES peer_INCLUDES)
    if(NOT part OR part MATCHES "-NOTFOUND$")
      message(STATUS "tenstride: benchmarks without ${name}, which is not found")
      return()
    endif()
  endforeach()
  list(TRANSFORM peer_SOURCES PREPEND ${bench_peers}/)
  string(MAKE_C_IDENTIFIER bench-peer-${name} target)
  add_library(${target} OBJECT ${peer_SOURCES})
  tenstride_target(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(${target} SYSTEM PRIVATE ${peer_INCLUDES})
  # Options of the sources, not of the target, because they have to follow the warnings of `tenstride_settings`.
  set_source_files_properties(
    ${peer_SOURCES}
    PROPERTIES COMPILE_OPTIONS
               "$<IF:$<CONFIG:Release>,-O3,-O0>;-march=native;-Wno-conversion;-Wno-sign-conversion;-Wno-shadow")
  target_link_libraries(tenstride-bench PRIVATE $<TARGET_OBJECTS:${target}> ${peer_LIBRARIES})
  set(bench_peers_found ${bench_peers_found} ${name} PARENT_SCOPE)
endfunction()

find_path(TENSTRIDE_TORCH_INCLUDE ATen/ATen.h PATHS ${TENSTRIDE_TORCH}/include)
find_path(TENSTRIDE_TORCH_API torch/version.h PATHS ${TENSTRIDE_TORCH_INCLUDE} PATH_SUFFIXES torch/csrc/api/include)
find_library(TENSTRIDE_TORCH_LIBRARY torch_cpu PATHS ${TENSTRIDE_TORCH}/lib)
find_library(TENSTRIDE_C10_LIBRARY c10 PATHS ${TENSTRIDE_TORCH}/lib)
tenstride_bench_peer(
  libtorch
  LIBRARIES ${TENSTRIDE_TORCH_LIBRARY} ${TENSTRIDE_C10_LIBRARY}
  INCLUDES ${TENSTRIDE_TORCH_INCLUDE} ${TENSTRIDE_TORCH_API}
  SOURCES torch.cpp torch_chains.cpp torch_computations.cpp torch_tiny.cpp)

find_path(TENSTRIDE_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread openblas)
find_library(TENSTRIDE_OPENBLAS_LIBRARY openblas)
tenstride_bench_peer(
  OpenBLAS LIBRARIES ${TENSTRIDE_OPENBLAS_LIBRARY} INCLUDES ${TENSTRIDE_OPENBLAS_INCLUDE} SOURCES openblas.cpp)

find_path(TENSTRIDE_EIGEN_INCLUDE Eigen/Core PATH_SUFFIXES eigen3)
tenstride_bench_peer(Eigen INCLUDES ${TENSTRIDE_EIGEN_INCLUDE} SOURCES eigen.cpp)
# GCC 12 gives this warning for its own AVX-512 intrinsics.
set_property(SOURCE ${bench_peers}/eigen.cpp APPEND PROPERTY COMPILE_OPTIONS -Wno-maybe-uninitialized)

find_path(TENSTRIDE_XTENSOR_INCLUDE xtensor/xarray.hpp)
tenstride_bench_peer(xtensor INCLUDES ${TENSTRIDE_XTENSOR_INCLUDE} SOURCES xtensor.cpp)

find_path(TENSTRIDE_ONEDNN_INCLUDE dnnl.hpp)
find_library(TENSTRIDE_ONEDNN_LIBRARY dnnl)
find_package(OpenMP COMPONENTS CXX QUIET)
tenstride_bench_peer(
  oneDNN LIBRARIES ${TENSTRIDE_ONEDNN_LIBRARY} INCLUDES ${TENSTRIDE_ONEDNN_INCLUDE} SOURCES onednn.cpp)
if(TARGET bench_peer_oneDNN AND OpenMP_CXX_FOUND)
  target_link_libraries(bench_peer_oneDNN PRIVATE OpenMP::OpenMP_CXX)
  target_link_libraries(tenstride-bench PRIVATE ${OpenMP_CXX_LIBRARIES})
endif()

find_path(TENSTRIDE_OPENCV_INCLUDE opencv2/core.hpp PATH_SUFFIXES opencv4)
find_library(TENSTRIDE_OPENCV_LIBRARY opencv_core)
tenstride_bench_peer(
  OpenCV LIBRARIES ${TENSTRIDE_OPENCV_LIBRARY} INCLUDES ${TENSTRIDE_OPENCV_INCLUDE} SOURCES opencv.cpp)

find_path(TENSTRIDE_FFTW_INCLUDE fftw3.h)
find_library(TENSTRIDE_FFTW_LIBRARY fftw3)
find_library(TENSTRIDE_FFTWF_LIBRARY fftw3f)
tenstride_bench_peer(
  FFTW
  LIBRARIES ${TENSTRIDE_FFTW_LIBRARY} ${TENSTRIDE_FFTWF_LIBRARY}
  INCLUDES ${TENSTRIDE_FFTW_INCLUDE}
  SOURCES fftw.cpp)

mark_as_advanced(
  TENSTRIDE_TORCH_INCLUDE TENSTRIDE_TORCH_API TENSTRIDE_TORCH_LIBRARY TENSTRIDE_C10_LIBRARY TENSTRIDE_OPENBLAS_INCLUDE
  TENSTRIDE_OPENBLAS_LIBRARY TENSTRIDE_EIGEN_INCLUDE TENSTRIDE_XTENSOR_INCLUDE TENSTRIDE_ONEDNN_INCLUDE
  TENSTRIDE_ONEDNN_LIBRARY TENSTRIDE_OPENCV_INCLUDE TENSTRIDE_OPENCV_LIBRARY TENSTRIDE_FFTW_INCLUDE
  TENSTRIDE_FFTW_LIBRARY TENSTRIDE_FFTWF_LIBRARY)
list(JOIN bench_peers_found ", " bench_peers_text)
message(STATUS "tenstride: benchmarks beside ${bench_peers_text}")

# Checks on tiny sizes that all contenders compute the same.
enable_testing()
add_test(NAME bench.smoke COMMAND tenstride-bench --smoke)
add_test(NAME bench.smoke_random COMMAND tenstride-bench --smoke --random 50 --random-reductions 24
                                              --random-arithmetic 16 --seed 7)
add_test(NAME bench.smoke_simulated COMMAND tenstride-bench --smoke --simulate-threads 16)
add_test(NAME bench.smoke_fit COMMAND tenstride-bench --smoke --fit --seed 7)
set_tests_properties(bench.smoke bench.smoke_random bench.smoke_simulated bench.smoke_fit PROPERTIES TIMEOUT 300 PROCESSORS 2)
