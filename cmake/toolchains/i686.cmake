# SPDX-License-Identifier: Apache-2.0
# 32-bit x86 by Debian's g++-i686-linux-gnu; programs are linked statically, and a 64-bit system runs them. The preset
# asks for SSE2, as the x87 computes with 80 bits.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER i686-linux-gnu-gcc) # GoogleTest asks for one
set(CMAKE_CXX_COMPILER i686-linux-gnu-g++)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_CROSSCOMPILING_EMULATOR "env")
