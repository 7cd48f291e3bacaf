# SPDX-License-Identifier: Apache-2.0
# The port for vcpkg, as an overlay of a clone: `vcpkg install tenstride[core,tbb] --overlay-ports=packaging/vcpkg`.

get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

set(parts core)
foreach(part IN ITEMS numeric distributed notation io)
  if(part IN_LIST FEATURES)
    list(APPEND parts ${part})
  endif()
endforeach()
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES tbb TENSTRIDE_WITH_TBB)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS "-DTENSTRIDE_PARTS=${parts}" -DTENSTRIDE_BUILD_TOOLS=OFF -DTENSTRIDE_BUILD_TESTS=OFF ${options})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tenstride)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
