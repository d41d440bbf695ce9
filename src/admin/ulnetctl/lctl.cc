// The program under the name lctl: those commands of Lustre's lctl that scripts for LNet use, with
// lctl's texts and exit codes (recorded: lctl_ping, lctl_nids, lctl_network), and for each other
// command the name of ulnet's own.
#include "admin/ulnetctl/lctl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "lnet/config/model.h"
#include "text/shell/lines.h"

namespace ulnet::tools {

namespace lctl {  // names like those of other commands
namespace {

constexpr int kUsage = 4;
/// How long lctl waits for a silent peer if the user gives no positive time, and the longest time
/// that the user may give.
constexpr std::int64_t kPingSeconds = 10, kPingSecondsMax = 99'999;

struct LctlCommand {
  std::string_view name;
  std::string_view purpose, usage;  ///< printed by `help`
  int (*run)(Session&, const Words&);
};

/// Finds a command of this program; null: it does not have the command.
const LctlCommand* find(std::string_view name);

/// A command of lctl that ulnet has under another name.
struct Elsewhere {
  std::string_view name, instead;
};
constexpr Elsewhere kElsewhere[] = {
    {"show_route", "route show"},
    {"route_list", "route show"},
    {"add_route", "route add --net NET --gateway NID"},
    {"del_route", "route del --net NET --gateway NID"},
    {"set_route", "route show"},
    {"peer_list", "peer show"},
    {"conn_list", "counters show"},
    {"interface_list", "net show"},
    {"add_peer", "peer add --prim_nid NID"},
    {"del_peer", "peer del --prim_nid NID"},
    {"disconnect", "peer del --prim_nid NID"},
    {"active_tx", "counters show"},
    {"get_param", "file NAME"},
    {"set_param", "param set"},
    {"list_param", "param show"},
    {"dk", "events"},
    {"debug_kernel", "events"},
    {"debug_daemon", "events"},
    {"add_interface", "net add --net NET --if NAME"},
    {"del_interface", "net del --net NET --if NAME"},
    {"lustre_build_version", "--version"},
    {"list-commands", "--list-commands"},
    {"replace_nids", "peer add --prim_nid NID"},
    {"mynid", "list_nids"},
    {"find_param", "param show"},
    {"help_param", "param show -v"},
    {"conf_param", "param set"},
    {"net_drop", "fault drop"},
    {"net_drop_add", "fault drop add"},
    {"net_drop_del", "fault drop del"},
    {"net_drop_list", "fault drop show"},
    {"net_drop_reset", "fault drop reset"},
    {"net_delay", "fault delay"},
    {"net_delay_add", "fault delay add"},
    {"net_delay_del", "fault delay del"},
    {"net_delay_list", "fault delay show"},
    {"net_delay_reset", "fault delay reset"},
};

/// Commands of lctl for devices, file systems and the kernel's debug log, between blanks.
constexpr std::string_view kNotOfLnet =
    " "
    "--device --threads abort_recovery abort_recovery_mdt activate add_conn add_uuid "
    "apply_yaml attach barrier barrier_freeze barrier_rescan barrier_stat barrier_thaw "
    "cfg_device changelog changelog_deregister changelog_register cleanup clear clear_conf "
    "create deactivate debug_file debug_list del_conn del_ost del_uuid destroy detach device "
    "device_list df dl erase_lcfg fail filter fork_lcfg getattr getobjversion lcfg_clear "
    "lcfg_erase lcfg_fork lfsck lfsck_query lfsck_start lfsck_stop llog llog_cancel "
    "llog_catlist llog_check llog_info llog_print llog_remove lookup lqa lqa_add lqa_destroy "
    "lqa_list lqa_new lqa_remove modules nodemap nodemap_activate nodemap_add "
    "nodemap_add_idmap nodemap_add_offset nodemap_add_range nodemap_banlist_add "
    "nodemap_banlist_del nodemap_del nodemap_del_idmap nodemap_del_offset nodemap_del_range "
    "nodemap_fileset_add nodemap_fileset_del nodemap_fileset_modify nodemap_info "
    "nodemap_modify nodemap_new nodemap_set_cap nodemap_set_fileset nodemap_set_sepol "
    "nodemap_test_id nodemap_test_nid notransno pcc pool_add pool_destroy pool_list pool_new "
    "pool_remove push readonly recover setattr setup show snapshot snapshot_create "
    "snapshot_destroy snapshot_list snapshot_modify snapshot_mount snapshot_umount test_brw "
    "test_create test_destroy test_getattr test_lookup test_md_getattr test_mkdir test_rmdir "
    "test_setattr test_setxattr ";

/// Parses a NID as lctl does: without a net it is on tcp, and a PID in front is ignored.
std::optional<Nid> nid_of(std::string_view word) {
  const std::size_t dash = word.find('-');
  if (dash != std::string_view::npos &&
      word.substr(0, dash).find_first_not_of("0123456789") == std::string_view::npos && dash != 0)
    word.remove_prefix(dash + 1);
  const auto nid = Nid::parse(std::string(word));
  if (!nid || nid->is_any()) return std::nullopt;
  return *nid;
}

int wrong(std::string_view line, int code) {
  err(std::string(line) + "\n");
  return code;
}

// ---- ping

void print_nids(const ctl::Tree& good) {
  out("12345-0@lo\n");
  for (const ctl::Tree& peer : good.begin().value())
    for (const ctl::Tree& ni : peer.value("peer_ni", ctl::Tree::array()))
      if (const std::string nid = ni.value("nid", ""); nid != "0@lo") out(nid + "\n");
}

int ping_failed(const std::string& word, int code) {
  // lctl has no name for -ENETDOWN. For the other errno, scripts know its words.
  const std::string why = code == -ENETDOWN ? "Unknown error -100"
                          : code == -EINVAL ? "Invalid input data or parameter"
                                            : std::strerror(-code);
  out("failed to ping " + word + ": " + why + "\n");
  return -code;
}

int ping(Session& session, const Words& words) {
  if (words.size() < 2) return wrong("usage: ping id [timeout (secs)]", EINVAL);
  const std::string& word = words[1];
  const auto nid = nid_of(word);
  if (!nid)
    return wrong((word.starts_with('-') ? "Invalid PID argument \"" : "Invalid NID argument \"") +
                     word + "\"",
                 EINVAL);
  std::int64_t seconds = 0;
  if (words.size() > 2) {
    const auto number = parse_number(words[2]);
    if (!number) return ping_failed(word, -EINVAL);
    if (*number > kPingSecondsMax) return wrong("Timeout " + words[2] + " is to large", EINVAL);
    seconds = *number;
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto answer = lnet.ping_nid({&*nid, 1}, std::nullopt,
                                    ctl::ping_timeout_ms(seconds <= 0 ? kPingSeconds : seconds));
  if (!answer) return ping_failed(word, answer.error().code);
  if (answer->failed.empty()) return print_nids(answer->good), 0;
  // Scripts look for lctl's words about a silent peer.
  const int code = answer->failed.front().code;
  return ping_failed(word, code == -ETIMEDOUT ? -EIO : code);
}

// ---- NIDs

int list_nids(Session& session, const Words& words) {
  if (words.size() > 2) return wrong("usage: list_nids [all]", 0);
  const bool all = words.size() == 2 && words[1] == "all";
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto nids = lnet.list_nids();
  if (!nids) {
    if (nids.error().code != -ENETDOWN) return wrong(nids.error().reason, 1);
    err("Reader error: 'Unspecific failure' at 0\n");
    return wrong("IOC_LIBCFS_GET_NI error 100: Network is down", 1);
  }
  for (const std::string& nid : *nids)
    if (all || nid != "0@lo") out(nid + "\n");
  return 0;
}

/// Returns the first NID of this node on a net. If the node has two NIDs there, returns the one of
/// the target's family.
std::optional<Nid> own_nid(const std::vector<Nid>& own, NetId net, bool large) {
  const auto at = std::ranges::find_if(
      own, [&](const Nid& nid) { return nid.net() == net && nid.is_small() != large; });
  return at == own.end() ? std::nullopt : std::optional(*at);
}

/// The NID of this node by which it reaches the target, through a router if necessary.
struct Reached {
  Nid by;
  bool routed = false;
};
std::optional<Reached> reach(const Nid& target, const std::vector<Nid>& own,
                             const ctl::Tree& routes) {
  if (target.is_loopback()) return std::nullopt;
  if (std::ranges::find(own, target) != own.end()) return Reached{target};
  if (const auto nid = own_nid(own, target.net(), !target.is_small())) return Reached{*nid};
  for (const ctl::Tree& route : routes) {
    const auto net = NetId::parse(route.value("net", ""));
    const auto gateway = Nid::parse(route.value("gateway", ""));
    if (!net || !gateway || *net != target.net()) continue;
    if (const auto nid = own_nid(own, gateway->net(), !gateway->is_small()))
      return Reached{*nid, true};
  }
  return std::nullopt;
}

int which_nid(Session& session, const Words& words) {
  if (words.size() < 2) return wrong("usage: which_nid NID [NID...]", 0);
  std::vector<Nid> targets;
  for (const std::string& word : std::span(words).subspan(1)) {
    const auto nid = nid_of(word);
    if (!nid) return wrong("Can't parse NID " + word, 1);
    targets.push_back(*nid);
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto nids = lnet.list_nids();
  if (!nids) {
    if (nids.error().code == -ENETDOWN) err("Unexpected distance: Unspecific failure\n");
    return wrong("No reachable NID", 1);
  }
  std::vector<Nid> own;
  for (const std::string& word : *nids)
    if (const auto nid = Nid::parse(word); nid && !nid->is_loopback()) own.push_back(*nid);
  const auto shown = lnet.show_route();
  const ctl::Tree routes =
      shown && shown->contains("route") ? (*shown)["route"] : ctl::Tree::array();
  std::optional<Reached> best;
  for (const Nid& target : targets)
    if (const auto found = reach(target, own, routes); found)
      if (!best || (best->routed && !found->routed)) best = found;
  if (!best) return wrong("No reachable NID", 1);
  out(best->by.to_string() + "\n");
  return 0;
}

// ---- network

int configure(Session& session, bool up, bool override_existing) {
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  const auto done = lnet.config_ni_system(up, false);
  const int code = done ? 0 : done.error().code;
  // Bringing up a net that is up, or bringing down a net that is down, changes nothing.
  if (code != 0 && code != (up ? -EEXIST : -ENETDOWN)) {
    out((code == -EBUSY ? std::string("Object busy") : std::string(std::strerror(-code))) + "\n");
    return -code;
  }
  if (!up)
    out("LNET ready to unload\n");
  else
    out(override_existing ? "LNET configured: Overridden existing one\n"
                          : "LNET configured: New Created\n");
  return 0;
}

int network(Session& session, const Words& words) {
  if (words.size() < 2) {
    const LctlCommand& self = *find(words[0]);
    out(std::string(self.purpose) + "\nusage: " + std::string(self.usage) + "\n");
    return kUsage;
  }
  const std::string& word = words[1];
  const bool override_existing = words.size() > 2 && words[2] == "-l";
  if (word == "up" || word == "configure") return configure(session, true, override_existing);
  if (word == "down" || word == "unconfigure") return configure(session, false, false);
  if (!NetId::parse(word)) return wrong("Can't parse net " + word, 1);
  return 0;  // as with lctl, which then selects the net without further use
}

// ---- others

int mark(Session& session, const Words& words) {
  const std::string text = fmt::format("{}", fmt::join(std::span(words).subspan(1), " "));
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  const auto done = lnet.mark_log(text.empty() ? "mark" : text);
  return done ? 0 : wrong(done.error().reason, 1);
}

int version(Session& session, const Words&) {
  out(session.program() + " " ULNET_VERSION " (ulnet)\n");
  return 0;
}

constexpr LctlCommand kCommands[] = {
    {"ping", "Check LNET connectivity", "ping nid [timeout [pid]]", &ping},
    {"list_nids", "list local NIDs", "list_nids [all]", &list_nids},
    {"which_nid", "choose a NID", "which_nid NID [NID...]", &which_nid},
    {"network", "configure LNET",
     "network [Network] <up|down> [-l]\n  -l: Override existing, else it will create new\n",
     &network},
    {"net", "configure LNET",
     "net [Network] <up|down> [-l]\n  -l: Override existing, else it will create new\n", &network},
    {"mark", "insert marker text in the log", "mark <text>", &mark},
    {"version", "print the version", "version", &version},
    {"--version", "print the version", "--version", &version},
};

void print_usage() {
  out("usage: lctl [COMMAND] [OPTIONS]... [ARGS]\n"
      "Without any parameters, interactive mode is invoked\n"
      "Try 'lctl help <COMMAND>', or 'lctl --list-commands' for a list of commands.\n");
}

const LctlCommand* find(std::string_view name) {
  const auto at = std::ranges::find(kCommands, name, &LctlCommand::name);
  return at == std::end(kCommands) ? nullptr : at;
}

/// Returns the message for a command of lctl that ulnet does not have under that name; nothing:
/// lctl does not have the command either.
std::optional<std::string> elsewhere(std::string_view name) {
  const std::string said = "lctl: '" + std::string(name) + "' is not in ulnet";
  if (kNotOfLnet.find(" " + std::string(name) + " ") != std::string_view::npos)
    return said + ", which is LNet alone: 'ulnetctl help' lists what it has";
  const auto at = std::ranges::find(kElsewhere, name, &Elsewhere::name);
  if (at == std::end(kElsewhere)) return std::nullopt;
  return said + ": use 'ulnetctl " + std::string(at->instead) + "'";
}

int not_valid(const std::string& name) {
  return wrong("lctl: '" + name + "' is not a valid command. See 'lctl --list-commands'.", 1);
}

int help(const Words& words) {
  if (words.size() < 2) return print_usage(), 0;
  const LctlCommand* command = find(words[1]);
  if (command == nullptr) {
    const auto said = elsewhere(words[1]);
    return said ? (void)wrong(*said, 0) : (void)not_valid(words[1]), 0;
  }
  err(std::string(command->name) + ": " + std::string(command->purpose) +
      "\nusage: " + std::string(command->usage) + "\n");
  return 0;
}

/// Carries out `--net NET COMMAND ...`. The commands of this program ignore the net.
int with_net(Session& session, const Words& words) {
  if (words.size() < 3) {
    out("run <command> after selecting network <net>\nusage: --net <tcp/o2ib/...> <command>\n");
    return kUsage;
  }
  if (!NetId::parse(words[1])) return wrong("Can't parse net " + words[1], 1);
  return run_lctl(session, {words.begin() + 2, words.end()});
}

/// Carries out the command and returns the exit code; nothing: lctl has no such command.
std::optional<int> carry_out(Session& session, const Words& words) {
  const std::string& name = words[0];
  if (name == "quit" || name == "exit" || name == "ignore_errors" || name == "--ignore_errors")
    return 0;
  if (name == "--control" && words.size() > 1) {  // ulnet's own option, which names the node
    session.use_control(words[1]);
    return run_lctl(session, {words.begin() + 2, words.end()});
  }
  if (name == "--help") return print_usage(), 0;
  if (name == "help") return help(words);
  if (name == "--net") return with_net(session, words);
  if (name == "--list-commands") {
    for (const LctlCommand& command : kCommands) out(std::string(command.name) + "\n");
    return 0;
  }
  if (const LctlCommand* command = find(name)) try {
      return command->run(session, words);
    } catch (const CommandEnds&) {
      return 1;
    }
  if (const auto said = elsewhere(name)) return wrong(*said, 1);
  return std::nullopt;
}

}  // namespace
}  // namespace lctl

int run_lctl(Session& session, const Words& words) {
  if (words.empty())
    return run_lines(session.program(), 1, [&](const Words& line) {
      // At its prompt, as recorded, lctl shows its usage and goes on.
      if (const auto code = lctl::carry_out(session, line)) return *code;
      return lctl::print_usage(), 0;
    });
  const auto code = lctl::carry_out(session, words);
  return code ? *code : lctl::not_valid(words[0]);
}

}  // namespace ulnet::tools
