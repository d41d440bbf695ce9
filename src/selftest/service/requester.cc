#include "selftest/service/requester.h"

namespace ulnet::svc::selftest {

void Requester::call(const ProcessId& to, wire::LstMessage request, std::vector<std::byte> offered,
                     Duration timeout, std::function<void(const RpcReply&)> done) {
  const std::size_t wanted = wire::lst_data_wanted(request);
  ULNET_ASSERT(wanted == 0 || offered.empty());
  if (wanted != 0) offered.resize(wanted);
  const auto made =
      calls_.emplace(calls_.end(), *this, std::move(offered), wanted == 0, std::move(done));
  made->self = made;
  made->begin(to, request, {made->data, made->offered}, timeout);
}

void Requester::abort_all(int status) {
  for (auto next = calls_.begin(); next != calls_.end();) (next++)->abort(status);
}

}  // namespace ulnet::svc::selftest
