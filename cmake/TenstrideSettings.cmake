# SPDX-License-Identifier: Apache-2.0
# The settings of all targets of tenstride: `tenstride_settings` is linked privately and never installed.

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(TENSTRIDE_CCACHE ccache)
  mark_as_advanced(TENSTRIDE_CCACHE)
  if(TENSTRIDE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # CCACHE_NOHASHDIR and CCACHE_BASEDIR let the build folders of all clones share the cache: the compiler is given
    # relative paths, no command has an absolute one in a definition, and debuggers find the sources from the build folder.
    # CCACHE_DEPEND compares headers by their contents. A change of a comment must change a precompiled header, too,
    # because GCC compares checksums of files for `#pragma once`.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
        CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${TENSTRIDE_CCACHE})
  endif()
endif()

# Paths of callers in ledgers are relative to the project, also where ccache makes those of sources relative.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "CCACHE_BASEDIR")
  cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_BINARY_DIR} OUTPUT_VARIABLE source_prefix)
else()
  set(source_prefix ${PROJECT_SOURCE_DIR})
endif()

add_library(tenstride_settings INTERFACE)
target_compile_features(tenstride_settings INTERFACE cxx_std_20)
target_compile_options(
  tenstride_settings
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            $<$<BOOL:${TENSTRIDE_WERROR}>:-Werror>
            # At -O3 GCC 12 warns of `"text" + std::string` in its own library (GCC bug 105651).
            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>,$<CONFIG:Release>>:-Wno-restrict>
            # A fused multiply-add would round once where the slow definition rounds twice.
            -ffp-contract=off
            # The linker drops what nothing uses.
            -ffunction-sections
            -fdata-sections
            # ccache needs it with precompiled headers.
            $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
            -fmacro-prefix-map=${source_prefix}/=)

# Files may be larger than addresses reach.
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  target_compile_definitions(tenstride_settings INTERFACE _FILE_OFFSET_BITS=64)
  # GCC 12 takes the entries that Dims holds itself for a pointer here.
  target_compile_options(tenstride_settings INTERFACE -Wno-free-nonheap-object)
endif()

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(tenstride_settings INTERFACE LINKER:--gc-sections)
endif()

# Compiled with these is what is checked, and linked with the sanitizers' libraries is everything.
add_library(tenstride_sanitizers INTERFACE)
if(TENSTRIDE_SANITIZE)
  set(sanitize -fsanitize=${TENSTRIDE_SANITIZE} -fno-omit-frame-pointer)
  if(TENSTRIDE_SANITIZE MATCHES "undefined")
    # What these three check, addresses show too; checking it takes a tenth of the time to compile.
    list(APPEND sanitize -fno-sanitize-recover=all -fno-sanitize=null,object-size,vptr)
  endif()
  target_compile_options(tenstride_sanitizers INTERFACE ${sanitize} $<$<CONFIG:RelWithDebInfo>:-O1>)
  target_link_options(tenstride_settings INTERFACE ${sanitize})
endif()

# tenstride_basics(NAME): C++20 without extensions, hidden symbols, our warnings.
function(tenstride_basics name)
  set_target_properties(
    ${name}
    PROPERTIES CXX_STANDARD 20
               CXX_STANDARD_REQUIRED ON
               CXX_EXTENSIONS OFF
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:tenstride_settings>)
endfunction()

# tenstride_target(NAME): the basics, and the sanitizers.
function(tenstride_target name)
  tenstride_basics(${name})
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:tenstride_sanitizers>)
endfunction()

# tenstride_checking_target(NAME): a program that checks the library. AddressSanitizer does not check it: it is compiled
# as without, so that the compiler's cache has it, and linked behind the library, so that of functions in headers those
# are taken that were compiled with checks. ThreadSanitizer must know how its threads wait for each other.
function(tenstride_checking_target name)
  if(TENSTRIDE_SANITIZE MATCHES "address")
    tenstride_basics(${name})
    list(TRANSFORM TENSTRIDE_PARTS REPLACE "(.+)" "$<TARGET_FILE:tenstride_\\1>" OUTPUT_VARIABLE archives)
    list(JOIN archives "," archives)
    target_link_options(${name} PRIVATE LINKER:--whole-archive,${archives},--no-whole-archive)
  else()
    tenstride_target(${name})
  endif()
endfunction()

# tenstride_for_size(NAME): code that runs once for each call or command, where half the size and half the time to
# compile are worth more than speed.
function(tenstride_for_size name)
  if(NOT TENSTRIDE_SANITIZE)
    target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-Os>)
  endif()
endfunction()

# Headers that most sources include, compiled once for each target that says so.
set(TENSTRIDE_PRECOMPILED
    <algorithm>
    <array>
    <complex>
    <cstring>
    <functional>
    <map>
    <memory>
    <optional>
    <span>
    <string>
    <string_view>
    <variant>
    <vector>
    <tenstride/tensor/tensor.hpp>)

# tenstride_units(TARGET): compiles the sources of a folder eight at a time, in half the time of one at a time. A source
# with options of its own, or with SKIP_UNITY_BUILD_INCLUSION, stays alone. (CMake's own UNITY_BUILD names sources by
# absolute paths, so that the compiler's cache would take those of another clone for others.)
function(tenstride_units target)
  if(NOT TENSTRIDE_UNITS)
    return()
  endif()
  set(units ${CMAKE_CURRENT_BINARY_DIR}/units/${target})
  cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${units} is_inside)
  get_target_property(sources ${target} SOURCES)
  set(alone "")
  set(folders "")
  foreach(source IN LISTS sources)
    set(is_alone OFF)
    foreach(property IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS SKIP_UNITY_BUILD_INCLUSION)
      get_source_file_property(value ${source} ${property})
      if(value)
        set(is_alone ON)
      endif()
    endforeach()
    cmake_path(ABSOLUTE_PATH source)
    if(is_alone OR NOT source MATCHES "\\.cpp$")
      list(APPEND alone ${source})
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER ${folder} folder)
    list(APPEND folders ${folder})
    list(APPEND sources_of_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(number 0)
    while(sources_of_${folder})
      list(SUBLIST sources_of_${folder} 0 8 together)
      list(REMOVE_ITEM sources_of_${folder} ${together})
      set(unit ${units}/${folder}_${number}.cpp)
      set(content "// Generated by cmake/TenstrideSettings.cmake.\n")
      foreach(source IN LISTS together)
        if(is_inside)
          cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${units})
        endif()
        string(APPEND content "#include \"${source}\"\n")
      endforeach()
      file(CONFIGURE OUTPUT ${unit} CONTENT "${content}" @ONLY)
      list(APPEND alone ${unit})
      math(EXPR number "${number} + 1")
    endwhile()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${alone}")
  # GCC 12 merges functions with the same code, and then warns that the smaller object is too small.
  target_compile_options(
    ${target} PRIVATE $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds>)
endfunction()
