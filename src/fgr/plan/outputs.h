// All output files of a plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgr/plan/lab_topology.h"
#include "fgr/plan/options.h"
#include "fgr/plan/plan.h"
#include "lnet/base/limits.h"

namespace ulnet::plan {

struct OutputFile {
  std::string path;  ///< below the folder of the outputs: "lnetctl/nid00068.yaml"
  std::string text;
};

/// Makes the files: modprobe/KIND.conf, with a comment in place of options for long_parameters();
/// lnetctl/HOST.yaml and routes/HOST.routes, inventory.yaml for Ansible, the cable tables, lab.yaml
/// for ulnet-lab.
std::vector<OutputFile> outputs_of(const Plan& plan, const LabOptions& lab,
                                   ListForm form = ListForm::kShort);

/// Hosts of a kind and system for which a module parameter would be too long for a module.
struct LongParameter {
  HostConfig::Kind kind = HostConfig::Kind::kClients;
  std::size_t system = 0;  ///< HostConfig::system
  ModuleParameter parameter;
  std::string file;     ///< the file that would contain them: "modprobe/clients-xe.conf"
  std::string instead;  ///< "lnetctl/clients-xe.yaml", "lnetctl/HOST.yaml"
};
/// Returns the hosts with a parameter that is too long, in the order of the site. `most`: the bytes
/// that a module accepts.
std::vector<LongParameter> long_parameters(const Plan& plan, ListForm form,
                                           std::size_t most = limits::kParamTextMax);
/// Returns a line for each long parameter: the parameter, and the file that configures these hosts
/// instead.
std::string long_parameters_text(const Plan& plan, ListForm form);

/// Returns a line for each group: its net, switch, servers, primary and secondary routers, and the
/// bandwidth of its routers beyond its OSSs' peak. Then the nets among servers, if there are any,
/// and the paper's table (bandwidth.h).
std::string groups_text(const Plan& plan);

/// Returns Ansible's inventory, in YAML: a group of hosts for each system, with ulnet_* variables
/// for each host. Hosts of long_parameters() have no ulnet_modprobe.
std::string inventory(const Plan& plan, ListForm form = ListForm::kShort);

}  // namespace ulnet::plan
