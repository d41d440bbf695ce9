#include "sim/scenario/switches.h"

namespace ulnet::sim {

void build(const SwitchesSpec& spec, Fabric& fabric) {
  for (const std::string& name : spec.names) fabric.add_switch(name);
  for (const SwitchesSpec::Joint& joint : spec.links) fabric.join(joint.a, joint.b, joint.model);
}

std::vector<LinkUse> uses_of(const Fabric& fabric, Instant now, Duration age) {
  std::vector<LinkUse> uses;
  for (std::uint32_t id = 0; id < fabric.links(); ++id) {
    const auto [a, b] = fabric.ends({id});
    for (const SwitchId from : {a, b}) {
      const SwitchPort& port = fabric.port({id}, from);
      uses.push_back({fabric.name(from), fabric.name(from == a ? b : a), port.rate(),
                      port.counters(now), age});
    }
  }
  return uses;
}

}  // namespace ulnet::sim
