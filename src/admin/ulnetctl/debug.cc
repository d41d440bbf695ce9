// debug recovery, peer. Source: spec/cli-lnetctl.md 3.16, 4.10, spec/observed.md 1.9.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "admin/client/nid_words.h"
#include "admin/ulnetctl/command.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::tools {

namespace {

int debug_recovery(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(
      session, self, words, {{"local", 'l', Option::kFlag}, {"peer", 'p', Option::kFlag}, kJson},
      Rest::kWords);
  if (!args.has("local") && !args.has("peer")) {
    session.hint("say which queue: --local or --peer");
    return -EINVAL;
  }
  if (args.has("local") && args.has("peer")) return 0;  // as recorded: prints nothing
  refuse_words(session, args);
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto queues = lnet.show_recovery();
  if (!queues) return session.failed("show", "recovery", queues.error());
  const char* const queue = args.has("local") ? "Local NI recovery" : "Peer NI recovery";
  ctl::Tree shown = ctl::Tree::object();
  shown[queue] = queues->value(queue, ctl::Tree::object());
  return session.show_unless_empty(shown, args.has("json"));
}

int debug_peer(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {{"nid", 'n', Option::kValue}});
  const auto text = args.value("nid");
  if (!text) return print_help(session, self), -EINVAL;
  const auto nid = Nid::parse(*text);
  if (!nid || nid->is_any())
    return session.failed("manage", "peer", {-EINVAL, "invalid NID '" + *text + "'"});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  return session.finish("manage", "peer", lnet.log_peer(*nid));
}

/// Prints the NIDs that the list matches, or whether the list contains a NID. In the second case
/// the exit code is 0 if it contains the NID, else 1. Asks no node.
int debug_nidlist(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kJson}, Rest::kWords);
  if (args.rest().empty() || args.rest().size() > 2) return print_help(session, self), -EINVAL;
  const auto failed = [&](const Error& error) {
    return session.failed("manage", "nidlist", error);
  };
  const auto patterns = wire::parse_nid_patterns(args.rest()[0]);
  if (!patterns) return failed(patterns.error());
  if (args.rest().size() == 1) {
    const auto nids = ctl::expansion_of(*patterns);
    if (!nids) return failed(nids.error());
    session.show(*nids, args.has("json"));
    return 0;
  }
  const std::string& word = args.rest()[1];
  const auto nid = Nid::parse(word);
  if (!nid || nid->is_any()) return failed({-EINVAL, "invalid NID '" + word + "'"});
  const bool match =
      std::ranges::any_of(*patterns, [&](const auto& pattern) { return pattern.matches(*nid); });
  session.show({{"nidlist", {{"nid", nid->to_string()}, {"match", match}}}}, args.has("json"));
  return match ? 0 : 1;
}

constexpr Command kDebug[] = {
    {"recovery",
     "debug recovery: list recovery queues\n"
     "\t--local : list local recovery queue\n"
     "\t--peer : list peer recovery queue\n",
     &debug_recovery},
    {"peer", "debug peer: write what the node knows of a peer to its log\n\t--nid: peer's NID\n",
     &debug_peer},
    {"path",
     "debug path: show which path a message would take, and why\n"
     "\t--to: NID of the peer\n"
     "\t--from: NID of this node that the sender names; without it LNet chooses\n"
     "\t--cpt: CPU partition where the message begins and its memory lies\n"
     "\t--json: as JSON\n",
     &run_debug_path, kUlnetOnly},
    {"nidlist",
     "debug nidlist: debug nidlist parsing\n"
     "\tlnetctl debug nidlist LIST: the NIDs that the list contains\n"
     "\tlnetctl debug nidlist LIST NID: whether the NID is in it (exit code 0: it is)\n",
     &debug_nidlist},
};

}  // namespace

const std::span<const Command> kDebugCommands = kDebug;

}  // namespace ulnet::tools
