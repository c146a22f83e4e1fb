# Compiler flags, all in one place. tools/check_same_bits.sh gets the same lists.
#
# RIGOR_EXACT_FLAGS decide what the numbers are: no fused multiply-add that the source does not ask for, so that
# every compiler and optimisation level computes the same bits. errno and floating-point traps are not used.

set(RIGOR_EXACT_FLAGS -ffp-contract=off -fno-math-errno -fno-trapping-math)
set(RIGOR_WARNING_FLAGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
    set(CMAKE_C_FLAGS_DEBUG "-O0 -g")
endif()

add_library(rigor_flags INTERFACE)
target_compile_options(rigor_flags INTERFACE ${RIGOR_EXACT_FLAGS} ${RIGOR_WARNING_FLAGS}
                       $<$<BOOL:${RIGOR_WERROR}>:-Werror>)
if(RIGOR_SANITIZE)
    target_compile_options(rigor_flags INTERFACE -O1 -fsanitize=address,undefined
                           -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(rigor_flags INTERFACE -fsanitize=address,undefined)
endif()
if(RIGOR_SANITIZE_THREADS)
    target_compile_options(rigor_flags INTERFACE -O1 -g -fsanitize=thread -fno-omit-frame-pointer)
    target_link_options(rigor_flags INTERFACE -fsanitize=thread)
endif()
if(RIGOR_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
        message(FATAL_ERROR "RIGOR_FUZZ needs clang: cmake --preset fuzz")
    endif()
    target_compile_options(rigor_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
