// The table of ulst's commands. Source: spec/cli-lst.md 1, 3.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "selftest/ulst/tool.h"
#include "text/shell/arguments.h"

namespace ulnet::tools::lst {

struct Command {
  std::string_view name;
  std::string_view usage;  ///< the text after the program's name; begins with the command's word
  std::string_view help;   ///< one line
  int (*run)(Tool&, const Command&, Words words);  ///< words[0] is the command's own word
  std::string_view options = {};  ///< a line per option, for the help on this command
};

/// The commands of lst, in the order of --list-commands.
std::span<const Command> all_commands();
/// ulnet's own commands, which lst does not have.
std::span<const Command> own_commands();
/// Finds the command and runs it. words[0] is the command. Returns the exit code.
int run_command(Tool& tool, Words words);
/// Whether the words are `run --from ...`, which is not lst's `run`.
bool is_benchmark(const Words& words);
/// Whether the words name help or another command that needs no session.
bool needs_no_session(const Words& words);
/// Returns the message for an unknown command, with the command that was probably meant.
std::string no_command(const std::string& program, const std::string& typed);
void list_commands();
/// Prints how to call the program, and the usage and the line of help of every command.
void print_help(const std::string& program);

/// Prints the usage of the command; returns the exit code.
int usage(const Tool& tool, const Command& command);

// The commands: session.cc, group.cc, batch.cc, test.cc, stat.cc.
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

// Helpers of several commands.
/// Returns the value of a numeric option: `otherwise` without the option, nothing when the value is
/// not a number.
std::optional<int> number_of(const Arguments& arguments, std::string_view name, int otherwise);
/// Makes the target that a word names, in the form that the console takes. The console decides
/// whether the word names a group or nodes.
Tree target_of(const std::string& word);
/// Whether the name of a session, a group or a batch is too long (spec/cli-lst.md 2). If so, prints
/// a message.
bool too_long(const Tool& tool, std::string_view name);

}  // namespace ulnet::tools::lst
