// peer: the peers of the node. Source: spec/cli-lnetctl.md 3.8, 3.9.
#include <nlohmann/json.hpp>

#include "ctl/nid_words.h"
#include "tools/ulnetctl/command.h"
#include "ulnet/lnetconfig.h"

namespace ulnet::tools {

namespace {

int peer_show(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"nid", 'n', Option::kValue},
                                             {"verbose", 'v', Option::kLevelLoose},
                                             {"json", 0, Option::kFlag}});
  if (!args) return wrong_option(session, self);
  if (const int code = refuse_words(session, *args); code != 0) return code;
  const auto nid = args->value("nid");
  const auto show_peer = [&](cYAML** show_rc, cYAML** err_rc) {
    return lustre_lnet_show_peer(nid ? nid->c_str() : nullptr, args->level("verbose"), -1, show_rc,
                                 err_rc, false);
  };
  return session.show_by(show_peer, "peer", "peer", args->has("json"));
}

int peer_list(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"json", 0, Option::kFlag}});
  if (!args) return wrong_option(session, self);
  if (const int code = refuse_words(session, *args); code != 0) return code;
  const auto list_peer = [](cYAML** show_rc, cYAML** err_rc) {
    return lustre_lnet_list_peer(-1, show_rc, err_rc);
  };
  return session.show_by(list_peer, "peer list", "peer", args->has("json"));
}

/// lnetctl itself prints nothing for these errors, a known fault (spec/observed.md 3). The exit
/// codes are the same.
int peer_del(Session& session, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"prim_nid", 'k', Option::kValue},
                                             {"nid", 'n', Option::kValue},
                                             {"force", 'f', Option::kFlag}});
  if (words.size() < 2) return print_help(session, self), -EINVAL;
  if (!args) return wrong_option(session, self);
  if (const int code = refuse_words(session, *args); code != 0) return code;
  const auto primary_text = args->value("prim_nid");
  if (!primary_text)
    return session.failed("del", "peer", {-EFAULT, "--prim_nid must be specified"});
  const auto primary = ctl::primary_nid(*primary_text);
  if (!primary) return session.failed("del", "peer", primary.error());
  std::vector<Nid> nids;
  if (const auto list = args->value("nid")) {
    auto named = ctl::peer_nids({&*list, 1});
    if (!named) return session.failed("del", "peer", named.error());
    nids = *std::move(named);
  }
  ctl::LnetConfig* lnet = session.connect(ctl::Intent::kChange);
  if (lnet == nullptr) return kRequestFailed;
  return session.finish("del", "peer", lnet->del_peer(*primary, nids, args->has("force")));
}

int peer_not_built(Session& session, const Command& self, Words words) {
  if (words.size() < 2) return print_help(session, self), -EINVAL;
  return session.not_built(self.name, "peer", "peer " + std::string(self.name));
}

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
     "\t--nid: list of NIDs to remove. If none provided,\n"
     "\t       peer is deleted\n"
     "\t--ip2nets: specify a range of nids per peer\n"
     "\t--force: force-delete locked primary NID\n",
     &peer_del,
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

const std::span<const Command> kPeerCommands = kPeer;

}  // namespace ulnet::tools
