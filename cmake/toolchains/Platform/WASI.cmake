# SPDX-License-Identifier: Apache-2.0
# CMake before 3.31 does not know the system. Its libraries are looked for where Unix has them.

include(Platform/UnixPaths)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
# What says so of itself is not given to the compiler, which has a C library of its own.
list(APPEND CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
