#include "svc/selftest/requester.h"

namespace ulnet::svc::selftest {

void Requester::call(const ProcessId& to, wire::LstMessage request, std::vector<std::byte> offered,
                     Duration timeout, std::function<void(const RpcReply&)> done) {
  const auto made = calls_.emplace(calls_.end(), *this, std::move(offered), std::move(done));
  made->self = made;
  made->begin(to, request, {made->offered, true}, timeout);
}

void Requester::abort_all(int status) {
  for (auto next = calls_.begin(); next != calls_.end();) (next++)->abort(status);
}

}  // namespace ulnet::svc::selftest
