# SPDX-License-Identifier: Apache-2.0
# Tested guides: the files in a guide's text become real files, which are compiled and run.

# Writes every fenced block of `guide` that follows a line consisting of its file's name in backquotes,
#
#     `src/schemes/toy/toy.h`
#
#     ```cpp
#     ...
#     ```
#
# into `folder`, and returns the names in `names`. A further block with the same name is appended to the first. Files
# with unchanged text are not touched.
function(weir_extract_guide guide folder names)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${guide})
  file(READ ${guide} text)
  set(found)
  while(text MATCHES "\n`([^`\n]+)`\n\n```[a-z]*\n")
    set(name ${CMAKE_MATCH_1})
    set(opening "${CMAKE_MATCH_0}")
    string(LENGTH "${opening}" length)
    string(FIND "${text}" "${opening}" begin)
    math(EXPR begin "${begin} + ${length}")
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "\n```\n" end)
    if(end EQUAL -1)
      message(FATAL_ERROR "${guide}: the block of ${name} does not end")
    endif()
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${text}" 0 ${end} block)
    string(SUBSTRING "${text}" ${end} -1 text)
    list(FIND found ${name} number)
    if(number EQUAL -1)
      list(LENGTH found number)
      list(APPEND found ${name})
      set(block_${number} "")
    endif()
    string(APPEND block_${number} "${block}")
  endwhile()
  set(number 0)
  foreach(name IN LISTS found)
    weir_write_if_changed(${folder}/${name} "${block_${number}}")
    math(EXPR number "${number} + 1")
  endforeach()
  set(${names} ${found} PARENT_SCOPE)
endfunction()

function(weir_write_if_changed path text)
  if(EXISTS ${path})
    file(READ ${path} before)
    if(before STREQUAL text)
      return()
    endif()
  endif()
  file(WRITE ${path} "${text}")
endfunction()

# docs/add-a-scheme.md: its scheme is in the registry by the guide's own line, its unit test runs, and
# tests/guide/guide_test.cpp runs its scenario. It must follow the same rules as src/.
function(weir_test_guide)
  set(folder ${PROJECT_BINARY_DIR}/guide)
  weir_extract_guide(${PROJECT_SOURCE_DIR}/docs/add-a-scheme.md ${folder} names)

  # The registry with the guide's line is linked instead of the library's.
  set(registry src/schemes/registry.cpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${registry})
  file(READ ${PROJECT_SOURCE_DIR}/${registry} text)
  string(REGEX MATCH "#define WEIR_SCHEMES[^\n]*\n" head "${text}")
  if(head STREQUAL "" OR NOT registry IN_LIST names)
    message(FATAL_ERROR "docs/add-a-scheme.md: no line for ${registry}, or no place for it")
  endif()
  file(READ ${folder}/${registry} line)
  string(REPLACE "${head}" "${head}${line}" text "${text}")
  weir_write_if_changed(${folder}/with_line/registry.cpp "${text}")

  set(sources ${names})
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(REMOVE_ITEM sources ${registry})
  list(TRANSFORM sources PREPEND ${folder}/)
  weir_tests(guide_tests
    SOURCES ${sources} ${folder}/with_line/registry.cpp ${PROJECT_SOURCE_DIR}/tests/guide/guide_test.cpp
    DEPENDS check)
  target_include_directories(guide_tests BEFORE PRIVATE ${folder}/src)
  set_tests_properties(guide_tests PROPERTIES WORKING_DIRECTORY ${folder})

  add_test(NAME guide_rules WORKING_DIRECTORY ${folder}
    COMMAND cross_cutting_tests --gtest_brief=1 --gtest_filter=RuleIds.Stand*:*.HoldsInEveryFile)
endfunction()
