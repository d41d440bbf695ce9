#include "fgr/hosts/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "admin/client/tree_fields.h"
#include "admin/client/yaml_tree.h"
#include "lnet/base/printable.h"
#include "lnet/base/text.h"
#include "text/yaml_node.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::string_view kNothing = "neither an answer nor an error was printed";

using ctl::field_in, ctl::list_in, ctl::text_in, ctl::Tree, ctl::tree_of;

/// Adds the NI in `tree` to `seen`, except 0@lo. Returns false if `tree` is not an NI.
bool add_ni(const Tree& tree, plan::HostSeen& seen) {
  const auto nid = Nid::parse(text_in(tree, "nid"));
  if (nid && !nid->is_loopback()) seen.nis.push_back({*nid, text_in(tree, "status") != "down"});
  return nid.has_value();
}

void add_route(const Tree& tree, plan::HostSeen& seen) {
  const auto net = NetId::parse(text_in(tree, "net"));
  const auto gateway = Nid::parse(text_in(tree, "gateway"));
  if (!net || !gateway) return;
  plan::SeenRoute route{.net = *net, .gateway = *gateway, .hops = ctl::number_in(tree, "hop", -1)};
  if (const std::string state = text_in(tree, "state"); state == "up" || state == "down")
    route.up = state == "up";
  route.why = text::printable(text_in(tree, "why"));
  seen.routes.push_back(std::move(route));
}

/// Whether the host routes. `enable` is 0 if routing is off, 1 on, 2 stopping, 3 starting. If
/// `routing` is a list, one of its items has this value.
bool routes(const Tree& routing) {
  const auto on = [](const Tree& tree) {
    const int enable = ctl::number_in(tree, "enable", 0);
    return enable == 1 || enable == 3;
  };
  if (routing.is_array()) return std::any_of(routing.begin(), routing.end(), on);
  return on(routing);
}

/// Returns "Connection timed out" for -ETIMEDOUT.
std::string words_of(int code) {
  return code < 0 && code > -4096 ? std::strerror(-code) : fmt::format("error {}", code);
}

/// Returns why each ping failed, by the NID in the request.
std::map<std::string, std::string> failures_in(const Tree& tree, std::string_view errors) {
  std::map<std::string, std::string> failures;
  for (const Tree& one : list_in(tree, "failed")) {
    const std::string hint = text_in(one, "hint");
    const int code = ctl::number_in(one, "errno", -EIO);
    failures[text_in(one, "nid")] = hint.empty() ? words_of(code) : text::printable(hint);
  }
  constexpr std::string_view kFailed = "failed to ping ";
  std::string text(errors);
  for (const Tree& one : list_in(tree, "manage")) text += "\n" + text_in(one, "descr");
  for (std::size_t at = text.find(kFailed); at != std::string::npos;
       at = text.find(kFailed, at + 1)) {
    const std::size_t begin = at + kFailed.size();
    const std::string line = text.substr(begin, text.find_first_of("\n\"'", begin) - begin);
    const std::size_t colon = line.find(": ");
    failures.emplace(line.substr(0, colon),
                     colon == std::string::npos ? "" : text::printable(line.substr(colon + 2)));
  }
  return failures;
}

std::vector<Nid> nids_of(const Tree& answer) {
  std::vector<Nid> nids;
  for (const char* key : {"peer_ni", "peer ni"})
    for (const Tree& ni : list_in(answer, key)) {
      const auto id = ProcessId::parse(text_in(ni, "nid"));
      if (id && !id->nid.is_loopback()) nids.push_back(id->nid);
    }
  return nids;
}

}  // namespace

std::string complaint_in(const ctl::Tree& tree) {
  if (tree.is_object())
    for (const Tree& section : tree) {
      if (!section.is_array()) continue;
      for (const Tree& one : section) {
        const int code = ctl::number_in(one, "errno", 0);
        const std::string text = text_in(one, "descr");
        if (code < 0) return fmt::format("{} ({})", text::printable(text), words_of(code));
      }
    }
  return {};
}

Result<ctl::Tree> tree_of_yaml(std::string_view text) {
  const auto documents = conf::load_yaml(text);
  if (!documents) return fail(documents.error().code, to_string(documents.error()));
  Tree all = Tree::object();
  for (const conf::YamlNode& document : *documents) {
    if (document.is_null()) continue;
    if (!document.is_map()) return fail(-EINVAL, "a text, and no mapping");
    for (const conf::YamlEntry& entry : document.entries) {
      Tree value = tree_of(entry.value);
      Tree& into = all[entry.key];
      if (into.is_array() && value.is_array())
        into.insert(into.end(), value.begin(), value.end());
      else
        into = std::move(value);
    }
  }
  return all;
}

Result<plan::HostSeen> host_seen(const ctl::Tree& tree) {
  plan::HostSeen seen;
  seen.state = plan::HostSeen::State::kAsked;
  bool any = false;
  for (const Tree& net : list_in(tree, "net"))
    for (const char* key : {"local NI(s)", "local NIs"})
      for (const Tree& ni : list_in(net, key)) any = add_ni(ni, seen) || any;
  if (!any) return fail(-EINVAL, "the report of its nets has no NID");
  for (const Tree& route : list_in(tree, "route")) add_route(route, seen);
  seen.routing = routes(field_in(tree, "routing"));
  return seen;
}

Result<std::vector<plan::SeenPing>> pings_seen(const std::vector<plan::PingTarget>& targets,
                                               const ctl::Tree& tree, std::string_view errors) {
  const auto failures = failures_in(tree, errors);
  const Tree& answers = list_in(tree, "ping");
  std::vector<plan::SeenPing> pings;
  std::size_t answered = 0;
  for (const plan::PingTarget& target : targets) {
    pings.push_back({.target = target, .answered = false, .nids = {}, .trouble = {}});
    const auto failure = failures.find(target.nid.to_string());
    if (failure == failures.end())
      ++answered;
    else
      pings.back().trouble = failure->second;
  }
  if (answered == targets.size() && answers.empty()) {
    const std::string complaint = complaint_in(tree);
    return fail(-EINVAL, complaint.empty() ? std::string(kNothing) : complaint);
  }
  auto answer = answers.begin();
  for (plan::SeenPing& ping : pings) {
    if (failures.contains(ping.target.nid.to_string())) continue;
    if (answered == answers.size()) {
      ping.answered = true;
      ping.nids = nids_of(*answer++);
      continue;
    }
    // If there are not as many answers as answered pings, their order does not show which answer
    // belongs to which target. So only an answer that contains the NID counts.
    const auto its = std::find_if(answers.begin(), answers.end(), [&](const Tree& one) {
      const auto nids = nids_of(one);
      return std::ranges::find(nids, ping.target.nid) != nids.end();
    });
    ping.answered = its != answers.end();
    if (ping.answered)
      ping.nids = nids_of(*its);
    else
      ping.trouble = kNothing;
  }
  return pings;
}

}  // namespace ulnet::tools::fgr
