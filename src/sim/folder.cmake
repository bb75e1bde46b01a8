# SPDX-License-Identifier: Apache-2.0
# version.cpp contains the version of the sources. Every build determines it, but writes and compiles the file only if it
# has changed.
set(version_source ${PROJECT_BINARY_DIR}/version.cpp)
add_custom_target(weir_version BYPRODUCTS ${version_source}
  COMMAND ${CMAKE_COMMAND} -DSOURCES=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DOUT=${version_source}
    -P ${PROJECT_SOURCE_DIR}/cmake/version.cmake
  COMMENT "")
target_sources(sim PRIVATE ${version_source})
add_dependencies(sim weir_version)
