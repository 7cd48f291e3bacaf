# SPDX-License-Identifier: Apache-2.0
# bench/mpi/ is the program tenstride-mpi-bench. bench/mpi/contenders/NAME.cpp runs its cases with another library, and
# is built in if that library is found (bench/mpi/setup.sh installs them all).
#
#   mpirun -n 4 build/release/bin/tenstride-mpi-bench

if(NOT MPI_CXX_FOUND OR NOT CLI11_FOUND)
  message(STATUS "tenstride: no benchmarks over MPI are built; they need MPI and CLI11")
  return()
endif()

# What needs MPI alone: tenstride itself and the references.
set(mpi_bench_folder ${PROJECT_SOURCE_DIR}/bench/mpi)
file(GLOB mpi_bench_sources CONFIGURE_DEPENDS ${mpi_bench_folder}/*.cpp)
foreach(name IN ITEMS tenstride packing alltoallv memcpy)
  list(APPEND mpi_bench_sources ${mpi_bench_folder}/contenders/${name}.cpp)
endforeach()
add_executable(tenstride-mpi-bench ${mpi_bench_sources})
tenstride_target(tenstride-mpi-bench)
target_link_libraries(tenstride-mpi-bench PRIVATE tenstride::tenstride MPI::MPI_CXX CLI11::CLI11 Threads::Threads)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # At -O3 it warns of `"text" + std::string` in its own library (GCC bugs 105329 and 105651).
  target_compile_options(tenstride-mpi-bench PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
endif()

# tenstride_mpi_bench_peer(NAME LIBRARIES … INCLUDES … SOURCES …): built in if every library and folder is found. Its
# headers give no warnings.
set(mpi_bench_peers_found)
function(tenstride_mpi_bench_peer name)
  cmake_parse_arguments(peer "" "" "LIBRARIES;INCLUDES;SOURCES" ${ARGN})
  foreach(part IN LISTS peer_LIBRARIES peer_INCLUDES)
    if(NOT part OR part MATCHES "-NOTFOUND$")
      message(STATUS "tenstride: benchmarks over MPI without ${name}, which is not found")
      return()
    endif()
  endforeach()
  list(TRANSFORM peer_SOURCES PREPEND ${mpi_bench_folder}/contenders/)
  string(MAKE_C_IDENTIFIER mpi-bench-peer-${name} target)
  add_library(${target} OBJECT ${peer_SOURCES})
  tenstride_target(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(${target} SYSTEM PRIVATE ${peer_INCLUDES})
  target_link_libraries(${target} PRIVATE MPI::MPI_CXX)
  target_link_libraries(tenstride-mpi-bench PRIVATE $<TARGET_OBJECTS:${target}> ${peer_LIBRARIES})
  set(mpi_bench_peers_found ${mpi_bench_peers_found} ${name} PARENT_SCOPE)
endfunction()

# Debian has a ScaLAPACK for each MPI; other systems have one.
find_library(TENSTRIDE_SCALAPACK_LIBRARY NAMES scalapack-openmpi scalapack scalapack-mpich)
tenstride_mpi_bench_peer(ScaLAPACK LIBRARIES ${TENSTRIDE_SCALAPACK_LIBRARY} SOURCES scalapack.cpp)

find_path(TENSTRIDE_FFTW_MPI_INCLUDE fftw3-mpi.h)
find_library(TENSTRIDE_FFTW_MPI_LIBRARY fftw3_mpi)
find_library(TENSTRIDE_FFTWF_MPI_LIBRARY fftw3f_mpi)
find_library(TENSTRIDE_FFTW_LIBRARY fftw3)
find_library(TENSTRIDE_FFTWF_LIBRARY fftw3f)
tenstride_mpi_bench_peer(
  FFTW
  LIBRARIES ${TENSTRIDE_FFTW_MPI_LIBRARY} ${TENSTRIDE_FFTWF_MPI_LIBRARY} ${TENSTRIDE_FFTW_LIBRARY}
            ${TENSTRIDE_FFTWF_LIBRARY}
  INCLUDES ${TENSTRIDE_FFTW_MPI_INCLUDE}
  SOURCES fftw.cpp)

set(TENSTRIDE_COSTA ${PROJECT_SOURCE_DIR}/build/mpi-bench/costa
    CACHE PATH "Where COSTA is installed, for the benchmarks over MPI")
find_path(TENSTRIDE_COSTA_INCLUDE costa/layout.hpp PATHS ${TENSTRIDE_COSTA}/include)
find_library(TENSTRIDE_COSTA_LIBRARY costa PATHS ${TENSTRIDE_COSTA}/lib)
find_package(OpenMP COMPONENTS CXX QUIET)
if(OpenMP_CXX_FOUND)
  tenstride_mpi_bench_peer(
    COSTA LIBRARIES ${TENSTRIDE_COSTA_LIBRARY} INCLUDES ${TENSTRIDE_COSTA_INCLUDE} SOURCES costa.cpp)
endif()
if(TARGET mpi_bench_peer_COSTA)
  target_link_libraries(mpi_bench_peer_COSTA PRIVATE OpenMP::OpenMP_CXX)
  target_link_libraries(tenstride-mpi-bench PRIVATE ${OpenMP_CXX_LIBRARIES})
endif()

mark_as_advanced(
  TENSTRIDE_SCALAPACK_LIBRARY TENSTRIDE_FFTW_MPI_INCLUDE TENSTRIDE_FFTW_MPI_LIBRARY TENSTRIDE_FFTWF_MPI_LIBRARY
  TENSTRIDE_FFTW_LIBRARY TENSTRIDE_FFTWF_LIBRARY TENSTRIDE_COSTA_INCLUDE TENSTRIDE_COSTA_LIBRARY)
list(JOIN mpi_bench_peers_found ", " mpi_bench_peers_text)
message(STATUS "tenstride: benchmarks over MPI beside ${mpi_bench_peers_text}")

# Checks on tiny sizes, which divide unevenly, that all contenders are right. Open MPI starts as root and on more ranks
# than cores only where it is told to.
enable_testing()
set(mpi_bench_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
                          OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1)
foreach(ranks IN ITEMS 1 2 4 5)
  add_test(NAME mpi_bench.smoke.${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
                                                 $<TARGET_FILE:tenstride-mpi-bench> --smoke)
  set_tests_properties(mpi_bench.smoke.${ranks} PROPERTIES TIMEOUT 120 PROCESSORS 2
                                                           ENVIRONMENT "${mpi_bench_environment}")
endforeach()
