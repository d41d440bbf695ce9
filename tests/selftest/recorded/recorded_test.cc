// Runs the recorded commands of lst and compares ulst's output with that of production nodes. Only
// measured values may differ, and the faults of the recorded version that this file lists.
#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

#include "bench.h"

namespace ulnet::tools::lst::test {
namespace {

struct Recorded {
  std::string command;
  std::string said;
  std::optional<int> code;
};

/// The pieces "+ lst ..." or "$ lst ...", output, and "[rc=0]" where the recording has it.
std::vector<Recorded> read(const std::string& name) {
  std::ifstream file(std::string(ULNET_SOURCE_DIR) + "/tests/data/text/" + name);
  EXPECT_TRUE(file) << name;
  std::vector<Recorded> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("+ ") || line.starts_with("$ ")) {
      std::erase(line, '\'');  // quotes of the shell
      all.push_back({line.substr(2), "", {}});
    } else if (line.starts_with("[rc=")) {
      all.back().code = std::stoi(line.substr(4));
    } else if (!all.empty() && !line.empty()) {
      all.back().said += line + "\n";
    }
  }
  return all;
}

std::string replaced(const std::string& text, const char* pattern, const char* by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

/// Replaces measured values but keeps their columns. The number in a batch's state is a measured
/// value.
std::string without_values(std::string text) {
  text = replaced(text, R"((Avg|Min|Max): [0-9.]+ *(\S+/s))", "$1: # $2");
  text = replaced(text, R"(State: \d+)", "State: #");
  return replaced(text, R"(ID: \d+@)", "ID: #@");
}
/// Every value takes 8 columns and a blank.
void expect_columns(const std::string& text) {
  const std::regex value(R"((?:Avg|Min|Max): ([0-9.]+ *)(?:RPC|MiB|MB)/s)");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), value);
       at != std::sregex_iterator(); ++at)
    EXPECT_EQ((*at)[1].length(), 9) << text;
}

/// The output without faults of the recorded version (spec/cli-lst.md 3.5, 3.6).
std::string mended(const Recorded& recorded) {
  const std::string title = "\tACTIVE\tBUSY\tDOWN\tUNKNOWN\tTOTAL\n";
  std::string text = recorded.said;
  if (recorded.command.starts_with("lst list_group --a") &&
      text.find("(null)") != std::string::npos) {
    // The group is printed twice, the second time without its name.
    text = text.substr(text.find("Group [ (null) ]"));
    return replaced(text, R"(\(null\))", "srv");
  }
  if (recorded.command == "lst list_group srv") return title + replaced(text, R"(\(null\))", "srv");
  if (recorded.command.starts_with("lst query"))
    return replaced(text, R"(0-200@<0:25354>)", "12345-10.99.0.1@tcp");
  if (recorded.command.starts_with("lst ping --"))  // it also prints one node too many
    return replaced(replaced(text, R"(\tLNET_PID_ANY.*\n)", ""), R"(0-200@<0:25354>)",
                    recorded.command == "lst ping --nodes 10.99.0.2@tcp" ? "12345-10.99.0.2@tcp"
                                                                         : "12345-10.99.0.1@tcp");
  return replaced(text, R"(Reader error:.*\n)", "");
}

class RecordedText : public Bench {
 protected:
  void SetUp() override {
    for (const std::uint32_t last : {1U, 2U}) {
      auto& grows = nodes.node(last).grows;
      grows.framework.running_ms = 1003;
      grows.lnet.send_count = 1000 * last;
      grows.lnet.recv_count = 1327;
      grows.lnet.send_length = 473'560'000 / last;
      grows.lnet.recv_length = 130'000;
    }
    nodes.node(1).lingers = 1;
  }
  void follow(std::vector<Recorded> script) {
    std::size_t compared = 0;
    for (Recorded& recorded : script) {
      if (recorded.command.starts_with("export LST_SESSION="))
        key = static_cast<std::uint32_t>(std::stoul(recorded.command.substr(19)));
      if (!recorded.command.starts_with("lst ")) continue;
      const bool had_session = !nodes.node(1).session.is_none() || compared == 0;
      if (recorded.command == "lst end_session" && had_session)
        recorded.said += "session is ended\n";  // the text that the specification requires (3.3)
      if (recorded.command == "lst list_group" && !had_session)
        // the text that the specification requires (7)
        recorded = {recorded.command, "No session exists\n", 255};
      const Said said = lst(recorded.command.substr(4));
      EXPECT_EQ(without_values(said.all), without_values(mended(recorded))) << recorded.command;
      expect_columns(recorded.said);
      expect_columns(said.all);
      EXPECT_EQ(said.code, recorded.code.value_or(said.code)) << recorded.command;
      ++compared;
    }
    EXPECT_GT(compared, 10U);
  }
};

// spec/cli-lst.md 3.2
TEST_F(RecordedText, Ping) { follow(read("lst_ping.txt")); }
// spec/cli-lst.md 8
TEST_F(RecordedText, BrwRead) { follow(read("03_lst_brw_read_full_4K.txt")); }
// spec/cli-lst.md 8
TEST_F(RecordedText, BrwWrite) { follow(read("03_lst_brw_write_full_4K.txt")); }

// The recorded version silently ignores the words "5" and "srv", which do not name nodes.
TEST_F(RecordedText, OptionsThatAddGroupDoesNotHave) {
  auto script = read("lst_add_group_badarg.txt");
  script[2].said =
      "Invalid nid: 5\nIgnore invalid id list 5\nInvalid nid: srv\nIgnore invalid id list srv\n" +
      script[2].said;
  // The group does not exist: the text that the specification requires (7).
  for (Recorded& recorded : script)
    if (recorded.command == "lst list_group --all srv")
      recorded.said = "Can't find srv in current session\n";
  ASSERT_EQ(script[2].command, "lst add_group --timeout 5 srv 10.99.0.2@tcp");
  follow(script);
}

TEST_F(RecordedText, AllCommands) {  // spec/cli-lst.md 1, 3.5, 3.6, 3.8
  key = 10156;
  good("new_session --timeout 30 stat_t");
  good("add_group srv 10.99.0.2@tcp");
  good("add_group cli 10.99.0.1@tcp");
  good("add_batch b");
  const std::string test = "add_test --batch b --loop 1000000 --from cli --to srv --concurrency ";
  good(test + "8 brw write size=1M");
  good(test + "2 ping");
  auto script = read("lst_commands.txt");
  const std::vector<std::string> otherwise = {
      // ulst samples nodes given by their NIDs, and pings the session (spec/cli-lst.md 2, 3.4).
      "lst stat --count 1 --delay 1 10.99.0.2@tcp", "lst ping --session",
      // ulst reports a word that does not name a node before it asks whether the group exists.
      "lst add_group srv bogus",
      // There was a session already.
      "lst new_session x (no LST_SESSION)"};
  for (Recorded& recorded : script)
    if (std::find(otherwise.begin(), otherwise.end(), recorded.command) != otherwise.end())
      recorded.command = "";
  follow(script);
}

}  // namespace
}  // namespace ulnet::tools::lst::test
