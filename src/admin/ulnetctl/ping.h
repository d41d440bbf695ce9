// Prints the result of a ping or of a discovery, for these commands and for `import --exec`.
#pragma once

#include "admin/client/nid_words.h"
#include "admin/ulnetctl/session.h"

namespace ulnet::tools {

/// Resolves host names, and remembers the names that could not be resolved.
class HostNames {
 public:
  /// Returns a resolver. This object must outlive it.
  ctl::HostResolver resolver();
  void hint(Session& session) const;

 private:
  std::vector<std::string> unknown_;
};

/// Prints the targets that answered, then in the same document the targets that failed. Prints a
/// hint about the reason on stderr.
void show_ping(Session& session, const ctl::LnetConfig::PingResult& result, bool as_json);

}  // namespace ulnet::tools
