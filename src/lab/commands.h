// The commands of ulnet-lab: a function for each group of them, in a file of its own, adds its
// commands to the program.
#pragma once

#include <CLI/CLI.hpp>

#include "lab/topology/exit_code.h"
#include "text/shell/cli_app.h"

namespace ulnet::tools::lab {

// Each adds commands to `app`, whose work sets `code`. Both must outlive the parsing.
/// check, draw, scenario, topologies: those that need nothing running.
void add_topology_commands(CLI::App& app, int& code);

}  // namespace ulnet::tools::lab
