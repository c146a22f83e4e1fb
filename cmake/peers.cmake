# The oracle of the distance tests, for the benchmarks too, and programs that put Rigor beside other collision libraries:
# test.peer.fcl (FCL), rigor-bench-collision (libccd, FCL, Bullet). They are C++ and appear where the libraries are installed.

if(NOT PROJECT_IS_TOP_LEVEL)
    return()
endif()
file(GLOB rigor_oracle_sources CONFIGURE_DEPENDS test/support/*oracle*.c)
if(TARGET rigor_bench)
    target_sources(rigor_bench PRIVATE ${rigor_oracle_sources})
endif()

include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    find_package(PkgConfig)
    if(PkgConfig_FOUND)
        pkg_check_modules(RIGOR_FCL fcl)
        pkg_check_modules(RIGOR_CCD ccd)
        pkg_check_modules(RIGOR_BULLET bullet)
    endif()
endif()

# The same optimisation and the same rules for floating point as our own sources; warnings of foreign headers are not ours.
set(rigor_peer_options -O3 -DNDEBUG ${RIGOR_EXACT_FLAGS} -Wall -Wextra -std=c++17)

# FCL itself has no sanitizers, so a sanitized build leaves the comparison out.
if(TARGET rigor_test AND NOT RIGOR_SANITIZE)
    if(RIGOR_FCL_FOUND)
        add_executable(test.peer.fcl test/peer/test_fcl.cpp)
        set_target_properties(test.peer.fcl PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
        target_compile_options(test.peer.fcl PRIVATE ${rigor_peer_options})
        target_include_directories(test.peer.fcl PRIVATE include test/support)
        target_include_directories(test.peer.fcl SYSTEM PRIVATE ${RIGOR_CRITERION_INCLUDE} ${RIGOR_FCL_INCLUDE_DIRS})
        add_dependencies(test.peer.fcl rigor_support)
        target_link_libraries(test.peer.fcl PRIVATE $<TARGET_FILE:rigor_support> rigor_static ${RIGOR_CRITERION}
                              ${RIGOR_FCL_LINK_LIBRARIES} m)
        add_dependencies(tests test.peer.fcl)
        add_test(NAME peer.fcl COMMAND test.peer.fcl --jobs=1 --quiet --xml=${rigor_results}/peer.fcl.xml
                 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        rigor_test_properties(peer.fcl 600)
    else()
        rigor_script_test(peer.fcl 60 echo "ok 1 - comparison with FCL # skip libfcl-dev is not installed")
    endif()
endif()

if(TARGET rigor_bench AND RIGOR_FCL_FOUND AND RIGOR_CCD_FOUND AND RIGOR_BULLET_FOUND)
    add_executable(rigor_bench_collision EXCLUDE_FROM_ALL bench/peers/collision_peers.cpp bench/peers/broadphase_peers.cpp
                   bench/bench_boxes.c bench/bench_pairs.c ${rigor_oracle_sources})
    set_target_properties(rigor_bench_collision PROPERTIES OUTPUT_NAME rigor-bench-collision)
    target_compile_options(rigor_bench_collision PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${rigor_peer_options}>)
    target_include_directories(rigor_bench_collision PRIVATE include bench test/support)
    target_include_directories(rigor_bench_collision SYSTEM PRIVATE ${RIGOR_FCL_INCLUDE_DIRS} ${RIGOR_CCD_INCLUDE_DIRS}
                               ${RIGOR_BULLET_INCLUDE_DIRS})
    target_link_libraries(rigor_bench_collision PRIVATE rigor_static ${RIGOR_FCL_LINK_LIBRARIES} ${RIGOR_CCD_LINK_LIBRARIES}
                          ${RIGOR_BULLET_LINK_LIBRARIES} m)
endif()
