// The OSSs on which the clients of a simulated site have their files. Source: docs/FGR.md,
// "Simulated before it is built".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fgr/plan/plan.h"

namespace ulnet::tools::fgr {

struct ClientFiles {
  std::uint32_t clients = 1000;  ///< per client system; each client has a file of its own
  /// OSTs per file; a file of a file system with fewer uses all of them
  std::uint32_t stripes = 4;
};

/// The file of one client. Its stripes are on successive OSTs in the order of Lustre's round-robin
/// allocator, in which neighbouring OSTs are at different OSSs.
struct PlacedFile {
  std::size_t client = 0;  ///< index in Site::clients
  std::size_t file_system = 0;
  std::vector<std::size_t> osss;  ///< indices in FileSystem::servers, one for each stripe
};

/// Places the files of all clients. The result is ordered by client system, then by client. A
/// client that reaches several file systems gets a file in each in turn; a client that reaches none
/// has no stripe. Every file system assigns its OSTs in turn, so that no two OSSs differ by more
/// than one stripe if all clients reach all OSSs.
std::vector<PlacedFile> place_files(const plan::Plan& plan, const ClientFiles& files);

}  // namespace ulnet::tools::fgr
