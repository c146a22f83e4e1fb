# The oracle of the distance tests, for the benchmarks too, and programs that put Rigor beside other libraries:
# test.peer.fcl (FCL), rigor-bench-collision (libccd, FCL, Bullet), rigor-bench-solve (Siconos), rigor-bench-contact (ODE, Bullet, MuJoCo, DART,
# Simbody, each a module of its own). They are C++ for the most part and appear where the libraries are installed.

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
        pkg_check_modules(RIGOR_BULLET_DOUBLE bullet-float64)
        pkg_check_modules(RIGOR_ODE ode)
        pkg_check_modules(RIGOR_DART dart)
        pkg_check_modules(RIGOR_SIMBODY simbody)
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
        rigor_test_properties(peer.fcl)
    else()
        rigor_script_test(peer.fcl echo "ok 1 - comparison with FCL # skip libfcl-dev is not installed")
    endif()
endif()

# The preset `ode` beside the engine itself.
if(TARGET rigor_test)
    if(RIGOR_ODE_FOUND)
        add_executable(test.peer.ode test/peer/test_ode.c)
        set_target_properties(test.peer.ode PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
        target_include_directories(test.peer.ode SYSTEM PRIVATE ${RIGOR_ODE_INCLUDE_DIRS})
        target_link_libraries(test.peer.ode PRIVATE rigor_support ${RIGOR_ODE_LINK_LIBRARIES})
        add_dependencies(tests test.peer.ode)
        add_test(NAME peer.ode COMMAND test.peer.ode --jobs=1 --quiet --xml=${rigor_results}/peer.ode.xml
                 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        rigor_test_properties(peer.ode)
    else()
        rigor_script_test(peer.ode echo "ok 1 - comparison with ODE # skip libode-dev is not installed")
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

# The same scenes in whole engines: a runner, and a module for every engine that is installed.
if(NOT TARGET rigor_bench OR RIGOR_SANITIZE)
    return()
endif()
add_executable(rigor_bench_contact EXCLUDE_FROM_ALL bench/peers/peers_main.c bench/peers/machine_gain.c bench/peers/run_engine.c
               bench/peers/child.c bench/peers/engine_rigor.c)
set_target_properties(rigor_bench_contact PROPERTIES OUTPUT_NAME rigor-bench-contact)
target_link_libraries(rigor_bench_contact PRIVATE rigor_scenes rigor_static rigor_flags Threads::Threads ${CMAKE_DL_LIBS} m)

# Scenes in motion in turns with the same modules.
add_executable(rigor_bench_motion EXCLUDE_FROM_ALL bench/motion/motion_peers.c bench/motion/motion_turns.c
               bench/peers/child.c bench/peers/engine_rigor.c)
set_target_properties(rigor_bench_motion PROPERTIES OUTPUT_NAME rigor-bench-motion)
target_include_directories(rigor_bench_motion PRIVATE bench/peers)
target_link_libraries(rigor_bench_motion PRIVATE rigor_scenes rigor_static rigor_flags ${CMAKE_DL_LIBS} m)

# Many rollouts at once, beside MuJoCo's where its module is.
file(GLOB rigor_batch_sources CONFIGURE_DEPENDS bench/batch/*.c)
add_executable(rigor_bench_batch EXCLUDE_FROM_ALL ${rigor_batch_sources} bench/peers/child.c bench/peers/machine_gain.c
               bench/located/located_out.c bench/located/located_args.c)
set_target_properties(rigor_bench_batch PROPERTIES OUTPUT_NAME rigor-bench-batch)
target_include_directories(rigor_bench_batch PRIVATE bench/peers bench/located)
target_link_libraries(rigor_bench_batch PRIVATE rigor_scenes rigor_static rigor_flags Threads::Threads ${CMAKE_DL_LIBS} m)

# Error against time of whole runs; it takes the modules that lie beside it.
file(GLOB rigor_precision_sources CONFIGURE_DEPENDS bench/precision/*.c)
add_executable(rigor_bench_precision EXCLUDE_FROM_ALL ${rigor_precision_sources} bench/peers/child.c)
set_target_properties(rigor_bench_precision PROPERTIES OUTPUT_NAME rigor-bench-precision)
target_include_directories(rigor_bench_precision PRIVATE bench/peers bench/precision)
target_link_libraries(rigor_bench_precision PRIVATE rigor_scenes rigor_static rigor_flags ${CMAKE_DL_LIBS} m)

# Sweeps by several threads, beside ODE's where its module is.
add_executable(rigor_bench_threads EXCLUDE_FROM_ALL bench/threads/threads_main.c bench/peers/child.c)
set_target_properties(rigor_bench_threads PROPERTIES OUTPUT_NAME rigor-bench-threads)
target_include_directories(rigor_bench_threads PRIVATE bench/peers)
target_link_libraries(rigor_bench_threads PRIVATE rigor_scenes rigor_static rigor_flags ${CMAKE_DL_LIBS} m)

# name, source, version, include folders, libraries, further options
function(rigor_peer_engine name source version includes libraries)
    add_library(peer_${name} MODULE EXCLUDE_FROM_ALL bench/peers/${source})
    set_target_properties(peer_${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_compile_definitions(peer_${name} PRIVATE PEER_VERSION="${version}")
    if(source MATCHES "\\.cpp$")
        target_compile_options(peer_${name} PRIVATE ${rigor_peer_options} $<$<BOOL:${RIGOR_WERROR}>:-Werror>)
    else()
        target_link_libraries(peer_${name} PRIVATE rigor_flags)
    endif()
    target_compile_options(peer_${name} PRIVATE ${ARGN})
    target_include_directories(peer_${name} SYSTEM PRIVATE ${includes})
    target_link_libraries(peer_${name} PRIVATE rigor_scenes rigor_static ${libraries} m)
    target_link_options(peer_${name} PRIVATE -Wl,--exclude-libs,librigor_scenes.a:librigor.a)
    add_dependencies(rigor_bench_contact peer_${name})
    add_dependencies(rigor_bench_motion peer_${name})
endfunction()

if(RIGOR_ODE_FOUND)
    rigor_peer_engine(ode engine_ode.c "${RIGOR_ODE_VERSION}" "${RIGOR_ODE_INCLUDE_DIRS}" "${RIGOR_ODE_LINK_LIBRARIES}")
    add_dependencies(rigor_bench_threads peer_ode)
endif()
if(RIGOR_BULLET_DOUBLE_FOUND)
    rigor_peer_engine(bullet engine_bullet.cpp "${RIGOR_BULLET_DOUBLE_VERSION}" "${RIGOR_BULLET_DOUBLE_INCLUDE_DIRS}"
                      "${RIGOR_BULLET_DOUBLE_LINK_LIBRARIES}" -DBT_USE_DOUBLE_PRECISION)
endif()
if(RIGOR_BULLET_FOUND)
    rigor_peer_engine(bullet_float engine_bullet.cpp "${RIGOR_BULLET_VERSION}" "${RIGOR_BULLET_INCLUDE_DIRS}"
                      "${RIGOR_BULLET_LINK_LIBRARIES}")
endif()
if(RIGOR_MUJOCO AND CMAKE_CXX_COMPILER)
    rigor_peer_engine(mujoco engine_mujoco.cpp "" "" "${RIGOR_MUJOCO}")
    add_dependencies(rigor_bench_batch peer_mujoco)
endif()
if(RIGOR_DART_FOUND)
    rigor_peer_engine(dart engine_dart.cpp "${RIGOR_DART_VERSION}" "${RIGOR_DART_INCLUDE_DIRS}"
                      "${RIGOR_DART_LINK_LIBRARIES}")
endif()
if(RIGOR_SIMBODY_FOUND)
    rigor_peer_engine(simbody engine_simbody.cpp "${RIGOR_SIMBODY_VERSION}" "${RIGOR_SIMBODY_INCLUDE_DIRS}"
                      "${RIGOR_SIMBODY_LINK_LIBRARIES}")
endif()

# Contact problems in files: our solvers, and those of Siconos where it is installed.
find_library(RIGOR_SICONOS siconos_numerics)
find_path(RIGOR_SICONOS_INCLUDE FrictionContactProblem.h PATH_SUFFIXES siconos/numerics)
find_path(RIGOR_SICONOS_CONFIG SiconosConfig.h PATH_SUFFIXES siconos)
add_executable(rigor_bench_solve EXCLUDE_FROM_ALL bench/peers/solve_peers.c)
set_target_properties(rigor_bench_solve PROPERTIES OUTPUT_NAME rigor-bench-solve)
target_link_libraries(rigor_bench_solve PRIVATE rigor_static rigor_flags m)
if(RIGOR_SICONOS AND RIGOR_SICONOS_INCLUDE AND RIGOR_SICONOS_CONFIG)
    target_sources(rigor_bench_solve PRIVATE bench/peers/solve_siconos.c)
    target_compile_definitions(rigor_bench_solve PRIVATE PEER_SICONOS)
    target_include_directories(rigor_bench_solve SYSTEM PRIVATE ${RIGOR_SICONOS_INCLUDE} ${RIGOR_SICONOS_CONFIG})
    target_link_libraries(rigor_bench_solve PRIVATE ${RIGOR_SICONOS})
endif()

# All comparisons with other engines that can be built.
add_custom_target(bench_peers DEPENDS rigor_bench_contact rigor_bench_motion rigor_bench_batch rigor_bench_precision rigor_bench_solve)
foreach(target rigor_bench_mujoco rigor_bench_collision)
    if(TARGET ${target})
        add_dependencies(bench_peers ${target})
    endif()
endforeach()
