#include "fgr/commands.h"

#include <fmt/format.h>

#include <cstdio>

namespace ulnet::tools::fgr {

int complain(const char* command, const std::string& reason) {
  fmt::print(stderr, "ulnet-fgr: {}: {}\n", command, reason);
  return kExitInput;
}

int refuse(const conf::Problems& problems) {
  fmt::print(stderr, "{}", conf::lines_of(problems));
  return kExitInput;
}

void add_site_options(CLI::App& command, std::string& site, std::string& fabric) {
  add_argument(command, "SITE", site, "the site file");
  add_fabric_option(command, fabric);
}

void add_fabric_option(CLI::App& command, std::string& fabric) {
  add_value(command, "--ibnetdiscover", fabric, "FILE",
            "output of ibnetdiscover, or its cache: which host is plugged into which switch");
}

void add_scale_option(CLI::App& command, const char* name, std::uint32_t& scale) {
  add_number(command, name, scale, 1, 1'000'000,
             "rates of the laboratory are 1:N of the site's (by default what one machine can "
             "move)");
}

}  // namespace ulnet::tools::fgr
