# SPDX-License-Identifier: Apache-2.0
# MPI, which only tenstride/distributed/mpi.hpp needs: its tests and its benchmarks are built where it is found. Its
# classes of C++, which MPI 3 has removed, are left out.

set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(STATUS "tenstride: MPI not found, distributed/mpi.hpp is not tested; install openmpi-bin and libopenmpi-dev")
endif()
