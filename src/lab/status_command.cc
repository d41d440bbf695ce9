// status.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "lab/commands.h"
#include "lab/live/status.h"
#include "lab/live/stop_signal.h"

namespace ulnet::tools::lab {

namespace {

struct StatusOptions {
  std::string lab;
  bool watch = false, json = false;
};

std::string headline(const Laboratory& lab) {
  std::string text = "laboratory " + lab.record.name + " (" +
                     (lab.record.spaces ? "namespaces" : "loopback") + ")";
  for (const std::string& name : lab.record.down) text += ", " + name + " is down";
  return text + "\n";
}

int show_once(const StatusOptions& options, const char* before) {
  const auto lab = open_lab(options.lab);
  if (!lab) return complain(lab.error());
  const auto nodes = ask_nodes(*lab);
  const std::string text = options.json
                               ? status_json(*lab, nodes).dump(options.watch ? -1 : 2) + "\n"
                               : headline(*lab) + status_table(nodes);
  std::fputs((before + text).c_str(), stdout);
  std::fflush(stdout);
  return std::ferror(stdout) != 0 ? 1 : 0;
}

int status(const StatusOptions& options) {
  if (!options.watch) return show_once(options, "");
  const StopSignal signals;
  const bool terminal = ::isatty(STDOUT_FILENO) == 1 && !options.json;
  const char* before = terminal ? "\033[2J\033[H" : "";
  while (StopSignal::came() == 0) {
    const auto next = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    if (const int code = show_once(options, before); code != 0) return code;
    before = terminal ? "\033[H\033[J" : options.json ? "" : "\n";
    while (StopSignal::came() == 0 && std::chrono::steady_clock::now() < next)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return 0;
}

}  // namespace

void add_status_command(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand("status", "nodes, NIs, health, routes and memory");
  StatusOptions& options = run_with<StatusOptions>(command, code, status);
  add_lab_option(command, options.lab, "--lab,LAB");
  command.add_flag("--watch", options.watch, "print once a second, until Ctrl-C");
  command.add_flag("--json", options.json, "print JSON, for programs");
}

}  // namespace ulnet::tools::lab
