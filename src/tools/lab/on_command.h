// What a command of a program does, for ulnet-lab and ulnet-fgr.
#pragma once

#include <CLI/CLI.hpp>
#include <utility>

namespace ulnet::tools::lab {

/// Gives a command its work: `work` returns the exit code, and is called when the command line was
/// that of this command. `code` is what the program ends with. Both outlive the parsing.
template <class Work>
void on_command(CLI::App& command, int& code, Work work) {
  command.callback([&code, work = std::move(work)]() mutable { code = work(); });
}

}  // namespace ulnet::tools::lab
