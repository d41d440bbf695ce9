// On which OSSs the clients of a simulated site have their files. Source: docs/FGR.md, "Simulated
// before it is built".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fgr/plan/plan.h"

namespace ulnet::tools::fgr {

struct ClientFiles {
  std::uint32_t clients = 1000;  ///< of each client system; each has a file of its own
  std::uint32_t stripes = 4;     ///< OSTs of a file; a file system with fewer gives all it has
};

/// The file of one client. Its stripes are on OSTs one after the other, as the round-robin
/// allocator of Lustre takes them: neighbouring OSTs of that order are at different OSSs.
struct PlacedFile {
  std::size_t client = 0;  ///< in Site::clients
  std::size_t file_system = 0;
  std::vector<std::size_t> osss;  ///< in FileSystem::servers, one for each stripe
};

/// By client system, then by client. A client that reaches several file systems has its file in
/// the one whose turn it is; one that reaches none has no stripe. Every file system gives its OSTs
/// in turn, so that no two OSSs differ by more than one stripe where all clients reach all OSSs.
std::vector<PlacedFile> place_files(const plan::Plan& plan, const ClientFiles& files);

}  // namespace ulnet::tools::fgr
