// check and diff.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "fgr/commands.h"
#include "fgr/existing/check_site_file.h"
#include "fgr/existing/difference.h"
#include "fgr/site/site_file.h"

namespace ulnet::tools::fgr {
namespace {

struct CheckWish {
  std::string site, format = "text";
  FilesWish files;
  bool rules = false;
};
struct DiffWish {
  std::string site, format = "text";
  FilesWish files;
};

int refuse(const std::string& lines) {
  fmt::print(stderr, "{}", lines);
  return kExitInput;
}

int check(const CheckWish& wish) {
  if (wish.rules) {
    fmt::print("{}", rules_text());
    return kExitDone;
  }
  if (wish.site.empty()) return refuse("ulnet-fgr: check: SITE is missing: the site file\n");
  const auto report = check_site_file(wish.site, wish.files);
  if (!report) return refuse(report.error());
  fmt::print("{}", wish.format == "json"    ? json_of(*report)
                   : wish.format == "sarif" ? sarif_of(*report)
                                            : text_of(*report));
  return exit_code_of(*report);
}

int diff(const DiffWish& wish) {
  const auto plan = plan_of_file(wish.site, wish.files.fabric);
  if (!plan) return refuse(plan.error());
  const plan::Planned planned(*plan);
  const ExistingFiles existing = read_existing(planned, wish.files);
  if (!existing.mistakes.empty())
    return refuse(fmt::format("{}\n", fmt::join(existing.mistakes, "\n")));
  const auto hosts = differences(planned, existing.files);
  fmt::print("{}", wish.format == "json" ? diff_json(hosts)
                                         : diff_text(hosts, wish.site, wish.files.paths.front()));
  return hosts.empty() ? kExitDone : kExitFound;
}

void add_hosts(CLI::App& command, FilesWish& files) {
  command
      .add_option("--host", files.hosts,
                  "a file and the host that it is of: HOST, clients-NAME, routers-NAME or "
                  "servers-NAME; for files whose names do not say it")
      ->type_name("HOST=FILE");
}

void add_check(CLI::App& app, int& code) {
  const auto wish = std::make_shared<CheckWish>();
  CLI::App& command = *app.add_subcommand(
      "check", "what is wrong with a site, its plan, and the files of its hosts");
  command.add_option("SITE", wish->site, "the site file")->type_name("");
  command
      .add_option("FILES", wish->files.paths,
                  "files and folders: options of modprobe, routes, what lnetctl export printed, "
                  "and the outputs of ulnet-fgr plan; their names tell the hosts")
      ->type_name("");
  add_hosts(command, wish->files);
  add_fabric_option(command, wish->files.fabric);
  command.add_option("--format", wish->format, "text, json or sarif (text)")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->type_name("FORMAT");
  command.add_flag("--rules", wish->rules, "print the rules, and check nothing");
  on_command(command, code, [wish] { return check(*wish); });
}

void add_diff(CLI::App& app, int& code) {
  const auto wish = std::make_shared<DiffWish>();
  wish->files.only_lnetctl = true;
  CLI::App& command = *app.add_subcommand(
      "diff", "in what nodes are other than planned, by what lnetctl export printed on each");
  add_site_options(command, wish->site, wish->files.fabric);
  command
      .add_option("--actual", wish->files.paths, "the folder with a file HOST.yaml of each host")
      ->required()
      ->expected(1)
      ->type_name("DIR");
  add_hosts(command, wish->files);
  command.add_option("--format", wish->format, "text or json (text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  on_command(command, code, [wish] { return diff(*wish); });
}

}  // namespace

void add_check_commands(CLI::App& app, int& code) {
  add_check(app, code);
  add_diff(app, code);
}

}  // namespace ulnet::tools::fgr
