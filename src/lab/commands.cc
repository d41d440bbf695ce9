#include "lab/commands.h"

#include <cstdio>

namespace ulnet::tools::lab {

void add_commands(CLI::App& app, int& code) {
  add_topology_commands(app, code);
  add_start_stop_commands(app, code);
  add_status_command(app, code);
  add_inside_commands(app, code);
  add_fault_commands(app, code);
  add_traffic_commands(app, code);
  add_view_commands(app, code);
  add_run_command(app, code);
}

void add_lab_option(CLI::App& command, std::string& lab, const char* names) {
  add_value(command, names, lab, "NAME", "which laboratory, when several run")
      ->envname("ULNET_LAB");
}

std::vector<std::string> with_lab_behind(const CLI::App& app, std::vector<std::string> words) {
  std::vector<std::string> lab;
  auto word = words.begin();
  for (const CLI::App* at = &app; word != words.end();) {
    if (word->starts_with("--lab")) {
      const auto end = *word == "--lab" && word + 1 != words.end() ? word + 2 : word + 1;
      lab.insert(lab.end(), word, end);
      word = words.erase(word, end);
    } else if (at = find_command(*at, *word); at != nullptr) {
      ++word;
    } else {
      break;
    }
  }
  words.insert(word, lab.begin(), lab.end());
  return words;
}

int complain(const std::string& reason) {
  std::fflush(stdout);
  std::fprintf(stderr, "ulnet-lab: %s\n", reason.c_str());
  return kExitFailed;
}

}  // namespace ulnet::tools::lab
