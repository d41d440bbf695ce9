// ulnet-sim: simulates LNet nodes in a virtual network; a run can be replayed from its seed.
// Source: DESIGN.md 6, docs/man/ulnet-sim.1.scd.
#include "sim/tool/commands.h"

using namespace ulnet::tools;

int main(int argc, char** argv) {
  const auto parsed = parse_options(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  return std::visit([](const auto& command) { return carry_out(command); },
                    std::get<Command>(parsed));
}
