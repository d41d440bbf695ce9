// The commands of ulnet-fgr. Each function adds a command, or a few related ones, to the program.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "fgr/output/exit_code.h"
#include "fgr/plan/plan.h"
#include "fgr/site/site_file.h"
#include "text/shell/cli_app.h"

namespace ulnet::tools::fgr {

// Each function adds commands to `app`. A command sets `code`. Both must outlive the parsing.
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
/// Prints the problems of the site file and of the files that belong to it. Returns kExitInput.
int refuse(const conf::Problems& problems);

// verify and measure with the laboratory of this name. They return exit codes.
int verify_laboratory(const plan::Plan& plan, const std::string& lab);
/// Measures from the clients of each system in turn: each group by itself and all at once, each for
/// `time`. An OSS or group is out of line if it has less than `below` percent of its siblings.
int measure_laboratory(const plan::Plan& plan, const std::string& lab, const std::string& time,
                       double below);

/// Adds SITE, and the option of add_fabric_option().
void add_site_options(CLI::App& command, std::string& site, std::string& fabric);
/// Adds --ibnetdiscover, whose value fabric_of_file() takes.
void add_fabric_option(CLI::App& command, std::string& fabric);
/// Does the same as run_with(), for a command that works on a site's plan; adds the options of
/// add_site_options(). The command is `run(plan, options)`, with the plan that `read` returns.
template <class Options, class Run>
Options& run_with_plan(CLI::App& command, int& code, Run run,
                       decltype(&plan_of_file) read = plan_of_file) {
  Options& options = run_with<Options>(command, code, [run, read](Options& given) {
    auto plan = read(given.site, given.fabric);
    return plan ? run(*plan, given) : refuse(plan.error());
  });
  add_site_options(command, options.site, options.fabric);
  return options;
}
/// Adds an option for N: the laboratory's rates are 1:N of the site's. 0, the default, means
/// lab_scale().
void add_scale_option(CLI::App& command, const char* name, std::uint32_t& scale);

}  // namespace ulnet::tools::fgr
