#include "lab/topology/switch_paths.h"

#include <algorithm>
#include <optional>

namespace ulnet::tools::lab {

SwitchPaths::SwitchPaths(const Topology& topology)
    : topology_(topology), steps_(topology.switches.size()) {
  for (std::uint32_t link = 0; link < topology.switch_links.size(); ++link) {
    const SwitchLink& each = topology.switch_links[link];
    steps_[each.a].push_back({each.b, link});
    steps_[each.b].push_back({each.a, link});
  }
}

std::vector<std::uint32_t> SwitchPaths::between(SwitchNumber a, SwitchNumber b) const {
  if (a == b) return {};
  // For each switch, the step by which the search from `a` reached it: followed backwards.
  std::vector<std::optional<Step>> back(steps_.size());
  std::vector<SwitchNumber> reached = {a};
  for (std::size_t i = 0; i < reached.size() && !back[b]; ++i)
    for (const Step& step : steps_[reached[i]]) {
      if (step.to == a || back[step.to]) continue;
      back[step.to] = Step{reached[i], step.link};
      reached.push_back(step.to);
    }
  std::vector<std::uint32_t> links;
  for (SwitchNumber at = b; back[at]; at = back[at]->to) links.push_back(back[at]->link);
  std::ranges::reverse(links);
  return links;
}

std::uint32_t SwitchPaths::loss(SwitchNumber a, SwitchNumber b) const {
  std::uint32_t ppm = 0;
  for (const std::uint32_t link : between(a, b))
    ppm = both_losses(ppm, topology_.switch_links[link].wire.loss_ppm);
  return ppm;
}

}  // namespace ulnet::tools::lab
