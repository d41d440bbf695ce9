// check and diff.
#include <fmt/format.h>

#include "fgr/commands.h"
#include "fgr/existing/difference.h"
#include "fgr/existing/report.h"
#include "fgr/site/site_file.h"

namespace ulnet::tools::fgr {
namespace {

struct CheckOptions {
  std::string site, format = "text";
  ExistingFilesOptions files;
  bool rules = false;
};
int check(const CheckOptions& options) {
  if (options.rules) {
    fmt::print("{}", rules_text());
    return kExitDone;
  }
  if (options.site.empty()) return complain("check", "SITE is missing: the site file");
  const auto report = check_site_file(options.site, options.files);
  if (!report) return refuse(report.error());
  fmt::print("{}", options.format == "json"    ? json_of(*report)
                   : options.format == "sarif" ? sarif_of(*report)
                                               : text_of(*report));
  return exit_code_of(*report);
}

int diff(const CheckOptions& options) {
  const auto plan = plan_of_file(options.site, options.files.fabric);
  if (!plan) return refuse(plan.error());
  const plan::Planned planned(*plan);
  const ExistingFiles existing = read_existing(planned, options.files);
  if (!existing.mistakes.empty()) return refuse(existing.mistakes);
  const auto hosts = differences(planned, existing.files);
  fmt::print("{}", options.format == "json"
                       ? diff_json(hosts)
                       : diff_text(hosts, options.site, options.files.paths.front()));
  return hosts.empty() ? kExitDone : kExitFound;
}

void add_hosts(CLI::App& command, ExistingFilesOptions& files) {
  add_value(command, "--host", files.hosts, "HOST=FILE",
            "a file and its host: HOST, clients-NAME, routers-NAME or servers-NAME; for "
            "files whose names do not have it");
}

void add_check(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand(
      "check", "print the mistakes in a site, its plan, and the files of its hosts");
  CheckOptions& options = run_with<CheckOptions>(command, code, check);
  add_value(command, "SITE", options.site, "", "the site file");
  add_value(command, "FILES", options.files.paths, "",
            "files and folders: options of modprobe, routes, what lnetctl export printed, "
            "and the outputs of ulnet-fgr plan; their names give the hosts");
  add_hosts(command, options.files);
  add_fabric_option(command, options.files.fabric);
  add_value(command, "--format", options.format, "FORMAT", "text, json or sarif (text)")
      ->check(CLI::IsMember({"text", "json", "sarif"}));
  command.add_flag("--rules", options.rules, "print the rules, and check nothing");
}

void add_diff(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand(
      "diff", "print how nodes differ from the plan, from the output of lnetctl export on each");
  CheckOptions& options = run_with<CheckOptions>(command, code, diff);
  options.files.only_lnetctl = true;
  add_site_options(command, options.site, options.files.fabric);
  add_value(command, "--actual", options.files.paths, "DIR",
            "the folder with a file HOST.yaml of each host")
      ->required()
      ->expected(1);
  add_hosts(command, options.files);
  add_value(command, "--format", options.format, "FORMAT", "text or json (text)")
      ->check(CLI::IsMember({"text", "json"}));
}

}  // namespace

void add_check_commands(CLI::App& app, int& code) {
  add_check(app, code);
  add_diff(app, code);
}

}  // namespace ulnet::tools::fgr
