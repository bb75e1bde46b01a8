# SPDX-License-Identifier: Apache-2.0
# The viewer of reports: report/ is built by npm into one page, which is compiled in.
#
# It is built in the build directory, so that several build directories do not disturb each other and the sources stay
# as they are. npm fetches what report/package-lock.json names, from its cache where it can.

option(WEIR_REPORT "Build the viewer of HTML reports, with npm; OFF: weir report says that it cannot" ON)

set(viewer ${PROJECT_BINARY_DIR}/report/viewer.cpp)
if(NOT WEIR_REPORT)
  file(CONFIGURE OUTPUT ${viewer} @ONLY CONTENT [[
#include "report/viewer.h"

namespace weir {
std::string_view report_viewer() { return {}; }
}  // namespace weir
]])
  target_sources(report PRIVATE ${viewer})
  set_source_files_properties(${viewer} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  return()
endif()

# tools/first_build holds this lock while it installs Node.js and npm beside the build. The step that needs npm waits.
set(lock ${PROJECT_SOURCE_DIR}/build/packages.lock)
set(being_installed 0)
if(EXISTS ${lock})
  execute_process(COMMAND flock --nonblock ${lock} true RESULT_VARIABLE being_installed ERROR_QUIET)
endif()
find_program(NPM npm)
find_program(NODE NAMES node nodejs)
if(being_installed EQUAL 1 AND (NOT NPM OR NOT NODE))
  # Where Debian's packages put them.
  set(NPM /usr/bin/npm)
  set(NODE /usr/bin/node)
else()
  if(NOT NPM OR NOT NODE)
    message(FATAL_ERROR "The viewer of reports needs Node.js and npm, and they are not here. On Debian: tools/setup build, "
      "or apt-get install nodejs npm. Or configure with -DWEIR_REPORT=OFF: all works then but HTML reports.")
  endif()
  execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" node_version "${node_version}")
  if(node_version VERSION_LESS 18.3)
    message(FATAL_ERROR "The viewer of reports needs Node.js 18.3 or later; ${NODE} is ${node_version}. "
      "Or configure with -DWEIR_REPORT=OFF: all works then but HTML reports.")
  endif()
endif()

set(page ${PROJECT_SOURCE_DIR}/report)
set(place ${PROJECT_BINARY_DIR}/report)
file(GLOB page_sources CONFIGURE_DEPENDS RELATIVE ${page} ${page}/src/*.ts ${page}/src/*/*.ts ${page}/src/*.css ${page}/src/*.html)
list(APPEND page_sources build.mjs)
list(TRANSFORM page_sources PREPEND ${page}/ OUTPUT_VARIABLE page_paths)

# What npm fetches changes only with its lock.
add_custom_command(
  OUTPUT ${place}/node_modules/.weir_installed
  COMMAND ${CMAKE_COMMAND} -E make_directory ${place}
  COMMAND ${CMAKE_COMMAND} -E copy ${page}/package.json ${page}/package-lock.json ${place}
  COMMAND ${CMAKE_COMMAND} -DNPM=${NPM} -DLOCK=${lock} -P ${CMAKE_CURRENT_LIST_DIR}/npm_ci.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${place}/node_modules/.weir_installed
  DEPENDS ${page}/package.json ${page}/package-lock.json ${CMAKE_CURRENT_LIST_DIR}/npm_ci.cmake
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
  COMMENT "Fetching what the viewer of reports is built from (npm)"
  VERBATIM)
add_custom_command(
  OUTPUT ${viewer}
  COMMAND ${NODE} ${page}/build.mjs --modules ${place}/node_modules --cpp ${viewer}
  DEPENDS ${page_paths} ${place}/node_modules/.weir_installed
  COMMENT "Building the viewer of reports"
  VERBATIM)
target_sources(report PRIVATE ${viewer})
# What is generated need not please the linter, and its neighbours do not wait for it.
set_source_files_properties(${viewer} PROPERTIES SKIP_LINTING ON SKIP_UNITY_BUILD_INCLUSION ON)
