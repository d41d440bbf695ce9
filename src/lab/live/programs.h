// Runs programs of the system, as ip and tc, several at a time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

struct Program {
  std::vector<std::string> words;  ///< the first is looked for in PATH
  std::string input;               ///< its standard input
};

/// What `ip -batch` is given: a line for each command.
Program ip_batch(std::string lines);
/// The same inside a namespace; `program` is ip or tc.
Program batch_in(const std::string& program, const std::string& space, std::string lines);

/// Runs all of them, at most `width` at a time, and waits until each has ended, also after one has
/// failed. The error is that of the first that failed: what it was and what it said. Ctrl-C does
/// not reach them.
Result<void> run_programs(std::span<const Program> programs, std::size_t width = 4);
Result<void> run_program(const Program& program);
/// What the program writes to its standard output.
Result<std::string> output_of(const Program& program);

/// The path of a program, in the folder of this one, in `sbin` beside that, or else in PATH; empty:
/// there is none.
std::string find_program(const std::string& name);
/// The folder of this program.
std::string own_folder();

}  // namespace ulnet::tools::lab
