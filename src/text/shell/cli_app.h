// The command line of the programs that parse it with CLI11. They print the same help, and the same
// messages about unknown words, as ulnetctl and ulst.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ulnet::tools {

/// Returns the words of the command line, without the program's name.
std::vector<std::string> words_of(int argc, char** argv);

/// Adds --list-commands and `help [COMMAND]` to a program with commands. Call this before adding
/// the commands, which take over the format of the help.
void prepare_for_commands(CLI::App& app);

/// Finds the command of `app` that the word names; null when `app` has no such command.
const CLI::App* find_command(const CLI::App& app, const std::string& word);

/// Parses the words and carries out the command (on_command()). Returns nothing when the command
/// has been carried out, or when the program has no commands. Otherwise returns the exit code: 0
/// after help; `usage_code` after a message about a mistake on the standard error, with the word
/// that was probably meant.
std::optional<int> parse_words(CLI::App& app, std::vector<std::string> words, int usage_code);

/// Sets what a command does. If the command line is that of this command, parse_words() calls
/// `work`, which returns the exit code. `code` gets that exit code. `work` and `code` must outlive
/// the parsing.
template <class Work>
void on_command(CLI::App& command, int& code, Work work) {
  command.callback([&code, work = std::move(work)]() mutable { code = work(); });
}

/// Does the same with a `run` that takes the options of the command. Returns these options, with
/// their defaults. The command owns them.
template <class Options, class Run>
Options& run_with(CLI::App& command, int& code, Run run) {
  const auto options = std::make_shared<Options>();
  on_command(command, code, [options, run] { return run(*options); });
  return *options;
}

/// Adds an option. The help calls its value `type`, as in "--output FILE".
template <class Value>
CLI::Option* add_value(CLI::App& command, const std::string& name, Value& value,
                       const std::string& type, const std::string& help) {
  return command.add_option(name, value, help)->type_name(type);
}

/// Adds an option whose value is a number from `least` to `most`.
template <class Number, class Bound>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value, Bound least,
                        Bound most, const std::string& help) {
  return add_value(command, name, value, "N", help)->check(CLI::Range(least, most));
}

/// Adds a word that the command line must have, without an option before it.
template <class Value>
CLI::Option* add_argument(CLI::App& command, const std::string& name, Value& value,
                          const std::string& help) {
  return add_value(command, name, value, "", help)->required();
}

}  // namespace ulnet::tools
