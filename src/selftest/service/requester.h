// Sends single RPCs, above all for a console. Source: spec/wire-selftest.md 1.2.
#pragma once

#include <list>

#include "selftest/service/call.h"

namespace ulnet::svc::selftest {

class Requester final : public Caller {
 public:
  explicit Requester(Context& context) : context_(context) {}

  void call(const ProcessId& to, wire::LstMessage request, std::vector<std::byte> offered,
            Duration timeout, std::function<void(const RpcReply&)> done) override;
  /// Ends every RPC with this status and calls their `done` functions.
  void abort_all(int status);
  std::size_t under_way() const { return calls_.size(); }

 private:
  struct Single;
  Context& context_;
  std::list<Single> calls_;
};

/// A single RPC; removed once LNet has released its memory.
struct Requester::Single final : Call {
  Single(Requester& owner, std::vector<std::byte> memory, bool is_offered,
         std::function<void(const RpcReply&)> on_end)
      : Call(owner.context_),
        requester(owner),
        data(std::move(memory)),
        offered(is_offered),
        done(std::move(on_end)) {}
  void ended(const RpcReply& reply) override {
    if (reply.status != 0 || offered) return done(reply);
    // Everything that the RPC waited for has come, so LNet has released the memory.
    RpcReply with_data = reply;
    with_data.data = std::move(data);
    done(with_data);
  }
  void released() override { requester.calls_.erase(self); }

  Requester& requester;
  std::list<Single>::iterator self;
  std::vector<std::byte> data;
  const bool offered;  ///< true: the peer may read the data; false: the peer writes them
  const std::function<void(const RpcReply&)> done;
};

}  // namespace ulnet::svc::selftest
