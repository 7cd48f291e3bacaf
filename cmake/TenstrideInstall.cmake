# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs: headers, one or both kinds of library, the CMake package, tenstride.pc, the program.
# Components: `library` is the shared library, `development` what programs are built with, `program` the program.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tenstride)

install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/tenstride
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development
  FILES_MATCHING
  PATTERN "*.hpp")

# Each kind has its own export file, and both call their target tenstride::tenstride: the config picks one.
function(tenstride_install target kind)
  install(
    TARGETS ${target}
    EXPORT tenstride-${kind}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            COMPONENT library
            NAMELINK_COMPONENT development
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library)
  install(
    EXPORT tenstride-${kind}
    FILE tenstride-${kind}-targets.cmake
    NAMESPACE tenstride::
    DESTINATION ${package_dir}
    COMPONENT development)
endfunction()

tenstride_install(tenstride ${TENSTRIDE_KIND})
set(kinds ${TENSTRIDE_KIND})
if(TENSTRIDE_BUILD_BOTH)
  tenstride_install(tenstride_other ${TENSTRIDE_OTHER_KIND})
  list(APPEND kinds ${TENSTRIDE_OTHER_KIND})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/tenstride-config.cmake.in ${PROJECT_BINARY_DIR}/tenstride-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tenstride-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tenstride-config.cmake ${PROJECT_BINARY_DIR}/tenstride-config-version.cmake
        DESTINATION ${package_dir} COMPONENT development)

# The prefix is relative to the .pc file, so that the tree can be moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_requires_private "")
set(pc_libs_private "")
if("static" IN_LIST kinds)
  list(JOIN TENSTRIDE_PC_REQUIRES ", " pc_requires_private)
  set(pc_libs_private "-pthread")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/tenstride.pc.in ${PROJECT_BINARY_DIR}/tenstride.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tenstride.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(TARGET tenstride_cli)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/tenstride.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(TARGETS tenstride_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
