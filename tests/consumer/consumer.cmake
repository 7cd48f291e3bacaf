# SPDX-License-Identifier: Apache-2.0
# consumer.install installs this build and moves the tree elsewhere. One test for each way to use the library builds the
# project beside this file: consumer.find_package_KIND and consumer.pkg_config_KIND against that tree, with each part of
# the library alone and then with all; consumer.add_subdirectory and consumer.fetch_content compile the part core.

list(JOIN TENSTRIDE_PARTS "," parts)
list(JOIN CMAKE_CXX_COMPILER_LAUNCHER " " launcher)
set(consumer_dir ${PROJECT_BINARY_DIR}/consumer)
set(consumer_arguments
    -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
    -DBINARY_DIR=${PROJECT_BINARY_DIR}
    -DWORK_DIR=${consumer_dir}
    -DLIBDIR=${CMAKE_INSTALL_LIBDIR}
    -DSOVERSION=${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    -DGENERATOR=${CMAKE_GENERATOR}
    -DCOMPILER=${CMAKE_CXX_COMPILER}
    -DWERROR=${TENSTRIDE_WERROR}
    -DBUILD_TYPE=${CMAKE_BUILD_TYPE}
    -DPARTS=${parts}
    "-DLAUNCHER=${launcher}"
    "-DFLAGS=${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
set(ways ${TENSTRIDE_KIND})
if(TENSTRIDE_BUILD_BOTH)
  list(APPEND ways ${TENSTRIDE_OTHER_KIND})
endif()

add_test(NAME consumer.install COMMAND ${CMAKE_COMMAND} ${consumer_arguments} -DWAY=install -P
                                       ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run.cmake)
set_tests_properties(consumer.install PROPERTIES FIXTURES_SETUP installed_tree)
list(TRANSFORM ways PREPEND find_package_ OUTPUT_VARIABLE find_package_ways)
list(TRANSFORM ways PREPEND pkg_config_ OUTPUT_VARIABLE pkg_config_ways)
foreach(way IN LISTS find_package_ways pkg_config_ways ITEMS add_subdirectory fetch_content)
  add_test(NAME consumer.${way} COMMAND ${CMAKE_COMMAND} ${consumer_arguments} -DWAY=${way} -P
                                        ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run.cmake)
  set_tests_properties(consumer.${way} PROPERTIES FIXTURES_REQUIRED installed_tree)
endforeach()
# The compiler's cache has what the one before has compiled.
set_tests_properties(consumer.fetch_content PROPERTIES DEPENDS consumer.add_subdirectory)
