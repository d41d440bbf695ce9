// The interactive prompt: every line is a command without the program's name. Source:
// spec/cli-lnetctl.md 1, spec/cli-lst.md 1.
#pragma once

#include <functional>
#include <string>

#include "text/shell/arguments.h"

namespace ulnet::tools {

/// Runs the commands of the standard input, line by line, until the input ends or a line is `quit`
/// or `exit`. On a terminal the prompt is "PROGRAM > ". Blanks separate words. Single and double
/// quotes keep words together. A line that begins with # is a comment. Returns the code of the last
/// command; the code of a line with an open quote is `open_quote`.
int run_lines(const std::string& program, int open_quote,
              const std::function<int(Words words)>& run);

}  // namespace ulnet::tools
