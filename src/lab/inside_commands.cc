// exec, shell, logs.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lab/commands.h"
#include "lab/inside.h"
#include "lab/live/nodes.h"
#include "lab/live/programs.h"
#include "lab/live/spaces.h"

namespace ulnet::tools::lab {

namespace {

constexpr int kNotFound = 127, kNotRunnable = 126;

struct InsideOptions {
  std::string lab, node;
  std::vector<std::string> words;
  bool follow = false;
  unsigned lines = 20;
};

std::string variable(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

int execute(const InsideOptions& options, const Laboratory& lab, NodeNumber node) {
  return become_at(lab, node, options.words);
}

int shell(const InsideOptions&, const Laboratory& lab, NodeNumber node) {
  if (::isatty(STDIN_FILENO) == 1)
    std::fprintf(stderr,
                 "at node %s of laboratory %s: ulnetctl and ulst talk to it; 'exit' leaves\n",
                 lab.topology.nodes[node].name.c_str(), lab.home.name().c_str());
  return become_at(lab, node, {variable("SHELL", "/bin/sh")});
}

int logs(const InsideOptions& options, const Laboratory& lab, NodeNumber node) {
  std::vector<std::string> words = {"tail", "-n", std::to_string(options.lines)};
  if (options.follow) words.emplace_back("-f");
  words.push_back(lab.home.log(lab.topology.nodes[node].name));
  return become(words);
}

/// Lets the command do `work` at the node that its words name.
template <class Work>
InsideOptions& run_at_node(CLI::App& command, int& code, Work work) {
  InsideOptions& options =
      run_with<InsideOptions>(command, code, [work](const InsideOptions& given) {
        const auto lab = open_lab(given.lab);
        if (!lab) return complain(lab.error());
        const auto node = one_node(lab->topology, given.node);
        return node ? work(given, *lab, *node) : complain(node.error());
      });
  add_lab_option(command, options.lab);
  add_argument(command, "NODE", options.node, "the node");
  return options;
}

}  // namespace

int become(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  std::vector<std::string> copy = words;
  for (std::string& word : copy) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(stdout);
  std::signal(SIGPIPE, SIG_DFL);  // programs expect the default action
  ::execvp(arguments[0], arguments.data());
  const int code = errno;
  complain(copy[0] + ": " + std::strerror(code));
  return code == ENOENT ? kNotFound : kNotRunnable;
}

std::vector<std::string> in_space_words(const std::string& space, std::vector<std::string> words) {
  words.insert(words.begin(), {"ip", "netns", "exec", space});
  return words;
}

int become_at(const Laboratory& lab, NodeNumber node, std::vector<std::string> words) {
  const std::string& name = lab.topology.nodes[node].name;
  ::setenv("ULNET_CONTROL", lab.home.socket(name).c_str(), 1);
  ::setenv("ULNET_LAB", lab.home.name().c_str(), 1);
  ::setenv("ULNET_LAB_NODE", name.c_str(), 1);
  const std::string path = variable("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
  ::setenv("PATH", (own_folder() + ":" + path).c_str(), 1);
  if (lab.record.spaces) words = in_space_words(space_of_node(lab.home.name(), name), words);
  return become(words);
}

Result<NodeNumber> one_node(const Topology& topology, const std::string& word) {
  const auto nodes = nodes_of_words(topology, {word});
  if (!nodes) return tl::unexpected(nodes.error());
  if (nodes->size() == 1) return nodes->front();
  return fail(-EINVAL, "'" + word + "' names several nodes: name one, as " +
                           topology.nodes[nodes->front()].name);
}

void add_inside_commands(CLI::App& app, int& code) {
  CLI::App& exec_app = *app.add_subcommand("exec",
                                           "run a command at a node; its exit code is the "
                                           "command's");
  add_argument(exec_app, "COMMAND", run_at_node(exec_app, code, execute).words,
               "the command and its arguments, after --");

  run_at_node(*app.add_subcommand("shell", "a shell at a node"), code, shell);

  CLI::App& logs_app = *app.add_subcommand("logs", "the end of a node's log");
  InsideOptions& options = run_at_node(logs_app, code, logs);
  logs_app.add_flag("-f,--follow", options.follow,
                    "also print new lines as they come, until Ctrl-C");
  add_value(logs_app, "-n,--lines", options.lines, "N", "the number of lines")
      ->capture_default_str();
}

}  // namespace ulnet::tools::lab
