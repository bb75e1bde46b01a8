# SPDX-License-Identifier: Apache-2.0
# npm ci in the folder report/ of the build directory; says what to do when it fails. It waits while LOCK is held.
if(EXISTS ${LOCK})
  execute_process(COMMAND flock ${LOCK} true)
endif()
execute_process(
  COMMAND ${NPM} ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/report
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "npm could not fetch what the viewer of reports is built from (report/package-lock.json). Is the "
    "network there? Or configure with -DWEIR_REPORT=OFF: all works then but HTML reports.")
endif()
