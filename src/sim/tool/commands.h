// The commands of ulnet-sim: a function for each, which returns the exit code.
#pragma once

#include "sim/tool/options.h"

namespace ulnet::tools {

int carry_out(const RunCommand& command);
int carry_out(const SwarmCommand& command);
int carry_out(const ReplayCommand& command);
int carry_out(const DigestCommand& command);
int carry_out(const FeaturesCommand& command);

}  // namespace ulnet::tools
