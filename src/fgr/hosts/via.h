// How hosts of a site are reached, as the command line says it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fgr/verify/verify.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

/// One way to ask a host: lnetctl here, lnetctl over ssh, or the control socket of a ulnetd.
struct Via {
  enum class Way : std::uint8_t { kLocal, kSsh, kDoor } way = Way::kLocal;
  std::string place;  ///< of ssh the machine, [USER@]HOST; of a door the socket's path
};
/// A host that is to be asked. Without a number who it is follows from its NIDs.
struct ViaHost {
  Via via;
  std::optional<std::size_t> host;  ///< in VerifyChecks::hosts
};

/// "local", "ssh:[USER@]HOST", "door:PATH", each with "NAME=" before it, or with {host} in it.
/// -EINVAL with the reason.
struct ViaWord {
  std::string name;  ///< of the host; empty: not said
  Via via;
  bool pattern = false;  ///< {host} is in it: it stands for all hosts
};
Result<ViaWord> parse_via(std::string_view word);

/// The hosts to be asked, each once: one that a word names is not asked by a pattern too.
/// -ENOENT: a name that the site does not have, with the nearest one; -EEXIST: named twice;
/// -EINVAL.
Result<std::vector<ViaHost>> hosts_of(const std::vector<std::string>& words,
                                      const plan::VerifyChecks& checks);

/// "client[1-2]" or "SYSTEM/client[1-2]". -EINVAL, -ENOENT: there is no such system, or there are
/// several and none is named.
Result<std::vector<plan::NamedClient>> clients_of(const std::vector<std::string>& words,
                                                  const plan::Plan& plan);

}  // namespace ulnet::tools::fgr
