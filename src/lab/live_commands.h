// The commands of ulnet-lab for laboratories that run: up, down, clean, list, status, exec, shell,
// logs, link, kill, pause, resume, restart, measure, capture, view, top.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lab/commands.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Adds all of them to the program. The one that is called puts its exit code into `code`, which
/// must outlive `app`.
void add_live_commands(CLI::App& app, int& code);

/// run.
void add_run_command(CLI::App& app, int& code);

// Each file of commands has its own.
void add_life_commands(CLI::App& app, int& code);     // up, down, clean, list
void add_status_command(CLI::App& app, int& code);    // status
void add_inside_commands(CLI::App& app, int& code);   // exec, shell, logs
void add_fault_commands(CLI::App& app, int& code);    // link, kill, pause, resume, restart
void add_traffic_commands(CLI::App& app, int& code);  // measure, capture
void add_view_commands(CLI::App& app, int& code);     // view, top

/// The option --lab, or the environment's ULNET_LAB. `names`: "--lab,LAB" where the laboratory may
/// be named by a word alone too.
void add_lab_option(CLI::App& command, std::string& lab, const char* names = "--lab");
/// --lab may stand in front of the command, or between the words of one as `link down`. Where it
/// does, it is moved behind them.
std::vector<std::string> with_lab_behind(const CLI::App& app, std::vector<std::string> words);
/// Prints "ulnet-lab: REASON" to the standard error; returns kExitFailed.
int complain(const std::string& reason);
inline int complain(const Error& error) { return complain(error.reason); }

}  // namespace ulnet::tools::lab
