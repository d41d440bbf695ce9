// Runs programs of the system, such as ip and tc, several at a time.
#pragma once

#include <sys/types.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

struct Program {
  std::vector<std::string> words;  ///< the program, which is searched in PATH, and its arguments
  std::string input;               ///< its standard input
};

/// Returns the program `ip -batch` with this input, which has a line for each command.
Program ip_batch(std::string lines);
/// Returns `program -batch` with this input, to be run inside a namespace; `program` is ip or tc.
Program batch_in(const std::string& program, const std::string& space, std::string lines);

/// Runs all programs, at most `width` at a time, and waits until each has ended, also after a
/// program has failed. The error is that of the first program that failed: its command and its
/// error output. Ctrl-C does not reach the programs.
Result<void> run_programs(std::span<const Program> programs, std::size_t width = 4);
Result<void> run_program(const Program& program);

/// Whether Ctrl-C, which ends this program, reaches a program that it has started.
enum class CtrlC { kReaches, kDoesNotReach };

inline constexpr int kDevNull = -2;  ///< in place of a descriptor: /dev/null

/// Starts a program, which is searched in PATH, and returns its pid; the caller waits for its end.
/// The descriptors `files` become its standard input, output and error. A program that Ctrl-C does
/// not reach has a process group of its own. The error has the system's errno and its text.
Result<pid_t> start_program(const std::vector<std::string>& words, const std::array<int, 3>& files,
                            CtrlC ctrl_c);

/// Finds the path of a program: in the folder of this program, in `sbin` beside that folder, or
/// else in PATH. Empty: the program was not found.
std::string find_program(const std::string& name);
/// Returns the folder of this program.
std::string own_folder();

}  // namespace ulnet::tools::lab
