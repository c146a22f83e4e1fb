# libFuzzer targets: each test/fuzz/fuzz_*.c with the whole library instrumented; the target `fuzzers` builds them.

add_custom_target(fuzzers)
file(GLOB rigor_fuzzers CONFIGURE_DEPENDS test/fuzz/fuzz_*.c)
foreach(source IN LISTS rigor_fuzzers)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE rigor_command_parts rigor_static rigor_flags)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
endforeach()
