// An RPC of LNet selftest as its requester sees it: one message, perhaps data, one reply. Source:
// spec/wire-selftest.md 1.2, 1.3.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/wire/lst_message.h"
#include "ulnet/nid.hpp"

namespace ulnet::svc::selftest {

/// How an RPC ended.
struct RpcReply {
  /// 0: `message` is the reply, of the type that belongs to the request; the status in the reply
  /// says whether the peer carried out the request. Otherwise a negative errno of this side:
  /// -ETIMEDOUT, -EINTR (aborted), -EBADMSG (the reply cannot be decoded), -ESHUTDOWN, or the errno
  /// of the LNet event or call.
  int status = 0;
  wire::LstMessage message;
  /// The data that came before the reply, if the request asks for data (wire::lst_data_wanted()).
  std::vector<std::byte> data = {};
};

/// Sends requests. One thread at a time.
class Caller {
 public:
  virtual ~Caller() = default;
  /// Sends `request` to `to` and chooses its ids. If `offered` is not empty, the peer may read it
  /// once, as a whole (by GET, spec/wire-selftest.md 3.4). A request that asks for data offers
  /// none. `timeout` 0 waits for ever. Calls `done` exactly once, never inside call().
  virtual void call(const ProcessId& to, wire::LstMessage request, std::vector<std::byte> offered,
                    Duration timeout, std::function<void(const RpcReply&)> done) = 0;
};

}  // namespace ulnet::svc::selftest
