// ulnet-sim: simulates LNet nodes in a virtual network; a run can be replayed from its seed.
// Source: DESIGN.md 6, docs/man/ulnet-sim.1.scd.
#include "sim/tool/commands.h"

namespace {

using namespace ulnet::tools;

struct Do {
  int operator()(const RunCommand& command) const { return run_file(command); }
  int operator()(const SwarmCommand& command) const { return swarm(command); }
  int operator()(const ReplayCommand& command) const { return replay(command); }
  int operator()(const DigestCommand& command) const { return digests(command); }
  int operator()(const FeaturesCommand& command) const { return count_features(command); }
};

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = parse_options(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  return std::visit(Do{}, std::get<Command>(parsed));
}
