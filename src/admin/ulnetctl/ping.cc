// ping, discover. Source: spec/cli-lnetctl.md 3.10, 3.11, 4.7.
#include "admin/ulnetctl/ping.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "admin/client/export.h"
#include "admin/conf/yaml_out.h"
#include "admin/ulnetctl/command.h"
#include "admin/ulnetctl/discovery_watch.h"

namespace ulnet::tools {

namespace {

constexpr std::size_t kNidsMax = 65536;
constexpr std::size_t kNidsPerRequest = 1024;
constexpr std::int64_t kDefaultSeconds = 1;

using PingResult = ctl::LnetConfig::PingResult;

/// Asks all targets. Each request has as many targets as the limit allows.
Result<PingResult> ask_all(const char* what, std::span<const Nid> nids,
                           const std::function<Result<PingResult>(std::span<const Nid>)>& ask) {
  PingResult all;
  all.good[what] = ctl::Tree::array();
  while (!nids.empty()) {
    const auto some = nids.first(std::min(nids.size(), kNidsPerRequest));
    nids = nids.subspan(some.size());
    auto result = ask(some);
    if (!result) return result;
    for (ctl::Tree& target : result->good[what]) all.good[what].push_back(std::move(target));
    all.failed.insert(all.failed.end(), result->failed.begin(), result->failed.end());
  }
  return all;
}

/// Prints the outcome. Returns the exit code.
int print_outcome(Session& session, const char* what, const Result<PingResult>& result,
                  bool as_json) {
  if (!result) return session.failed("manage", what, result.error());
  show_ping(session, *result, as_json);
  return result->failed.empty() ? 0 : kTargetFailed;
}

ctl::Tree json_of(const ctl::LnetConfig::PingResult& result) {
  ctl::Tree tree = result.good;
  ctl::Tree failed = ctl::Tree::array();
  for (const auto& target : result.failed) {
    ctl::Tree item = {
        {"nid", target.nid}, {"errno", target.code}, {"descr", std::strerror(-target.code)}};
    if (!target.hint.empty()) item["hint"] = target.hint;
    failed.push_back(std::move(item));
  }
  tree["failed"] = std::move(failed);
  return tree;
}

}  // namespace

ctl::HostResolver HostNames::resolver() {
  return [this](const std::string& name) {
    const auto address = ctl::resolve_host(name);
    if (!address) unknown_.push_back(name);
    return address;
  };
}

void HostNames::hint(Session& session) const {
  for (const std::string& name : unknown_)
    session.hint("the name of the host '" + name + "' is not known");
}

void show_ping(Session& session, const ctl::LnetConfig::PingResult& result, bool as_json) {
  if (as_json || session.json()) return session.show(json_of(result), true);
  if (!result.good.begin().value().empty()) out(ctl::sections_to_yaml(result.good));
  bool first = true;
  for (const auto& target : result.failed) {
    const std::string descr =
        "failed to " + result.what() + " " + target.nid + ": " + std::strerror(-target.code);
    out(conf::error_target(result.what(), target.code, descr, first));
    first = false;
  }
  for (const auto& target : result.failed) {
    if (!target.hint.empty()) session.hint(target.nid + ": " + target.hint);
  }
}

int run_ping(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(
      session, self, words,
      {kHelp, {"source", 's', Option::kValue}, {"timeout", 't', Option::kValue}, kJson},
      Rest::kWords);
  if (args.rest().empty()) return err("Missing nid argument\n"), kRequestFailed;
  std::int64_t seconds = kDefaultSeconds;
  if (const auto text = args.value("timeout")) {
    const auto number = parse_number(*text);
    if (!number && !session.is_lnetctl())
      return session.failed("manage", "ping", {-EINVAL, "invalid timeout '" + *text + "'"});
    seconds = number.value_or(0);  // 0 means lnetctl's longest time (spec/cli-lnetctl.md 3.10)
  }
  std::optional<Nid> source;
  if (const auto text = args.value("source")) {
    const auto nid = Nid::parse(*text);
    if (!nid)
      return session.failed("manage", "ping", {-EINVAL, "invalid source NID '" + *text + "'"});
    source = *nid;
  }
  HostNames hosts;
  const auto nids = ctl::nids_of_words(args.rest(), kNidsMax, hosts.resolver());
  if (!nids) {
    session.failed("manage", "ping", nids.error());
    session.hint(ctl::hint_of_nids(args.rest()));
    return hosts.hint(session), kRequestFailed;
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto ping = [&](std::span<const Nid> some) {
    return lnet.ping_nid(some, source, ctl::ping_timeout_ms(seconds));
  };
  return print_outcome(session, "ping", ask_all("ping", *nids, ping), args.has("json"));
}

/// Carries out `discover`. A word that is not a NID stops the whole command, as with lnetctl.
int run_discover(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(
      words, {kHelp, {"force", 'f', Option::kFlag}, {"trace", 0, Option::kFlag}, kJson});
  // lnetctl prints no help here, as the recording shows (spec/observed.md 2.6).
  if (!args) return session.is_lnetctl() ? 0 : wrong_option(session, self);
  if (args->has("help")) return print_help(session, self), 0;
  if (args->rest().empty()) return err("Missing nid argument\n"), kTargetFailed;
  HostNames hosts;
  const auto named = ctl::check_nets_named(args->rest());
  const auto nids = named ? ctl::nids_of_words(args->rest(), kNidsMax, hosts.resolver())
                          : Result<std::vector<Nid>>(tl::unexpected(named.error()));
  if (!nids) {
    session.failed("manage", "discover", nids.error());
    session.hint(ctl::hint_of_nids(args->rest()));
    return hosts.hint(session), kRequestFailed;
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto discover = [&](std::span<const Nid> some) {
    return lnet.discover_nid(some, args->has("force"));
  };
  std::optional<DiscoveryWatch> watch;
  if (args->has("trace")) watch.emplace(session.control());
  const auto answers = ask_all("discover", *nids, discover);
  watch.reset();  // prints its remaining steps before the answers
  return print_outcome(session, "discover", answers, args->has("json"));
}

}  // namespace ulnet::tools
