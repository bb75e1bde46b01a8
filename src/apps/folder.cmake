# SPDX-License-Identifier: Apache-2.0
# These are the last batches of a build, and end together only if they are equal.
set_target_properties(apps_parts PROPERTIES UNITY_BUILD_BATCH_SIZE 12)
