// The table of commands, and the search for the command that words name.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "admin/ulnetctl/command.h"
#include "lnet/base/nearest_word.h"
#include "lnet/config/params.h"

namespace ulnet::tools {

namespace {

bool asks_for_help(const std::string& word) {
  return word == "-h" || word == "--help" || word == "help";
}

const Command* find(std::span<const Command> commands, std::string_view name) {
  const auto at = std::ranges::find(commands, name, &Command::name);
  return at == commands.end() ? nullptr : &*at;
}

int unknown(Session& session, std::span<const Command> known, const std::string& word) {
  err(session.program() + ": '" + word + "' is not a valid command. See '" + session.program() +
      " --list-commands'.\n");
  std::vector<std::string_view> names;
  for (const Command& command : known) names.push_back(command.name);
  if (const std::string meant = text::did_you_mean(word, names); !meant.empty()) err(meant + "\n");
  return kBadCommand;
}

/// A command of lnetctl that ulnet does not have.
int run_not_built(Session& session, const Command& self, Words) {
  return session.failed("manage", self.name,
                        {-ENOSYS, fmt::format("'{}' is not built yet in ulnet", self.name)});
}

int help(Session& session, const Command&, Words words) {
  if (words.size() < 2) return print_overview(session), 0;
  std::span<const Command> known = all_commands();
  const Command* command = nullptr;
  for (std::size_t i = 1; i < words.size() && (command == nullptr || !known.empty()); ++i) {
    command = find(known, words[i]);
    if (command == nullptr) return unknown(session, known, words[i]);
    known = command->group;
  }
  print_help(session, *command);
  return 0;
}

/// Runs the command of the group that words[1] names, through all levels of groups.
int run_in(Session& session, const Command& command, Words words) {
  if (command.run != nullptr) return command.run(session, command, std::move(words));
  if (words.size() < 2) return print_help(session, command), -EINVAL;
  words.erase(words.begin());
  if (asks_for_help(words[0])) return print_help(session, command), kHelpShown;
  const Command* sub = find(command.group, words[0]);
  if (sub == nullptr) return unknown(session, command.group, words[0]);
  if (words.size() == 2 && sub->run != nullptr && asks_for_help(words[1]))
    return print_help(session, *sub), kHelpShown;
  return run_in(session, *sub, std::move(words));
}

constexpr std::string_view kImportHelp =
    "import: import configuration from a file or, without one, from the standard input\n"
    "\t--add: add configuration (the default)\n"
    "\t--del: delete configuration\n"
    "\t--show: show what the file names\n"
    "\t--exec: execute the commands in the file (ping, discover)\n"
    "\t--strict: do nothing if anything in the file is wrong or not understood\n"
    "\t--skip-unsupported: leave out nets whose type is not built in (only tcp is)\n"
    "\timport FILE.yaml\n"
    "\timport < FILE.yaml\n";

constexpr std::string_view kFileHelp =
    "file: show a runtime file\n"
    "\tNAME: stats, nis, peers, routes, routers, buffers, portal_rotor, cpu_partition_table, "
    "cpu_partition_distance\n";

constexpr std::string_view kLegacyHelp =
    "legacy2yaml: turn module parameters into the YAML that import takes\n"
    "\tTEXT: rules of ip2nets, networks='...', ip2nets='...', routes='...', or options lnet ...;\n"
    "\t      without it the standard input is read\n"
    "\t--ip2nets FILE: rules of ip2nets; repeatable, as the next three\n"
    "\t--routes FILE: routes\n"
    "\t--networks FILE: nets and their interfaces\n"
    "\t--modprobe FILE: lines options lnet ...; other lines are passed over\n"
    "\t--output FILE: where to write; else the standard output\n"
    "\t--default-hop N: hop count of routes that name none (1)\n";

constexpr std::string_view kStatusHelp =
    "status: show the node's health, what is wrong, and the command that shows more\n"
    "\t--json: as JSON\n"
    "\texit code: 0 OK, 1 WARNING, 2 ERROR; 234 the node does not answer\n";

constexpr std::string_view kReloadHelp =
    "reload: have ulnetd read its configuration again, and apply what has changed\n"
    "\t--json: as JSON\n";

constexpr std::string_view kEventsHelp =
    "events: show the events that the node remembers\n"
    "\t--follow: show new events until interrupted\n"
    "\t--types: only events of these types, separated by commas: log, discovery, peer, ni,\n"
    "\t         peer-ni, route, resend, router, drop, connection, memory, config, node\n"
    "\t--level: only events of this level and worse: debug, info, warning, error; info leaves\n"
    "\t         out the steps of discoveries\n"
    "\t--after: only events after the event with this number\n"
    "\t--json: as JSON, with --follow an object a line\n";

constexpr std::string_view kTraceHelp =
    "trace: show the path to a node, hop by hop, up to the last node that answers\n"
    "\tNID: the node; a host name works too\n"
    "\t--via: NIDs of the routers behind the first one, in their order\n"
    "\t--timeout: seconds to wait for each answer (1; at most 180)\n"
    "\t--json: as JSON\n";

constexpr std::string_view kDiscoverHelp =
    "discover: discover nodes' interfaces\n"
    "\tNID[,NID...] ...: the nodes, by any of their NIDs; patterns and host names too\n"
    "\t--force: also nodes that are known\n"
    "\t--trace: print each step to the standard error as it happens\n";

constexpr const char* kListNidsHelp =
    "list_nids: list the NIDs of this node\n"
    "\tall: 0@lo too\n";

}  // namespace

std::span<const Command> all_commands() {
  static const auto kAll = std::to_array<Command>({
      {"lnet", "lnet: start and stop LNet in the node: configure, unconfigure\n", kLnetCommands},
      {"route", "route: routes to other nets through routers: add, del, show\n", kRouteCommands},
      {"net", "net: nets of this node and their interfaces: add, del, show, set\n", kNetCommands},
      {"routing", "routing: what this node does as a router: show\n", kRoutingCommands},
      {"set", "set: change a setting of the node ('help set' lists them)\n", kSetCommands},
      {"import", kImportHelp, &run_import},
      {"export",
       "export: export configuration to a file or, without one, to the standard output\n"
       "\t--backup: only what is needed to configure a node the same way again\n"
       "\texport FILE.yaml\n"
       "\texport > FILE.yaml\n",
       &run_export},
      {"stats", "stats: counters of the node: show, reset\n", kStatsCommands},
      {"debug", "debug: look inside: recovery, peer, path, nidlist\n", kDebugCommands},
      {"global", "global: settings of the node: show\n", kGlobalCommands},
      {"peer", "peer: nodes that this node knows: add, del, show, list, set\n", kPeerCommands},
      {"ping",
       "ping: ping nodes\n"
       "\tNID[,NID...] ...: the nodes; patterns (10.1.1.[1-8]@tcp) and host names (node7@tcp) too\n"
       "\t--source: local NID to ping from\n"
       "\t--timeout: seconds to wait for each (1; at most 180)\n",
       &run_ping},
      {"discover", kDiscoverHelp, &run_discover},
      {"service-id", "service-id: calculate the service id of the acceptor's port\n",
       &run_not_built},
      {"udsp", "udsp: policies for choosing a path: add, del, show\n", kUdspCommands},
      {"setup-mrrouting", "setup-mrrouting: set up source routing for all interfaces\n",
       &run_not_built},
      {"setup-sysctl", "setup-sysctl: set kernel parameters for large networks\n", &run_not_built},
      {"cpt-of-nid",
       " cpt-of-nid: Calculate the CPTs associated with NIDs\n"
       " usage:\n"
       "\tlnetctl cpt-of-nid nid[ nid ...]\n",
       &run_cpt_of_nid},
      {"fault", "fault: faults on purpose: drop, delay\n", kFaultCommands},
      {"list_nids", kListNidsHelp, &run_list_nids, kUlnetOnly},
      {"selection", "selection: policies in the form of the design document: net, nid, peer\n",
       kSelectionCommands},
      {"param", "param: module parameters of the node: show, set\n", kParamCommands},
      {"counters",
       "counters: messages dropped by reason, and what drivers and threads count: show\n",
       kCountersCommands},
      {"file", kFileHelp, &run_file, kUlnetOnly},
      {"trace", kTraceHelp, &run_trace, kUlnetOnly},
      {"events", kEventsHelp, &run_events, kUlnetOnly},
      {"legacy2yaml", kLegacyHelp, &run_legacy2yaml, kUlnetOnly},
      {"reload", kReloadHelp, &run_reload, kUlnetOnly},
      {"status", kStatusHelp, &run_status, kUlnetOnly},
      {"help", "help: list commands, or explain one\n\thelp COMMAND\n", &help},
  });
  return kAll;
}

void print_overview(const Session& session) {
  const std::string& program = session.program();
  out("Usage: " + program +
      " [--control SOCKET|NAME] [--json] COMMAND ...\n"
      "       " +
      program +
      "                 (commands from a prompt)\n"
      "       " +
      program + " --list-commands | --version | help [COMMAND]\n\nCommands:\n");
  constexpr std::size_t kColumn = 17;
  for (const Command& command : all_commands()) {
    const std::string_view first = command.help.substr(0, command.help.find('\n'));
    std::string name(command.name);
    name.resize(kColumn, ' ');
    out(name + std::string(first.substr(first.find(": ") + 2)) + "\n");
  }
}

void print_help(const Session& session, const Command& command) {
  for (const Command& sub : command.group) print_help(session, sub);
  if (command.run == nullptr) return;
  std::string help(command.help);
  constexpr std::string_view kOriginal = "\tlnetctl ";
  if (const std::size_t at = help.find(kOriginal); at != std::string::npos)
    help.replace(at, kOriginal.size(), "\t" + session.program() + " ");
  if (const std::size_t own = help.find(kUlnetOnlyHelp); own != std::string::npos)
    session.is_lnetctl() ? help.erase(own) : help.erase(own, 1);
  if (const auto warning = conf::warning_of_global(command.name); !warning.empty())
    help += "\t" + std::string(warning) + "\n";
  out(help + "\n");
}

int wrong_option(const Session& session, const Command& command) {
  print_help(session, command);
  return command.ulnet_only ? -EINVAL : 0;
}

Arguments arguments_of(const Session& session, const Command& command, const Words& words,
                       std::initializer_list<Option> options, Rest rest) {
  auto arguments = Arguments::parse(words, options);
  if (!arguments) throw CommandEnds{wrong_option(session, command)};
  if (arguments->has("help")) throw CommandEnds{(print_help(session, command), 0)};
  if (rest == Rest::kNothing) refuse_words(session, *arguments);
  return *std::move(arguments);
}

void refuse_words(const Session& session, const Arguments& arguments) {
  if (arguments.rest().empty() || session.is_lnetctl()) return;
  err(session.program() + ": '" + arguments.rest().front() + "' is not expected here\n");
  throw CommandEnds{-EINVAL};
}

int run_command(Session& session, Words words) try {
  const Command* command = find(all_commands(), words[0]);
  if (command == nullptr) return unknown(session, all_commands(), words[0]);
  if (command->run == &run_not_built && words.size() >= 2 && asks_for_help(words[1]))
    return print_help(session, *command), 0;
  return run_in(session, *command, std::move(words));
} catch (const CommandEnds& end) {
  return end.code;
}

}  // namespace ulnet::tools
