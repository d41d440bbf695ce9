// The commands of ulnet-lab. Each function adds a group of them to the program, and has a file of
// its own.
#pragma once

#include <CLI/CLI.hpp>

#include "lab/topology/exit_code.h"
#include "text/shell/cli_app.h"

namespace ulnet::tools::lab {

// Each function adds commands to `app`. A command sets `code`. Both must outlive the parsing.
/// check, draw, scenario, topologies: commands that need nothing running.
void add_topology_commands(CLI::App& app, int& code);

}  // namespace ulnet::tools::lab
