// SPDX-License-Identifier: Apache-2.0
// Classes of flow sizes.
#pragma once

#include <string>
#include <vector>

#include "units/bytes.h"

namespace weir {

/// Flows of `from` bytes or more, below `to`.
struct SizeBin {
  Bytes from;
  Bytes to;
  std::string label;  ///< "3-10 KB"; 1 KB is 1000 bytes

  [[nodiscard]] bool contains(Bytes size) const { return from <= size && size < to; }
};

/// Six bins that cover every size: below 3 KB (short flows in the literature), 3-10 KB, 10-100 KB, 100 KB-1 MB, 1-3 MB,
/// and above 3 MB (long flows).
std::vector<SizeBin> field_size_bins();

/// Bins with a tenth of `sizes` each, as nearly as repeated sizes allow: equal sizes share a bin, so there may be fewer
/// than ten. Bin i ends with the size of nearest rank i/10. The first starts at zero; none contains a size above the
/// largest. Empty if `sizes` is empty.
std::vector<SizeBin> decile_size_bins(std::vector<Bytes> sizes);

}  // namespace weir
