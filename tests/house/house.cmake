# SPDX-License-Identifier: Apache-2.0
# house.NAME checks this tree; house.NAME.finds shows that the check finds a violation in a tree made wrong on purpose.

function(house_test name)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/house/${name}.py)
  add_test(NAME house.${name} COMMAND ${tenstride_python} -B ${script} ${ARGN})
  add_test(NAME house.${name}.finds COMMAND ${tenstride_python} -B ${script} --self-test ${ARGN})
endfunction()

house_test(layers)
house_test(sources)
house_test(words)
house_test(formatting)
house_test(python_files)
house_test(python_imports)
house_test(shell_scripts)
set(static_suffix "")
if(NOT TENSTRIDE_KIND STREQUAL "static")
  set(static_suffix _other)
endif()
if(TARGET tenstride_core${static_suffix})
  list(TRANSFORM TENSTRIDE_PARTS REPLACE "(.+)" "$<TARGET_FILE:tenstride_\\1${static_suffix}>" OUTPUT_VARIABLE archives)
  house_test(symbols --nm ${CMAKE_NM} --libraries ${archives})
endif()
