# Modules that pass messages by MPI (cli/sweep/cluster.h), one source for each MPI that is installed: rigor_mpich.so and
# rigor_openmpi.so where Debian's names tell them apart, else rigor_mpi.so for the one that CMake finds. The command looks for
# them beside itself and in LIBDIR/rigor; without them it cannot use several machines.

option(RIGOR_MPI "Build the modules for MPI where it is found" ON)
file(RELATIVE_PATH rigor_modules_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/rigor)
target_compile_definitions(rigor_command_parts PRIVATE RIGOR_MODULES_FROM_BIN="${rigor_modules_from_bin}")
target_link_libraries(rigor_command_parts PUBLIC ${CMAKE_DL_LIBS})
set(rigor_mpi_modules)

# MPI's own memory is not that of a sanitized program.
if(NOT RIGOR_MPI OR RIGOR_SANITIZE OR RIGOR_FUZZ)
    return()
endif()

# word, then what to link with
function(rigor_mpi_module word)
    add_library(rigor_${word} MODULE cli/sweep/mpi/cluster_mpi.c)
    set_target_properties(rigor_${word} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden)
    target_include_directories(rigor_${word} PRIVATE cli)
    target_link_libraries(rigor_${word} PRIVATE rigor_flags ${ARGN})
    add_dependencies(rigor_products rigor_${word})
    set(rigor_mpi_modules ${rigor_mpi_modules} ${word} PARENT_SCOPE)
    if(PROJECT_IS_TOP_LEVEL)
        install(TARGETS rigor_${word} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/rigor)
    endif()
endfunction()

# Both compiler wrappers print their flags with -show. Only folders and libraries are used.
foreach(word mpich openmpi)
    find_program(RIGOR_MPICC_${word} mpicc.${word})
    if(RIGOR_MPICC_${word})
        execute_process(COMMAND ${RIGOR_MPICC_${word}} -show OUTPUT_VARIABLE rigor_shown RESULT_VARIABLE rigor_failed
                        ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
        separate_arguments(rigor_shown UNIX_COMMAND "${rigor_shown}")
        set(rigor_includes ${rigor_shown})
        list(FILTER rigor_includes INCLUDE REGEX "^-I")
        list(TRANSFORM rigor_includes REPLACE "^-I" "")
        list(FILTER rigor_shown INCLUDE REGEX "^-[Ll]")
        if(NOT rigor_failed AND rigor_shown)
            rigor_mpi_module(${word} ${rigor_shown})
            target_include_directories(rigor_${word} SYSTEM PRIVATE ${rigor_includes})
        endif()
    endif()
endforeach()
if(NOT rigor_mpi_modules)
    find_package(MPI QUIET COMPONENTS C)
    if(MPI_C_FOUND)
        rigor_mpi_module(mpi MPI::MPI_C)
    else()
        message(STATUS "MPI not found: rigor sweep runs on one machine only")
    endif()
endif()
