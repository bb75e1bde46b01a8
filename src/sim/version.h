// SPDX-License-Identifier: Apache-2.0
// The version in every result.
#pragma once

namespace weir {

/// "0.1.0" for sources without a repository. In a git checkout, with the last commit that changed what is built:
/// "0.1.0-2f6d665c0a"; if that has been modified since, also with a digest of the changes:
/// "0.1.0-2f6d665c0a-modified-90ab12cd34". Stored runs are reused only if this version is the same.
extern const char* const kVersion;  // cmake/version.cmake writes it

}  // namespace weir
