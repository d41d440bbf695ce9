// The commands of ulnet-fgr: a function for each, or for a few that belong together, adds them to
// the program.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/fgr/exit_code.h"
#include "tools/shell/cli_app.h"

namespace ulnet::tools::fgr {

// Each adds commands to `app`, whose work sets `code`. Both must outlive the parsing.
void add_new_command(CLI::App& app, int& code);
void add_plan_command(CLI::App& app, int& code);
void add_draw_command(CLI::App& app, int& code);
void add_hints_command(CLI::App& app, int& code);
void add_explain_log_command(CLI::App& app, int& code);
void add_check_commands(CLI::App& app, int& code);  ///< check and diff
void add_measure_command(CLI::App& app, int& code);
void add_verify_command(CLI::App& app, int& code);
void add_simulate_command(CLI::App& app, int& code);

}  // namespace ulnet::tools::fgr
