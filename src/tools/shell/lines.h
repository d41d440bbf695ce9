// The prompt: every line is a command without the program's name. Source: spec/cli-lnetctl.md 1,
// spec/cli-lst.md 1.
#pragma once

#include <functional>
#include <string>

#include "tools/shell/arguments.h"

namespace ulnet::tools {

/// Runs the commands on the standard input, line by line, until it ends or says `quit` or `exit`;
/// prompts with "PROGRAM > " on a terminal. Blanks part words, quotes of both kinds keep them
/// together, a line that begins with # is none. Returns the code of the last command; `open_quote`
/// for a line with a quote that is not closed.
int run_lines(const std::string& program, int open_quote,
              const std::function<int(Words words)>& run);

}  // namespace ulnet::tools
