# The viewer's page: built from viewer/ with Node, and taken into the command as it is (cli/io/page.c).
#
# RIGOR_PAGE names a page that is already built, for machines without Node or without a network. Without both the command
# is built without the page, with a message.
set(RIGOR_PAGE "" CACHE FILEPATH "A built page (viewer/dist/index.html) to take instead of building it")
set(rigor_page_sources)
set(rigor_page "${RIGOR_PAGE}")

if(NOT rigor_page AND EXISTS ${PROJECT_SOURCE_DIR}/viewer/package.json)
    find_program(RIGOR_NODE NAMES node nodejs)
    find_program(RIGOR_NPM npm)
    set(rigor_node_version 0)
    if(RIGOR_NODE AND RIGOR_NPM)
        execute_process(COMMAND ${RIGOR_NODE} --version OUTPUT_VARIABLE rigor_node_version ERROR_QUIET
                        OUTPUT_STRIP_TRAILING_WHITESPACE)
        string(REGEX REPLACE "^v" "" rigor_node_version "${rigor_node_version}")
    endif()
    if(rigor_node_version VERSION_LESS 18)
        message(STATUS "Node.js 18 with npm not found: rigor view is built without its page")
    else()
        set(rigor_page ${PROJECT_BINARY_DIR}/page/index.html)
        file(GLOB_RECURSE rigor_page_sources CONFIGURE_DEPENDS viewer/src/*)
        file(GLOB rigor_page_settings CONFIGURE_DEPENDS viewer/*.json viewer/*.html viewer/*.ts viewer/*.js viewer/*.mjs)
        add_custom_command(
            OUTPUT ${rigor_page}
            COMMAND ${PROJECT_SOURCE_DIR}/tools/build_page.sh ${PROJECT_SOURCE_DIR}/viewer ${rigor_page}
            DEPENDS ${rigor_page_sources} ${rigor_page_settings}
                    ${PROJECT_SOURCE_DIR}/CMakeLists.txt ${PROJECT_SOURCE_DIR}/tools/build_page.sh
            COMMENT "Building the viewer's page"
            VERBATIM)
    endif()
endif()

if(rigor_page)
    set_source_files_properties(cli/io/page.c PROPERTIES OBJECT_DEPENDS ${rigor_page} COMPILE_DEFINITIONS
                                                                                   "RIGOR_PAGE_FILE=\"${rigor_page}\"")
endif()
