// peer: the peers of the node. Source: spec/cli-lnetctl.md 3.8, 3.9.
#include <fstream>
#include <nlohmann/json.hpp>

#include "admin/client/nid_words.h"
#include "admin/client/tree_fields.h"
#include "admin/client/verbosity.h"
#include "admin/ulnetctl/command.h"
#include "admin/ulnetctl/rails_picture.h"
#include "lnet/config/ni_values.h"

namespace ulnet::tools {

namespace {

/// Writes the picture of a peer's rails to a file. Returns the exit code.
int draw_rails(Session& session, const Arguments& args, const std::string& path) {
  const auto nid_text = args.value("nid");
  const auto nid = nid_text ? Nid::parse(*nid_text) : Result<Nid>(fail(-EINVAL));
  if (!nid)
    return session.failed("show", "peer",
                          {-EINVAL, "--picture draws one peer: name it with --nid"});
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto peers = lnet.show_peer(*nid);
  if (!peers) return session.failed("show", "peer", peers.error());
  const auto nets = lnet.show_net(std::nullopt);
  if (!nets) return session.failed("show", "net", nets.error());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << rails_picture(ctl::list_in(*peers, "peer").at(0), *nets);
  if (file.flush()) return 0;
  return session.failed("show", "peer", {-EIO, "cannot write '" + path + "'"});
}

int peer_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words,
                                      {{"nid", 'n', Option::kValue},
                                       {"verbose", 'v', Option::kLevelLoose},
                                       {"max", 0, Option::kValue},
                                       {"picture", 0, Option::kValue},
                                       kJson});
  if (const auto path = args.value("picture")) return draw_rails(session, args, *path);
  const auto max = args.number("max");
  if (args.has("max") && (!max || *max < 0))
    return session.failed("show", "peer",
                          {-EINVAL, "invalid number of peers '" + *args.value("max") + "'"});
  const auto nid = args.value("nid");
  const auto show_peer = [&](ctl::LnetConfig& lnet) -> Result<ctl::Tree> {
    const auto which = ctl::nid_or_all(nid.value_or(""), !nid);
    if (!which) return tl::unexpected(which.error());
    const auto most = max && !nid ? std::optional(static_cast<std::size_t>(*max)) : std::nullopt;
    const auto peers = lnet.show_peer(*which, most);
    return peers ? ctl::at_verbosity(*peers, args.level("verbose")) : peers;
  };
  return session.show_by(show_peer, "peer", args.has("json"));
}

int peer_list(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words, {kJson});
  return session.show_by([](auto& lnet) { return lnet.list_peer(); }, "peer", args.has("json"));
}

/// Returns the NIDs that a command names: --nid, then --ip2nets.
Words nid_words(const Arguments& args) {
  Words words;
  for (const char* option : {"nid", "ip2nets"})
    if (auto value = args.value(option)) words.push_back(std::move(*value));
  return words;
}

/// Prints why the NIDs that a command names are refused.
int bad_nids(Session& session, const char* operation, const Words& words, const Error& error) {
  if (error.code != -E2BIG)
    if (const std::string range = ctl::unreadable_range(words); !range.empty())
      out("can't parse nidrange: \"" + range + "\"\n");
  return session.failed(operation, "peer", error);
}

/// A peer and some of its NIDs, as a command names them.
struct Named {
  Nid primary;
  std::vector<Nid> nids;
};

/// Reads the options; after a mistake prints it and returns nothing. If --prim_nid is missing and
/// `first_may_be_primary` is true, the first NID is the primary one, as in the design document.
std::optional<Named> read_named(Session& session, const char* operation, const Arguments& args,
                                bool first_may_be_primary) {
  Named named;
  const Words words = nid_words(args);
  if (!words.empty()) {
    auto nids = ctl::peer_nids(words);
    if (!nids) return bad_nids(session, operation, words, nids.error()), std::nullopt;
    named.nids = *std::move(nids);
  }
  if (const auto text = args.value("prim_nid")) {
    const auto primary = ctl::primary_nid(*text);
    if (!primary) return session.failed(operation, "peer", primary.error()), std::nullopt;
    named.primary = *primary;
  } else if (first_may_be_primary && !named.nids.empty()) {
    named.primary = named.nids.front();
    named.nids.erase(named.nids.begin());
  } else {
    session.failed(operation, "peer", {-EFAULT, "--prim_nid must be specified"});
    return std::nullopt;
  }
  return named;
}

/// Carries out `peer add`. lnetctl itself prints nothing when the node refuses the peer, which is a
/// known fault (spec/observed.md 3). The exit codes are the same.
int peer_add(Session& session, const Command& self, Words words) {
  if (words.size() < 2) return print_help(session, self), -EINVAL;
  const Arguments args = arguments_of(session, self, words,
                                      {{"prim_nid", 'k', Option::kValue},
                                       {"nid", 'n', Option::kValue},
                                       {"non_mr", 'm', Option::kFlag},
                                       {"ip2nets", 'r', Option::kValue},
                                       {"lock_prim", 'l', Option::kFlag}});
  auto named = read_named(session, "add", args, !session.is_lnetctl());
  if (!named) return kRequestFailed;
  return session.change("add", "peer",
                        conf::change::AddPeer{.primary = named->primary,
                                              .nids = std::move(named->nids),
                                              .multi_rail = !args.has("non_mr"),
                                              .lock_primary = args.has("lock_prim")});
}

/// Carries out `peer del`. Errors are as with `peer add`.
int peer_del(Session& session, const Command& self, Words words) {
  if (words.size() < 2) return print_help(session, self), -EINVAL;
  const Arguments args = arguments_of(session, self, words,
                                      {{"prim_nid", 'k', Option::kValue},
                                       {"nid", 'n', Option::kValue},
                                       {"ip2nets", 'r', Option::kValue},
                                       {"force", 'f', Option::kFlag}});
  const auto named = read_named(session, "del", args, false);
  if (!named) return kRequestFailed;
  return session.change("del", "peer",
                        conf::change::DelPeer{named->primary, named->nids, args.has("force")});
}

/// Prints lnetctl's error, which has no reason; ulnetctl adds `why`.
int cannot_set(Session& session, const std::string& why) {
  const std::string descr = session.is_lnetctl() ? "" : "\"" + why + "\"";
  return session.nested("net", "set", -EINVAL, descr, -EINVAL);
}

/// Reads the options, or returns what is wrong with them.
Result<conf::change::SetPeer> read_setting(const Arguments& args) {
  conf::change::SetPeer setting;
  const auto number_of = [&](const char* option, std::int64_t most) -> Result<std::int64_t> {
    const auto number = parse_number(args.value(option).value_or(""));
    if (!number || *number < 0 || *number > most)
      return fail(-EINVAL, std::string("invalid ") + option + " '" + *args.value(option) + "'");
    return *number;
  };
  if (args.has("nid") == args.has("all")) return fail(-EINVAL, "either --nid or --all is needed");
  if (!args.has("health") && !args.has("state"))
    return fail(-EINVAL, "nothing to set: --health or --state");
  if (const auto text = args.value("nid")) {
    const auto nid = Nid::parse(*text);
    if (!nid || nid->is_any()) return fail(-EINVAL, "invalid NID '" + *text + "'");
    setting.nid = *nid;
  }
  if (args.has("health")) {
    const auto health = number_of("health", INT32_MAX);
    if (!health) return tl::unexpected(health.error());
    setting.health = static_cast<std::int32_t>(conf::health_of(*health));
  }
  if (args.has("state")) {
    const auto state = number_of("state", UINT32_MAX);
    if (!state) return tl::unexpected(state.error());
    if (!setting.nid)
      return fail(-EINVAL, "--state can be set for one peer only: name it with --nid");
    setting.state = static_cast<std::uint32_t>(*state);
  }
  return setting;
}

/// Ends `peer set`. Like lnetctl it accepts a NID that no peer has without an error
/// (spec/cli-lnetctl.md 3.9).
int finish_setting(Session& session, const Result<void>& set) {
  if (set) return 0;
  if (set.error().code != -ENOENT) return cannot_set(session, set.error().reason);
  return session.hint("nothing was set: " + set.error().reason), 0;
}

int peer_set(Session& session, const Command& self, Words words) {
  if (words.size() < 2) return print_help(session, self), -EINVAL;
  const Arguments args = arguments_of(session, self, words,
                                      {{"nid", 'n', Option::kValue},
                                       {"health", 't', Option::kValue},
                                       {"all", 'a', Option::kFlag},
                                       {"state", 's', Option::kValue}});
  const auto setting = read_setting(args);
  if (!setting) return cannot_set(session, setting.error().reason);
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  return finish_setting(session, lnet.change(*setting));
}

constexpr Command kPeer[] = {
    {"add",
     "peer add: add a peer NID\n"
     "\t--prim_nid: Primary NID of the peer.\n"
     "\t--nid: one or more peer NIDs\n"
     "\t--non_mr: create this peer as not Multi-Rail capable\n"
     "\t--ip2nets: specify a range of nids per peer\n"
     "\t--lock_prim: lock primary nid\n",
     &peer_add},
    {"del",
     "peer del: delete a peer NID\n"
     "\t--prim_nid: Primary NID of the peer.\n"
     "\t--nid: list of NIDs to remove. If none provided,\n"
     "\t       peer is deleted\n"
     "\t--ip2nets: specify a range of nids per peer\n"
     "\t--force: force-delete locked primary NID\n",
     &peer_del},
    {"show",
     "peer show: show peers\n"
     "\t--nid: NID of the peer to show\n"
     "\t--max: show at most this many peers\n"
     "\t--picture: draw the rails of the peer that --nid names as SVG into this file\n"
     "\t--verbose: display detailed output per peer. Optional argument of '2' outputs more stats\n",
     &peer_show},
    {"list", "peer list: list the primary NIDs of all peers\n", &peer_list},
    {"set",
     "peer set: set peer NI specific parameter\n"
     "\t--nid: peer NI NID to set the value on\n"
     "\t--health: specify health value to set\n"
     "\t--all: set all peer NIs value to the one specified\n"
     "\t--state: set the peer's state bits (for debugging)\n",
     &peer_set},
};

}  // namespace

const std::span<const Command> kPeerCommands = kPeer;

}  // namespace ulnet::tools
