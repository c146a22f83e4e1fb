# Tests. Every test/**/test_*.c is one Criterion executable, every test/**/test_*.py a script that prints TAP; the target
# `tests` builds them all. The results go to results/<name>.xml or .tap in the build folder, where tools/run_tests.py
# counts the cases.

find_library(RIGOR_CRITERION criterion)
find_path(RIGOR_CRITERION_INCLUDE criterion/criterion.h)
if(NOT RIGOR_CRITERION OR NOT RIGOR_CRITERION_INCLUDE)
    message(STATUS "Criterion not found: no tests")
    return()
endif()
if(NOT rigor_codecs STREQUAL "RIGOR_ZLIB;RIGOR_LZ4;RIGOR_JSON")
    message(STATUS "zlib, LZ4 or jansson left out: no tests")
    return()
endif()
enable_testing()

set(rigor_results ${PROJECT_BINARY_DIR}/results)
file(MAKE_DIRECTORY ${rigor_results})
set(rigor_python /usr/bin/python3 -B)
add_custom_target(tests)
add_dependencies(tests rigor_products)

# What every test gets: the library, test/support, and the places of files.
add_library(rigor_test INTERFACE)
target_include_directories(rigor_test INTERFACE test/support test ${RIGOR_CRITERION_INCLUDE})
target_compile_definitions(rigor_test INTERFACE RIGOR_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                           RIGOR_COMMAND="${PROJECT_BINARY_DIR}/rigor")
if(rigor_openmp_libraries)
    target_compile_definitions(rigor_test INTERFACE RIGOR_OPENMP)
endif()
get_filename_component(rigor_shared_models ${PROJECT_SOURCE_DIR}/../shared/models ABSOLUTE)
if(IS_DIRECTORY ${rigor_shared_models})
    target_compile_definitions(rigor_test INTERFACE RIGOR_SHARED_MODELS="${rigor_shared_models}")
endif()
target_link_libraries(rigor_test INTERFACE rigor_scenes rigor_static rigor_flags PkgConfig::RIGOR_JSON ${RIGOR_CRITERION} m)

file(GLOB rigor_support_sources CONFIGURE_DEPENDS test/support/*.c)
list(REMOVE_ITEM rigor_support_sources ${rigor_scene_sources})
if(rigor_support_sources)
    add_library(rigor_support STATIC ${rigor_support_sources})
    target_link_libraries(rigor_support PUBLIC rigor_test)
    target_link_libraries(rigor_support PRIVATE rigor_flags)
else()
    add_library(rigor_support ALIAS rigor_test)
endif()

# `make test` omits these, which take most of the time and seldom fail alone. `make test-all` also runs them.
set(rigor_long_tests same_bits cli.cli_sweep_mpi)

# The time limit is more than ten times the time of any test, also on a busy machine.
# A sanitizer's report fails the test even where the test itself passed (a leak shows after its end).
function(rigor_test_properties name)
    set_tests_properties(${name} PROPERTIES TIMEOUT 5400 SKIP_RETURN_CODE 77)
    if(name IN_LIST rigor_long_tests)
        set_tests_properties(${name} PROPERTIES LABELS long)
    endif()
    if(RIGOR_SANITIZE)
        set_tests_properties(${name} PROPERTIES FAIL_REGULAR_EXPRESSION
                             "AddressSanitizer|LeakSanitizer|runtime error:")
    endif()
endfunction()

# Only unit tests see src; the others see what a user sees.
file(GLOB_RECURSE rigor_test_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} test/test_*.c)
list(FILTER rigor_test_sources EXCLUDE REGEX "^test/(install|fuzz|support|unit/kind|peer)/")
if(NOT TARGET rigor_command_parts)
    list(FILTER rigor_test_sources EXCLUDE REGEX "^test/unit/cli/")
endif()
foreach(source IN LISTS rigor_test_sources)
    string(REGEX REPLACE "^test/(.*)test_([^/]*)\\.c$" "\\1\\2" name ${source})
    string(REPLACE "/" "." name ${name})
    set(target test.${name})
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
    if(source MATCHES "^test/unit/")
        target_include_directories(${target} PRIVATE src)
    endif()
    target_link_libraries(${target} PRIVATE rigor_support)
    if(source MATCHES "^test/unit/cli/")
        target_link_libraries(${target} PRIVATE rigor_command_reproduce)
    endif()
    # Its own src/record, without the optional libraries, comes before that of the archive.
    if(source MATCHES "^test/unit/record_plain/")
        file(GLOB rigor_plain_sources CONFIGURE_DEPENDS src/record/*.c)
        target_sources(${target} PRIVATE ${rigor_plain_sources})
        target_compile_definitions(${target} PRIVATE RIGOR_VERSION="${PROJECT_VERSION}")
    endif()
    add_dependencies(tests ${target})
    add_test(NAME ${name} COMMAND ${target} --jobs=1 --quiet --xml=${rigor_results}/${name}.xml
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    rigor_test_properties(${name})
endforeach()

include(cmake/new_kind.cmake)

# Scripts as tests: name, command...
function(rigor_script_test name)
    add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tools/keep_output.sh ${rigor_results}/${name}.tap ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    rigor_test_properties(${name})
endfunction()

file(GLOB_RECURSE rigor_test_scripts CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} test/test_*.py)
foreach(script IN LISTS rigor_test_scripts)
    string(REGEX REPLACE "^test/(.*)test_([^/]*)\\.py$" "\\1\\2" name ${script})
    string(REPLACE "/" "." name ${name})
    rigor_script_test(${name} ${rigor_python} ${script} ${PROJECT_BINARY_DIR}/rigor)
endforeach()

# Runs every input on which a fuzzer has failed.
file(GLOB rigor_fuzzers CONFIGURE_DEPENDS test/fuzz/fuzz_*.c)
foreach(source IN LISTS rigor_fuzzers)
    get_filename_component(name ${source} NAME_WE)
    string(REPLACE "fuzz_" "" name ${name})
    add_executable(replay.${name} ${source} test/fuzz/replay_main.c)
    set_target_properties(replay.${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
    target_link_libraries(replay.${name} PRIVATE rigor_command_parts rigor_static rigor_flags)
    add_dependencies(tests replay.${name})
    rigor_script_test(fuzz.${name} $<TARGET_FILE:replay.${name}> ${PROJECT_SOURCE_DIR}/test/fuzz/corpus/${name})
endforeach()

# Rules of the tree.
rigor_script_test(layers ${rigor_python} tools/check_layers.py)
rigor_script_test(headers tools/check_headers.sh)

# Use of the installed library. These compile with plain gcc, so they need a library without sanitizers.
if(NOT RIGOR_SANITIZE)
    rigor_script_test(library_symbols tools/check_symbols.sh ${PROJECT_BINARY_DIR})
    rigor_script_test(install test/install/run.sh ${PROJECT_BINARY_DIR})
    rigor_script_test(readme_example ${rigor_python} tools/readme_example.py ${PROJECT_BINARY_DIR})
    if(EXISTS ${PROJECT_SOURCE_DIR}/test/determinism/hash_main.c)
        rigor_script_test(same_bits tools/check_same_bits.sh ${PROJECT_BINARY_DIR}/same_bits ${PROJECT_VERSION}
                          ${RIGOR_EXACT_FLAGS})
        set_tests_properties(same_bits PROPERTIES PROCESSORS 2)
    endif()
endif()

# Program for mpirun; test/mpi/test_cluster.py finds it, and the modules, in the build folder.
if(TARGET rigor_command_parts)
    add_executable(cluster_talk test/mpi/cluster_talk.c)
    set_target_properties(cluster_talk PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
    target_link_libraries(cluster_talk PRIVATE rigor_command_parts rigor_flags)
    add_dependencies(tests cluster_talk)
endif()
