// draw.
#include "fgr/commands.h"
#include "fgr/picture/pictures.h"
#include "text/shell/speak.h"

namespace ulnet::tools::fgr {
namespace {

struct DrawOptions {
  std::string site, fabric, out;
  bool cables = false;
};

int draw_site(const plan::Plan& plan, const DrawOptions& options) {
  const std::string picture = options.cables ? cable_picture(plan) : system_picture(plan);
  return write_text("ulnet-fgr", options.out, picture) ? kExitDone : kExitInput;
}

}  // namespace

void add_draw_command(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand(
      "draw", "a picture of the system with its groups, or of its cables, as SVG");
  DrawOptions& options = run_with_plan<DrawOptions>(command, code, draw_site);
  command.add_flag("--cables", options.cables,
                   "the cable table instead, on sheets to print: a panel for each switch");
  add_value(command, "-o,--output", options.out, "FILE",
            "the file; without it the standard output");
}

}  // namespace ulnet::tools::fgr
