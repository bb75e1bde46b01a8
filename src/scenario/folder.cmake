# SPDX-License-Identifier: Apache-2.0
# Sources of this folder use the same names in their anonymous namespaces; in batches of this size none meet.
set_target_properties(scenario PROPERTIES UNITY_BUILD_BATCH_SIZE 16)
