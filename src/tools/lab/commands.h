// The commands of ulnet-lab: a function for each group of them, in a file of its own, adds its
// commands to the program.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/lab/exit_code.h"

namespace ulnet::tools::lab {

/// Gives a command its work: `work` returns the exit code, and is called when the command line was
/// that of this command. `code` is what the program ends with. Both outlive the parsing.
template <class Work>
void on_command(CLI::App& command, int& code, Work work) {
  command.callback([&code, work = std::move(work)]() mutable { code = work(); });
}

// Each adds commands to `app`, whose work sets `code`. Both must outlive the parsing.
/// check, draw, scenario, topologies: those that need nothing running.
void add_topology_commands(CLI::App& app, int& code);

}  // namespace ulnet::tools::lab
