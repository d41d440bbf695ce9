// verify.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "fgr/commands.h"
#include "fgr/hosts/ask.h"
#include "fgr/hosts/report.h"
#include "fgr/lab/site_in_lab.h"
#include "fgr/output/late_file.h"
#include "fgr/site/child.h"
#include "lnet/base/text.h"
#include "selftest/ulst/run/outcome.h"
#include "selftest/ulst/watch.h"

namespace ulnet::tools::fgr {
namespace {

constexpr const char* kVerifyFooter = R"(A host is reached by one of
  local            lnetctl on this machine
  ssh:[USER@]HOST  lnetctl over ssh
  door:PATH        the control socket of a ulnetd
each with NAME= before it, when its NIDs do not say which host of the site it is. {host} in it means
every host of the site, and every --client.

Examples:
  ulnet-fgr verify site.yaml --via local
  ulnet-fgr verify site.yaml --via 'ssh:root@{host}' --svg reach.svg
  ulnet-fgr verify site.yaml --lab trial
  ulnet-fgr verify site.yaml --ibnetdiscover fabric.txt        (only cables, and no host is asked)
  ulnet-fgr verify site.yaml --via nid00750=ssh:10.1.0.7 --via local --ibnetdiscover fabric.txt

Ctrl-C ends the queries; the report has the results until then.

Exit codes: 0 all as planned, 1 there are suspects, 2 command line or a file, 3 nothing wrong in what
was checked, and not all could be asked or is in the fabric, 130 interrupted.)";

struct VerifyOptions {
  std::string site, fabric, lab, svg, format = "text";
  std::vector<std::string> vias, clients;
  AskOptions ask;
  unsigned ping_s = 1, patience_s = 15, within_s = 300;
};

/// Shows a line that replaces itself, if the output is a terminal.
void show_progress(const plan::AskProgress& progress) {
  if (::isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r{} of {} hosts done, {} of {} pings made, {} hosts asked again  {}",
             progress.hosts, progress.of_hosts, progress.pings, progress.of_pings, progress.again,
             progress.hosts == progress.of_hosts ? "\n" : "");
  std::fflush(stderr);
}

/// What to do when no host can be asked because a program is missing on this machine; empty: no
/// program is missing.
std::string missing_program(const std::vector<ViaHost>& hosts, const AskOptions& options) {
  for (const auto& [via, host] : hosts) {
    if (via.way == Via::Way::kLocal && !can_run(options.lnetctl))
      return fmt::format(
          "--via local: there is no program {} on this machine. --lnetctl PROGRAM names another, "
          "--via door:PATH asks a ulnetd by its control socket",
          text::quoted(options.lnetctl));
    if (via.way == Via::Way::kSsh && !can_run(options.ssh))
      return fmt::format(
          "--via ssh:{}: there is no program {} on this machine. --ssh PROGRAM names another",
          via.place, text::quoted(options.ssh));
  }
  return {};
}

struct Whom {
  plan::VerifyChecks checks;
  std::vector<ViaHost> hosts;
};

Result<Whom> asked_hosts(const plan::Plan& plan, const VerifyOptions& options) {
  if (options.vias.empty() && options.fabric.empty())
    return fail(-EINVAL,
                "--via says how hosts are asked, or --lab which laboratory has them; with "
                "--ibnetdiscover alone cables are judged");
  const auto clients = clients_of(options.clients, plan);
  if (!clients) return tl::unexpected(clients.error());
  plan::VerifyChecks checks = plan::checks_of(plan, *clients);
  if (options.vias.empty()) return Whom{std::move(checks), {}};
  auto hosts = hosts_of(options.vias, checks);
  if (!hosts) return tl::unexpected(hosts.error());
  if (std::string missing = missing_program(*hosts, options.ask); !missing.empty())
    return fail(-EINVAL, std::move(missing));
  return Whom{std::move(checks), std::move(*hosts)};
}

/// Returns all nodes of a laboratory, by their control sockets.
Result<Whom> nodes_of(const plan::Plan& plan, const std::string& lab) {
  const auto in = site_in_lab(plan, lab);
  if (!in) return tl::unexpected(in.error());
  Whom whom{plan::checks_of(in->plan, in->clients), {}};
  whom.checks.plan.fabric.reset();  // the plan's cables are not those of the laboratory
  for (std::size_t i = 0; i < whom.checks.hosts.size(); ++i)
    whom.hosts.push_back({{Via::Way::kControlSocket, in->socket(whom.checks.hosts[i].name)}, i});
  return whom;
}

int verify_plan(const plan::Plan& plan, VerifyOptions& options) {
  const auto whom = options.lab.empty() ? asked_hosts(plan, options) : nodes_of(plan, options.lab);
  if (!whom) return complain("verify", whom.error().reason);
  const auto& [checks, hosts] = *whom;
  auto svg = LateFile::make(options.svg);
  if (!svg) return complain("verify", svg.error().reason);
  const auto watch = lst::system_watch();
  const lst::Heeding heeding(*watch);
  options.ask.given_up = [&] { return watch->interrupted(); };
  options.ask.ping = std::chrono::seconds(options.ping_s);
  options.ask.patience = std::chrono::seconds(options.patience_s);
  options.ask.within = std::chrono::seconds(options.within_s);
  plan::Asked asked{.seen = std::vector<plan::HostSeen>(checks.hosts.size()), .notes = {}};
  if (!hosts.empty()) asked = ask_all(checks, hosts, options.ask, show_progress);
  const auto cables =
      checks.plan.fabric ? checks.plan.fabric->cables : std::vector<plan::SeenCable>{};
  const plan::VerifyVerdict verdict = plan::diagnose(checks, asked.seen, cables);
  if (checks.plan.fabric)
    for (const plan::Finding& problem : checks.plan.fabric->unchecked)
      asked.notes.push_back(
          fmt::format("{}: {}. {}", options.fabric, sentence_of(problem), problem.hint));
  const bool all_checked = asked.notes.empty();
  const VerifyReport report{checks, asked.seen, verdict, asked.notes, hosts.empty()};
  fmt::print("{}", options.format == "json" ? verify_json(report) : verify_text(report));
  if (svg->wanted())
    if (const auto drawn = svg->finish(verify_svg(checks, asked.seen)); !drawn)
      return complain("verify", drawn.error().reason);
  if (watch->interrupted()) return lst::run::kInterrupted;
  if (!verdict.suspects.empty()) return kExitFound;
  return all_checked ? kExitDone : kExitPartly;
}

}  // namespace

int verify_laboratory(const plan::Plan& plan, const std::string& lab) {
  VerifyOptions options;
  options.lab = lab;
  return verify_plan(plan, options);
}

void add_verify_command(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand(
      "verify", "query running hosts, and name the cables, ports, hosts and files that are wrong");
  VerifyOptions& options = run_with_plan<VerifyOptions>(command, code, verify_plan);
  command.footer(kVerifyFooter);
  auto* via = add_value(command, "--via", options.vias, "[NAME=]WAY",
                        "how to reach a host; may be repeated")
                  ->allow_extra_args(false)
                  ->take_all();
  auto* client =
      add_value(command, "--client", options.clients, "NAME",
                "names of clients, which the site does not list: client[1-4], SYSTEM/client7")
          ->allow_extra_args(false)
          ->take_all();
  add_value(command, "--lab", options.lab, "NAME",
            "the nodes of a laboratory of this site, as 'ulnet-fgr lab' starts one")
      ->excludes(via)
      ->excludes(client);
  add_value(command, "--svg", options.svg, "FILE", "also draw the map of routers and servers");
  add_value(command, "--format", options.format, "WORD", "text (the default) or json")
      ->check(CLI::IsMember({"text", "json"}));
  const auto number = [&](const char* name, unsigned& value, int most, const char* help) {
    add_number(command, name, value, 1, most, help)->capture_default_str();
  };
  number("--timeout", options.ping_s, 60, "seconds until a ping counts as lost");
  number("--patience", options.patience_s, 600, "seconds for a host to report its configuration");
  number("--within", options.within_s, 86'400,
         "seconds for the whole run; the report lists the hosts that were not asked by then");
  number("--at-once", options.ask.at_once, 256, "hosts that are asked at the same time");
  add_number(command, "--retries", options.ask.retries, 0, 10,
             "how often a failed query is repeated, after 1, 2, 4, 8, ... seconds: it counts "
             "if it fails each time")
      ->capture_default_str();
  add_value(command, "--lnetctl", options.ask.lnetctl, "PROGRAM",
            "the program, here and over ssh (lnetctl)");
  add_value(command, "--ssh", options.ask.ssh, "PROGRAM", "the program (ssh)");
}

}  // namespace ulnet::tools::fgr
