# SPDX-License-Identifier: Apache-2.0
# 32-bit x86 by Debian's g++-i686-linux-gnu; programs are linked statically, and a 64-bit system runs them.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER i686-linux-gnu-gcc) # GoogleTest asks for one
set(CMAKE_CXX_COMPILER i686-linux-gnu-g++)
set(CMAKE_CXX_FLAGS_INIT "-msse2 -mfpmath=sse") # not the 80-bit numbers of the x87
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_CROSSCOMPILING_EMULATOR "env")
