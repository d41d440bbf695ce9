// The command line of the programs that parse it with CLI11: the same help, and the same answers to
// words that they do not know, as those of ulnetctl and ulst.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ulnet::tools {

/// The words of the command line, without the program's name.
std::vector<std::string> words_of(int argc, char** argv);

/// Gives a program with commands --list-commands and `help [COMMAND]`. Call this before adding its
/// commands, which take over the format of the help.
void prepare_for_commands(CLI::App& app);

/// The command of `app` that the word names; null when `app` has no such command.
const CLI::App* find_command(const CLI::App& app, const std::string& word);

/// Parses the words, and does the work of the command (on_command). Returns nothing when that is
/// done, or when the program has no commands; else the exit code: 0 after help, `usage_code` after
/// a message on the standard error about what is wrong, with the word that was probably meant.
std::optional<int> parse_words(CLI::App& app, std::vector<std::string> words, int usage_code);

/// Gives a command its work: `work` returns the exit code, and is called when the command line was
/// that of this command. `code` gets the exit code of the program. Both outlive the parsing.
template <class Work>
void on_command(CLI::App& command, int& code, Work work) {
  command.callback([&code, work = std::move(work)]() mutable { code = work(); });
}

}  // namespace ulnet::tools
