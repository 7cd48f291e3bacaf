# SPDX-License-Identifier: Apache-2.0
# examples/NAME.cpp is the program example-NAME and, with tests on, the test example.NAME.

file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
foreach(source IN LISTS examples)
  cmake_path(GET source STEM name)
  add_executable(example-${name} ${source})
  tenstride_target(example-${name})
  target_link_libraries(example-${name} PRIVATE tenstride::tenstride)
  if(TENSTRIDE_BUILD_TESTS)
    add_test(NAME example.${name} COMMAND example-${name})
  endif()
endforeach()
