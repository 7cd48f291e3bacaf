# SPDX-License-Identifier: Apache-2.0
# The tests of the package with the extension built by the address and undefined sanitizers. The interpreter is not
# built so: their libraries are loaded before it.

if(NOT TENSTRIDE_SANITIZE MATCHES "address")
  return()
endif()
set(preload "")
foreach(runtime IN ITEMS libasan.so libubsan.so libstdc++.so)
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${runtime}
    OUTPUT_VARIABLE file
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT IS_ABSOLUTE "${file}")
    message(STATUS "tenstride: ${CMAKE_CXX_COMPILER} names no ${runtime}, the Python package is not tested with it")
    return()
  endif()
  string(APPEND preload ":${file}")
endforeach()
string(REGEX REPLACE "^:" "" preload "${preload}")

# Every object of Python's has memory of its own, so that a Tensor's use after its end is seen too. What Python leaves
# behind at its end is no leak of ours: leaks are found by gc, weak references and the size of the process.
set(sanitizers detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1)
set(surroundings PYTHONPATH=${package} PYTHONMALLOC=malloc "LD_PRELOAD=${preload}" UBSAN_OPTIONS=print_stacktrace=1)

# Left out is what reads no memory of ours, and what runs by mpirun. A report that pytest had caught would be lost with
# the process.
file(GLOB sanitized CONFIGURE_DEPENDS ${package_tests}/test_*.py)
list(FILTER sanitized EXCLUDE REGEX "/test_(audit|rescale|true_positions|formats_zarr_readers|stubs|docs_|explore|array_api|sessions|distributed_mpi)[^/]*$")
set(seen --capture=sys)
add_test(NAME python.sanitized COMMAND ${with_pytest} ${seen} -k "not leak" ${sanitized})
set_tests_properties(python.sanitized PROPERTIES ENVIRONMENT "${surroundings};ASAN_OPTIONS=${sanitizers}")
# These look at the size of the process, to which freed memory in quarantine adds.
add_test(NAME python.sanitized_leaks COMMAND ${with_pytest} ${seen} -k leak ${sanitized})
set(no_quarantine quarantine_size_mb=0:thread_local_quarantine_size_kb=0)
set_tests_properties(python.sanitized_leaks PROPERTIES ENVIRONMENT
                                                       "${surroundings};ASAN_OPTIONS=${sanitizers}:${no_quarantine}")
add_test(NAME python.sanitized_torch COMMAND ${with_torch} ${seen} -k "not leak" ${package_tests}/test_exchange_torch.py)
set_tests_properties(python.sanitized_torch PROPERTIES ENVIRONMENT "${surroundings};ASAN_OPTIONS=${sanitizers}"
                                                       SKIP_RETURN_CODE 77)
set_tests_properties(python.sanitized python.sanitized_leaks python.sanitized_torch
                     PROPERTIES WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
