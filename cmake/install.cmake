# Installation: headers, both libraries, CMake package, pkg-config file, command, models.
# Everything is relocatable, so that --prefix and DESTDIR may be chosen at install time.

if(NOT PROJECT_IS_TOP_LEVEL)
    return()
endif()
include(CMakePackageConfigHelpers)
set(rigor_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rigor)

install(DIRECTORY include/rigor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS rigor_static rigor_shared EXPORT rigorTargets)
install(EXPORT rigorTargets NAMESPACE rigor:: DESTINATION ${rigor_package_dir})

# The libraries of the codecs that were found: modules for pkg-config, targets for the CMake package.
set(rigor_codec_modules)
set(rigor_find_codecs)
foreach(codec IN LISTS rigor_codecs)
    string(APPEND rigor_codec_modules ", ${${codec}_module}")
    string(APPEND rigor_find_codecs "pkg_check_modules(${codec} REQUIRED QUIET IMPORTED_TARGET ${${codec}_module})\n")
endforeach()
configure_package_config_file(cmake/rigorConfig.cmake.in ${PROJECT_BINARY_DIR}/rigorConfig.cmake
                              INSTALL_DESTINATION ${rigor_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rigorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rigorConfig.cmake ${PROJECT_BINARY_DIR}/rigorConfigVersion.cmake
        DESTINATION ${rigor_package_dir})

# The pkg-config file finds its prefix from its own place.
# Fully static programs need the archive of Qhull, which has a module of its own where it exists.
pkg_check_modules(RIGOR_QHULL_STATIC QUIET qhullstatic_r)
# It needs libm behind itself, so both are named in one line.
set(rigor_qhull_private ${RIGOR_QHULL_LDFLAGS})
if(RIGOR_QHULL_STATIC_FOUND)
    set(rigor_qhull_private ${RIGOR_QHULL_STATIC_LDFLAGS})
endif()
list(JOIN rigor_qhull_private " " rigor_qhull_private)
set(rigor_openmp_private ${rigor_openmp_libraries})
if(rigor_openmp_private STREQUAL gomp)
    set(rigor_openmp_private -lgomp)
endif()
file(RELATIVE_PATH rigor_pc_to_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/rigor.pc.in ${PROJECT_BINARY_DIR}/rigor.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rigor.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET rigor_command)
    install(TARGETS rigor_command)
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/models)
    install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/rigor PATTERN "*.py" EXCLUDE)
endif()
install(DIRECTORY experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/rigor FILES_MATCHING PATTERN "README.md" PATTERN "expected.csv" PATTERN "*.yaml")
