# SPDX-License-Identifier: Apache-2.0
# The Python package, if nanobind is found: scikit-build-core brings it, otherwise it is the one of .venv.

if(NOT SKBUILD AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python3 AND NOT Python_EXECUTABLE)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python3)
endif()
find_package(Python 3.9 COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
if(NOT Python_FOUND)
  message(STATUS "tenstride: no Python to build for, the package is left out")
  return()
endif()
execute_process(
  COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_package(nanobind CONFIG QUIET)
if(NOT nanobind_FOUND)
  message(STATUS "tenstride: nanobind not found, the Python package is left out")
  return()
endif()
add_subdirectory(python)
