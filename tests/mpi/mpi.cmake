# SPDX-License-Identifier: Apache-2.0
# tests/mpi/*.cpp is a program that programs/test_mpi.py runs by mpirun, where MPI is found; nothing else needs it.

if(NOT MPI_CXX_FOUND)
  return()
endif()
file(GLOB mpi_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_executable(tenstride-mpi-tests ${mpi_sources})
tenstride_target(tenstride-mpi-tests)
target_include_directories(tenstride-mpi-tests PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(tenstride-mpi-tests PRIVATE tenstride::tenstride GTest::gtest MPI::MPI_CXX)
target_compile_options(tenstride-mpi-tests PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
