// The table of commands, and the search for the command that words name.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "lnet/base/nearest_word.h"
#include "selftest/ulst/command.h"
#include "selftest/ulst/ids.h"

namespace ulnet::tools::lst {

namespace {

constexpr std::string_view kRunOptions = R"(
  --from IDS, --to IDS    clients and servers: NIDs like 10.0.0.[1-8]@tcp; repeatable
  --name NID=NAME         a node's name, shown beside its NID; repeatable
  --ping, --read, --write the operations to test, one after the other (--read)
  --sizes N[k|m],...      sizes of reads and writes, one after the other (1m)
  --time T                duration of each test: 10s, 500ms, 2m (10s; 2s with --matrix, --sweep)
  --concurrency N         RPCs of each client under way to each of its servers (8)
  --check KIND            check of the data: none, simple, full or discard (none)
  --distribute D:S        every D clients get the next S servers (1:1)
  --max-rate R            limit of each client per second: RPCs, or bytes with k, M or G
  --max-concurrency N     RPCs of a client at a time, to all its servers together
  --matrix                each client with each server, one pair after the other
  --sweep                 reads and writes of every power of two from 8 bytes to 1 MiB
  --svg FILE              draws what --matrix or --sweep printed
  --json, --csv           the summary for programs
  --stop-on-error         a unit whose RPC failed stops, as with add_test; else it goes on
  --interval T            time between two readings of the rates (1s)
  --timeout SEC           time that a node may be silent before it counts as lost (100)
  --nodes-are-safe        sends check=discard also to nodes that are not known to be ulnet: it stops
                          (crashes) production nodes of version 2.16 and 2.17
  --force                 ends a session of this console, takes nodes away from other consoles

Servers and the console's node need a NID with a 4-byte address: IPv6 alone is not enough.
Exit code: 0; 1 when the run ended, but an RPC failed, data were wrong, a node was lost or silent
at the end, or a client had no data for 3 s; 4 when the options are wrong; 130 when interrupted;
255 when the run was not possible.
)";

constexpr std::string_view kAddTestOptions = R"(
  --keep-going            a unit whose RPC failed goes on; else it stops
  --nodes-are-safe        sends check=discard and off= also to nodes that are not known to be ulnet.
                          They stop (crash) production nodes: the first those of version 2.16 and
                          2.17, the second those of 2.16 and later

Servers and the console's node need a NID with a 4-byte address: IPv6 alone is not enough.
)";

int help(Tool& tool, const Command&, Words words) {
  if (words.size() < 2 && tool.program() == "ulst") return print_help(tool.program()), 0;
  if (words.size() < 2) {
    out("usage: " + tool.program() +
        " [COMMAND] [OPTIONS]... [ARGS]\n"
        "Without any parameters, interactive mode is invoked\n"
        "Try '" +
        tool.program() + " help <COMMAND>', or '" + tool.program() +
        " --list-commands' for a list of commands.\n");
    return 0;
  }
  bool known = false;
  for (const auto commands : {all_commands(), own_commands()}) {
    for (const Command& command : commands) {
      if (command.name != words[1]) continue;
      out("Usage: " + tool.program() + " " + std::string(command.usage) + "\n" +
          std::string(command.help) + "\n" + std::string(command.options));
      known = true;
    }
  }
  return known ? 0 : tool.fail(no_command(tool.program(), words[1]));
}

}  // namespace

std::span<const Command> all_commands() {
  static constexpr auto kAll = std::to_array<Command>({
      {"new_session", "new_session [--timeout TIME] [--force] [NAME]",
       "Begins a session on this console.", &new_session},
      {"end_session", "end_session", "Ends the session and releases its nodes.", &end_session},
      {"show_session", "show_session", "Shows the session of this console.", &show_session},
      {"ping",
       "ping {--session | --group NAME | --batch NAME [--server] | --nodes IDS} [--timeout SEC]",
       "Asks nodes which session they are in.", &ping},
      {"add_group", "add_group NAME IDS [IDS...]",
       "Adds nodes to a group; makes the group if it does not exist.", &add_group},
      {"del_group", "del_group NAME", "Deletes a group.", &del_group},
      {"update_group",
       "update_group NAME {--refresh | --clean active|busy|down|unknown|invalid | --remove IDS}",
       "Asks a group's nodes again, or removes some.", &update_group},
      {"list_group", "list_group [--active] [--busy] [--down] [--unknown] [--all] [NAME...]",
       "Lists groups, or the nodes of some.", &list_group},
      {"stat",
       "stat [--bw] [--rate] [--read] [--write] [--max] [--min]  [--avg] [--mbs] [--timeout #] "
       "[--delay #] [--count #] GROUP [GROUP]",
       "Shows the traffic of groups, or of nodes by their IDs.", &stat},
      {"show_error", "show_error [--session] GROUP|IDS...", "Shows the errors that nodes counted.",
       &show_error},
      {"add_batch", "add_batch NAME", "Makes a batch.", &add_batch},
      {"run", "run [--timeout SEC] [NAME]", "Starts the tests of a batch.", &run_batch},
      {"stop", "stop [--force] [NAME]", "Stops the tests of a batch.", &stop_batch},
      {"list_batch", "list_batch NAME [--test ID] [--server]",
       "Lists batches, or the tests of one; with --active, --invalid or --all its nodes.",
       &list_batch},
      {"query", "query [--test ID] [--server] [--timeout TIME] NAME",
       "Asks whether a batch runs; [--delay SEC] [--loop N] again and again, [--active] [--idle] "
       "[--error] [--all] node by node.",
       &query_batch},
      {"add_test",
       "add_test [--batch BATCH] [--loop #] [--concurrency #]  [--distribute #:#] [--from GROUP] "
       "[--to GROUP] TEST...",
       "Adds a test to a batch: brw [read|write] [size=N[k|M]] [check=simple|full|discard] "
       "[off=N], or ping.",
       &add_test, kAddTestOptions},
      {"help", "help [COMMAND]", "Lists commands, or explains one.", &help},
  });
  return kAll;
}

std::span<const Command> own_commands() {
  static constexpr auto kOwn = std::to_array<Command>({
      {"run",
       "run --from IDS --to IDS [--ping] [--read] [--write] [--sizes SIZES] [--time T] [OPTIONS]",
       "Measures between nodes with one command: a session, its groups and tests, rates while they "
       "last, a summary.",
       &run_benchmark, kRunOptions},
  });
  return kOwn;
}

std::string no_command(const std::string& program, const std::string& typed) {
  std::vector<std::string_view> names;
  for (const Command& command : all_commands()) names.push_back(command.name);
  const std::string meant = text::did_you_mean(typed, names);
  return program + ": '" + typed + "' is not a valid command. See '" + program +
         " --list-commands'." + (meant.empty() ? "" : "\n" + meant);
}

void list_commands() {
  for (const Command& command : all_commands()) out(std::string(command.name) + "\n");
}

void print_help(const std::string& program) {
  out("Usage: " + program + " [--control SOCKET|NAME] COMMAND ...\n       " + program +
      "                 (commands from a prompt)\n       " + program +
      " --standalone --nets 'tcp(eth0)' [--set NAME=VALUE]...\n"
      "                            (the same, with a node in this process)\n       " +
      program +
      " [--standalone --nets 'tcp(eth0)'] run --from NIDS --to NIDS ...\n"
      "                            (measures between nodes, in one line)\n       " +
      program +
      " --list-commands | --version | help [COMMAND]\n\n"
      "The environment's LST_SESSION names the session: any number but 0.\n"
      "Selftest names consoles and servers by 4-byte addresses: a node with IPv6 only can be "
      "neither.\n\n"
      "Commands:\n");
  const auto print = [&](std::span<const Command> commands) {
    for (const Command& command : commands)
      out(program + " " + std::string(command.usage) + "\n\t" + std::string(command.help) + "\n");
  };
  print(all_commands());
  out("\nulnet's own:\n");
  print(own_commands());
}

bool is_benchmark(const Words& words) {
  // A misspelt option ("--frm") also counts: the message then names the options of `run --from`.
  const auto ours = [](const std::string& word) {
    if (word == "-f" || word == "--help") return true;
    if (!word.starts_with("--")) return false;
    constexpr auto kNodes = std::to_array<std::string_view>({"from", "to"});
    return !text::nearest_word(std::string_view(word).substr(2, word.find('=') - 2), kNodes)
                .empty();
  };
  return !words.empty() && words.front() == "run" && std::any_of(words.begin(), words.end(), ours);
}

bool needs_no_session(const Words& words) { return words.front() == "help" || is_benchmark(words); }

int run_command(Tool& tool, Words words) {
  const bool asks = words.size() == 2 && (words[1] == "--help" || words[1] == "-h");
  // only ulst has this option; lst does not
  if (asks && tool.program() == "ulst") words = {"help", words[0]};
  const auto commands = is_benchmark(words) ? own_commands() : all_commands();
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const Command& c) { return c.name == words.front(); });
  if (command == commands.end()) return tool.fail(no_command(tool.program(), words.front()));
  if (!needs_no_session(words) && tool.key() == 0)
    return tool.fail("Can't find env LST_SESSION or value is not valid");
  return command->run(tool, *command, std::move(words));
}

int usage(const Tool& tool, const Command& command) {
  err("Usage: " + tool.program() + " " + std::string(command.usage) + "\n");
  return kUsage;
}

std::optional<int> number_of(const Arguments& arguments, std::string_view name, int otherwise) {
  return arguments.has(name) ? arguments.number(name) : otherwise;
}

Tree target_of(const std::string& word) {
  Tree target = {{"target", word}};
  if (const auto ids = expand_ids(word)) target["nodes"] = *ids;
  return target;
}

bool too_long(const Tool& tool, std::string_view name) {
  constexpr std::size_t kNameMax = 31;
  if (name.size() <= kNameMax) return false;
  tool.fail("Name size is limited to " + std::to_string(kNameMax));
  return true;
}

}  // namespace ulnet::tools::lst
