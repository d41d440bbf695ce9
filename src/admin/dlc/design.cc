// The functions of the library that are in the Multi-Rail design document but not in today's LNet.
// Source: spec/design-vs-today.md 2.2, 2.5.
#include <cerrno>
#include <nlohmann/json.hpp>

#include "admin/client/nid_words.h"
#include "admin/client/tree_fields.h"
#include "admin/client/verbosity.h"
#include "admin/dlc/library.h"
#include "ulnet/lnetconfig_hld.h"

using namespace ulnet;
using namespace ulnet::dlc;

namespace {

/// A selection rule in words. Words that are not given are empty.
struct Words {
  std::string net = {}, nid = {}, local = {}, remote = {};
  std::optional<std::int64_t> priority = {};

  int given() const { return !net.empty() + !nid.empty() + !local.empty() + !remote.empty(); }
};

Result<conf::Selection> selection_of(conf::SelectionType type, const Words& words) {
  return conf::parse_selection(
      {to_string(type), words.net, words.nid, words.local, words.remote, words.priority});
}

/// Returns how many words match a rule of this type. Half of a pair matches no rule.
int needed(conf::SelectionType type) { return type == conf::SelectionType::kPeer ? 2 : 1; }

Error missing() { return {-EFAULT, "Missing required argument(s)"}; }

int add(conf::SelectionType type, const Words& words, int seq_no, cYAML** err_rc) {
  return change({"add", "selection", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    if (words.given() != needed(type)) return tl::unexpected(missing());
    const auto selection = selection_of(type, words);
    return selection ? lnet.change(AddSelection{*selection}) : tl::unexpected(selection.error());
  });
}

int del(conf::SelectionType type, const Words& words, int id, int seq_no, cYAML** err_rc) {
  return change({"del", "selection", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    if (id < -1) return fail(-EINVAL, "Invalid id \"" + std::to_string(id) + "\"");
    if (words.given() != needed(type) && (id == -1 || words.given() != 0))
      return tl::unexpected(missing());
    const auto selection = selection_of(type, words);
    if (!selection) return tl::unexpected(selection.error());
    return lnet.change(
        DelSelection{*selection, id == -1 ? std::nullopt : std::optional<std::int64_t>(id)});
  });
}

int show_rules(conf::SelectionType type, const Words& words, int seq_no, cYAML** show_rc,
               cYAML** err_rc) {
  return show(
      {"show", "selection", seq_no, err_rc}, show_rc, [&](LnetConfig& lnet) -> Result<Tree> {
        const auto selection = selection_of(type, words);
        return selection ? lnet.show_selection(*selection, {}) : tl::unexpected(selection.error());
      });
}

/// Returns the primary NID of the peer that has this NID.
Result<Nid> primary_of(LnetConfig& lnet, const Nid& nid) {
  const auto peer = lnet.show_peer(nid);
  if (!peer) return tl::unexpected(peer.error());
  const Tree& peers = ctl::list_in(*peer, "peer");
  const auto primary =
      peers.empty() ? Result<Nid>(nid) : Nid::parse(ctl::text_in(peers[0], "primary nid"));
  return primary ? primary : fail(-EPROTO, "the node's answer is not understood");
}

}  // namespace

extern "C" {

int lustre_lnet_config_peer_nid(const char* nids, int seq_no, cYAML** err_rc) {
  return change({"add", "peer", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const std::string words = text_of(nids);
    const auto all = ctl::peer_nids({&words, 1});
    if (!all) return tl::unexpected(all.error());
    return lnet.change(AddPeer{.primary = all->front(), .nids = {all->begin() + 1, all->end()}});
  });
}

int lustre_lnet_del_peer_nid(const char* nids, int seq_no, cYAML** err_rc) {
  return change({"del", "peer", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const std::string words = text_of(nids);
    const auto all = ctl::peer_nids({&words, 1});
    if (!all) return tl::unexpected(all.error());
    const auto primary = primary_of(lnet, all->front());
    return primary ? lnet.change(DelPeer{*primary, *all}) : tl::unexpected(primary.error());
  });
}

int lustre_lnet_show_peers(int max, int detail, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show({"show", "peer", seq_no, err_rc}, show_rc, [&](LnetConfig& lnet) -> Result<Tree> {
    const auto most = max < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(max));
    const auto peers = lnet.show_peer(std::nullopt, most);
    return peers ? ctl::at_verbosity(*peers, detail) : peers;
  });
}

int lustre_lnet_config_net_selection_rule(const char* net, unsigned int priority, int seq_no,
                                          cYAML** err_rc) {
  return add(conf::SelectionType::kNet, {.net = text_of(net), .priority = priority}, seq_no,
             err_rc);
}
int lustre_lnet_config_nid_selection_rule(const char* nid, unsigned int priority, int seq_no,
                                          cYAML** err_rc) {
  return add(conf::SelectionType::kNid, {.nid = text_of(nid), .priority = priority}, seq_no,
             err_rc);
}
int lustre_lnet_config_peer_selection_rule(const char* local, const char* remote,
                                           unsigned int priority, int seq_no, cYAML** err_rc) {
  return add(conf::SelectionType::kPeer,
             {.local = text_of(local), .remote = text_of(remote), .priority = priority}, seq_no,
             err_rc);
}

int lustre_lnet_del_net_selection_rule(const char* net, int id, int seq_no, cYAML** err_rc) {
  return del(conf::SelectionType::kNet, {.net = text_of(net)}, id, seq_no, err_rc);
}
int lustre_lnet_del_nid_selection_rule(const char* nid, int id, int seq_no, cYAML** err_rc) {
  return del(conf::SelectionType::kNid, {.nid = text_of(nid)}, id, seq_no, err_rc);
}
int lustre_lnet_del_peer_selection_rule(const char* local, const char* remote, int id, int seq_no,
                                        cYAML** err_rc) {
  return del(conf::SelectionType::kPeer, {.local = text_of(local), .remote = text_of(remote)}, id,
             seq_no, err_rc);
}

int lustre_lnet_net_selection_rule(const char* net, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_rules(conf::SelectionType::kNet, {.net = text_of(net)}, seq_no, show_rc, err_rc);
}
int lustre_lnet_nid_selection_rule(const char* nid, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_rules(conf::SelectionType::kNid, {.nid = text_of(nid)}, seq_no, show_rc, err_rc);
}
int lustre_lnet_peer_selection_rule(const char* local, const char* remote, int seq_no,
                                    cYAML** show_rc, cYAML** err_rc) {
  return show_rules(conf::SelectionType::kPeer,
                    {.local = text_of(local), .remote = text_of(remote)}, seq_no, show_rc, err_rc);
}

int lustre_lnet_set_use_tcp_bonding(int enable, int seq_no, cYAML** err_rc) {
  return change({"set", "use_tcp_bonding", seq_no, err_rc}, [&](LnetConfig& lnet) {
    return lnet.change(SetParams{{{"use_tcp_bonding", enable != 0 ? "1" : "0"}}});
  });
}

}  // extern "C"
