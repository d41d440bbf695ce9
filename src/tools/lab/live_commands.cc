#include "tools/lab/live_commands.h"

#include <cstdio>

namespace ulnet::tools::lab {

void add_live_commands(CLI::App& app, int& code) {
  add_life_commands(app, code);
  add_status_command(app, code);
  add_inside_commands(app, code);
  add_fault_commands(app, code);
  add_traffic_commands(app, code);
  add_view_commands(app, code);
}

void add_lab_option(CLI::App& command, std::string& lab) {
  command.add_option("--lab", lab, "which laboratory, when several run")
      ->envname("ULNET_LAB")
      ->type_name("NAME");
}

int complain(const std::string& reason) {
  std::fflush(stdout);
  std::fprintf(stderr, "ulnet-lab: %s\n", reason.c_str());
  return kExitFailed;
}

}  // namespace ulnet::tools::lab
