# SPDX-License-Identifier: Apache-2.0
# bench/*.cpp is the one program tenstride-bench.

find_package(benchmark CONFIG QUIET)
file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
if(NOT benchmark_FOUND)
  message(STATUS "tenstride: Google Benchmark not found, no benchmarks are built")
elseif(bench_sources)
  add_executable(tenstride-bench ${bench_sources})
  tenstride_target(tenstride-bench)
  target_link_libraries(tenstride-bench PRIVATE tenstride::tenstride benchmark::benchmark_main)
endif()
