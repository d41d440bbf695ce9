#include "fgr/hosts/host_asker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "admin/client/control_client.h"
#include "fgr/hosts/answers.h"
#include "fgr/site/child.h"
#include "lnet/base/printable.h"
#include "lnet/base/text.h"

namespace ulnet::tools::fgr {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Asks a ulnetd through its control socket. Each call opens a connection of its own: a minute may
/// pass between two calls, and a node accepts few connections.
class SocketAsker final : public HostAsker {
 public:
  SocketAsker(std::string socket, const AskOptions& options)
      : socket_(std::move(socket)), options_(options) {}

  Result<plan::HostSeen> state(milliseconds time) override {
    const auto client = ctl::ControlClient::open(socket_, seconds_of(time));
    if (!client) return tl::unexpected(client.error());
    ctl::Tree all = ctl::Tree::object();
    for (const char* section : {"net", "route", "routing"}) {
      auto answer = (*client)->get(fmt::format("/v1/{}", section));
      if (!answer) {
        const std::string hint = (*client)->take_hint();
        return fail(answer.error().code, hint.empty() ? answer.error().reason : hint);
      }
      if (answer->contains(section)) all[section] = std::move((*answer)[section]);
    }
    return host_seen(all);
  }

  Result<std::vector<plan::SeenPing>> pings(const std::vector<plan::PingTarget>& targets,
                                            milliseconds time) override {
    const auto client = ctl::ControlClient::open(socket_, seconds_of(time));
    if (!client) return tl::unexpected(client.error());
    ctl::Tree nids = ctl::Tree::array();
    for (const plan::PingTarget& target : targets) nids.push_back(target.nid.to_string());
    const auto answer = (*client)->post(
        "/v1/ping",
        {{"nids", std::move(nids)}, {"timeout_ms", milliseconds(options_.ping).count()}},
        seconds_of(time));
    if (!answer) return tl::unexpected(answer.error());
    return pings_seen(targets, *answer, {});
  }

 private:
  static seconds seconds_of(milliseconds time) {
    return std::max(std::chrono::ceil<seconds>(time), seconds{1});
  }

  const std::string socket_;
  const AskOptions& options_;
};

/// Quotes a word for the shell at the other end of ssh.
std::string shell_quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

/// Runs lnetctl, on this machine or over ssh.
class LnetctlAsker final : public HostAsker {
 public:
  LnetctlAsker(std::string machine, const AskOptions& options)
      : machine_(std::move(machine)), options_(options) {}

  Result<plan::HostSeen> state(milliseconds time) override {
    const auto end = std::chrono::steady_clock::now() + time;
    ctl::Tree all = ctl::Tree::object();
    const std::vector<std::string> commands[] = {
        {"net", "show"}, {"route", "show", "-v"}, {"routing", "show"}};
    for (const auto& command : commands) {
      const auto said =
          run(command,
              std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now()));
      if (!said) return tl::unexpected(said.error());
      // Without any routes some versions of lnetctl end with an error (-2), which means an empty
      // list.
      if (said->code != 0 && (command.front() == "net" ||
                              (said->out + said->err).find("errno: -2") == std::string::npos))
        return fail(-EIO, complaint(*said));
      auto tree = tree_of_yaml(said->out);
      if (!tree)
        return fail(tree.error().code,
                    fmt::format("lnetctl {}: {}", fmt::join(command, " "), tree.error().reason));
      for (auto& [key, value] : tree->items())
        if (key == command.front()) all[key] = value;
    }
    auto seen = host_seen(all);
    if (!seen) return fail(seen.error().code, "lnetctl net show: " + seen.error().reason);
    return seen;
  }

  Result<std::vector<plan::SeenPing>> pings(const std::vector<plan::PingTarget>& targets,
                                            milliseconds time) override {
    std::vector<std::string> command = {"ping"};
    // Older versions take the time-out in milliseconds, so the option is left out for the default,
    // which is a second in all versions.
    if (options_.ping != seconds{1})
      command.insert(command.end(), {"--timeout", std::to_string(options_.ping.count())});
    for (const plan::PingTarget& target : targets) command.push_back(target.nid.to_string());
    const auto said = run(command, time);
    if (!said) return tl::unexpected(said.error());
    const auto tree = tree_of_yaml(said->out);
    if (!tree) return fail(tree.error().code, "lnetctl ping: " + tree.error().reason);
    auto pings = pings_seen(targets, *tree, said->err);
    if (!pings && said->code != 0) return fail(-EIO, complaint(*said));
    return pings;
  }

 private:
  Result<ChildSaid> run(const std::vector<std::string>& command, milliseconds time) const {
    std::vector<std::string> words;
    if (machine_.empty()) {
      words = {options_.lnetctl};
      words.insert(words.end(), command.begin(), command.end());
    } else {
      std::string line = shell_quoted(options_.lnetctl);
      for (const std::string& word : command) line += " " + shell_quoted(word);
      words = {options_.ssh, "-T",     "-o", "BatchMode=yes", "-o", "ConnectTimeout=10",
               "--",         machine_, line};
    }
    return run_child(words, std::max(time, milliseconds{1}), options_.given_up);
  }
  static std::string complaint(const ChildSaid& said) {
    if (const auto tree = tree_of_yaml(said.out))
      if (const std::string text = complaint_in(*tree); !text.empty()) return text;
    std::string line(text::trim(said.err.empty() ? said.out : said.err));
    if (line.size() > 300) line.resize(300);
    std::ranges::replace(line, '\n', ' ');
    return line.empty() ? fmt::format("it ended with {}", said.code) : text::printable(line);
  }

  const std::string machine_;  ///< empty: this machine
  const AskOptions& options_;
};

}  // namespace

std::unique_ptr<HostAsker> asker_for(const Via& via, const AskOptions& options) {
  if (via.way == Via::Way::kControlSocket) return std::make_unique<SocketAsker>(via.place, options);
  return std::make_unique<LnetctlAsker>(via.place, options);
}

}  // namespace ulnet::tools::fgr
