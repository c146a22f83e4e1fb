# librigor: every src/**/*.c compiled once, then archived and linked as a shared library.

file(GLOB_RECURSE rigor_sources CONFIGURE_DEPENDS src/*.c)
find_package(EXPAT REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RIGOR_QHULL REQUIRED IMPORTED_TARGET qhull_r)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Libraries that only src/record uses, each left out by its option or where it is not found. What needs one of them then
# fails at run time with a text that names it. rigor_codecs: those in use, which are also the macros of the sources.
option(RIGOR_ZLIB "NPZ and MCAP files, by zlib" ON)
option(RIGOR_LZ4 "Compressed chunks of MCAP files, by liblz4" ON)
option(RIGOR_JSON "Export of recordings as NPZ and CSV, by jansson" ON)
set(rigor_codecs)
set(RIGOR_ZLIB_module zlib)
set(RIGOR_ZLIB_least >=1.2.9) # crc32_z
set(RIGOR_LZ4_module liblz4)
set(RIGOR_JSON_module jansson)
foreach(codec IN ITEMS RIGOR_ZLIB RIGOR_LZ4 RIGOR_JSON)
    if(${codec})
        pkg_check_modules(${codec} IMPORTED_TARGET ${${codec}_module}${${codec}_least})
    endif()
    if(${codec} AND ${codec}_FOUND)
        list(APPEND rigor_codecs ${codec})
    else()
        get_property(rigor_lost CACHE ${codec} PROPERTY HELPSTRING)
        message(STATUS "${codec} off: ${rigor_lost}")
    endif()
endforeach()
list(TRANSFORM rigor_codecs PREPEND PkgConfig:: OUTPUT_VARIABLE rigor_codec_targets)

# Batches share their runs among threads by OpenMP; without it they have one. Only one file knows of it, and programs that
# link the archive need OpenMP's library by name: that of GNU lies where gcc and clang find it, others where CMake found them.
find_package(OpenMP COMPONENTS C)
set(rigor_openmp_libraries)
if(OpenMP_C_FOUND)
    set_source_files_properties(src/base/team_for.c PROPERTIES COMPILE_OPTIONS "${OpenMP_C_FLAGS}")
    list(GET OpenMP_C_LIB_NAMES 0 rigor_openmp_name)
    if(rigor_openmp_name STREQUAL gomp)
        set(rigor_openmp_libraries gomp)
    else()
        set(rigor_openmp_libraries ${OpenMP_${rigor_openmp_name}_LIBRARY})
    endif()
else()
    message(STATUS "OpenMP not found: batches have one thread")
endif()

add_library(rigor_objects OBJECT ${rigor_sources})
set_target_properties(rigor_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_compile_definitions(rigor_objects PRIVATE RIGOR_VERSION="${PROJECT_VERSION}" ${rigor_codecs})
# Public functions may be inlined inside the library, since they are not interposed.
target_compile_options(rigor_objects PRIVATE -fno-semantic-interposition)
target_include_directories(rigor_objects PRIVATE include src)
target_link_libraries(rigor_objects PRIVATE rigor_flags EXPAT::EXPAT PkgConfig::RIGOR_QHULL ${rigor_codec_targets} Threads::Threads)
if(RIGOR_TRACE)
    target_compile_options(rigor_objects PRIVATE -g -O1 -fno-inline -finstrument-functions)
endif()

# gcc's basic-block vectoriser takes more loads and stores than it saves in these: the kernels are written in pairs already.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    file(GLOB rigor_kernels CONFIGURE_DEPENDS src/kinematics/*.c src/dynamics/*.c)
    set_source_files_properties(${rigor_kernels} PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize)
endif()

# Both libraries are called librigor and have the same public face.
foreach(kind static shared)
    string(TOUPPER ${kind} kind_upper)
    add_library(rigor_${kind} ${kind_upper} $<TARGET_OBJECTS:rigor_objects>)
    set_target_properties(rigor_${kind} PROPERTIES OUTPUT_NAME rigor EXPORT_NAME ${kind} LINKER_LANGUAGE C)
    target_include_directories(rigor_${kind} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(rigor_${kind} PRIVATE EXPAT::EXPAT PkgConfig::RIGOR_QHULL ${rigor_codec_targets} Threads::Threads ${rigor_openmp_libraries} m)
    add_library(rigor::${kind} ALIAS rigor_${kind})
endforeach()
target_link_options(rigor_shared PRIVATE -Wl,--no-undefined)
if(RIGOR_SANITIZE)
    target_link_options(rigor_shared PRIVATE -fsanitize=address,undefined)
endif()
# Before 1.0 every minor version may break the binary interface, so it is part of the soname.
set_target_properties(rigor_shared PROPERTIES VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

if(BUILD_SHARED_LIBS)
    add_library(rigor::rigor ALIAS rigor_shared)
else()
    add_library(rigor::rigor ALIAS rigor_static)
endif()
