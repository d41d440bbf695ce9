// What the Multi-Rail design document has in the library and today's LNet has not. Source:
// spec/design-vs-today.md 2.2, 2.5.
#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <vector>

#include "ctl/nid_words.h"
#include "ctl/tree_fields.h"
#include "ctl/verbosity.h"
#include "dlc/library.h"
#include "ulnet/lnetconfig_hld.h"

using namespace ulnet::dlc;
using ulnet::Nid;
using ulnet::Result;
using ulnet::ctl::list_in;
using ulnet::ctl::LnetConfig;
using ulnet::ctl::text_in;
using ulnet::ctl::Tree;

namespace {

/// A type of selection rule with its criteria; an empty one is any.
struct Rule {
  enum class Type { kNet, kNid, kPeer };
  Type type;
  std::string first;        // the net or the NID; of a peer rule its local NIs
  std::string remote = {};  // of a peer rule

  bool has_criteria() const { return !first.empty() || !remote.empty(); }
};

/// Whether a UDSP comes of a rule of this type with these criteria. A nid rule's may have either
/// side.
bool fits(const Tree& udsp, const Rule& rule) {
  const std::string src = text_in(udsp, "src");
  const std::string dst = text_in(udsp, "dst");
  if (!text_in(udsp, "rte").empty()) return false;
  const auto like = [](const std::string& wanted, const std::string& is) {
    return wanted.empty() || wanted == is;
  };
  if (rule.type == Rule::Type::kPeer)
    return !src.empty() && !dst.empty() && like(rule.first, src) && like(rule.remote, dst);
  if (src.empty() == dst.empty()) return false;
  const std::string& one = src.empty() ? dst : src;
  const bool net = one.find('@') == std::string::npos;
  if (rule.type == Rule::Type::kNet) return net && dst.empty() && like(rule.first, one);
  return !net && like(rule.first, one);
}

Result<std::vector<Tree>> rules_of(LnetConfig& lnet, const Rule& rule) {
  const auto all = lnet.show_udsp();
  if (!all) return tl::unexpected(all.error());
  std::vector<Tree> some;
  for (const Tree& udsp : list_in(*all, "udsp"))
    if (fits(udsp, rule)) some.push_back(udsp);
  return some;
}

/// The last index first, so that those before it stay what they are.
Result<void> delete_rules(LnetConfig& lnet, const Rule& rule, int id) {
  if (id < 0 && !rule.has_criteria()) return ulnet::fail(-EFAULT, "Missing required argument(s)");
  const auto rules = rules_of(lnet, rule);
  if (!rules) return tl::unexpected(rules.error());
  std::vector<int> indices;
  for (const Tree& udsp : *rules) {
    const int idx = ulnet::ctl::number_in(udsp, "idx", -1);
    if (id < 0 || idx == id) indices.push_back(idx);
  }
  if (indices.empty()) return ulnet::fail(-ENOENT, "there is no such selection rule");
  std::ranges::sort(indices, std::greater<>());
  for (const int idx : indices)
    if (const auto gone = lnet.del_udsp(idx); !gone) return gone;
  return {};
}

int del(const Rule& rule, int id, int seq_no, cYAML** err_rc) {
  return change({"del", "selection", seq_no, err_rc},
                [&](LnetConfig& lnet) { return delete_rules(lnet, rule, id); });
}

int show_rules(const Rule& rule, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show({"show", "selection", seq_no, err_rc}, show_rc,
              [&](LnetConfig& lnet) -> Result<Tree> {
                const auto rules = rules_of(lnet, rule);
                if (!rules) return tl::unexpected(rules.error());
                Tree section = Tree::object();
                section["udsp"] = *rules;
                return section;
              });
}

/// The primary NID of the peer that has this NID.
Result<Nid> primary_of(LnetConfig& lnet, const Nid& nid) {
  const auto peer = lnet.show_peer(nid);
  if (!peer) return tl::unexpected(peer.error());
  const Tree& peers = list_in(*peer, "peer");
  const auto primary =
      peers.empty() ? Result<Nid>(nid) : Nid::parse(text_in(peers[0], "primary nid"));
  return primary ? primary : ulnet::fail(-EPROTO, "the node's answer is not understood");
}

}  // namespace

extern "C" {

int lustre_lnet_config_peer_nid(const char* nids, int seq_no, cYAML** err_rc) {
  return change({"add", "peer", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const std::string words = text_of(nids);
    const auto all = ulnet::ctl::peer_nids({&words, 1});
    if (!all) return tl::unexpected(all.error());
    ulnet::conf::PeerEntry peer{all->front().to_string(), true, {}};
    for (std::size_t i = 1; i < all->size(); ++i) peer.nids.push_back((*all)[i].to_string());
    return lnet.config_peer(peer, false);
  });
}

int lustre_lnet_del_peer_nid(const char* nids, int seq_no, cYAML** err_rc) {
  return change({"del", "peer", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const std::string words = text_of(nids);
    const auto all = ulnet::ctl::peer_nids({&words, 1});
    if (!all) return tl::unexpected(all.error());
    const auto primary = primary_of(lnet, all->front());
    return primary ? lnet.del_peer(*primary, *all, false) : tl::unexpected(primary.error());
  });
}

int lustre_lnet_show_peers(int max, int detail, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show({"show", "peer", seq_no, err_rc}, show_rc, [&](LnetConfig& lnet) -> Result<Tree> {
    auto peers = lnet.show_peer(std::nullopt);
    if (!peers) return peers;
    Tree& list = (*peers)["peer"];
    const auto most = static_cast<std::size_t>(std::max(max, 0));
    if (max >= 0 && list.size() > most)
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(most), list.end());
    return ulnet::ctl::at_verbosity(*peers, detail);
  });
}

int lustre_lnet_config_net_selection_rule(const char* net, unsigned int priority, int seq_no,
                                          cYAML** err_rc) {
  return lustre_lnet_add_udsp(net, nullptr, nullptr, "priority", priority, -1, seq_no, err_rc);
}

int lustre_lnet_config_nid_selection_rule(const char* nid, unsigned int priority, int seq_no,
                                          cYAML** err_rc) {
  const int code =
      lustre_lnet_add_udsp(nid, nullptr, nullptr, "priority", priority, -1, seq_no, err_rc);
  if (code != 0) return code;
  return lustre_lnet_add_udsp(nullptr, nid, nullptr, "priority", priority, -1, seq_no, err_rc);
}

int lustre_lnet_config_peer_selection_rule(const char* local, const char* remote, unsigned int,
                                           int seq_no, cYAML** err_rc) {
  if (text_of(local).empty() || text_of(remote).empty())
    return failed({"add", "selection", seq_no, err_rc}, {-EFAULT, "Missing required argument(s)"});
  return lustre_lnet_add_udsp(local, remote, nullptr, "pref", 0, -1, seq_no, err_rc);
}

int lustre_lnet_del_net_selection_rule(const char* net, int id, int seq_no, cYAML** err_rc) {
  return del({Rule::Type::kNet, text_of(net)}, id, seq_no, err_rc);
}
int lustre_lnet_del_nid_selection_rule(const char* nid, int id, int seq_no, cYAML** err_rc) {
  return del({Rule::Type::kNid, text_of(nid)}, id, seq_no, err_rc);
}
int lustre_lnet_del_peer_selection_rule(const char* local, const char* remote, int id, int seq_no,
                                        cYAML** err_rc) {
  return del({Rule::Type::kPeer, text_of(local), text_of(remote)}, id, seq_no, err_rc);
}

int lustre_lnet_net_selection_rule(const char* net, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_rules({Rule::Type::kNet, text_of(net)}, seq_no, show_rc, err_rc);
}
int lustre_lnet_nid_selection_rule(const char* nid, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_rules({Rule::Type::kNid, text_of(nid)}, seq_no, show_rc, err_rc);
}
int lustre_lnet_peer_selection_rule(const char* local, const char* remote, int seq_no,
                                    cYAML** show_rc, cYAML** err_rc) {
  return show_rules({Rule::Type::kPeer, text_of(local), text_of(remote)}, seq_no, show_rc, err_rc);
}

int lustre_lnet_set_use_tcp_bonding(int enable, int seq_no, cYAML** err_rc) {
  return change({"set", "use_tcp_bonding", seq_no, err_rc}, [&](LnetConfig& lnet) {
    return lnet.config_param("use_tcp_bonding", enable != 0 ? "1" : "0");
  });
}

}  // extern "C"
