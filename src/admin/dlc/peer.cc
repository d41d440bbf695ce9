// Peers, ping and discovery. Source: spec/cli-lnetctl.md 3.8 to 3.11, 4.2, 4.7.
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "admin/client/nid_words.h"
#include "admin/client/verbosity.h"
#include "admin/dlc/library.h"
#include "admin/dlc/ping.h"
#include "admin/dlc/tree.h"
#include "ulnet/lnetconfig.h"

namespace ulnet::dlc {

int failed_targets(const LnetConfig::PingResult& result, int seq_no, cYAML** err_rc) {
  const std::string& what = result.what();
  for (const auto& target : result.failed)
    failed(
        {"manage", what.c_str(), seq_no, err_rc},
        {target.code, "failed to " + what + " " + target.nid + ": " + std::strerror(-target.code)},
        target.hint);
  return result.failed.empty() ? succeeded() : LUSTRE_LNET_TARGET_FAILED;
}

}  // namespace ulnet::dlc

using namespace ulnet;
using namespace ulnet::dlc;

namespace {

constexpr std::size_t kNidsMax = 1024;  // the largest number of NIDs in a request

Result<std::vector<Nid>> targets_of(const char* nids) {
  const std::string words = text_of(nids);
  return ctl::nids_of_words({&words, 1}, kNidsMax, ctl::resolve_host);
}

/// Adds the answers of the targets to `*show_rc`, and an error for each target that did not answer.
int add_ping_answers(const Report& report, const LnetConfig::PingResult& result, cYAML** show_rc) {
  if (add_sections(result.good, show_rc) != 0) return failed(report, {-ENOMEM, "out of memory"});
  return failed_targets(result, report.seq_no, report.err_rc);
}

Result<void> modify_peer(LnetConfig& lnet, const std::string& primary, const std::string& nids,
                         bool is_mr, bool add, bool force_lock) {
  if (primary.empty()) return fail(-EFAULT, "--prim_nid must be specified");
  const auto prim = ctl::primary_nid(primary);
  if (!prim) return tl::unexpected(prim.error());
  const auto others =
      nids.empty() ? Result<std::vector<Nid>>(std::vector<Nid>()) : ctl::peer_nids({&nids, 1});
  if (!others) return tl::unexpected(others.error());
  if (!add) return lnet.change(DelPeer{*prim, *others, force_lock});
  return lnet.change(AddPeer{*prim, *others, is_mr, force_lock});
}

}  // namespace

extern "C" {

int lustre_lnet_modify_peer(const char* prim_nid, const char* nids, bool is_mr,
                            lustre_lnet_peer_cmd cmd, bool force_lock, int seq_no, cYAML** err_rc) {
  const bool add = cmd == LUSTRE_LNET_PEER_ADD;
  return change({add ? "add" : "del", "peer", seq_no, err_rc}, [&](LnetConfig& lnet) {
    return modify_peer(lnet, text_of(prim_nid), text_of(nids), is_mr, add, force_lock);
  });
}

int lustre_lnet_show_peer(const char* nid, int detail, int seq_no, cYAML** show_rc, cYAML** err_rc,
                          bool backup) {
  return show({"show", "peer", seq_no, err_rc}, show_rc, [&](LnetConfig& lnet) -> Result<Tree> {
    const auto which = ctl::nid_or_all(text_of(nid), nid == nullptr);
    if (!which) return tl::unexpected(which.error());
    const auto peers = lnet.show_peer(*which);
    if (!peers) return peers;
    return backup ? ctl::backup_of_peers(*peers) : ctl::at_verbosity(*peers, detail);
  });
}

int lustre_lnet_list_peer(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show({"show", "peer", seq_no, err_rc}, show_rc,
              [](LnetConfig& lnet) { return lnet.list_peer(); });
}

int lustre_lnet_show_peer_debug_info(const char* peer_nid, int seq_no, cYAML** err_rc) {
  return change({"manage", "peer", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const auto which = ctl::nid_or_all(text_of(peer_nid), false);
    return which ? lnet.log_peer(**which) : tl::unexpected(which.error());
  });
}

int lustre_lnet_set_peer_state(int state, const char* peer_nid, int seq_no, cYAML** err_rc) {
  return change({"set", "peer", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const auto which = ctl::nid_or_all(text_of(peer_nid), false);
    if (!which) return tl::unexpected(which.error());
    if (state < 0) return fail(-EINVAL, "'state' must be from 0 to 4294967295");
    return lnet.change(SetPeer{.nid = *which, .state = static_cast<std::uint32_t>(state)});
  });
}

int lustre_lnet_config_peer_ni_healthv(int value, bool all, const char* peer_nid, int seq_no,
                                       cYAML** err_rc) {
  return change({"set", "peer", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const auto which = ctl::nid_or_all(text_of(peer_nid), all);
    return which ? lnet.change(SetPeer{.nid = *which, .health = value})
                 : tl::unexpected(which.error());
  });
}

int lustre_lnet_ping_nid(const char* nids, const char* src_nid, int timeout, int seq_no,
                         cYAML** show_rc, cYAML** err_rc) {
  const Report report{"manage", "ping", seq_no, err_rc};
  Library& library = Library::get();
  return library.call(report, ctl::Intent::kShow, [&](LnetConfig& lnet) {
    const auto targets = targets_of(nids);
    if (!targets) return failed(report, targets.error());
    const auto source = ctl::nid_or_all(text_of(src_nid), src_nid == nullptr);
    if (!source) return failed(report, source.error());
    const auto result = lnet.ping_nid(*targets, *source, ctl::ping_timeout_ms(timeout));
    if (!result) return failed(report, result.error(), library.take_hint());
    return add_ping_answers(report, *result, show_rc);
  });
}

int lustre_lnet_discover_nid(const char* nids, bool force, int seq_no, cYAML** show_rc,
                             cYAML** err_rc) {
  const Report report{"manage", "discover", seq_no, err_rc};
  Library& library = Library::get();
  return library.call(report, ctl::Intent::kShow, [&](LnetConfig& lnet) {
    const std::string words = text_of(nids);
    const auto named = ctl::check_nets_named({&words, 1});
    const auto targets = named ? targets_of(nids) : tl::unexpected(named.error());
    if (!targets) return failed(report, targets.error());
    const auto result = lnet.discover_nid(*targets, force);
    if (!result) return failed(report, result.error(), library.take_hint());
    return add_ping_answers(report, *result, show_rc);
  });
}

}  // extern "C"
