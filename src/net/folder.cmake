# SPDX-License-Identifier: Apache-2.0
# Not in a batch: both files on cycles name their graph Dependencies, and LoadSplitter's parts have types of its source.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/net/failure_cycles.cpp ${PROJECT_SOURCE_DIR}/src/net/offered_load.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
