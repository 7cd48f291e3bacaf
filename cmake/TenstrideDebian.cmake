# SPDX-License-Identifier: Apache-2.0
# Debian packages by `cpack -G DEB` (`make deb` calls it): libtenstride0.1 with the shared libraries, libtenstride-dev with
# what programs are built with, tenstride with the program.

set(library_package libtenstride${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_PACKAGE_NAME tenstride)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "tenstride developers <developers@tenstride.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own, the first line of its description
set(CPACK_STRIP_FILES ON)
list(TRANSFORM TENSTRIDE_PARTS APPEND -development OUTPUT_VARIABLE development_components)
list(APPEND development_components package)
set(CPACK_COMPONENTS_ALL ${TENSTRIDE_PARTS} ${development_components} program)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY =)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(this_library "${library_package} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "strided tensor with the semantics of PyTorch (shared library)
Tensors as a flat storage seen through a shape, strides and an offset. Views,
copies and refusals are those of PyTorch, and each copy can be seen.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtenstride-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# Programs that link the static library need these libraries, too.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${this_library}, libhwy-dev, libtbb-dev, libjpeg-dev, libpng-dev, liburing-dev, libisal-dev, libminizip-dev, libtiff-dev, libdeflate-dev, libzstd-dev, libblosc-dev, liblz4-dev, liblzma-dev, libbz2-dev, libgif-dev, libopenjp2-7-dev, libhdf5-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "strided tensor with the semantics of PyTorch (development files)
The headers, the static library, and the files by which CMake and pkg-config
find the library.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tenstride)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${this_library}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "librsvg2-2, libedit2, xdg-utils") # PNG pictures, history in the repl, the explorer's browser
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "explain and convert strided tensors on the command line
Explains why a view fails and what copies, draws layouts, and writes files of
arrays and pictures in another order of axes, larger than memory if need be.")

set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/documents.cmake)
include(CPack)
foreach(group IN ITEMS library development)
  cpack_add_component_group(${group})
endforeach()
foreach(component IN LISTS TENSTRIDE_PARTS)
  cpack_add_component(${component} GROUP library)
endforeach()
foreach(component IN LISTS development_components)
  cpack_add_component(${component} GROUP development)
endforeach()
cpack_add_component(program)
