# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs: of each part its headers, one or both kinds of library, its CMake targets and
# tenstride-PART.pc; the CMake package, tenstride.pc, the program.
# Components: PART is the shared library, PART-development what programs are built with, `package` the CMake package,
# tenstride.pc and the header of all parts, `program` the program.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tenstride)

# Each kind has its own export files, and both call their targets tenstride::PART: the config picks one.
function(tenstride_install target part kind)
  install(
    TARGETS ${target}
    EXPORT tenstride-${part}-${kind}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${part}-development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            COMPONENT ${part}
            NAMELINK_COMPONENT ${part}-development
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${part})
  install(
    EXPORT tenstride-${part}-${kind}
    FILE tenstride-${part}-${kind}-targets.cmake
    NAMESPACE tenstride::
    DESTINATION ${package_dir}
    COMPONENT ${part}-development)
endfunction()

set(TENSTRIDE_KINDS ${TENSTRIDE_KIND})
if(TENSTRIDE_BUILD_BOTH)
  list(APPEND TENSTRIDE_KINDS ${TENSTRIDE_OTHER_KIND})
endif()

# The prefix is relative to the .pc files, so that the tree can be moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")

# tenstride_pkg_config(NAME COMPONENT DESCRIPTION LIBS REQUIRES …): NAME.pc
function(tenstride_pkg_config pc_name component pc_description pc_libs)
  list(JOIN ARGN ", " pc_requires)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tenstride.pc.in ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

set(TENSTRIDE_CONFIG_PARTS "")
foreach(part IN LISTS TENSTRIDE_PARTS)
  foreach(header IN LISTS tenstride_${part}_headers)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/include/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder}
            COMPONENT ${part}-development)
  endforeach()
  tenstride_install(tenstride_${part} ${part} ${TENSTRIDE_KIND})
  if(TENSTRIDE_BUILD_BOTH)
    tenstride_install(tenstride_${part}_other ${part} ${TENSTRIDE_OTHER_KIND})
  endif()
  set(pc_requires_private "")
  set(pc_libs_private "")
  if("static" IN_LIST TENSTRIDE_KINDS)
    list(JOIN tenstride_${part}_pc_requires ", " pc_requires_private)
    set(pc_libs_private "-pthread${tenstride_${part}_pc_libs}")
  endif()
  list(TRANSFORM tenstride_${part}_needs PREPEND tenstride- OUTPUT_VARIABLE needed)
  tenstride_pkg_config(tenstride-${part} ${part}-development "${tenstride_${part}_about}" "-L\${libdir} -ltenstride-${part}" ${needed})
  string(APPEND TENSTRIDE_CONFIG_PARTS "set(_tenstride_${part}_needs ${tenstride_${part}_needs})\n"
         "set(_tenstride_${part}_packages ${tenstride_${part}_packages})\n"
         "set(_tenstride_${part}_pc_targets ${tenstride_${part}_pc_targets})\n")
endforeach()
if(TENSTRIDE_HAS_ALL_PARTS)
  install(FILES ${PROJECT_SOURCE_DIR}/include/tenstride/tenstride.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenstride
          COMPONENT package)
endif()
set(pc_requires_private "")
set(pc_libs_private "")
list(TRANSFORM TENSTRIDE_PARTS PREPEND tenstride- OUTPUT_VARIABLE every_part)
tenstride_pkg_config(tenstride package "${PROJECT_DESCRIPTION}" "" ${every_part})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/tenstride-config.cmake.in ${PROJECT_BINARY_DIR}/tenstride-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tenstride-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tenstride-config.cmake ${PROJECT_BINARY_DIR}/tenstride-config-version.cmake
        DESTINATION ${package_dir} COMPONENT package)

if(TARGET tenstride_cli)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/tenstride.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  # The explorer's page, where `make explorer` built it.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/explorer/page/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tenstride/explorer
          COMPONENT program OPTIONAL)
  install(TARGETS tenstride_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
