# SPDX-License-Identifier: Apache-2.0
# One library per folder of src/, and its unit tests (*_test.cpp, beside the code) as <folder>_tests.

add_library(weir_options INTERFACE)
target_include_directories(weir_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(weir_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wconversion -Wno-sign-conversion -Werror
  # A run's digest must not depend on how the compiler contracts floating-point expressions.
  -ffp-contract=off)
# Results must be the same in every build type, so NDEBUG affects nothing but assertions.
# Without -fno-tree-slp-vectorize, GCC 12 updates two neighbouring counters with one vector instruction, and spends more
# instructions on moving them to a vector register and back.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -fno-tree-slp-vectorize -DNDEBUG")
# A batch of sources needs more memory than GCC takes by default before it collects garbage, which costs time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=524288)
endif()
if(WEIR_SANITIZE)
  target_compile_options(weir_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(weir_options INTERFACE -fsanitize=address,undefined)
endif()
if(WEIR_FUZZERS)
  add_custom_target(fuzzers)
endif()
if(WEIR_TIDY)
  find_program(CLANG_TIDY NAMES clang-tidy-14 clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY ${CLANG_TIDY} --quiet --warnings-as-errors=*)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  # For a precompiled header, ccache compares contents instead of time stamps. Paths below the source directory count as
  # relative, so that all clones on a machine share what was compiled. What the compiler lists as included replaces a run
  # of the preprocessor.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
    CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Headers that almost every test includes, compiled once per set of compile options of tests.
if(WEIR_TESTS)
  find_package(GTest REQUIRED)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "")
  function(weir_test_headers name)
    add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/test_headers.cpp)
    target_link_libraries(${name} PRIVATE weir_options GTest::gmock GTest::gtest GTest::gtest_main)
    target_compile_options(${name} PRIVATE ${ARGN} $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
    target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h>
      <algorithm> <array> <functional> <map> <memory> <optional> <span> <string> <vector>)
  endfunction()
  weir_test_headers(weir_test_headers -O0)
  if(NOT WEIR_SANITIZE)
    weir_test_headers(weir_optimised_test_headers -O1)
  endif()
endif()

# Most of the time to compile a source goes into headers and templates that its neighbours need too. Further arguments are
# sources that are compiled alone all the same.
function(weir_unity name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${WEIR_UNITY} UNITY_BUILD_BATCH_SIZE 16)
  if(ARGN)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# A test program of the given sources, linked to the given targets. RUN_LONG: the tests run for minutes.
function(weir_tests name)
  cmake_parse_arguments(ARG "RUN_LONG" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE weir_options ${ARG_DEPENDS} ${RAPIDCHECK_LIBRARY} GTest::gmock GTest::gtest GTest::gtest_main)
  weir_unity(${name})
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 2400)
  if(ARG_RUN_LONG)
    # First, so that it does not run alone at the end: in a new build directory ctest has no run times.
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
  # The tests' own code need not be fast, and compiles in half the time this way. But of an inline function in both
  # tests and libraries the linker keeps one copy, that of the tests: std::vector's [] among them.
  if(ARG_RUN_LONG AND NOT WEIR_SANITIZE)
    target_compile_options(${name} PRIVATE -O1)
    target_precompile_headers(${name} REUSE_FROM weir_optimised_test_headers)
  else()
    target_compile_options(${name} PRIVATE -O0)
    target_precompile_headers(${name} REUSE_FROM weir_test_headers)
  endif()
  # Properties are tried on the same cases everywhere, on fewer if each takes long; tools/hunt tries others.
  if(WEIR_SANITIZE)
    set(cases 20)
  else()
    set(cases 100)
  endif()
  # Tests name their files after themselves, so two builds must not use the same folder for these.
  set(files ${PROJECT_BINARY_DIR}/test_files)
  file(MAKE_DIRECTORY ${files})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "RC_PARAMS=seed=802180181 max_success=${cases};TMPDIR=${files}")
endfunction()

# A libFuzzer program of one source. As a test it starts from the inputs in tests/corpus/<name>, if any, and stores its
# findings in the build directory.
function(weir_fuzzer source folder)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${folder})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name})
  set(corpus ${PROJECT_BINARY_DIR}/corpus/${name})
  file(MAKE_DIRECTORY ${corpus})
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/corpus/${name})
    list(APPEND corpus ${PROJECT_SOURCE_DIR}/tests/corpus/${name})
  endif()
  set(seconds ${WEIR_FUZZ_SECONDS})
  if(NOT seconds)
    set(seconds 30)
  endif()
  add_test(NAME ${name} COMMAND ${name} -max_total_time=${seconds} -timeout=10 -verbosity=0
    -print_final_stats=1 -artifact_prefix=${name}- ${corpus})
  math(EXPR timeout "${seconds} + 120")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout})
endfunction()

# RUN_LONG: as in weir_tests, for its tests. IN_BATCHES: with WEIR_UNITY its sources, too, are compiled in batches, all but
# those that ALONE names, which use the same names as their neighbours. Switches, hosts and schemes take as many
# instructions per packet-hop in batches as alone, or one per cent fewer.
# ONCE_PER_RUN: hardly any of its code runs per frame, so it is optimised less and compiles faster.
function(weir_folder folder)
  cmake_parse_arguments(ARG "PROGRAMS;RUN_LONG;IN_BATCHES;ONCE_PER_RUN" "" "DEPENDS;ALONE" ${ARGN})
  set(root ${PROJECT_SOURCE_DIR}/src/${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${root}/*.cpp)
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cpp$")
  if(NOT sources)
    add_library(${folder} INTERFACE)
    target_link_libraries(${folder} INTERFACE weir_options ${ARG_DEPENDS})
  elseif(ARG_PROGRAMS)
    # A program cannot be linked to its tests, so everything except its main is a library.
    set(parts ${sources})
    list(FILTER parts EXCLUDE REGEX "/main\\.cpp$")
    list(FILTER sources INCLUDE REGEX "/main\\.cpp$")
    add_library(${folder}_parts STATIC ${parts})
    target_link_libraries(${folder}_parts PUBLIC weir_options ${ARG_DEPENDS})
    add_executable(${folder} ${sources})
    set_target_properties(${folder} PROPERTIES OUTPUT_NAME weir)
    target_link_libraries(${folder} PRIVATE ${folder}_parts)
  else()
    add_library(${folder} STATIC ${sources})
    target_link_libraries(${folder} PUBLIC weir_options ${ARG_DEPENDS})
    if(WEIR_FUZZERS)
      target_compile_options(${folder} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endif()
  list(TRANSFORM ARG_ALONE PREPEND ${root}/)
  foreach(library ${folder} ${folder}_parts)
    if(NOT TARGET ${library} OR NOT sources)
      continue()
    endif()
    if(ARG_IN_BATCHES)
      weir_unity(${library} ${ARG_ALONE})
      set_target_properties(${library} PROPERTIES UNITY_BUILD_BATCH_SIZE 32)
    endif()
    if(ARG_ONCE_PER_RUN)
      target_compile_options(${library} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
  endforeach()
  # Further needs of a folder besides its sources.
  include(${root}/folder.cmake OPTIONAL)
  if(tests AND WEIR_TESTS AND ARG_PROGRAMS)
    weir_tests(${folder}_tests SOURCES ${tests} DEPENDS ${folder}_parts)
  elseif(tests AND WEIR_TESTS)
    set(how)
    if(ARG_RUN_LONG)
      set(how RUN_LONG)
    endif()
    weir_tests(${folder}_tests ${how} SOURCES ${tests} DEPENDS ${folder})
  endif()
  if(WEIR_FUZZERS)
    foreach(source ${fuzzers})
      weir_fuzzer(${source} $<IF:$<BOOL:${ARG_PROGRAMS}>,${folder}_parts,${folder}>)
    endforeach()
  endif()
endfunction()
