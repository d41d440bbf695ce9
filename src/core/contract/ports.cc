#include "core/contract/ports.h"

namespace ulnet::core {

const char* to_string(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kLocalInterrupt:
      return "local_interrupt";
    case Health::kLocalDropped:
      return "local_dropped";
    case Health::kLocalAborted:
      return "local_aborted";
    case Health::kLocalNoRoute:
      return "local_no_route";
    case Health::kLocalTimeout:
      return "local_timeout";
    case Health::kLocalError:
      return "local_error";
    case Health::kRemoteDropped:
      return "remote_dropped";
    case Health::kRemoteError:
      return "remote_error";
    case Health::kRemoteTimeout:
      return "remote_timeout";
    case Health::kNetworkTimeout:
      return "network_timeout";
  }
  return "unknown";
}

}  // namespace ulnet::core
