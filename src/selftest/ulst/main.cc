// ulst, the LNet selftest. Called as lst (through a symlink) it behaves as lst does.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "selftest/ulst/command.h"
#include "selftest/ulst/patience.h"
#include "selftest/ulst/standalone.h"
#include "text/shell/lines.h"

namespace {

using namespace ulnet::tools;
using namespace ulnet::tools::lst;

/// After this time ulst notifies a user at a terminal that the console waits for nodes.
constexpr std::chrono::seconds kGrace{2};

struct Front {
  std::size_t used = 0;  ///< number of words that the options took
  std::optional<int> code;
  std::string control;
  bool standalone = false;
  StandaloneOptions node;
};

/// Returns the value of "--name VALUE" or "--name=VALUE" at words[at]; moves `at` to the value.
std::optional<std::string> value_at(const Words& words, std::size_t& at, std::string_view name) {
  const std::string& word = words[at];
  if (word.starts_with(std::string(name) + "=")) return word.substr(name.size() + 1);
  if (word != name || at + 1 >= words.size()) return std::nullopt;
  return words[++at];
}

/// Returns the message about an unknown word in a place for options.
std::string no_option(const std::string& program, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  if (name == "--set") return program + ": --set is followed by NAME=VALUE";
  if (name == "--control" || name == "--nets") return program + ": " + name + " has no value";
  return no_command(program, word);
}

/// Parses the options before the command.
Front front_options(const std::string& program, const Words& words) {
  Front front;
  while (front.used < words.size() && words[front.used].starts_with("-")) {
    const std::string& word = words[front.used];
    if (word == "--list-commands") return list_commands(), Front{.code = 0};
    if (word == "--help" || word == "-h") return print_help(program), Front{.code = 0};
    if (word == "--version" || word == "-V")
      return out(program + " " ULNET_VERSION " (ulnet)\n"), Front{.code = 0};
    if (word == "--standalone") {
      front.standalone = true;
    } else if (const auto control = value_at(words, front.used, "--control")) {
      front.control = *control;
    } else if (const auto nets = value_at(words, front.used, "--nets")) {
      front.node.networks = *nets;
    } else if (const auto set = value_at(words, front.used, "--set");
               set && set->find('=') != std::string::npos) {
      front.node.params[set->substr(0, set->find('='))] = set->substr(set->find('=') + 1);
    } else {
      err(no_option(program, word) + "\n");
      return {.code = kFailed};
    }
    ++front.used;
  }
  if (!front.standalone && !(front.node.networks.empty() && front.node.params.empty())) {
    err(program + ": --nets and --set are about the node that --standalone makes\n");
    return {.code = kFailed};
  }
  return front;
}

/// Starts a node in this process and returns its console; null after a message.
std::unique_ptr<ConsoleClient> standalone(const std::string& program, const Front& front,
                                          const Words& words) {
  const auto refuse = [&](const std::string& why) {
    err(program + ": " + why + "\n");
    return nullptr;
  };
  if (!words.empty() && !is_benchmark(words))
    return refuse(
        "with --standalone only 'run --from' may be on the command line: other commands come from "
        "the prompt or the standard input");
  if (front.node.networks.empty())
    return refuse("--standalone needs the nets of its node: --nets 'tcp(eth0)'");
  auto console = standalone_console(front.node);
  if (!console) return refuse(console.error().reason);
  if (::geteuid() != 0)
    err(program +
        ": without the right to use ports below 1024 (CAP_NET_BIND_SERVICE) only nodes with "
        "accept=trust will answer\n");
  return std::move(*console);
}

int run(int argc, char** argv) {
  const std::string path = argc > 0 ? argv[0] : "";
  const std::string program = path.substr(path.rfind('/') + 1) == "lst" ? "lst" : "ulst";
  Words words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const Front front = front_options(program, words);
  if (front.code) return *front.code;
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(front.used));
  auto console =
      front.standalone ? standalone(program, front, words) : console_of_node(front.control);
  if (console == nullptr) return kFailed;
  // A benchmark shows its own progress, so it needs no such line.
  if (::isatty(STDERR_FILENO) != 0 && !is_benchmark(words))
    console = notifying_console(std::move(console), program, kGrace, err);
  // Nobody else uses a standalone console, so any key will do.
  const std::uint32_t no_key = front.standalone ? 1 : 0;
  const auto watch = system_watch();
  Tool tool(program, session_key(std::getenv("LST_SESSION")).value_or(no_key), *console, *watch);
  const auto command = [&](Words line) { return run_command(tool, std::move(line)); };
  return words.empty() ? run_lines(program, kFailed, command) : command(words);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const int code = run(argc, argv);
  return std::fflush(stdout) == 0 ? code : kFailed;
}
