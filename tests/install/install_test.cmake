# SPDX-License-Identifier: Apache-2.0
# The output of cmake --install is all that a project outside the tree needs, and nothing in the source tree is used:
# the projects of examples/ are built with a prefix alone, and run. BUILD: a complete build directory; SOURCES: its
# sources; COMPILER: its compiler.
cmake_minimum_required(VERSION 3.25)

set(place ${BUILD}/install_test)
set(prefix ${place}/prefix)
file(REMOVE_RECURSE ${place})

# Runs a command and returns its output; an error if it fails.
function(run out)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed ERROR_VARIABLE error_output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${printed}${error_output}")
  endif()
  set(${out} "${printed}" PARENT_SCOPE)
endfunction()

function(expect text pattern what)
  if(NOT text MATCHES "${pattern}")
    message(SEND_ERROR "${what} does not match ${pattern}:\n${text}")
  endif()
endfunction()

function(guide_shows text)
  string(FIND "${guide}" "\n${text}\n" at)
  if(at EQUAL -1)
    message(SEND_ERROR "docs/library.md does not show this, as it is now:\n${text}")
  endif()
endfunction()

run(ignored ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# Headers include each other by names that need no include path except the prefix's own.
file(GLOB_RECURSE headers ${prefix}/include/*.h)
if(NOT headers)
  message(FATAL_ERROR "no header was installed in ${prefix}/include")
endif()
foreach(header IN LISTS headers)
  file(STRINGS ${header} lines REGEX "#include (\"|<(fmt|toml|nlohmann|sqlite)[/.+0-9])")
  if(lines)
    message(SEND_ERROR "${header} includes what its users need not have: ${lines}")
  endif()
endforeach()
file(GLOB_RECURSE package ${prefix}/*/cmake/weir/*.cmake)
foreach(file IN LISTS package)
  file(READ ${file} text)
  if(text MATCHES "COMPILE_OPTIONS|COMPILE_DEFINITIONS|LINK_OPTIONS")
    message(SEND_ERROR "${file} hands on ${CMAKE_MATCH_0}")
  endif()
  string(FIND "${text}" "${SOURCES}" at)
  if(NOT at EQUAL -1)
    message(SEND_ERROR "${file} names ${SOURCES}, which is not there on another machine")
  endif()
endforeach()

# Users may enable more warnings than this project, and include headers in another order.
file(GLOB public RELATIVE ${prefix}/include ${prefix}/include/weir/*.h)
list(TRANSFORM public REPLACE "(.+)" "#include <\\1>\n")
list(JOIN public "" text)
file(WRITE ${place}/public.cpp "${text}")
run(ignored ${COMPILER} -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only
  -I ${prefix}/include ${place}/public.cpp)

foreach(example run_scenario outside_scheme)
  # From the installed copy, so that no other source file can be found beside it.
  run(ignored ${CMAKE_COMMAND} -S ${prefix}/share/doc/weir/examples/${example} -B ${place}/${example} -G Ninja
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
  run(ignored ${CMAKE_COMMAND} --build ${place}/${example})
endforeach()

file(READ ${SOURCES}/docs/library.md guide)

# The library and the program give the same results.
set(scenario ${prefix}/share/weir/scenarios/hello_incast.toml)
run(printed ${place}/run_scenario/run_scenario ${scenario})
guide_shows("$ run_scenario ~/weir/share/weir/scenarios/hello_incast.toml\n${printed}```")
run(printed ${place}/run_scenario/run_scenario ${scenario} run.seed=2)
expect("${printed}" "^pfc: 8/8 flows, p99 slowdown [1-9][0-9.]*, [1-9][0-9]* pauses, digest [0-9a-f]+\n" run_scenario)
expect("${printed}" "\ngo_back_n: 8/8 flows, p99 slowdown [1-9][0-9.e+]*, 0 pauses, digest [0-9a-f]+\n" run_scenario)
run(by_program ${prefix}/bin/weir run ${scenario} --seed 2)
string(REGEX MATCHALL "\ndigest [a-z_]+ [0-9a-f]+" digests "${by_program}")
list(LENGTH digests count)
if(NOT count EQUAL 3)
  message(SEND_ERROR "weir run printed other digests than three:\n${by_program}")
endif()
foreach(digest IN LISTS digests)
  string(REGEX REPLACE ".* " "" digest "${digest}")
  expect("${printed}" "digest ${digest}\n" run_scenario)
endforeach()

run(printed ${place}/outside_scheme/fixed_window_test)
expect("${printed}" "^passed\n$" fixed_window_test)
set(scenario ${prefix}/share/doc/weir/examples/outside_scheme/incast.toml)
run(printed ${place}/outside_scheme/outside_scheme ${scenario})
string(FIND "${printed}" "\n\n" end)
string(SUBSTRING "${printed}" 0 ${end} table)
guide_shows("$ outside_scheme incast.toml\n${table}\n```")
expect("${printed}" "\nnone +[^\n]* 7/7\nwindow +[^\n]* 7/7\n" outside_scheme)
# Without registration the name is an unknown scheme, and the error gives its position.
execute_process(COMMAND ${place}/run_scenario/run_scenario ${scenario} ERROR_VARIABLE error_output RESULT_VARIABLE status)
expect("${status} ${error_output}" "^1 .*incast.toml:[0-9]+:[0-9]+: .*unknown scheme \"fixed_window\"" run_scenario)

# docs/library.md shows the examples unchanged: a block after a line that contains only its file's name.
string(REGEX MATCHALL "\n`examples/[^`\n]+`\n" names "${guide}")
if(NOT names)
  message(SEND_ERROR "docs/library.md shows no example")
endif()
foreach(name IN LISTS names)
  string(REGEX REPLACE "[`\n]" "" name "${name}")
  file(READ ${SOURCES}/${name} text)
  string(REGEX MATCH "[a-z]+$" language ${name})
  string(REPLACE txt cmake language ${language})
  guide_shows("`${name}`\n\n```${language}\n${text}```")
endforeach()
