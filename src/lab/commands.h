// The commands of ulnet-lab.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lab/topology/exit_code.h"
#include "text/shell/cli_app.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Adds all of them to the program. The command that runs stores its exit code in `code`, which
/// must outlive `app`.
void add_commands(CLI::App& app, int& code);

// One function for each file of commands. The first needs nothing running.
void add_topology_commands(CLI::App& app, int& code);    // check, draw, scenario, topologies
void add_start_stop_commands(CLI::App& app, int& code);  // up, down, clean, list
void add_status_command(CLI::App& app, int& code);       // status
void add_inside_commands(CLI::App& app, int& code);      // exec, shell, logs
void add_fault_commands(CLI::App& app, int& code);       // link, kill, pause, resume, restart
void add_traffic_commands(CLI::App& app, int& code);     // measure, capture
void add_view_commands(CLI::App& app, int& code);        // view, top
void add_run_command(CLI::App& app, int& code);          // run

/// The option --lab, or the environment's ULNET_LAB. `names` is "--lab,LAB" where a plain word may
/// name the laboratory too.
void add_lab_option(CLI::App& command, std::string& lab, const char* names = "--lab");
/// --lab may stand before the command, or between the words of a command such as `link down`. In
/// both cases this moves it behind the command's words.
std::vector<std::string> with_lab_behind(const CLI::App& app, std::vector<std::string> words);
/// Prints "ulnet-lab: REASON" on standard error; returns kExitFailed.
int complain(const std::string& reason);
inline int complain(const Error& error) { return complain(error.reason); }

}  // namespace ulnet::tools::lab
