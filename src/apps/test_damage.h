// SPDX-License-Identifier: Apache-2.0
// Stores with overwritten columns.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/store.h"

namespace weir::apps {

/// The values with which columns are overwritten, in SQL: nothing, extremes, numbers just out of range, other types.
inline constexpr std::array<const char*, 14> kDamages = {"0",
                                                         "-1",
                                                         "1",
                                                         "9223372036854775807",
                                                         "-9223372036854775808",
                                                         "4294967296",
                                                         "4611686018427387904",
                                                         "2000000000000",
                                                         "1e308",
                                                         "-1e308",
                                                         "NULL",
                                                         "''",
                                                         "'\x1b[2J\xff'",
                                                         "x'00'"};

struct DamagedColumn {
  std::string table;
  std::string column;

  friend std::ostream& operator<<(std::ostream& out, const DamagedColumn& damaged) {
    return out << damaged.table << "." << damaged.column;
  }
};

/// All columns of a store's tables.
inline std::vector<DamagedColumn> columns_of(const std::filesystem::path& store) {
  const Database database(store, Database::Mode::read);
  Statement row(database,
                "SELECT s.name, c.name FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS c "
                "WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%' ORDER BY 1, 2");
  std::vector<DamagedColumn> columns;
  while (row.next()) columns.push_back({std::string(row.text(0)), std::string(row.text(1))});
  return columns;
}

/// Returns false if the database refuses it.
inline bool damage(const std::filesystem::path& store, const DamagedColumn& what, const char* value) {
  try {
    const Database database(store, Database::Mode::write);
    database.execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; UPDATE OR IGNORE " + what.table + " SET " +
                     what.column + " = " + value);
    return true;
  } catch (const StoreError&) {
    return false;
  }
}

}  // namespace weir::apps
