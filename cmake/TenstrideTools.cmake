# SPDX-License-Identifier: Apache-2.0
# The program `tenstride`; its target is called tenstride_cli because the library holds the name.

find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)

# tenstride_tool(TARGET FOLDER OUTPUT): every *.cpp of the folder as one program; nothing while the folder is empty.
function(tenstride_tool target folder output)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${target} ${sources})
  tenstride_target(${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tools ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE TENSTRIDE_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${target} PRIVATE tenstride::tenstride CLI11::CLI11 nlohmann_json::nlohmann_json
                                          ${CMAKE_DL_LIBS})
  target_precompile_headers(${target} PRIVATE ${TENSTRIDE_PRECOMPILED})
  tenstride_for_size(${target})
endfunction()

tenstride_tool(tenstride_cli tenstride tenstride)

# cpp-httplib: the server of tenstride explore. In the wheel that is Python's own, and OpenSSL, which this brings, stays out.
if(PkgConfig_FOUND AND NOT SKBUILD)
  pkg_check_modules(TENSTRIDE_HTTPLIB QUIET cpp-httplib)
endif()
if(TARGET tenstride_cli AND TENSTRIDE_HTTPLIB_FOUND)
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/tools/tenstride/explore.cpp
    PROPERTIES COMPILE_DEFINITIONS TENSTRIDE_HAS_HTTPLIB COMPILE_OPTIONS "${TENSTRIDE_HTTPLIB_CFLAGS}"
               SKIP_PRECOMPILE_HEADERS ON)
  target_link_libraries(tenstride_cli PRIVATE ${TENSTRIDE_HTTPLIB_LINK_LIBRARIES})
elseif(NOT SKBUILD)
  message(STATUS "tenstride: cpp-httplib not found, the program has no tenstride explore")
endif()

tenstride_units(tenstride_cli)

# libedit: history and completion of tenstride repl, loaded by it when it begins; its header is all that is needed here.
find_path(TENSTRIDE_LIBEDIT_INCLUDE histedit.h)
mark_as_advanced(TENSTRIDE_LIBEDIT_INCLUDE)
if(TARGET tenstride_cli AND TENSTRIDE_LIBEDIT_INCLUDE)
  target_include_directories(tenstride_cli SYSTEM PRIVATE ${TENSTRIDE_LIBEDIT_INCLUDE})
  target_compile_definitions(tenstride_cli PRIVATE TENSTRIDE_HAS_LIBEDIT)
else()
  message(STATUS "tenstride: without libedit, tenstride repl reads plain lines")
endif()
