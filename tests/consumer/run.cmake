# SPDX-License-Identifier: Apache-2.0
# One way to use the library, from nothing to a run of the program; see consumer.cmake for the variables.

cmake_minimum_required(VERSION 3.25)

set(prefix ${WORK_DIR}/moved)

if(WAY STREQUAL "install")
  file(REMOVE_RECURSE ${WORK_DIR})
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BINARY_DIR} --prefix ${WORK_DIR}/first COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME ${WORK_DIR}/first ${prefix})
  # Nothing that was installed may know where it was built or where it first lay.
  file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.pc ${prefix}/*.hpp)
  foreach(text IN LISTS texts)
    file(READ ${text} content)
    foreach(place IN ITEMS ${SOURCE_DIR} ${BINARY_DIR} ${WORK_DIR})
      string(FIND "${content}" "${place}" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${text} names ${place}; an installed tree must be free to move")
      endif()
    endforeach()
  endforeach()
  return()
endif()

string(REGEX REPLACE ".*_" "" kind ${WAY})
string(REPLACE "," ";" PARTS ${PARTS})
string(REPLACE " " ";" LAUNCHER "${LAUNCHER}")
if(WAY MATCHES "^(add_subdirectory|fetch_content)$")
  # This compiles the part once more, in less than a fourth of the time: not optimized, for one instruction set.
  set(BUILD_TYPE Debug)
  set(FLAGS "-O0 -DHWY_COMPILE_ONLY_STATIC")
  set(kind static)
  set(PARTS core)
else()
  list(APPEND PARTS tenstride)
endif()
string(TOUPPER ${BUILD_TYPE} build_type)
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)

foreach(part IN LISTS PARTS)
  set(build ${WORK_DIR}/${WAY}_${part})
  file(REMOVE_RECURSE ${build})
  execute_process(
    COMMAND
      ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${build} -DCMAKE_CXX_COMPILER=${COMPILER}
      -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS_${build_type}=${FLAGS}
      -DCMAKE_PREFIX_PATH=${prefix} -DWAY=${WAY} -DKIND=${kind} -DPART=${part} -DTENSTRIDE_SOURCE_DIR=${SOURCE_DIR}
      -DTENSTRIDE_WERROR=${WERROR} "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" # what was compiled once is not again
      --no-warn-unused-cli COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${build}/consumer OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "^\\(4,3\\):\\(3,1\\)\\+0\n")
    message(FATAL_ERROR "the consumer of ${part} printed '${output}'")
  endif()

  # The kind asked for is the kind that is used, and a part brings no other library.
  execute_process(COMMAND readelf -d ${build}/consumer OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\\[libtenstride[^]]*\\]" shared_parts "${needed}")
  if(kind STREQUAL "static" AND shared_parts)
    message(FATAL_ERROR "the consumer loads ${shared_parts}, though it was built with the static library")
  elseif(kind STREQUAL "shared" AND NOT "[libtenstride-core.so.${SOVERSION}]" IN_LIST shared_parts)
    message(FATAL_ERROR "the consumer does not load libtenstride-core.so.${SOVERSION}:\n${needed}")
  endif()
  if(part STREQUAL "core" AND needed MATCHES "\\[lib(jpeg|png|hdf5|tiff|zstd|blosc|uring|isal|deflate|minizip)[^]]*\\]")
    message(FATAL_ERROR "the consumer of core loads ${CMAKE_MATCH_0}, which core does not need")
  endif()
endforeach()
