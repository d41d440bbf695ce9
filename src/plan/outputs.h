// All files that a plan becomes.
#pragma once

#include <string>
#include <vector>

#include "plan/lab_topology.h"
#include "plan/plan.h"

namespace ulnet::plan {

struct OutputFile {
  std::string path;  ///< below the folder of the outputs: "lnetctl/nid00068.yaml"
  std::string text;
};

/// modprobe/KIND.conf, lnetctl/HOST.yaml and routes/HOST.routes, inventory.yaml for Ansible, the
/// cable tables, and lab.yaml for ulnet-lab.
std::vector<OutputFile> outputs_of(const Plan& plan, const LabOptions& lab);

/// A group each line: its net, switch, servers, primary and secondary routers, and what its routers
/// carry beyond its OSSs' peak. Then the nets among servers, where there are any.
std::string groups_text(const Plan& plan);

/// Ansible's, in YAML: a group of hosts for each system, with ulnet_* variables for each host.
std::string inventory(const Plan& plan);

}  // namespace ulnet::plan
