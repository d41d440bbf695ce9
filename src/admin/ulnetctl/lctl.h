// ulnetctl under the name lctl, through a symlink, as for the name lnetctl. Source: recordings of
// production (spec/observed.md), and behaviour that scripts rely on.
#pragma once

#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

/// Carries out a command line of lctl. Without words, carries out the command lines on the standard
/// input. Returns the exit code. A command that ulnet does not have under that name ends with an
/// error that names ulnet's own command.
int run_lctl(Session& session, const Words& words);

}  // namespace ulnet::tools
