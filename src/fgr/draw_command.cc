// draw.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "fgr/commands.h"
#include "fgr/picture/cable_picture.h"
#include "fgr/picture/system_picture.h"
#include "fgr/site/site_file.h"
#include "lab/write_text.h"

namespace ulnet::tools::fgr {
namespace {

struct DrawWish {
  std::string site, fabric, out;
  bool cables = false;
};

int draw_site(const DrawWish& wish) {
  const auto plan = plan_of_file(wish.site, wish.fabric);
  if (!plan) {
    fmt::print(stderr, "{}", plan.error());
    return kExitInput;
  }
  const std::string picture = wish.cables ? cable_picture(*plan) : system_picture(*plan);
  return lab::write_text("ulnet-fgr", wish.out, picture) ? kExitDone : kExitInput;
}

}  // namespace

void add_draw_command(CLI::App& app, int& code) {
  const auto wish = std::make_shared<DrawWish>();
  CLI::App& command = *app.add_subcommand(
      "draw", "a picture of the system with its groups, or of its cables, as SVG");
  add_site_options(command, wish->site, wish->fabric);
  command.add_flag("--cables", wish->cables,
                   "the cable table instead, on sheets to print: a panel for each switch");
  command.add_option("-o,--output", wish->out, "the file; without it the standard output")
      ->type_name("FILE");
  on_command(command, code, [wish] { return draw_site(*wish); });
}

}  // namespace ulnet::tools::fgr
