// The commands of ulnet-fgr: a function for each, or for a few that belong together, adds them to
// the program.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "fgr/output/exit_code.h"
#include "fgr/plan/plan.h"
#include "text/shell/cli_app.h"

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
void add_lab_command(CLI::App& app, int& code);

/// Prints why the command cannot go on: "ulnet-fgr: COMMAND: REASON". Returns kExitInput.
int complain(const char* command, const std::string& reason);

// The work of verify and measure with the laboratory of that name. Exit codes.
int verify_laboratory(const plan::Plan& plan, const std::string& lab);
/// From the clients of each system in turn: each group by itself and all at once, each for `time`.
/// Out of line is an OSS or group that has less than `below` percent of its siblings.
int measure_laboratory(const plan::Plan& plan, const std::string& lab, const std::string& time,
                       double below);

/// SITE, and add_fabric_option().
void add_site_options(CLI::App& command, std::string& site, std::string& fabric);
/// --ibnetdiscover, as fabric_of_file() takes it.
void add_fabric_option(CLI::App& command, std::string& fabric);
/// 1:N of the site's rates; 0, the default, is that of lab_scale().
void add_scale_option(CLI::App& command, const char* name, std::uint32_t& scale);

}  // namespace ulnet::tools::fgr
