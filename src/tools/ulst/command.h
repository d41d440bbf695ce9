// What ulst can be told: a table of commands. Source: spec/cli-lst.md 1, 3.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "tools/shell/arguments.h"
#include "tools/ulst/tool.h"

namespace ulnet::tools::lst {

struct Command {
  std::string_view name;
  std::string_view usage;  ///< what follows the program's name, the command's own word first
  std::string_view help;   ///< a line
  int (*run)(Tool&, const Command&, Words words);  ///< words[0] is the command's own word
  std::string_view options = {};                   ///< lines about each, for help on it alone
};

/// Those of lst, in the order of --list-commands.
std::span<const Command> all_commands();
/// ulnet's own, which lst does not have.
std::span<const Command> own_commands();
/// Finds and runs; words[0] is the command. Returns the exit code.
int run_command(Tool& tool, Words words);
/// True for `run --from ...`: another command than lst's `run`.
bool is_benchmark(const Words& words);
/// True for help and what else needs no session.
bool needs_no_session(const Words& words);
/// The sentence about a word that is no command, with the one that was probably meant.
std::string no_command(const std::string& program, const std::string& typed);
void list_commands();
/// Every command's usage and line of help.
void print_help(const std::string& program);

/// Says how the command is used; returns the exit code.
int usage(const Tool& tool, const Command& command);

// What carries the commands out: session.cc, group.cc, batch.cc, test.cc, stat.cc.
int new_session(Tool&, const Command&, Words);
int show_session(Tool&, const Command&, Words);
int end_session(Tool&, const Command&, Words);
int ping(Tool&, const Command&, Words);
int add_group(Tool&, const Command&, Words);
int del_group(Tool&, const Command&, Words);
int update_group(Tool&, const Command&, Words);
int list_group(Tool&, const Command&, Words);
int add_batch(Tool&, const Command&, Words);
int run_batch(Tool&, const Command&, Words);
int stop_batch(Tool&, const Command&, Words);
int list_batch(Tool&, const Command&, Words);
int query_batch(Tool&, const Command&, Words);
int add_test(Tool&, const Command&, Words);
int stat(Tool&, const Command&, Words);
int show_error(Tool&, const Command&, Words);
// run/run.cc
int run_benchmark(Tool&, const Command&, Words);

// What several of them share.
/// The value of a numeric option; `otherwise` when it was not given, nothing when it is no number.
std::optional<int> number_of(const Arguments& arguments, std::string_view name, int otherwise);
/// What a word names: a group, or else nodes. The console decides.
Tree target_of(const std::string& word);
/// Names of sessions, groups and batches (2). True when it is too long, and that has been said.
bool too_long(const Tool& tool, std::string_view name);

}  // namespace ulnet::tools::lst
