// SPDX-License-Identifier: Apache-2.0
// Parts of configurations with real ports for tests, and changed ones.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace weir::testing_real {

/// A star with PFC, whose hosts need no acknowledgements. Ends in the section [host]. Tests refer to line numbers: the
/// next line is line 10.
inline std::string star(int hosts, std::string_view link, std::string_view buffer) {
  std::string out = "[topology]\nkind = \"single_switch\"\nhosts = " + std::to_string(hosts) + "\nlink = { ";
  out.append(link).append(" }\n[switch]\nbuffer = \"").append(buffer);
  return out + "\"\nflow_control = \"pfc\"\n[host]\ncongestion_control = \"line_rate\"\n";
}

/// Messages of NICs.
inline const std::string kTraffic = R"([[traffic]]
kind = "flows"
flow = [ { source = "h0", destination = "h1", size = "10 KB" } ]
)";

/// `text` with the first occurrence of `from`, which must be there, replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace weir::testing_real
