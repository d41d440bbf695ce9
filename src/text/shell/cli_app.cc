#include "text/shell/cli_app.h"

#include <algorithm>

#include "lnet/base/nearest_word.h"
#include "text/shell/speak.h"

namespace ulnet::tools {

namespace {

constexpr const char* kHelp = "help";

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// "\nDid you mean 'kill'?"; empty if no word is near.
std::string meant(std::string_view typed, const std::vector<std::string>& words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  const std::string sentence = text::did_you_mean(typed, views);
  return sentence.empty() ? "" : "\n" + sentence;
}

std::string no_command(const std::string& program, const CLI::App& at, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(at)) names.push_back(command->get_name());
  return program + ": '" + word + "' is not a valid command. See '" + program +
         (at.get_parent() == nullptr ? " --list-commands'." : " --help'.") + meant(word, names);
}

/// Returns the message about an option that the command does not have. Returns an empty text if the
/// command may pass the option on and has no similar option.
std::string no_option(const std::string& path, const CLI::App& at, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : at.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string near = meant(word.substr(0, word.find('=')), names);
  if (near.empty() && at.get_allow_extras()) return {};
  return path + ": there is no option '" + word + "'. See '" + path + " --help'." + near;
}

/// The message about a mistake, for the user.
std::string error_text(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* at = &app;  // the command that the words name
  std::string path = app.get_name();
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  const std::vector<std::string> unknown = at->remaining();
  const auto is_option = [](const std::string& word) { return word.starts_with("-"); };
  if (at->get_require_subcommand_min() > 0) {
    if (unknown.empty()) return path + ": a command is missing. See '" + path + " --help'.";
    return is_option(unknown.front()) ? no_option(path, *at, unknown.front())
                                      : no_command(path, *at, unknown.front());
  }
  const auto option = std::ranges::find_if(unknown, is_option);
  if (option != unknown.end())
    if (std::string text = no_option(path, *at, *option); !text.empty()) return text;
  const auto word = std::ranges::find_if_not(unknown, is_option);
  if (word != unknown.end() && !at->get_allow_extras())
    return path + ": '" + *word + "' is not expected here. See '" + path + " --help'.";
  return path + ": " + error.what() + ". See '" + path + " --help'.";
}

/// Handles `help COMMAND` as `COMMAND --help`. Returns a message if the command does not exist,
/// else an empty text.
std::string take_help(const CLI::App& app, std::vector<std::string>& words) {
  if (words.empty() || words.front() != kHelp) return {};
  words.erase(words.begin());
  const CLI::App* at = &app;
  std::string path = app.get_name();
  for (const std::string& word : words) {
    const CLI::App* const command = find_command(*at, word);
    if (command == nullptr) return no_command(path, *at, word);
    at = command;
    path += " " + word;
  }
  words.emplace_back("--help");
  return {};
}

}  // namespace

std::vector<std::string> words_of(int argc, char** argv) {
  return {argv + std::min(argc, 1), argv + argc};
}

void prepare_for_commands(CLI::App& app) {
  app.require_subcommand(1);
  app.group("Commands");  // the commands inherit this heading
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.add_flag_callback(
         "--list-commands",
         [&app] {
           for (const CLI::App* command : commands_of(app)) out(command->get_name() + "\n");
           throw CLI::Success();
         },
         "the names of the commands, a line each")
      ->trigger_on_parse();
  app.add_subcommand(kHelp, "explain a command: help COMMAND");
}

const CLI::App* find_command(const CLI::App& app, const std::string& word) {
  for (const CLI::App* command : commands_of(app))
    if (command->get_name() == word) return command;
  return nullptr;
}

std::optional<int> parse_words(CLI::App& app, std::vector<std::string> words, int usage_code) {
  if (const std::string wrong = take_help(app, words); !wrong.empty())
    return err(wrong + "\n"), usage_code;
  std::ranges::reverse(words);  // the order that CLI11 expects
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and similar options
    return err(error_text(app, error) + "\n"), usage_code;
  }
  return std::nullopt;
}

}  // namespace ulnet::tools
