// SPDX-License-Identifier: Apache-2.0
// A small row for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "reproduce/row.h"
#include "reproduce/run_row.h"

namespace weir::testing_row {

/// Three hosts on a switch, two variants, one of a scheme that does not exist. Tests refer to line numbers: change with
/// care.
inline const std::string kRow = R"([claim]
id = "bfc/fig0"
title = "A claim"
section = "6.9"
with = ["bfc/fig00"]
seeds = [1, 2]

[[claim.criterion]]
name = "slowdown"
paper = "twice"

holds = 'p99_slowdown(variant="pfc", load=0.5) >= 1'

[[claim.criterion]]
name = "all loads"
forms = "full"


holds = 'for all load: flows(variant="pfc") > 0'

[[claim.figure]]
name = "the new scheme"
value = 'mean_fct(variant="new", load=0.5)'

[[claim.assumed]]
value = "the delay"
choice = "1 us"
reason = "It does not matter."
alternative = { topology.link.delay = "2 us" }

[topology]
kind = "single_switch"
hosts = 3
link = { rate = "10 Gbit/s", delay = "1 us" }

[switch]
buffer = "1 MB"
flow_control = ["pfc"]

[[traffic]]
name = "background"
kind = "poisson"
size = "10 KB"
load = 0.5
label = "b"

[run]
stop = "1 ms"

[[sweep]]
name = "load"
values = [0.2, 0.5, 0.8]
set = { traffic.background.load = "{load}" }

[variants.pfc]
[variants.new]
switch.flow_control = [{ scheme = "no_such_scheme", queues = 32 }, "pfc"]

[quick]
differs = "one load and one seed"
claim.seeds = [1]
sweep.load.values = [0.5]
)";

inline Row read(const std::string& text) {
  return read_row(text, "r.toml", ".", "bfc/fig0");
}

inline RowResult run(const Row& row, RowForm form, const RunRowOptions& options = {}) {
  return run_row(row, form, row.setup(form), options);
}

/// `text` with the only occurrence of `from` replaced.
inline std::string changed(const std::string& from, const std::string& to, const std::string& text = kRow) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from << " occurs twice";
  std::string out = text;
  return out.replace(at, from.size(), to);
}

/// A folder that is removed after the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("weir-reproduce-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace weir::testing_row
