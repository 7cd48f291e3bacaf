# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, and twice: one source for each, built with the tests.

file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp)
set(header_sources "")
foreach(header IN LISTS headers)
  string(REPLACE "/" "_" name ${header})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n#include <${header}>\n" @ONLY)
  list(APPEND header_sources ${source})
endforeach()
add_library(tenstride-headers OBJECT ${header_sources})
tenstride_target(tenstride-headers)
target_compile_options(tenstride-headers PRIVATE -O0 -g0)
target_include_directories(tenstride-headers PRIVATE ${PROJECT_SOURCE_DIR}/include)
