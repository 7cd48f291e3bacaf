# SPDX-License-Identifier: Apache-2.0
# CPack runs this before it packs: each package gets its licence and its changelog, and manual pages are compressed, as
# Debian's policy has it.

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN ITEMS library development program)
  string(TOUPPER ${component} COMPONENT)
  set(package ${CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME})
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(documents ${usr}/share/doc/${package})
  file(
    WRITE ${documents}/copyright
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tenstride

Files: *
Copyright: 2026 tenstride developers
License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is found in
 /usr/share/common-licenses/Apache-2.0.
")
  file(
    WRITE ${documents}/changelog.Debian
    "tenstride (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Built by CPack from the sources of this version.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(GLOB pages ${usr}/share/man/man*/*.1)
  execute_process(COMMAND gzip -9 -n ${documents}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
