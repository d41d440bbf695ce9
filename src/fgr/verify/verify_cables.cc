// Judges which host is plugged into which switch.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "fgr/verify/verify_diagnosis.h"

namespace ulnet::plan {
namespace {

/// A cable of a host that is in another switch than planned.
struct Wrong {
  std::size_t host;
  const SeenCable* cable;
  std::string at;
  bool reported = false;
};

/// Returns the number of the host's addresses on the servers' fabric, which is the number of cables
/// to its switch.
std::size_t fabric_addresses(const VerifyHost& host) {
  std::set<Address> addresses;
  for (const Nid& nid : host.nids)
    if (host.is_on_fabric(nid.net())) addresses.insert(nid.address4());
  return addresses.size();
}

std::vector<Wrong> wrong_cables(const Observations& of, const std::vector<SeenCable>& cables) {
  std::map<std::string, std::string> planned;
  for (const VerifyHost& each : of.checks().hosts) planned.emplace(each.name, each.at_switch);
  const auto names = switch_names(cables, planned);
  std::vector<Wrong> wrong;
  std::map<std::size_t, std::size_t> right;
  for (const SeenCable& cable : cables) {
    const auto index = of.checks().find(cable.host);
    const auto name = names.find(cable.switch_guid);
    if (!index || name == names.end() || of.host(*index).at_switch.empty()) continue;
    if (of.host(*index).at_switch == name->second)
      ++right[*index];
    else
      wrong.push_back({*index, &cable, name->second});
  }
  // A host may have further cables that the site does not know, to any switch.
  std::erase_if(wrong, [&](const Wrong& one) {
    return right[one.host] >= fabric_addresses(of.host(one.host));
  });
  std::ranges::sort(wrong, {}, [](const Wrong& one) {
    return std::tuple(one.host, one.at, one.cable->switch_port);
  });
  return wrong;
}

}  // namespace

void judge_cables(const Observations& of, const std::vector<SeenCable>& cables,
                  Suspects& suspects) {
  std::vector<Wrong> wrong = wrong_cables(of, cables);
  const auto text_of = [&](const Wrong& one) {
    return fmt::format("{} is at switch {} port {}, and planned at {}", of.host(one.host).name,
                       one.at, one.cable->switch_port, of.host(one.host).at_switch);
  };
  // Returns the cable that is at the switch of the host, with its host planned at the cable's
  // switch; null unless there is exactly one.
  const auto partner_of = [&](const Wrong& one) -> Wrong* {
    const auto is_partner = [&](const Wrong& other) {
      return other.at == of.host(one.host).at_switch && of.host(other.host).at_switch == one.at;
    };
    if (std::ranges::count_if(wrong, is_partner) != 1) return nullptr;
    return &*std::ranges::find_if(wrong, is_partner);
  };
  for (Wrong& one : wrong) {
    if (one.reported) continue;
    const VerifyHost& host = of.host(one.host);
    VerifySuspect suspect{.kind = VerifySuspect::Kind::kCable,
                          .cause = "wrong-switch",
                          .name = fmt::format("{} - {}", host.name, one.at),
                          .hosts = {host.name},
                          .what = text_of(one),
                          .cure = fmt::format("plug it into {}", host.at_switch),
                          .seen = {fmt::format("adapter {}", one.cable->guid)}};
    suspects.blame(one.host);
    if (Wrong* const other = partner_of(one); other != nullptr && partner_of(*other) != nullptr) {
      other->reported = true;
      suspects.blame(other->host);
      suspect.hosts.push_back(of.host(other->host).name);
      suspect.what += "; " + text_of(*other);
      suspect.cure = "exchange the two cables";
      suspects.accuse_exchange(one.host, other->host, std::move(suspect));
    } else {
      suspects.accuse(std::move(suspect));
    }
  }
}

}  // namespace ulnet::plan
