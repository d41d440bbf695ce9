// Every recorded `peer add`, `peer del` and `discover`, in the recorded order, and the output of
// `peer show` after it: which of them succeed, which NIDs the peers have, their states. The test
// lists what ulnet does otherwise, because production's behaviour is a fault. Source:
// spec/multirail.md 2.2, spec/observed.md 3; the recording is tests/data/text/peer_errors.txt.
#include <fstream>
#include <optional>
#include <sstream>

#include "lnet/core/flow/peers_fixture.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::core::test {
namespace {

struct Recorded {
  std::vector<std::string> words;
  std::string line, output;
  int code = 0;
};

/// The commands of one of the recording's nodes, the first or the "fresh node" after it.
std::vector<Recorded> recorded_commands(int node) {
  std::ifstream file(std::string(ULNET_SOURCE_DIR) + "/tests/data/text/peer_errors.txt");
  std::vector<Recorded> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# ---- fresh node")) --node;
    if (node != 0) continue;
    if (line.starts_with("g5$ lnetctl ")) {
      Recorded& made = all.emplace_back();
      made.line = line.substr(4);
      std::istringstream words(line.substr(12));
      for (std::string word; words >> word;) made.words.push_back(word);
    } else if (line.starts_with("[exit ") && !all.empty()) {
      all.back().code = std::stoi(line.substr(6));
    } else if (!all.empty()) {
      all.back().output += line + "\n";
    }
  }
  return all;
}

/// The argument of an option; when it occurs several times, the last one counts, as for lnetctl.
std::optional<std::string> argument(const Recorded& command, const std::string& option) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i + 1 < command.words.size(); ++i)
    if (command.words[i] == option) found = command.words[i + 1];
  return found;
}
bool has(const Recorded& command, const std::string& word) {
  return std::ranges::find(command.words, word) != command.words.end();
}

bool left_out(const Recorded& command) {
  const auto says = [&](const char* part) { return command.line.find(part) != std::string::npos; };
  if (says("10.99.1.4@")) return true;   // a gateway: routing is not built yet
  if (command.code == 139) return true;  // the tool crashed
  // Not an option of the command: prints the tool's help.
  if (says("-m") && says("peer del")) return true;
  if (command.line == "lnetctl peer del") return true;
  return false;
}

class RecordedNode {
 public:
  explicit RecordedNode(int node) {
    for (const Recorded& command : recorded_commands(node)) {
      // A fault of production: this command deleted the peer.
      if (command.line.find("--health abc") != std::string::npos) break;
      if (left_out(command)) continue;
      SCOPED_TRACE(command.line);
      play(command);
    }
  }
  int played = 0, shown = 0;

 private:
  void play(const Recorded& command) {
    const std::string what =
        command.words[0] + (command.words.size() > 1 ? " " + command.words[1] : "");
    if (what == "peer add" || what == "peer del") {
      ++played;
      EXPECT_EQ(what == "peer add" ? add(command) : del(command), command.code == 0);
    } else if (what == "peer show" && has(command, "--nid")) {
      look(command);
    } else if (command.words[0] == "discover") {
      ++played;
      p_.call(p_.a, call::Discover{*Nid::parse(command.words[1]), false, 1});
      EXPECT_EQ(p_.a.dones.back().status == 0, command.code == 0);
    }
  }
  /// What the tool checks before it sends the request to the node.
  struct Asked {
    Nid primary;
    Nids nids;
  };
  static std::optional<Asked> read(const Recorded& command) {
    const auto primary_text = argument(command, "--prim_nid");
    if (!primary_text) return {};
    const auto primary = Nid::parse(
        primary_text->find('@') == std::string::npos ? *primary_text + "@tcp" : *primary_text);
    if (!primary) return {};
    Asked asked{*primary, {}};
    if (const auto text = argument(command, "--nid")) {
      const auto nids = wire::expand_nids(*text, 128);
      if (!nids) return {};
      asked.nids = *nids;
    }
    return asked;
  }
  /// Production ignores --non_mr, which is a fault (PeerAdd.MultiRailIsAsItWasConfigured has
  /// ulnet's behaviour), and takes --force for --lock_prim.
  bool add(const Recorded& command) {
    const auto asked = read(command);
    const bool lock = has(command, "--lock_prim") || has(command, "--force");
    return asked && p_.say(call::PeerAdd{asked->primary, asked->nids, true, lock}) == 0;
  }
  bool del(const Recorded& command) {
    const auto asked = read(command);
    return asked && p_.del(asked->primary, asked->nids, has(command, "--force")) == 0;
  }
  void look(const Recorded& command) {
    const Peer* peer = p_.directory().find(*Nid::parse(*argument(command, "--nid")));
    // The exit code of a command with a pipe is that of its last program.
    const bool there = command.output.find("primary nid: ") != std::string::npos;
    const bool filtered = command.line.find("grep") != std::string::npos;
    if (!filtered || there) {
      ++shown;
      ASSERT_EQ(peer != nullptr, there);
    }
    if (peer == nullptr) return;
    std::istringstream lines(command.output);
    Nids nids;
    for (std::string line; std::getline(lines, line);) {
      const auto value = [&](const std::string& key) -> std::optional<std::string> {
        const std::size_t at = line.find(key);
        if (at == std::string::npos) return {};
        return line.substr(at + key.size());
      };
      if (const auto primary = value("primary nid: ")) {
        EXPECT_EQ(peer->primary.to_string(), *primary);
      } else if (const auto nid = value("-     nid: ")) {
        nids.push_back(*Nid::parse(*nid));
      } else if (const auto state = value("peer state: ")) {
        EXPECT_EQ(std::to_string(peer->state), *state);
      }
    }
    if (there && !nids.empty()) {
      EXPECT_EQ(Nids(peer->nids().begin(), peer->nids().end()), nids);
    }
  }

  Peers p_{{*Nid::parse("10.99.1.5@tcp1")}, {}};
};

TEST(RecordedPeers, ANodeWithContradictoryReports) {  // spec/multirail.md 2.2
  const RecordedNode node(0);
  EXPECT_EQ(node.played, 42);
  EXPECT_EQ(node.shown, 10);
}

TEST(RecordedPeers, AFreshNode) {  // spec/multirail.md 2.2
  const RecordedNode node(1);
  EXPECT_GE(node.played, 9);
  EXPECT_GE(node.shown, 5);
}

}  // namespace
}  // namespace ulnet::core::test
