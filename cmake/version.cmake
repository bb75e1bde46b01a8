# SPDX-License-Identifier: Apache-2.0
# Writes OUT, which defines weir::kVersion for the sources in SOURCES: VERSION; in a git checkout with the last commit
# that changed a built file ("0.1.0-2f6d665c0a"), and with uncommitted changes to such files with their digest
# ("0.1.0-2f6d665c0a-modified-90ab12cd34").
cmake_minimum_required(VERSION 3.25)

set(built src cmake CMakeLists.txt)
set(version ${VERSION})

function(git out)
  execute_process(COMMAND git -C ${SOURCES} ${ARGN} OUTPUT_VARIABLE output ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(output "")
  endif()
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

# Sources unpacked inside another project's checkout do not belong to its commits.
git(root rev-parse --show-cdup)
git(commit log -1 --format=%H -- ${built})
string(STRIP "${root}" root)
string(STRIP "${commit}" commit)
if(root STREQUAL "" AND commit)
  string(SUBSTRING ${commit} 0 10 commit)
  string(APPEND version "-${commit}")
  git(changes diff HEAD --binary --no-ext-diff -- ${built})
  git(added ls-files --others --exclude-standard -- ${built})
  if(NOT "${changes}${added}" STREQUAL "")
    string(REGEX MATCHALL "[^\n]+" added "${added}")
    foreach(file IN LISTS added)
      file(SHA256 ${SOURCES}/${file} digest)
      string(APPEND changes "${file} ${digest}\n")
    endforeach()
    string(SHA256 digest "${changes}")
    string(SUBSTRING ${digest} 0 10 digest)
    string(APPEND version "-modified-${digest}")
  endif()
endif()

file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[
#include "sim/version.h"

const char* const weir::kVersion = "@version@";
]])
