# SPDX-License-Identifier: Apache-2.0
# Writes the public headers of SOURCES below OUT: those of include/weir/, and the headers of src/ that they include,
# directly or not. src/policy/scheme.h becomes OUT/weir/policy/scheme.h and is included as <weir/policy/scheme.h>, by
# its users and by the other headers alike: OUT is the only include path needed. Headers with unchanged text are not
# touched.
cmake_minimum_required(VERSION 3.25)

file(GLOB open RELATIVE ${SOURCES}/include ${SOURCES}/include/weir/*.h)
set(public)
while(open)
  list(POP_FRONT open header)
  if(header IN_LIST public)
    continue()
  endif()
  list(APPEND public ${header})
  set(path ${SOURCES}/include/${header})
  if(NOT EXISTS ${path})
    string(REGEX REPLACE "^weir/" "${SOURCES}/src/" path ${header})
  endif()
  file(READ ${path} text)
  string(REGEX REPLACE "#include \"([^\"\n]+)\"" "#include <weir/\\1>" text "${text}")
  string(REGEX MATCHALL "#include <weir/[^>\n]+>" includes "${text}")
  list(TRANSFORM includes REPLACE "#include <(.*)>" "\\1")
  list(APPEND open ${includes})

  set(before)
  if(EXISTS ${OUT}/${header})
    file(READ ${OUT}/${header} before)
  endif()
  if(NOT before STREQUAL text)
    file(WRITE ${OUT}/${header} "${text}")
  endif()
endwhile()

file(GLOB_RECURSE present RELATIVE ${OUT} ${OUT}/weir/*)
list(REMOVE_ITEM present ${public})
list(TRANSFORM present PREPEND ${OUT}/)
if(present)
  file(REMOVE ${present})
endif()
