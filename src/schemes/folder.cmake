# SPDX-License-Identifier: Apache-2.0
# Not in a batch: programs may link another list of schemes in its place.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/schemes/registry.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
