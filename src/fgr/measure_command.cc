// measure.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "fgr/commands.h"
#include "fgr/measure/measuring.h"
#include "fgr/measure/report.h"
#include "fgr/measure/who.h"
#include "fgr/output/late_file.h"
#include "fgr/plan/lab_plan.h"
#include "fgr/site/site_file.h"
#include "selftest/ulst/run/outcome.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::uint32_t kOsssPerClient = 16;

struct MeasuringWish {
  std::string site, fabric;
  std::vector<std::string> from, groups;
  ConsoleWish console;
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

plan::MeasureWish runs_wished(const MeasuringWish& wish, std::optional<std::size_t> clients) {
  plan::MeasureWish runs{.scopes = {}, .groups = wish.groups, .clients = clients};
  const bool flags[] = {wish.each_oss, wish.all_osss, wish.each_group, wish.all_groups};
  for (std::size_t i = 0; i < std::size(flags); ++i)
    if (flags[i]) runs.scopes.push_back(plan::kMeasureScopes[i]);
  return runs;
}

/// The requested test. The option parser of `ulst run` makes and checks it.
Result<lst::run::Plan> test_wished(const MeasuringWish& wish, const MeasureSetup& setup,
                                   const std::vector<std::string>& from) {
  Words words = {"ulnet-fgr",  wish.write ? "--write" : "--read",
                 "--sizes",    wish.size,
                 "--time",     wish.time,
                 "--interval", wish.interval,
                 "--check",    wish.check};
  for (const std::string& id : from) words.insert(words.end(), {"--from", id});
  for (const plan::MeasureRun& run : setup.runs)
    for (const plan::Oss& oss : run.osss) words.insert(words.end(), {"--to", setup.id_of(oss)});
  if (!wish.timeout.empty()) words.insert(words.end(), {"--timeout", wish.timeout});
  for (const auto& [flag, name] : {std::pair{wish.stop_on_error, "--stop-on-error"},
                                   {wish.nodes_are_safe, "--nodes-are-safe"},
                                   {wish.force, "--force"}})
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
  const std::string group = plan::name_of(plan, plan.groups[first.group]);
  if (run.is_for(plan::MeasureScope::kEachOss))
    return title + ": " + plan::server_of(plan, first).host + " of " + group;
  if (run.is_for(plan::MeasureScope::kEachGroup)) return title + ": " + group;
  return title;
}

Result<MeasureSetup> setup_of(const plan::Plan& plan, const MeasuringWish& wish,
                              Measurers& measurers) {
  MeasureSetup setup{.runs = {}, .id_of = {}, .title_of = {}, .how = {}, .concurrencies = {}};
  auto found = measurers_of(plan, wish.from, wish.console);
  if (!found) return tl::unexpected(found.error());
  measurers = std::move(*found);
  auto runs = plan::measure_runs(plan, runs_wished(wish, measurers.system));
  if (!runs) return tl::unexpected(runs.error());
  setup.runs = std::move(*runs);
  setup.id_of = measurers.id_of;
  setup.title_of = [&plan](const plan::MeasureRun& run) { return title_of(plan, run); };
  setup.concurrencies = wish.concurrencies;
  setup.osss_per_client = wish.osss_per_client;
  auto how = test_wished(wish, setup, measurers.from);
  if (!how) return tl::unexpected(how.error());
  setup.how = std::move(*how);
  return setup;
}

/// Pictures whose files could be opened for writing.
struct Pictures {
  std::optional<LateFile> bars, curves;

  static Result<Pictures> prepare(const MeasuringWish& wish) {
    Pictures pictures;
    for (const auto& [path, file] :
         {std::pair{&wish.svg, &pictures.bars}, std::pair{&wish.svg_curves, &pictures.curves}}) {
      if (path->empty()) continue;
      auto made = LateFile::make(*path);
      if (!made) return tl::unexpected(made.error());
      file->emplace(std::move(*made));
    }
    return pictures;
  }
  Result<void> draw(const MeasureReport& report) {
    if (report.cases.empty()) return {};
    if (bars)
      if (auto done = bars->finish(measure_bars(report)); !done) return done;
    return curves ? curves->finish(measure_curves(report)) : Result<void>{};
  }
};

int tell(const MeasureReport& report, const MeasuringWish& wish, Pictures& pictures) {
  if (wish.json)
    fmt::print("{}", measure_json(report));
  else if (const std::string tables = measure_tables(report); !tables.empty())
    fmt::print("{}\n", tables);
  fmt::print(wish.json ? stderr : stdout, "{}", measure_verdict(report));
  if (const auto drawn = pictures.draw(report); !drawn)
    return complain("measure", drawn.error().reason);
  if (report.measurement.interrupted) return lst::run::kInterrupted;
  return report.ok() ? kExitDone : kExitFound;
}

int measure_plan(const plan::Plan& plan, const MeasuringWish& wish) {
  if (wish.console.standalone && wish.console.nets.empty())
    return complain("measure", "--standalone needs the nets of its node: --nets 'tcp(eth0)'");
  if (wish.from.empty() && wish.console.lab.empty())
    return complain("measure", "--from is required: the NIDs of clients; with --lab all of them");
  Measurers measurers;
  const auto setup = setup_of(plan, wish, measurers);
  if (!setup) return complain("measure", setup.error().reason);
  auto pictures = Pictures::prepare(wish);
  if (!pictures) return complain("measure", pictures.error().reason);
  const auto console = console_for(wish.console, measurers);
  if (!console) return complain("measure", console.error().reason);
  const auto watch = lst::system_watch();
  // Only this command uses the session, so any key will do.
  const lst::Tool tool("ulnet-fgr", static_cast<std::uint32_t>(::getpid()), **console, *watch);
  const lst::Heeding heeding(*watch);
  const auto progress = measure_progress();
  const Measurement measurement = measure(tool, *setup, *progress);
  const MeasureReport report(plan, measurement, wish.below / 100, [&](const plan::Oss& oss) {
    return lst::run::short_id(measurers.id_of(oss));
  });
  return tell(report, wish, *pictures);
}

int measure_site(const MeasuringWish& wish) {
  const auto plan = plan_of_file(wish.site, wish.fabric);
  if (!plan) {
    fmt::print(stderr, "{}", plan.error());
    return kExitInput;
  }
  return measure_plan(*plan, wish);
}

void add_console_options(CLI::App& command, ConsoleWish& wish) {
  auto* lab = command
                  .add_option("--lab", wish.lab,
                              "a laboratory of this site, as 'ulnet-fgr lab' starts one; --from "
                              "are then names of its nodes, of one system of clients")
                  ->type_name("NAME");
  auto* control = command
                      .add_option("--control", wish.control,
                                  "the node of the console: its control socket, or its name")
                      ->type_name("SOCKET|NAME");
  auto* standalone =
      command.add_flag("--standalone", wish.standalone, "the console is a node in this process");
  standalone->excludes(control)->excludes(lab);
  command.add_option("--nets", wish.nets, "of that node: 'tcp(eth0)'")
      ->needs(standalone)
      ->type_name("NETS");
  command.add_option("--set", wish.params, "a parameter of that node")
      ->needs(standalone)
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_scope_options(CLI::App& command, MeasuringWish& wish) {
  command.add_flag("--each-oss", wish.each_oss, "each OSS by itself");
  command.add_flag("--all-osss", wish.all_osss, "all OSSs at once");
  command.add_flag("--each-group", wish.each_group, "each group by itself");
  command.add_flag("--all-groups", wish.all_groups,
                   "all groups at once (the default is all of these four; those of the same OSSs "
                   "are measured once)");
  command.add_option("--group", wish.groups, "only these: 002, or home:002; may be repeated")
      ->type_name("GROUP")
      ->allow_extra_args(false);
}

void add_test_options(CLI::App& command, MeasuringWish& wish) {
  auto* read = command.add_flag("--read", wish.read, "clients read (the default)");
  command.add_flag("--write", wish.write, "clients write")->excludes(read);
  const auto word = [&](const char* name, std::string& value, const char* help, const char* type) {
    command.add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  word("--size", wish.size, "data of an RPC, up to 1M", "SIZE");
  word("--time", wish.time, "of each test", "TIME");
  word("--interval", wish.interval, "between samples, for the curves", "TIME");
  word("--check", wish.check, "of the data: none, simple, full or discard", "HOW");
  word("--timeout", wish.timeout, "seconds that a node may be silent before it is lost", "S");
  command
      .add_option("--concurrency", wish.concurrencies,
                  "RPCs of a client at a time to each OSS; with several, 1,2,4, curves are over "
                  "them, and the highest is judged")
      ->delimiter(',')
      ->check(CLI::Range(1U, 1024U))
      ->type_name("N")
      ->allow_extra_args(false)
      ->capture_default_str();
  command
      .add_option("--osss-per-client", wish.osss_per_client,
                  "each client talks to at least so many of the OSSs of a test")
      ->check(CLI::Range(1U, 4096U))
      ->type_name("N")
      ->capture_default_str();
  command.add_flag("--stop-on-error", wish.stop_on_error, "where an RPC failed none follows");
  command.add_flag("--nodes-are-safe", wish.nodes_are_safe,
                   "no node is one that such a test would stop: see 'ulst help run'");
  command.add_flag("--force", wish.force, "take nodes out of the sessions of others");
}

}  // namespace

int measure_laboratory(const plan::Plan& plan, const std::string& lab, const std::string& time,
                       double below) {
  MeasuringWish wish;
  wish.console.lab = lab;
  wish.time = time;
  wish.below = below;
  wish.each_group = wish.all_groups = true;
  int worst = kExitDone;
  // Clients of two systems do not reach each other, but a console has to reach all nodes of its
  // test.
  for (const std::string& clients : plan::lab_plan(plan).clients) {
    fmt::print("measured from the clients {}\n\n", clients);
    std::fflush(stdout);
    wish.from = {clients};
    const int code = measure_plan(plan, wish);
    if (code == lst::run::kInterrupted) return code;
    worst = std::max(worst, code);
  }
  return worst;
}

void add_measure_command(CLI::App& app, int& code) {
  const auto wish = std::make_shared<MeasuringWish>();
  CLI::App& command = *app.add_subcommand(
      "measure", "LNet selftest of OSSs and groups: who is out of line with its siblings");
  command.footer(
      "  ulnet-fgr measure site.yaml --from '750@gni1' --control /run/ulnet.sock\n"
      "  ulnet-fgr measure site.yaml --lab trial --from xe --time 2s --svg bars.svg\n"
      "Exit codes: 0 all in line, 1 somebody is out of line or a test failed, 2 command line or a\n"
      "file is wrong, 130 interrupted.");
  add_site_options(command, wish->site, wish->fabric);
  command
      .add_option("--from", wish->from,
                  "clients: NIDs as ulst has them, 10.128.0.[1-4]@tcp; may be repeated")
      ->type_name("IDS")
      ->allow_extra_args(false);
  add_console_options(command, wish->console);
  add_scope_options(command, *wish);
  add_test_options(command, *wish);
  command
      .add_option("--below", wish->below,
                  "out of line is who has less than so many percent of the median of its siblings")
      ->check(CLI::Range(1.0, 100.0))
      ->type_name("PERCENT")
      ->capture_default_str();
  command.add_flag("--json", wish->json, "all figures and samples as JSON");
  command.add_option("--svg", wish->svg, "a picture: bars of the OSSs by group")->type_name("FILE");
  command
      .add_option("--svg-curves", wish->svg_curves,
                  "a picture: each group's bandwidth over time, or over the concurrency")
      ->type_name("FILE");
  on_command(command, code, [wish] { return measure_site(*wish); });
}

}  // namespace ulnet::tools::fgr
