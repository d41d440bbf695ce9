// check and diff.
#include <fmt/format.h>

#include <memory>

#include "fgr/commands.h"
#include "fgr/existing/check_site_file.h"
#include "fgr/existing/difference.h"
#include "fgr/site/site_file.h"

namespace ulnet::tools::fgr {
namespace {

struct CheckOptions {
  std::string site, format = "text";
  ExistingFilesOptions files;
  bool rules = false;
};
struct DiffOptions {
  std::string site, format = "text";
  ExistingFilesOptions files;
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

int diff(const DiffOptions& options) {
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
  command
      .add_option("--host", files.hosts,
                  "a file and its host: HOST, clients-NAME, routers-NAME or servers-NAME; for "
                  "files whose names do not have it")
      ->type_name("HOST=FILE");
}

void add_check(CLI::App& app, int& code) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App& command = *app.add_subcommand(
      "check", "print the mistakes in a site, its plan, and the files of its hosts");
  command.add_option("SITE", options->site, "the site file")->type_name("");
  command
      .add_option("FILES", options->files.paths,
                  "files and folders: options of modprobe, routes, what lnetctl export printed, "
                  "and the outputs of ulnet-fgr plan; their names give the hosts")
      ->type_name("");
  add_hosts(command, options->files);
  add_fabric_option(command, options->files.fabric);
  command.add_option("--format", options->format, "text, json or sarif (text)")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->type_name("FORMAT");
  command.add_flag("--rules", options->rules, "print the rules, and check nothing");
  on_command(command, code, [options] { return check(*options); });
}

void add_diff(CLI::App& app, int& code) {
  const auto options = std::make_shared<DiffOptions>();
  options->files.only_lnetctl = true;
  CLI::App& command = *app.add_subcommand(
      "diff", "print how nodes differ from the plan, from the output of lnetctl export on each");
  add_site_options(command, options->site, options->files.fabric);
  command
      .add_option("--actual", options->files.paths, "the folder with a file HOST.yaml of each host")
      ->required()
      ->expected(1)
      ->type_name("DIR");
  add_hosts(command, options->files);
  command.add_option("--format", options->format, "text or json (text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  on_command(command, code, [options] { return diff(*options); });
}

}  // namespace

void add_check_commands(CLI::App& app, int& code) {
  add_check(app, code);
  add_diff(app, code);
}

}  // namespace ulnet::tools::fgr
