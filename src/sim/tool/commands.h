// The commands of ulnet-sim: a function for each, which returns the exit code.
#pragma once

#include "sim/tool/options.h"

namespace ulnet::tools {

int run_file(const RunCommand& command);
int swarm(const SwarmCommand& command);
int replay(const ReplayCommand& command);
int digests(const DigestCommand& command);
int count_features(const FeaturesCommand& command);

}  // namespace ulnet::tools
