// plan.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "fgr/commands.h"
#include "fgr/existing/report.h"
#include "fgr/output/output_folder.h"
#include "fgr/picture/cable_picture.h"
#include "fgr/picture/system_picture.h"
#include "fgr/plan/outputs.h"
#include "fgr/site/site_file.h"

namespace ulnet::tools::fgr {
namespace {

struct PlanWish {
  std::string site, fabric, out;
  bool force = false;
  bool written_out = false;
  plan::LabOptions lab;
};

int plan_site(const PlanWish& wish) {
  const auto plan = sound_plan_of_file(wish.site, wish.fabric);
  if (!plan) {
    fmt::print(stderr, "{}", plan.error());
    return kExitInput;
  }
  const std::string groups = plan::groups_text(*plan);
  const CheckReport fabric = fabric_report(*plan, wish.fabric);
  if (!fabric.findings.empty()) fmt::print(stderr, "{}", text_of(fabric));
  if (wish.out.empty()) {
    fmt::print("{}", groups);
    return exit_code_of(fabric);
  }
  const auto form = wish.written_out ? plan::ListForm::kWrittenOut : plan::ListForm::kShort;
  auto files = plan::outputs_of(*plan, wish.lab, form);
  files.push_back({"system.svg", system_picture(*plan)});
  files.push_back({"cables.svg", cable_picture(*plan)});
  if (const auto written = write_folder(wish.out, files, wish.force); !written)
    return complain("plan", written.error().reason);
  fmt::print("{}\n{}{} files in {}\n", groups, plan::long_parameters_text(*plan, form),
             files.size(), wish.out);
  return exit_code_of(fabric);
}

}  // namespace

void add_plan_command(CLI::App& app, int& code) {
  const auto wish = std::make_shared<PlanWish>();
  CLI::App& command = *app.add_subcommand("plan", "the groups of a site, and every host's files");
  add_site_options(command, wish->site, wish->fabric);
  command
      .add_option("-o,--output", wish->out, "the folder for the files; without it none are written")
      ->type_name("DIR");
  command.add_flag("--force", wish->force, "replace the folder when it is there already");
  command.add_flag("--written-out", wish->written_out,
                   "module parameters without ranges: each number, and a line for each net");
  command
      .add_option("--lab-clients", wish->lab.clients_of_each,
                  "of each client system in lab.yaml (2)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  add_scale_option(command, "--lab-scale", wish->lab.scale);
  on_command(command, code, [wish] { return plan_site(*wish); });
}

}  // namespace ulnet::tools::fgr
