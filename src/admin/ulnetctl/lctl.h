// ulnetctl under the name lctl, through a symlink, as it is for lnetctl. Source: recordings of
// production (spec/observed.md), and what scripts rely on.
#pragma once

#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

/// Carries out a command line of lctl or, without words, the command lines on standard input.
/// Returns the exit code. A command that ulnet does not have under that name ends with an error
/// that names ulnet's own.
int run_lctl(Session& session, const Words& words);

}  // namespace ulnet::tools
