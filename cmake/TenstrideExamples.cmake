# SPDX-License-Identifier: Apache-2.0
# examples/NAME.cpp is the program example-NAME and, with tests on, the test example.NAME. with_LIBRARY.cpp is built where
# the library is found.

find_package(Eigen3 QUIET NO_MODULE)
find_path(OPENCV_CORE_INCLUDE opencv2/core.hpp PATH_SUFFIXES opencv4) # libopencv-core-dev has nothing for find_package
find_library(OPENCV_CORE_LIBRARY opencv_core)
mark_as_advanced(OPENCV_CORE_INCLUDE OPENCV_CORE_LIBRARY)
if(OPENCV_CORE_INCLUDE AND OPENCV_CORE_LIBRARY AND NOT TARGET opencv_core)
  add_library(opencv_core UNKNOWN IMPORTED)
  set_target_properties(opencv_core PROPERTIES IMPORTED_LOCATION ${OPENCV_CORE_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
                                                                                        ${OPENCV_CORE_INCLUDE})
endif()
find_package(Torch QUIET)
find_package(xtensor QUIET)
set(targets_of_with_eigen Eigen3::Eigen)
set(targets_of_with_libtorch torch)
set(targets_of_with_opencv opencv_core)
set(targets_of_with_xtensor xtensor)

file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
foreach(source IN LISTS examples)
  cmake_path(GET source STEM name)
  if(targets_of_${name} AND NOT TARGET ${targets_of_${name}})
    message(STATUS "tenstride: without the example ${name}, whose library is not found")
    continue()
  endif()
  add_executable(example-${name} ${source})
  tenstride_target(example-${name})
  target_link_libraries(example-${name} PRIVATE tenstride::tenstride)
  foreach(library IN LISTS targets_of_${name})
    target_link_libraries(example-${name} PRIVATE ${library})
    # Its headers have warnings of their own.
    target_include_directories(
      example-${name} SYSTEM PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  if(TENSTRIDE_BUILD_TESTS)
    add_test(NAME example.${name} COMMAND example-${name})
  endif()
endforeach()
