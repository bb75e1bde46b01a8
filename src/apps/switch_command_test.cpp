// SPDX-License-Identifier: Apache-2.0
#include "apps/switch_command.h"

#include <gmock/gmock.h>

#include <string>

#include "apps/test_commands.h"

namespace weir::apps::switch_command_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SwitchFiles : public Commands {
 protected:
  int check(const std::string& file) {
    SwitchCommand command;
    command.config = file;
    command.check = true;
    return capture([&] { return switch_command(command); });
  }
};

TEST_F(SwitchFiles, AreCheckedWithTheWarningsOfSchemes) {
  std::string text = content("examples/real_switch/star.toml");
  write(text);
  EXPECT_EQ(check(file()), kDone) << err_;
  EXPECT_THAT(err_, Not(HasSubstr("warning")));
  const std::string key = "[switch]\n";
  ASSERT_NE(text.find(key), std::string::npos);
  text.insert(text.find(key) + key.size(), "forwarding = \"drill\"\n");
  const std::size_t at = text.find("flow_control");
  if (at != std::string::npos) text.erase(at, text.find('\n', at) - at + 1);
  text.insert(text.find(key) + key.size(), "flow_control = \"pyrrha\"\n");
  write(text);
  EXPECT_EQ(check(file()), kDone) << err_;
  EXPECT_THAT(err_, HasSubstr("warning: pyrrha: \"drill\" takes each packet along another path"));
}

TEST_F(SwitchFiles, AreRefusedWithAnErrorOfTheCheck) {
  std::string text = content("examples/real_switch/star.toml");
  const std::string key = "[switch]\n";
  ASSERT_NE(text.find(key), std::string::npos);
  const std::size_t at = text.find("\nbuffer = ");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, text.find('\n', at + 1) - at, "\nbuffer = \"2 KB\"");
  write(text);
  SwitchCommand command;
  command.config = file();
  for (const bool check : {true, false}) {
    command.check = check;
    EXPECT_EQ(capture([&] { return switch_command(command); }), kWrongInput);
    EXPECT_THAT(err_, HasSubstr(file() + ": switch.buffer: "));
  }
}

}  // namespace
}  // namespace weir::apps::switch_command_test
