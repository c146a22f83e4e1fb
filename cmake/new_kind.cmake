# Tests that a shape file plus one table line adds a shape: compiles base to collision and model again with one more word
# in RG_SHAPE_LIST and one more file, test/unit/kind/shape_cone.c, for test/unit/kind/test_new_kind.c.

set(rigor_grown ${PROJECT_BINARY_DIR}/grown)
set(rigor_list_header ${PROJECT_SOURCE_DIR}/include/rigor/model.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rigor_list_header})
file(READ ${rigor_list_header} rigor_list_old)
string(REPLACE "X(heightfield)" "X(heightfield) X(cone)" rigor_list_new "${rigor_list_old}")
if(rigor_list_new STREQUAL rigor_list_old)
    message(FATAL_ERROR "RG_SHAPE_LIST of rigor/model.h does not end in X(heightfield)")
endif()
file(CONFIGURE OUTPUT ${rigor_grown}/rigor/model.h CONTENT "${rigor_list_new}" @ONLY)

file(GLOB rigor_grown_sources CONFIGURE_DEPENDS src/base/*.c src/math/*.c src/geom/*.c src/collision/*.c
     src/model/*.c)
add_library(rigor_grown STATIC ${rigor_grown_sources} test/unit/kind/shape_cone.c)
target_compile_definitions(rigor_grown PRIVATE RIGOR_VERSION="${PROJECT_VERSION}")
target_include_directories(rigor_grown BEFORE PUBLIC ${rigor_grown} include src)
target_link_libraries(rigor_grown PRIVATE rigor_flags PUBLIC PkgConfig::RIGOR_QHULL m)

add_executable(test.unit.kind.new_kind test/unit/kind/test_new_kind.c)
set_target_properties(test.unit.kind.new_kind PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
target_include_directories(test.unit.kind.new_kind PRIVATE test/support ${RIGOR_CRITERION_INCLUDE})
target_link_libraries(test.unit.kind.new_kind PRIVATE rigor_grown rigor_flags ${RIGOR_CRITERION})
add_dependencies(tests test.unit.kind.new_kind)
add_test(NAME unit.kind.new_kind COMMAND test.unit.kind.new_kind --jobs=1 --quiet --xml=${rigor_results}/unit.kind.new_kind.xml
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
rigor_test_properties(unit.kind.new_kind)
