// Commands of lnetctl that ulnet has not implemented print an error. Source: spec/cli-lnetctl.md 2.
#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

/// Returns the operation under which lnetctl reports errors of the command.
std::string_view operation_of(std::string_view word) {
  for (const std::string_view known : {"add", "del", "show", "set"}) {
    if (word == known) return known;
  }
  return "manage";
}

}  // namespace

int run_not_built(Session& session, const Command& self, Words) {
  const std::string path = path_of(self);
  return session.not_built(operation_of(self.name), path.substr(0, path.find(' ')), path);
}

}  // namespace ulnet::tools
