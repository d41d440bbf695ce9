// plan.
#include <fmt/format.h>

#include <cstdio>

#include "fgr/commands.h"
#include "fgr/existing/report.h"
#include "fgr/output/output_folder.h"
#include "fgr/picture/pictures.h"
#include "fgr/plan/outputs.h"
#include "fgr/site/site_file.h"

namespace ulnet::tools::fgr {
namespace {

struct PlanOptions {
  std::string site, fabric, out;
  bool force = false;
  bool written_out = false;
  plan::LabOptions lab;
};

int plan_site(const plan::Plan& plan, const PlanOptions& options) {
  const std::string groups = plan::groups_text(plan);
  const CheckReport fabric = fabric_report(plan, options.fabric);
  if (!fabric.findings.empty()) fmt::print(stderr, "{}", text_of(fabric));
  if (options.out.empty()) {
    fmt::print("{}", groups);
    return exit_code_of(fabric);
  }
  const auto form = options.written_out ? plan::ListForm::kWrittenOut : plan::ListForm::kShort;
  auto files = plan::outputs_of(plan, options.lab, form);
  files.push_back({"system.svg", system_picture(plan)});
  files.push_back({"cables.svg", cable_picture(plan)});
  if (const auto written = write_folder(options.out, files, options.force); !written)
    return complain("plan", written.error().reason);
  fmt::print("{}\n{}{} files in {}\n", groups, plan::long_parameters_text(plan, form), files.size(),
             options.out);
  return exit_code_of(fabric);
}

}  // namespace

void add_plan_command(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand("plan", "the groups of a site, and every host's files");
  PlanOptions& options = run_with_plan<PlanOptions>(command, code, plan_site, sound_plan_of_file);
  add_value(command, "-o,--output", options.out, "DIR",
            "the folder for the files; without it none are written");
  command.add_flag("--force", options.force, "replace the folder when it is there already");
  command.add_flag("--written-out", options.written_out,
                   "module parameters without ranges: each number, and a line for each net");
  add_number(command, "--lab-clients", options.lab.clients_of_each, 1, 1000,
             "of each client system in lab.yaml (2)");
  add_scale_option(command, "--lab-scale", options.lab.scale);
}

}  // namespace ulnet::tools::fgr
