# SPDX-License-Identifier: Apache-2.0
# version.cpp says which sources were built, which every build looks up anew: it is written, and compiled, only when that
# has changed.
set(version_source ${PROJECT_BINARY_DIR}/version.cpp)
add_custom_target(weir_version BYPRODUCTS ${version_source}
  COMMAND ${CMAKE_COMMAND} -DSOURCES=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DOUT=${version_source}
    -P ${PROJECT_SOURCE_DIR}/cmake/version.cmake
  COMMENT "")
target_sources(sim PRIVATE ${version_source})
add_dependencies(sim weir_version)
