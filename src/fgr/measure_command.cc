// measure.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "fgr/commands.h"
#include "fgr/measure/measuring.h"
#include "fgr/measure/report.h"
#include "fgr/measure/who.h"
#include "fgr/output/late_file.h"
#include "fgr/plan/lab_plan.h"
#include "selftest/ulst/run/outcome.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::uint32_t kOsssPerClient = 16;

struct MeasureOptions {
  std::string site, fabric;
  std::vector<std::string> from, groups;
  ConsoleOptions console;
  bool each_oss = false, all_osss = false, each_group = false, all_groups = false;
  bool read = false, write = false;
  std::string size = "1M", time = "5s", interval = "1s", check = "none", timeout;
  std::vector<std::uint32_t> concurrencies = {8};
  std::uint32_t osss_per_client = kOsssPerClient;
  bool stop_on_error = false, nodes_are_safe = false, force = false;
  double below = 80;  ///< percent
  bool json = false;
  std::string svg, svg_curves;
};

plan::MeasureRunsOptions requested_runs(const MeasureOptions& options,
                                        std::optional<std::size_t> clients) {
  plan::MeasureRunsOptions runs{.scopes = {}, .groups = options.groups, .clients = clients};
  const bool flags[] = {options.each_oss, options.all_osss, options.each_group, options.all_groups};
  for (std::size_t i = 0; i < std::size(flags); ++i)
    if (flags[i]) runs.scopes.push_back(plan::kMeasureScopes[i]);
  return runs;
}

/// Returns the requested test, which the option parser of `ulst run` makes and checks.
Result<lst::run::Plan> requested_test(const MeasureOptions& options, const MeasureSetup& setup,
                                      const std::vector<std::string>& from) {
  Words words = {"ulnet-fgr",  options.write ? "--write" : "--read",
                 "--sizes",    options.size,
                 "--time",     options.time,
                 "--interval", options.interval,
                 "--check",    options.check};
  for (const std::string& id : from) words.insert(words.end(), {"--from", id});
  for (const plan::MeasureRun& run : setup.runs)
    for (const plan::Oss& oss : run.osss) words.insert(words.end(), {"--to", setup.id_of(oss)});
  if (!options.timeout.empty()) words.insert(words.end(), {"--timeout", options.timeout});
  for (const auto& [flag, name] : {std::pair{options.stop_on_error, "--stop-on-error"},
                                   {options.nodes_are_safe, "--nodes-are-safe"},
                                   {options.force, "--force"}})
    if (flag) words.emplace_back(name);
  const auto arguments = lst::run::plan_arguments(words);
  if (!arguments) return fail(-EINVAL, "an option is wrong");
  auto plan = lst::run::plan_of(*arguments);
  if (plan && plan->steps.size() != 1) return fail(-EINVAL, "--size takes one size");
  return plan;
}

std::string title_of(const plan::Plan& plan, const plan::MeasureRun& run) {
  const plan::Oss& first = run.osss.front();
  std::string title;
  for (const plan::MeasureScope scope : run.scopes)
    title += (title.empty() ? "" : ", ") + std::string(plan::to_string(scope));
  const std::string group = plan.name_of(plan.groups[first.group]);
  if (run.is_for(plan::MeasureScope::kEachOss))
    return title + ": " + plan::server_of(plan, first).host + " of " + group;
  if (run.is_for(plan::MeasureScope::kEachGroup)) return title + ": " + group;
  return title;
}

Result<MeasureSetup> setup_of(const plan::Plan& plan, const MeasureOptions& options,
                              Measurers& measurers) {
  MeasureSetup setup{.runs = {}, .id_of = {}, .title_of = {}, .how = {}, .concurrencies = {}};
  auto found = measurers_of(plan, options.from, options.console);
  if (!found) return tl::unexpected(found.error());
  measurers = std::move(*found);
  auto runs = plan::measure_runs(plan, requested_runs(options, measurers.system));
  if (!runs) return tl::unexpected(runs.error());
  setup.runs = std::move(*runs);
  setup.id_of = measurers.id_of;
  setup.title_of = [&plan](const plan::MeasureRun& run) { return title_of(plan, run); };
  setup.concurrencies = options.concurrencies;
  setup.osss_per_client = options.osss_per_client;
  auto how = requested_test(options, setup, measurers.from);
  if (!how) return tl::unexpected(how.error());
  setup.how = std::move(*how);
  return setup;
}

Result<void> draw(const MeasureReport& report, LateFile& bars, LateFile& curves) {
  if (report.cases.empty()) return {};
  if (bars.wanted())
    if (auto done = bars.finish(measure_bars(report)); !done) return done;
  return curves.wanted() ? curves.finish(measure_curves(report)) : Result<void>{};
}

int print_report(const MeasureReport& report, const MeasureOptions& options, LateFile& bars,
                 LateFile& curves) {
  if (options.json)
    fmt::print("{}", measure_json(report));
  else if (const std::string tables = measure_tables(report); !tables.empty())
    fmt::print("{}\n", tables);
  fmt::print(options.json ? stderr : stdout, "{}", measure_verdict(report));
  if (const auto drawn = draw(report, bars, curves); !drawn)
    return complain("measure", drawn.error().reason);
  if (report.measurement.interrupted) return lst::run::kInterrupted;
  return report.ok() ? kExitDone : kExitFound;
}

int measure_plan(const plan::Plan& plan, const MeasureOptions& options) {
  if (options.console.standalone && options.console.nets.empty())
    return complain("measure", "--standalone needs the nets of its node: --nets 'tcp(eth0)'");
  if (options.from.empty() && options.console.lab.empty())
    return complain("measure", "--from is required: the NIDs of clients; with --lab all of them");
  Measurers measurers;
  const auto setup = setup_of(plan, options, measurers);
  if (!setup) return complain("measure", setup.error().reason);
  auto bars = LateFile::make(options.svg);
  if (!bars) return complain("measure", bars.error().reason);
  auto curves = LateFile::make(options.svg_curves);
  if (!curves) return complain("measure", curves.error().reason);
  const auto console = console_for(options.console, measurers);
  if (!console) return complain("measure", console.error().reason);
  const auto watch = lst::system_watch();
  // Only this command uses the session, so any key will do.
  const lst::Tool tool("ulnet-fgr", static_cast<std::uint32_t>(::getpid()), **console, *watch);
  const lst::Heeding heeding(*watch);
  const auto progress = measure_progress();
  const Measurement measurement = measure(tool, *setup, *progress);
  const MeasureReport report(plan, measurement, options.below / 100, [&](const plan::Oss& oss) {
    return lst::run::short_id(measurers.id_of(oss));
  });
  return print_report(report, options, *bars, *curves);
}

void add_console_options(CLI::App& command, ConsoleOptions& options) {
  auto* lab = add_value(command, "--lab", options.lab, "NAME",
                        "a laboratory of this site, as 'ulnet-fgr lab' starts one; --from "
                        "are then names of its nodes, of one system of clients");
  auto* control = add_value(command, "--control", options.control, "SOCKET|NAME",
                            "the node of the console: its control socket, or its name");
  auto* standalone =
      command.add_flag("--standalone", options.standalone, "the console is a node in this process");
  standalone->excludes(control)->excludes(lab);
  add_value(command, "--nets", options.nets, "NETS", "nets of that node: 'tcp(eth0)'")
      ->needs(standalone);
  add_value(command, "--set", options.params, "NAME=VALUE", "a parameter of that node")
      ->needs(standalone)
      ->allow_extra_args(false);
}

void add_scope_options(CLI::App& command, MeasureOptions& options) {
  command.add_flag("--each-oss", options.each_oss, "each OSS by itself");
  command.add_flag("--all-osss", options.all_osss, "all OSSs at once");
  command.add_flag("--each-group", options.each_group, "each group by itself");
  command.add_flag("--all-groups", options.all_groups,
                   "all groups at once (the default is all of these four; those of the same OSSs "
                   "are measured once)");
  add_value(command, "--group", options.groups, "GROUP",
            "only these: 002, or home:002; may be repeated")
      ->allow_extra_args(false);
}

void add_test_options(CLI::App& command, MeasureOptions& options) {
  auto* read = command.add_flag("--read", options.read, "clients read (the default)");
  command.add_flag("--write", options.write, "clients write")->excludes(read);
  const auto word = [&](const char* name, std::string& value, const char* help, const char* type) {
    add_value(command, name, value, type, help)->capture_default_str();
  };
  word("--size", options.size, "data of an RPC, up to 1M", "SIZE");
  word("--time", options.time, "duration of each test", "TIME");
  word("--interval", options.interval, "time between samples, for the curves", "TIME");
  word("--check", options.check, "check of the data: none, simple, full or discard", "HOW");
  word("--timeout", options.timeout, "seconds that a node may be silent before it is lost", "S");
  add_number(command, "--concurrency", options.concurrencies, 1U, 1024U,
             "RPCs of a client at a time to each OSS; with several, 1,2,4, curves are over "
             "them, and the highest is judged")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  add_number(command, "--osss-per-client", options.osss_per_client, 1U, 4096U,
             "the least number of a test's OSSs to which each client talks")
      ->capture_default_str();
  command.add_flag("--stop-on-error", options.stop_on_error, "a unit whose RPC failed stops");
  command.add_flag("--nodes-are-safe", options.nodes_are_safe,
                   "no node is one that such a test would stop: see 'ulst help run'");
  command.add_flag("--force", options.force, "take nodes out of the sessions of others");
}

}  // namespace

int measure_laboratory(const plan::Plan& plan, const std::string& lab, const std::string& time,
                       double below) {
  MeasureOptions options;
  options.console.lab = lab;
  options.time = time;
  options.below = below;
  options.each_group = options.all_groups = true;
  int worst = kExitDone;
  // Clients of two systems do not reach each other, but a console has to reach all nodes of its
  // test.
  for (const std::string& clients : plan::lab_plan(plan).clients) {
    fmt::print("measured from the clients {}\n\n", clients);
    std::fflush(stdout);
    options.from = {clients};
    const int code = measure_plan(plan, options);
    if (code == lst::run::kInterrupted) return code;
    worst = std::max(worst, code);
  }
  return worst;
}

void add_measure_command(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand(
      "measure",
      "measure OSSs and groups with LNet selftest, and name those out of line with their siblings");
  MeasureOptions& options = run_with_plan<MeasureOptions>(command, code, measure_plan);
  command.footer(
      "  ulnet-fgr measure site.yaml --from '750@gni1' --control /run/ulnet.sock\n"
      "  ulnet-fgr measure site.yaml --lab trial --from xe --time 2s --svg bars.svg\n"
      "Exit codes: 0 all in line, 1 somebody is out of line or a test failed, 2 command line or a\n"
      "file is wrong, 130 interrupted.");
  add_value(command, "--from", options.from, "IDS",
            "clients: NIDs as ulst has them, 10.128.0.[1-4]@tcp; may be repeated")
      ->allow_extra_args(false);
  add_console_options(command, options.console);
  add_scope_options(command, options);
  add_test_options(command, options);
  add_value(command, "--below", options.below, "PERCENT",
            "an OSS or group with less than this percentage of its siblings' median is out of line")
      ->check(CLI::Range(1.0, 100.0))
      ->capture_default_str();
  command.add_flag("--json", options.json, "all figures and samples as JSON");
  add_value(command, "--svg", options.svg, "FILE", "a picture: bars of the OSSs by group");
  add_value(command, "--svg-curves", options.svg_curves, "FILE",
            "a picture: each group's bandwidth over time, or over the concurrency");
}

}  // namespace ulnet::tools::fgr
