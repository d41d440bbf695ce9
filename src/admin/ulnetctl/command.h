// The table of ulnetctl's commands, each with its help in lnetctl's format. Source:
// spec/cli-lnetctl.md 1 to 3.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "admin/ulnetctl/session.h"
#include "text/shell/arguments.h"

namespace ulnet::tools {

struct Command;
/// Carries out a command. words[0] is the command's own word. Returns the exit code.
using Run = int (*)(Session&, const Command&, Words words);

struct Command {
  constexpr Command(std::string_view word, std::string_view text, Run act, bool only = false)
      : name(word), help(text), run(act), ulnet_only(only) {}
  constexpr Command(std::string_view word, std::string_view text, std::span<const Command> commands)
      : name(word), help(text), group(commands) {}

  std::string_view name;
  std::string_view help;  ///< "net add: add a network\n\t--net: ...\n"; of a group: one line
  Run run = nullptr;      ///< null: this is a group
  std::span<const Command> group = {};  ///< the commands of the group
  bool ulnet_only = false;              ///< only ulnetctl has the command; lnetctl does not
};

inline constexpr bool kUlnetOnly = true;
/// Marks a place in a help text. The text after it is not printed when the program is called as
/// lnetctl.
inline constexpr char kUlnetOnlyHelp = '\v';

/// Returns every command, in the order of --list-commands.
std::span<const Command> all_commands();

/// Prints how to call the program, and every command of the first level with its purpose.
void print_overview(const Session& session);
/// Prints the help of a command, or of all commands of a group; an empty line follows each.
void print_help(const Session& session, const Command& command);
/// Prints the help after getopt has printed why an option is wrong. Returns the exit code, which is
/// 0 as with lnetctl, except for commands that only ulnet has.
int wrong_option(const Session& session, const Command& command);
// Options of many commands.
inline constexpr Option kHelp{"help", 'h'}, kJson{"json", 0};
/// What a command takes besides options.
enum class Rest : std::uint8_t { kNothing, kWords };
/// Parses the options of a command. Ends the command after a wrong option, or after its help if
/// there is an option `help` and the command line has it, or as refuse_words() does.
Arguments arguments_of(const Session& session, const Command& command, const Words& words,
                       std::initializer_list<Option> options, Rest rest = Rest::kNothing);
/// Ends the command with an error when the command line has words besides options. When called as
/// lnetctl, which ignores such words, does nothing.
void refuse_words(const Session& session, const Arguments& arguments);
/// Finds the command and runs it. words[0] is the first word of the command.
int run_command(Session& session, Words words);

// The groups and commands. Each group is defined in the file of its name.
extern const std::span<const Command> kLnetCommands, kNetCommands, kPeerCommands, kStatsCommands,
    kGlobalCommands, kSetCommands, kParamCommands, kRouteCommands, kRoutingCommands, kUdspCommands,
    kFaultCommands, kDebugCommands, kCountersCommands, kSelectionCommands;
int run_ping(Session&, const Command&, Words);
int run_discover(Session&, const Command&, Words);
int run_list_nids(Session&, const Command&, Words);
int run_cpt_of_nid(Session&, const Command&, Words);
int run_debug_path(Session&, const Command&, Words);
int run_trace(Session&, const Command&, Words);
int run_file(Session&, const Command&, Words);
int run_reload(Session&, const Command&, Words);
int run_status(Session&, const Command&, Words);
int run_events(Session&, const Command&, Words);
int run_import(Session&, const Command&, Words);
int run_export(Session&, const Command&, Words);
int run_legacy2yaml(Session&, const Command&, Words);

}  // namespace ulnet::tools
