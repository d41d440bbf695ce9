// ulnet-lab: starts, breaks and shows whole networks of LNet nodes on one machine.
// Source: docs/LAB.md.
#include <csignal>

#include "lab/commands.h"

namespace {

constexpr const char* kExamples = R"(Examples:
  ulnet-lab topologies                                    the topologies that come with it
  ulnet-lab check rack.yaml                               mistakes as file:line:column: reason
  ulnet-lab draw two-ssu-fgr -o rack.svg                  a picture of it
  ulnet-lab up two-ssu-fgr                                start it
  ulnet-lab measure --from client --to oss --write        traffic
  ulnet-lab kill router1; ulnet-lab status                what LNet does without it
  ulnet-lab down

Exit codes: 0 done, 1 failed, 2 command line, 3 a file is wrong.)";

}  // namespace

int main(int argc, char** argv) {
  using namespace ulnet::tools;
  using namespace ulnet::tools::lab;
  std::signal(SIGPIPE, SIG_IGN);  // a node may end while a command asks it
  int code = kExitDone;
  CLI::App app("ulnet-lab - networks of LNet nodes to start, break and watch", "ulnet-lab");
  app.footer(kExamples);
  app.set_version_flag("--version,-V", "ulnet-lab " ULNET_VERSION);
  prepare_for_commands(app);
  add_commands(app, code);
  try {
    const auto words = with_lab_behind(app, words_of(argc, argv));
    if (const auto wrong = parse_words(app, words, kExitUsage)) return *wrong;
  } catch (const std::exception& error) {  // no memory, no threads
    return complain(error.what());
  }
  return code;
}
