#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "fgr/verify/verify_diagnosis.h"

namespace ulnet::plan {

/// Returns the number of the host's addresses on the servers' fabric, which is the number of cables
/// to its switch.
std::size_t Diagnosis::fabric_addresses(std::size_t index) const {
  const Places places = planned_places(index);
  return static_cast<std::size_t>(std::ranges::count(places, 0U, &Place::side));
}

/// Finds hosts that are plugged into another switch than planned. If two hosts are at each other's
/// switch, and are the only such hosts there, their cables were exchanged.
void Diagnosis::judge_cables() {
  std::map<std::string, std::string> planned;
  for (const VerifyHost& each : checks_.hosts) planned.emplace(each.name, each.at_switch);
  const auto names = switch_names(cables_, planned);
  struct Wrong {
    std::size_t host;
    const SeenCable* cable;
    std::string at;
    bool reported = false;
  };
  std::vector<Wrong> wrong;
  std::map<std::size_t, std::size_t> right;
  for (const SeenCable& cable : cables_) {
    const auto index = checks_.find(cable.host);
    const auto name = names.find(cable.switch_guid);
    if (!index || name == names.end() || host(*index).at_switch.empty()) continue;
    if (host(*index).at_switch == name->second)
      ++right[*index];
    else
      wrong.push_back({*index, &cable, name->second});
  }
  // A host may have further cables that the site does not know, to any switch.
  std::erase_if(wrong,
                [&](const Wrong& one) { return right[one.host] >= fabric_addresses(one.host); });
  std::ranges::sort(wrong, {}, [](const Wrong& one) {
    return std::tuple(one.host, one.at, one.cable->switch_port);
  });
  for (Wrong& one : wrong) {
    if (one.reported) continue;
    const VerifyHost& of = host(one.host);
    const auto partners = [&](const Wrong& other) {
      return other.at == of.at_switch && host(other.host).at_switch == one.at;
    };
    const auto place = fmt::format("{} is at switch {} port {}, and planned at {}", of.name, one.at,
                                   one.cable->switch_port, of.at_switch);
    VerifySuspect suspect{.kind = VerifySuspect::Kind::kCable,
                          .cause = "wrong-switch",
                          .name = fmt::format("{} - {}", of.name, one.at),
                          .hosts = {of.name},
                          .what = place,
                          .cure = fmt::format("plug it into {}", of.at_switch),
                          .seen = {fmt::format("adapter {}", one.cable->guid)}};
    blame(one.host);
    if (std::ranges::count_if(wrong, partners) == 1) {
      Wrong& other = *std::ranges::find_if(wrong, partners);
      const VerifyHost& with = host(other.host);
      const auto back = [&](const Wrong& each) {
        return each.at == with.at_switch && host(each.host).at_switch == other.at;
      };
      if (std::ranges::count_if(wrong, back) == 1) {
        other.reported = true;
        blame(other.host);
        suspect.cause = "exchanged";
        suspect.name = fmt::format("{} and {}", of.name, with.name);
        suspect.hosts = {of.name, with.name};
        suspect.what = fmt::format("{}; {} is at switch {} port {}, and planned at {}", place,
                                   with.name, other.at, other.cable->switch_port, with.at_switch);
        suspect.cure = "exchange the two cables";
        if (!exchanged_.insert(std::minmax(one.host, other.host)).second) continue;
      }
    }
    accuse(std::move(suspect));
  }
}

}  // namespace ulnet::plan
