// SPDX-License-Identifier: Apache-2.0
// The version that every result carries.
#pragma once

namespace weir {

/// "0.1.0" of sources that stand alone. In a git checkout, with the last commit that changed what is built:
/// "0.1.0-2f6d665c0a"; where that was changed since, with a digest of the changes too:
/// "0.1.0-2f6d665c0a-modified-90ab12cd34". Kept runs are taken for what this build would give only when it is the same.
extern const char* const kVersion;  // cmake/version.cmake writes it

}  // namespace weir
