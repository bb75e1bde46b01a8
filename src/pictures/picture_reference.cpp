// SPDX-License-Identifier: Apache-2.0
#include "pictures/picture_reference.h"

#include <algorithm>

#include "pictures/picture.h"

namespace weir {

std::vector<ReferenceTable> language_reference() {
  std::vector<ReferenceTable> tables = scenario_reference();
  const auto sweep =
      std::find_if(tables.begin(), tables.end(), [](const ReferenceTable& table) { return table.name == "sweep"; });
  tables.insert(sweep == tables.end() ? sweep : sweep + 1,
                describe_list("picture",
                              "a picture of the results, written to the folder given with --out; "
                              "`weir list expressions` shows the measures and functions of its expressions",
                              [](Reader& root) { read_pictures(root, {}); }));
  return tables;
}

}  // namespace weir
