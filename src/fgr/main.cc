// ulnet-fgr: plans fine-grained routing for a site, and checks the real site against the plan.
// Source: docs/FGR.md; design document 004.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "fgr/commands.h"

namespace {

constexpr const char* kExamples = R"(Examples:
  ulnet-fgr new --ssu 6 --cluster snx11001 --net o2ib6000 > site.yaml
  ulnet-fgr plan site.yaml                      the groups, and what their routers carry
  ulnet-fgr plan site.yaml -o configuration     every host's files, the cable tables, a laboratory
  ulnet-fgr draw site.yaml -o site.svg           a picture of the system and its groups
  ulnet-fgr check site.yaml configuration       whether these files are as planned
  ulnet-fgr diff site.yaml --actual exports     plan and lnetctl exports, host by host
  ulnet-fgr lab site.yaml                       the site on this machine: started, verified, measured
  ulnet-fgr simulate site.yaml --lose router:router00007   its OSSs' times, flat and fine-grained

Exit codes: 0 done, 1 something is not as it should be, 2 command line or a file is wrong, 3 done, but
not everything could be checked.)";

/// Returns the exit code when standard output could not be written. A reader that has closed the
/// pipe, such as `head`, has read enough.
int failed_output(int error, int code) {
  if (error == EPIPE) return code;
  fmt::print(stderr, "ulnet-fgr: standard output: {}\n", std::strerror(error));
  return ulnet::tools::fgr::kExitInput;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ulnet::tools;
  using namespace ulnet::tools::fgr;
  std::signal(SIGPIPE, SIG_IGN);
  int code = kExitDone;
  CLI::App app("ulnet-fgr - fine-grained routing of LNet: planned, checked, measured", "ulnet-fgr");
  app.footer(kExamples);
  app.set_version_flag("--version,-V", "ulnet-fgr " ULNET_VERSION);
  prepare_for_commands(app);
  add_new_command(app, code);
  add_plan_command(app, code);
  add_draw_command(app, code);
  add_hints_command(app, code);
  add_explain_log_command(app, code);
  add_check_commands(app, code);
  add_measure_command(app, code);
  add_verify_command(app, code);
  add_simulate_command(app, code);
  add_lab_command(app, code);
  try {
    if (const auto wrong = parse_words(app, words_of(argc, argv), kExitInput)) return *wrong;
  } catch (const std::system_error& error) {  // thrown by fmt::print
    return failed_output(error.code().value(), code);
  } catch (const std::exception& error) {  // out of memory
    fmt::print(stderr, "ulnet-fgr: {}\n", error.what());
    return kExitFound;
  }
  errno = 0;
  return std::fflush(stdout) == 0 ? code : failed_output(errno, code);
}
