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

/// Gives a program that has commands --list-commands and `help [COMMAND]`. Before its commands are
/// added: they take over how help looks.
void prepare_for_commands(CLI::App& app);

/// The command of `app` that the word names; null when there is none.
const CLI::App* find_command(const CLI::App& app, const std::string& word);

/// Parses the words, and does the work of the command (on_command). Nothing when that is done, or
/// there are no commands; else the exit code: 0 after help, `usage_code` after a message on the
/// standard error about what is wrong, with the word that was probably meant.
std::optional<int> parse_words(CLI::App& app, std::vector<std::string> words, int usage_code);

/// Gives a command its work: `work` returns the exit code, and is called when the command line was
/// that of this command. `code` is what the program ends with. Both outlive the parsing.
template <class Work>
void on_command(CLI::App& command, int& code, Work work) {
  command.callback([&code, work = std::move(work)]() mutable { code = work(); });
}

}  // namespace ulnet::tools
