// lab.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "fgr/commands.h"
#include "fgr/plan/lab_topology.h"
#include "fgr/site/site_file.h"
#include "lab/live/laboratory.h"
#include "lab/live/soft_faults.h"
#include "lab/live/stop_signal.h"
#include "selftest/ulst/run/outcome.h"

namespace ulnet::tools::fgr {
namespace {

constexpr const char* kLabFooter =
    R"(The laboratory goes on running: 'ulnet-lab' has its commands (status, view, kill, link, ...), and
  ulnet-fgr verify SITE --lab NAME
  ulnet-fgr measure SITE --lab NAME
test it again. 'ulnet-lab down NAME' ends it.

Examples:
  ulnet-fgr lab site.yaml                                    on loopback, without rates
  sudo ulnet-fgr lab site.yaml --netns                       with the rates of the kinds, to scale
  sudo ulnet-fgr lab site.yaml --netns --module-parameters   as modprobe would start the nodes

Exit codes: 0 all as planned and in line, 1 not so, or it did not start, 2 command line or a file,
130 interrupted.)";

/// A host or group is out of line if it has less than this percentage of its siblings' median. The
/// second value is for loopback, where no wire has a rate: there groups of the same kind differ
/// with the other load of the machine.
constexpr double kBelow = 80, kFarBelow = 10;

struct LabRequest {
  std::string site, fabric, time = "2s";
  lab::UpOptions up;
  plan::LabOptions options;
  bool module_parameters = false;
};

Result<std::string> topology_text(const plan::Plan& plan, const LabRequest& request) {
  if (request.module_parameters)
    return plan::lab_topology_of_module_parameters(plan, request.options);
  return plan::lab_topology(plan, request.options);
}

/// Starts the laboratory. Returns the exit code, 0 when it is up.
int start(const plan::Plan& plan, LabRequest& request) {
  auto text = topology_text(plan, request);
  if (!text) return complain("lab", text.error().reason);
  request.up.text = std::move(*text);
  request.up.file = std::filesystem::absolute(request.site).string();
  const lab::StopSignal signals;
  Progress progress;
  const auto up = lab::bring_up(request.up, progress);
  progress.clear();
  if (!up) {
    complain("lab", up.error().reason);
    if (lab::StopSignal::came() != 0) return lst::run::kInterrupted;
    return up.error().file_is_wrong ? kExitInput : kExitFound;
  }
  for (const std::string& remark : lab::shortcomings(up->topology, up->record))
    fmt::print(stderr, "ulnet-fgr: note: {}\n", remark);
  fmt::print("laboratory {} is up: {} nodes {}\n\n", request.up.name, up->topology.nodes.size(),
             up->record.spaces ? "in network namespaces, " + up->topology.about
                               : std::string("on loopback, without rates"));
  std::fflush(stdout);
  return kExitDone;
}

int run_lab(const plan::Plan& plan, LabRequest& request) {
  if (request.up.name.empty())
    request.up.name = std::filesystem::path(request.site).stem().string();
  if (const int code = start(plan, request); code != kExitDone) return code;
  const int verified = verify_laboratory(plan, request.up.name);
  if (verified == lst::run::kInterrupted) return verified;
  fmt::print("\n");
  const int measured = measure_laboratory(plan, request.up.name, request.time,
                                          request.up.spaces ? kBelow : kFarBelow);
  fmt::print("\nit runs until 'ulnet-lab down {}'; 'ulnet-lab view --lab {}' shows it\n",
             request.up.name, request.up.name);
  return verified != kExitDone ? verified : measured;
}

}  // namespace

void add_lab_command(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand(
      "lab", "the site as a laboratory on this machine: started, verified and measured");
  LabRequest& request = run_with_plan<LabRequest>(command, code, run_lab, sound_plan_of_file);
  command.footer(kLabFooter);
  add_value(command, "--name", request.up.name, "NAME",
            "name of the laboratory, instead of the site file's");
  auto* spaces = command.add_flag("--netns", request.up.spaces,
                                  "nodes in network namespaces, with rates, as root; else on "
                                  "loopback addresses");
  command
      .add_flag("--module-parameters", request.module_parameters,
                "nodes have the site's addresses, and start from ip2nets= and routes= as planned")
      ->needs(spaces);
  add_number(command, "--clients", request.options.clients_of_each, 1, 1000,
             "clients of each client system")
      ->capture_default_str();
  add_scale_option(command, "--scale", request.options.scale);
  add_value(command, "--time", request.time, "TIME", "duration of each test that measures")
      ->capture_default_str();
}

}  // namespace ulnet::tools::fgr
