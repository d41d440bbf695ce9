// The table of commands, and the way from words to one of them.
#include <algorithm>
#include <array>

#include "tools/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

bool asks_for_help(const std::string& word) {
  return word == "-h" || word == "--help" || word == "help";
}

const Command* find(std::span<const Command> commands, std::string_view name) {
  const auto at = std::find_if(commands.begin(), commands.end(),
                               [&](const Command& c) { return c.name == name; });
  return at == commands.end() ? nullptr : &*at;
}

int unknown(Session& session, const std::string& word) {
  err(session.program() + ": '" + word + "' is not a valid command. See '" + session.program() +
      " --list-commands'.\n");
  return kBadCommand;
}

int help(Session& session, const Command&, Words words) {
  if (words.size() < 2) {
    for (const Command& command : all_commands()) out(std::string(command.name) + "\n");
    return 0;
  }
  const Command* command = find(all_commands(), words[1]);
  if (command == nullptr) return unknown(session, words[1]);
  print_help(*command);
  return 0;
}

/// Finds the command within a group, step by step.
int run_in(Session& session, const Command& command, Words words) {
  if (command.run != nullptr) return command.run(session, command, std::move(words));
  if (words.size() < 2) return print_help(command), -EINVAL;
  words.erase(words.begin());
  if (asks_for_help(words[0])) return print_help(command), kHelpShown;
  const Command* sub = find(command.group, words[0]);
  if (sub == nullptr) return unknown(session, words[0]);
  if (words.size() == 2 && sub->run != nullptr && asks_for_help(words[1]))
    return print_help(*sub), kHelpShown;
  return run_in(session, *sub, std::move(words));
}

}  // namespace

std::span<const Command> all_commands() {
  static const auto kAll = std::to_array<Command>({
      {"lnet", "lnet: {configure, unconfigure}\n", nullptr, kLnetCommands},
      {"route", "route: {add, del, show}\n", nullptr, kRouteCommands},
      {"net", "net: {add, del, show, set}\n", nullptr, kNetCommands},
      {"routing", "routing: {show}\n", nullptr, kRoutingCommands},
      {"set", "set: settings of the node\n", nullptr, kSetCommands},
      {"import",
       "import: import configuration from a file or, without one, from the standard input\n"
       "\t--add: add configuration (the default)\n"
       "\t--del: delete configuration\n"
       "\t--show: show what the file names\n"
       "\t--exec: execute the commands in the file (ping)\n"
       "\t--strict: do nothing of a file in which something is wrong or not understood\n"
       "\timport FILE.yaml\n"
       "\timport < FILE.yaml\n",
       &run_import,
       {}},
      {"export",
       "export: export configuration to a file or, without one, to the standard output\n"
       "\t--backup: only what is needed to configure a node so again\n"
       "\texport FILE.yaml\n"
       "\texport > FILE.yaml\n",
       &run_export,
       {}},
      {"stats", "stats: {show, reset}\n", nullptr, kStatsCommands},
      {"debug", "debug: {recovery, peer, nidlist}\n", nullptr, kDebugCommands},
      {"global", "global: {show}\n", nullptr, kGlobalCommands},
      {"peer", "peer: {add, del, show, list, set}\n", nullptr, kPeerCommands},
      {"ping",
       "ping: ping nodes\n"
       "\tNID[,NID...] ...: whom; patterns (10.1.1.[1-8]@tcp) and names of hosts (node7@tcp) too\n"
       "\t--source: local NID to ping from\n"
       "\t--timeout: seconds to wait for each (1; at most 180)\n",
       &run_ping,
       {}},
      {"discover",
       "discover: discover nodes' interfaces\n"
       "\tNID[,NID...] ...: whom\n"
       "\t--force: also when they are known\n",
       &run_not_built,
       {}},
      {"service-id",
       "service-id: calculate the service id of the acceptor's port\n",
       &run_not_built,
       {}},
      {"udsp", "udsp: {add, del, show}\n", nullptr, kUdspCommands},
      {"setup-mrrouting",
       "setup-mrrouting: set up source routing for all interfaces\n",
       &run_not_built,
       {}},
      {"setup-sysctl",
       "setup-sysctl: set kernel parameters for large networks\n",
       &run_not_built,
       {}},
      {"cpt-of-nid",
       " cpt-of-nid: Calculate the CPTs associated with NIDs\n"
       " usage:\n"
       "\tlnetctl cpt-of-nid nid[ nid ...]\n",
       &run_cpt_of_nid,
       {}},
      {"fault", "fault: {drop, delay}\n", nullptr, kFaultCommands},
      {"list_nids",
       "list_nids: list the NIDs of this node\n"
       "\tall: 0@lo too\n",
       &run_list_nids,
       {}},
      {"param", "param: {show, set}\n", nullptr, kParamCommands},
      {"counters", "counters: {show}\n", nullptr, kCountersCommands},
      {"file",
       "file: show a runtime file\n"
       "\tNAME: stats, nis, peers, portal_rotor, cpu_partition_table, cpu_partition_distance\n",
       &run_file,
       {}},
      {"help", "help: list commands, or explain one\n\thelp COMMAND\n", &help, {}},
  });
  return kAll;
}

void print_help(const Command& command) {
  if (command.run != nullptr) return out(std::string(command.help) + "\n");
  for (const Command& sub : command.group) print_help(sub);
}

int run_command(Session& session, Words words) {
  const Command* command = find(all_commands(), words[0]);
  if (command == nullptr) return unknown(session, words[0]);
  if (command->run == &run_not_built && words.size() >= 2 && asks_for_help(words[1]))
    return print_help(*command), 0;
  return run_in(session, *command, std::move(words));
}

}  // namespace ulnet::tools
