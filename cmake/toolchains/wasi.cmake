# SPDX-License-Identifier: Apache-2.0
# WebAssembly for browsers, by the Clang, libc++ and WASI C library of PyPI's ziglang (scripts/explorer_setup.sh installs it).
# Its libc++ has no exceptions and no mutexes; wasm/runtime adds both.

set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})

cmake_path(SET environment NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../build/explorer/venv)
file(GLOB zig ${environment}/lib/python3*/site-packages/ziglang/zig)
if(NOT zig)
  message(FATAL_ERROR "ziglang is not in ${environment}; scripts/explorer_setup.sh installs it")
endif()
cmake_path(GET zig PARENT_PATH TENSTRIDE_ZIG)
set(CMAKE_C_COMPILER ${zig} cc)
set(CMAKE_CXX_COMPILER ${zig} c++)

# Of this machine's headers only those of libraries that are nothing but headers, which the script links there.
cmake_path(SET headers NORMALIZE ${environment}/../headers)
# Zig compiles its own libraries once for each kind of optimisation, in a minute: what CMake tries has that of the build.
string(JOIN " " target -target wasm32-wasi -mcpu=generic+exception_handling -fwasm-exceptions -mllvm -wasm-enable-eh -Os)
set(CMAKE_C_FLAGS_INIT ${target})
string(JOIN " " CMAKE_CXX_FLAGS_INIT ${target} -U_LIBCPP_HAS_THREADS -D_LIBCPP_HAS_THREADS=1 -DHWY_COMPILE_ONLY_SCALAR
       -isystem ${headers})

# WASI's C library has the functions of threads, for its one thread.
set(CMAKE_HAVE_LIBC_PTHREAD ON)
