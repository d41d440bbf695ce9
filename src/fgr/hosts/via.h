// The command line's description of how hosts of a site are reached.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fgr/verify/verify.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

/// A method to ask a host: lnetctl on this machine, lnetctl over ssh, or the control socket of a
/// ulnetd.
struct Via {
  enum class Way : std::uint8_t { kLocal, kSsh, kControlSocket } way = Way::kLocal;
  std::string place;  ///< for ssh the machine, [USER@]HOST; for a control socket its path
};
/// A host that is to be asked. Without a number, its NIDs show which host it is.
struct ViaHost {
  Via via;
  std::optional<std::size_t> host;  ///< index in VerifyChecks::hosts
};

/// Returns the hosts to be asked, each once: a pattern leaves out hosts that other words name.
/// -ENOENT: the site does not have this name; the reason has the nearest name. -EEXIST: a host is
/// named twice; -EINVAL.
Result<std::vector<ViaHost>> hosts_of(const std::vector<std::string>& words,
                                      const plan::VerifyChecks& checks);

/// Parses "client[1-2]" or "SYSTEM/client[1-2]". -EINVAL, -ENOENT: the system does not exist, or
/// the word names no system although the site has several.
Result<std::vector<plan::NamedClient>> clients_of(const std::vector<std::string>& words,
                                                  const plan::Plan& plan);

}  // namespace ulnet::tools::fgr
