// How the outcome of a ping is printed: for the command, and for `import --exec`.
#pragma once

#include "ctl/nid_words.h"
#include "tools/ulnetctl/session.h"

namespace ulnet::tools {

/// Finds hosts by name, and can tell afterwards which names nobody knew.
class HostNames {
 public:
  /// Must not outlive this.
  ctl::HostResolver resolver();
  void hint(Session& session) const;

 private:
  std::vector<std::string> unknown_;
};

/// Good targets first, then the failed ones in the same document; what probably is the matter goes
/// to stderr.
void show_ping(Session& session, const ctl::LnetConfig::PingResult& result, bool as_json);

}  // namespace ulnet::tools
