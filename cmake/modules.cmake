# A module is one folder of a product (src/PRODUCT/FOLDER), or several folders. It becomes one
# static library `ulnet_PRODUCT_FOLDER`, and its *_test.cc files become one test program
# `PRODUCT_FOLDER_test`. A module names the modules that it uses; dev/check-layers.py checks the
# includes.

# The flags of every target of this project.
add_library(ulnet_flags INTERFACE)
target_compile_features(ulnet_flags INTERFACE cxx_std_20)
target_compile_options(ulnet_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-qual -Wno-missing-field-initializers $<$<BOOL:${ULNET_WERROR}>:-Werror>)
# g++ 12 warns wrongly of overlapping copies in operator+(const char*, std::string&&) (GCC bug
# 105651).
target_compile_options(ulnet_flags INTERFACE
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
# Without an option g++ spends 10 to 20 % of its time looking for memory that it can free. With these
# values it looks less often, and needs a fifth more memory.
target_compile_options(ulnet_flags INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-expand=1000>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=800000>)
target_include_directories(ulnet_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)

# The compiler parses the library headers that most sources include once for the modules and once
# for the tests, instead of once for each source: the standard library, fmt, expected and JSON; for
# the tests GoogleTest instead of JSON. Headers of this project are not precompiled, because a
# change of one would compile every source again. Each source still includes what it uses; a build
# with ULNET_PCH=OFF and ULNET_UNITY=OFF shows that.
function(ulnet_precompiled name)
  cmake_parse_arguments(PCH "" "" "USES" ${ARGN})
  file(CONFIGURE OUTPUT ${name}.cc CONTENT "// The library of the precompiled header needs a source.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE ulnet_flags fmt::fmt tl::expected Boost::headers ${PCH_USES})
  target_precompile_headers(${name} PRIVATE <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <deque> <functional>
    <limits> <map> <memory> <memory_resource> <mutex> <optional> <set> <span> <sstream> <string> <string_view> <thread>
    <unordered_map> <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp> ${PCH_UNPARSED_ARGUMENTS})
  # Without a time stamp in the precompiled header ccache finds it again.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()
# g++ treats the code in a precompiled header as code of this project, and warns of code of the
# standard library where it is inlined. A build with a precompiled header turns these warnings off;
# a build with ULNET_PCH=OFF has them.
if(ULNET_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(ulnet_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-maybe-uninitialized)
endif()
# A precompiled header and the sources that use it need the same options. These are the options of
# each kind of target.
set(ULNET_MODULE_PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
# Tests are not optimised: to compile rapidcheck's templates at -O3 takes minutes and has no use.
set(ULNET_TEST_OPTIONS -O0)
# Tools only read commands and print the results of the modules; the code that has to be fast is in
# the modules. To optimise the tools more takes longer than all other steps of compiling them.
set(ULNET_TOOLS_OPTIONS -O1)
if(ULNET_SANITIZE)
  set(ULNET_TOOLS_OPTIONS -O0)
endif()
if(ULNET_PCH)
  ulnet_precompiled(ulnet_pch <nlohmann/json.hpp> USES nlohmann_json::nlohmann_json)
  set_target_properties(ulnet_pch PROPERTIES ${ULNET_MODULE_PROPERTIES})
  ulnet_precompiled(ulnet_tools_pch <nlohmann/json.hpp> <CLI/CLI.hpp> USES nlohmann_json::nlohmann_json CLI11::CLI11)
  set_target_properties(ulnet_tools_pch PROPERTIES ${ULNET_MODULE_PROPERTIES})
  target_compile_options(ulnet_tools_pch PRIVATE ${ULNET_TOOLS_OPTIONS})
endif()
if(ULNET_PCH AND ULNET_TESTS)
  ulnet_precompiled(ulnet_test_pch <gmock/gmock.h> <gtest/gtest.h> USES GTest::gmock)
  target_compile_options(ulnet_test_pch PRIVATE ${ULNET_TEST_OPTIONS})
endif()

# ulnet_library(name SOURCES file... USES target...): a static library, compiled with the options of
# the modules, or after ulnet_tools() with those of the tools.
set(ULNET_LIBRARY_PCH ulnet_pch)
function(ulnet_library name)
  cmake_parse_arguments(LIBRARY "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${LIBRARY_SOURCES})
  target_link_libraries(${name} PUBLIC ulnet_flags ${LIBRARY_USES})
  set_target_properties(${name} PROPERTIES ${ULNET_MODULE_PROPERTIES})
  if(TARGET ${ULNET_LIBRARY_PCH})
    target_precompile_headers(${name} REUSE_FROM ${ULNET_LIBRARY_PCH})
  endif()
endfunction()

# ulnet_tools(): all further libraries of this folder are libraries of tools.
macro(ulnet_tools)
  set(ULNET_LIBRARY_PCH ulnet_tools_pch)
  set(ULNET_LIBRARY_OPTIONS ${ULNET_TOOLS_OPTIONS})
endmacro()

# ulnet_name_module(folder): sets `path` to the path of the folder, which is relative to the present
# one, and `name` to PRODUCT_FOLDER.
macro(ulnet_name_module folder)
  cmake_path(SET path NORMALIZE ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE name)
  string(REGEX REPLACE "/$" "" name ${name})
  string(REPLACE "/" "_" name ${name})
endmacro()

# ulnet_module(folder [FOLDERS folder...] [SOURCES file...] [USES target...]): a module in `folder`,
# which is relative to the present one. FOLDERS are the folders inside it with the sources; by
# default these are in `folder` itself. main.cc is left out.
function(ulnet_module folder)
  cmake_parse_arguments(MODULE "" "" "FOLDERS;SOURCES;USES" ${ARGN})
  if(NOT MODULE_FOLDERS)
    set(MODULE_FOLDERS .)
  endif()
  ulnet_name_module(${folder})
  list(TRANSFORM MODULE_FOLDERS REPLACE "(.+)" "${path}/\\1/*.cc")
  file(GLOB sources CONFIGURE_DEPENDS ${MODULE_FOLDERS})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(APPEND sources ${MODULE_SOURCES})
  if(sources)
    ulnet_library(ulnet_${name} SOURCES ${sources} USES ${MODULE_USES})
    target_compile_options(ulnet_${name} PRIVATE ${ULNET_LIBRARY_OPTIONS})
  else()
    add_library(ulnet_${name} INTERFACE)
    target_link_libraries(ulnet_${name} INTERFACE ulnet_flags ${MODULE_USES})
  endif()
  if(tests AND ULNET_TESTS)
    ulnet_test(${name}_test SOURCES ${tests} USES ulnet_${name})
  endif()
endfunction()

# ulnet_program(folder [PROGRAM name] [DESTINATION folder] ...): a module, and the program of its
# main.cc. PROGRAM is the name of the program, by default the name of the folder. The library has
# everything but main(), so that tests can link it.
function(ulnet_program folder)
  cmake_parse_arguments(PROGRAM "" "PROGRAM;DESTINATION" "" ${ARGN})
  if(NOT PROGRAM_PROGRAM)
    set(PROGRAM_PROGRAM ${folder})
  endif()
  if(NOT PROGRAM_DESTINATION)
    set(PROGRAM_DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  ulnet_module(${folder} ${PROGRAM_UNPARSED_ARGUMENTS})
  ulnet_name_module(${folder})
  target_compile_definitions(ulnet_${name} PUBLIC ULNET_VERSION="${PROJECT_VERSION}")
  add_executable(${PROGRAM_PROGRAM} ${path}/main.cc)
  target_compile_options(${PROGRAM_PROGRAM} PRIVATE ${ULNET_LIBRARY_OPTIONS})
  target_link_libraries(${PROGRAM_PROGRAM} PRIVATE ulnet_${name})
  install(TARGETS ${PROGRAM_PROGRAM} RUNTIME DESTINATION ${PROGRAM_DESTINATION} COMPONENT tools)
endfunction()

# What `make unit` builds and runs: the target `unit` builds the programs of all products, the
# target `unit_PRODUCT` those of one product, and their cases have the label `unit_PRODUCT`.
if(ULNET_TESTS)
  add_custom_target(unit)
endif()

# ulnet_unit(label target...): sets `label` to the label of the present folder's unit tests, and adds
# the targets to those that `make unit` builds. The product is the folder in src or tests.
function(ulnet_unit label)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  string(REGEX REPLACE "^(src/|tests/)?([^/]+).*" "unit_\\2" unit ${folder})
  if(NOT TARGET ${unit})
    add_custom_target(${unit})
    add_dependencies(unit ${unit})
  endif()
  add_dependencies(${unit} ${ARGN})
  set(${label} ${unit} PARENT_SCOPE)
endfunction()

# ulnet_test(name SOURCES file... [USES target...] [LONG] [WAITS]): a GoogleTest program. ctest runs
# each case in a process of its own, or with ULNET_WHOLE_PROGRAMS the program in four parts: under
# the sanitizers a process starts slowly, and a process for each of 4,000 cases would take most of
# the time. Each part writes the results of its cases to the folder test-results of the build.
# `make unit` leaves out a program with LONG. A case computes all the time and counts as two of
# ctest's jobs; in a program with WAITS it mostly waits and counts as one (docs/TESTING.md).
function(ulnet_test name)
  cmake_parse_arguments(TEST "LONG;WAITS" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ulnet_flags ${TEST_USES} GTest::gmock GTest::gtest_main rapidcheck
    rapidcheck_gtest)
  # Only files that use ULNET_SOURCE_DIR get its value: all other files compile alike in every
  # clone, and ccache finds them.
  foreach(source ${TEST_SOURCES})
    get_filename_component(source ${source} ABSOLUTE)
    file(STRINGS ${source} named REGEX "ULNET_SOURCE_DIR" LIMIT_COUNT 1)
    if(named)
      set_property(SOURCE ${source} PROPERTY COMPILE_DEFINITIONS ULNET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  target_compile_options(${name} PRIVATE ${ULNET_TEST_OPTIONS})
  if(TARGET ulnet_test_pch)
    target_precompile_headers(${name} REUSE_FROM ulnet_test_pch)
  endif()
  set(properties)
  if(NOT TEST_WAITS)
    list(APPEND properties PROCESSORS 2)
  endif()
  if(NOT TEST_LONG)
    ulnet_unit(label ${name})
    list(APPEND properties LABELS ${label})
  endif()
  if(NOT ULNET_WHOLE_PROGRAMS)
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600 ${properties})
    return()
  endif()
  foreach(part 0 1 2 3)
    add_test(NAME ${name}.part${part}
      COMMAND ${name} --gtest_brief=1 --gtest_output=xml:${PROJECT_BINARY_DIR}/test-results/${name}.part${part}.xml)
    set_tests_properties(${name}.part${part} PROPERTIES TIMEOUT 1800 ${properties}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()
