// stats, global, peer: what only shows (and resets). Source: spec/cli-lnetctl.md 3.9, 3.12.
#include <nlohmann/json.hpp>

#include "ctl/verbosity.h"
#include "tools/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

int stats_show(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"json", 0, Option::kFlag}});
  if (!args) return wrong_option(session, self);
  if (const int code = refuse_words(session, *args); code != 0) return code;
  ctl::LnetConfig* lnet = session.connect(ctl::Intent::kShow);
  if (lnet == nullptr) return kRequestFailed;
  const auto tree = lnet->show_stats();
  if (!tree) return session.failed("show", "stats", tree.error());
  session.show(*tree, args->has("json"));
  return 0;
}

int stats_reset(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {});
  if (!args) return wrong_option(session, self);
  if (const int code = refuse_words(session, *args); code != 0) return code;
  ctl::LnetConfig* lnet = session.connect(ctl::Intent::kChange);
  if (lnet == nullptr) return kRequestFailed;
  return session.finish("set", "stats", lnet->reset_stats());
}

int global_show(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"json", 0, Option::kFlag}});
  if (!args) return wrong_option(session, self);
  if (const int code = refuse_words(session, *args); code != 0) return code;
  ctl::LnetConfig* lnet = session.connect(ctl::Intent::kShow);
  if (lnet == nullptr) return kRequestFailed;
  const auto tree = lnet->show_globals();
  if (!tree) return session.failed("show", "global", tree.error());
  session.show(*tree, args->has("json"));
  return 0;
}

int peer_show(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"nid", 'n', Option::kValue},
                                             {"verbose", 'v', Option::kLevelLoose},
                                             {"json", 0, Option::kFlag}});
  if (!args) return wrong_option(session, self);
  if (const int code = refuse_words(session, *args); code != 0) return code;
  std::optional<Nid> nid;
  if (const auto text = args->value("nid")) {
    const auto parsed = Nid::parse(*text);
    if (!parsed || parsed->is_any())
      return session.failed("show", "peer", {-EINVAL, "invalid NID '" + *text + "'"});
    nid = *parsed;
  }
  ctl::LnetConfig* lnet = session.connect(ctl::Intent::kShow);
  if (lnet == nullptr) return kRequestFailed;
  const auto tree = lnet->show_peer(nid);
  if (!tree) return session.failed("show", "peer", tree.error());
  return session.show_unless_empty(ctl::at_verbosity(*tree, args->level("verbose")),
                                   args->has("json"));
}

int peer_list(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"json", 0, Option::kFlag}});
  if (!args) return wrong_option(session, self);
  if (const int code = refuse_words(session, *args); code != 0) return code;
  ctl::LnetConfig* lnet = session.connect(ctl::Intent::kShow);
  if (lnet == nullptr) return kRequestFailed;
  const auto tree = lnet->list_peer();
  if (!tree) return session.failed("show", "peer", tree.error());
  return session.show_unless_empty(*tree, args->has("json"));
}

int peer_not_built(Session& session, const Command& self, Words words) {
  if (words.size() < 2) return print_help(session, self), -EINVAL;
  return session.not_built(self.name, "peer", "peer " + std::string(self.name));
}

constexpr Command kStats[] = {
    {"show", "stats show: show LNET statistics\n", &stats_show, {}},
    {"reset", "stats reset: reset LNET statistics\n", &stats_reset, {}},
};
constexpr Command kGlobal[] = {{"show", "global show: show global variables\n", &global_show, {}}};
constexpr Command kPeer[] = {
    {"add",
     "peer add: add a peer NID\n"
     "\t--prim_nid: Primary NID of the peer.\n"
     "\t--nid: one or more peer NIDs\n"
     "\t--non_mr: create this peer as not Multi-Rail capable\n"
     "\t--ip2nets: specify a range of nids per peer\n"
     "\t--lock_prim: lock primary nid\n",
     &peer_not_built,
     {}},
    {"del",
     "peer del: delete a peer NID\n"
     "\t--prim_nid: Primary NID of the peer.\n"
     "\t--nid: one or more peer NIDs, all of them when left out\n"
     "\t--force: also when the primary NID is locked\n",
     &peer_not_built,
     {}},
    {"show",
     "peer show: show peers\n"
     "\t--nid: NID of the peer to show\n"
     "\t--verbose: display detailed output per peer. Optional argument of '2' outputs more stats\n",
     &peer_show,
     {}},
    {"list", "peer list: list the primary NIDs of all peers\n", &peer_list, {}},
    {"set",
     "peer set: set peer NI specific parameter\n"
     "\t--nid: peer NI NID to set the value on\n"
     "\t--health: specify health value to set\n"
     "\t--all: set all peer NIs value to the one specified\n"
     "\t--state: set the peer's state bits (for debugging)\n",
     &peer_not_built,
     {}},
};

}  // namespace

const std::span<const Command> kStatsCommands = kStats;
const std::span<const Command> kGlobalCommands = kGlobal;
const std::span<const Command> kPeerCommands = kPeer;

}  // namespace ulnet::tools
