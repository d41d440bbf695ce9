// ulnetctl, the administrator's command line. Called as lnetctl (through a symlink) it behaves like
// lnetctl. Called as lctl it behaves like the part of lctl for LNet. Called as lnet_legacy2yaml it
// behaves like its command legacy2yaml.
#include <algorithm>
#include <array>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <string>

#include "admin/ulnetctl/command.h"
#include "admin/ulnetctl/lctl.h"
#include "lnet/base/nearest_word.h"
#include "text/shell/lines.h"

namespace {

using namespace ulnet::tools;

constexpr std::string_view kConverter = "lnet_legacy2yaml", kLctl = "lctl";

std::string program_name(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name == "lnetctl" || name == kLctl || name == kConverter ? name : "ulnetctl";
}

constexpr std::array<std::string_view, 5> kFrontOptions = {"--control", "--json", "--help",
                                                           "--version", "--list-commands"};

/// Whether --control comes after the command instead of before it. If so, prints a message.
bool front_options_behind(const Session& session, const Words& words) {
  const auto at = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return word == "--control" || word.starts_with("--control=");
  });
  if (at == words.end() || session.is_lnetctl()) return false;
  err(session.program() + ": write --control before the command: '" + session.program() +
      " --control NODE " + words.front() + " ...'\n");
  return true;
}

void list_commands() {
  for (const Command& command : all_commands()) out(std::string(command.name) + "\n");
}

/// The options before the command.
struct Front {
  std::size_t used = 0;  ///< words that these options took
  bool done = false;     ///< the program ends with `code`
  int code = 0;
};

Front front_options(Session& session, const Words& words) {
  Front front;
  while (front.used < words.size() && words[front.used].starts_with("-")) {
    const std::string& word = words[front.used];
    if (word == "--list-commands") return list_commands(), Front{.done = true};
    if (word == "--version" || word == "-V") {
      out(session.program() + " " ULNET_VERSION " (ulnet)\n");
      return {.done = true};
    }
    if (word == "--json") {
      session.use_json(true);
    } else if (word == "--control") {
      if (front.used + 1 == words.size()) {
        err(session.program() + ": --control has no value\n");
        return {.done = true, .code = kBadCommand};
      }
      session.use_control(words[++front.used]);
    } else if (word.starts_with("--control=")) {
      session.use_control(word.substr(std::string("--control=").size()));
    } else if (word == "--help" || word == "-h") {
      return print_overview(session), Front{.done = true};
    } else {
      err(session.program() + ": '" + word + "' is not a valid command. See '" + session.program() +
          " --list-commands'.\n");
      if (const std::string meant = ulnet::text::did_you_mean(word, kFrontOptions); !meant.empty())
        err(meant + "\n");
      return {.done = true, .code = kBadCommand};
    }
    ++front.used;
  }
  return front;
}

int run(int argc, char** argv) {
  Session session(program_name(argc > 0 ? argv[0] : ""));
  Words words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (session.program() == kConverter) {
    words.insert(words.begin(), "legacy2yaml");
    return run_command(session, std::move(words));
  }
  if (session.program() == kLctl) return run_lctl(session, words);
  const Front front = front_options(session, words);
  if (front.done) return front.code;
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(front.used));
  const auto command = [&](Words line) {
    if (front_options_behind(session, line)) return kBadCommand;
    return run_command(session, std::move(line));
  };
  return words.empty() ? run_lines(session.program(), kBadCommand, command) : command(words);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const int code = run(argc, argv);
  return (std::fflush(stdout) == 0 ? code : -EIO) & 0xff;
}
