#include "selftest/service/ping.h"

#include "selftest/service/workload.h"

namespace ulnet::svc::selftest {

using wire::LstPing;
using wire::LstPingReply;

namespace {

class PingWorkload final : public Workload {
 public:
  explicit PingWorkload(Context& context) : context_(context) {}
  Call::Bulk prepare(wire::LstMessage& request, Bulk&) override {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const auto wall = static_cast<std::uint64_t>(context_.host.wall_ns());
    auto& ping = request.body.emplace<LstPing>();
    ping.sequence = ++sequence_;
    ping.seconds = wall / kSecond;
    ping.nanoseconds = wall % kSecond;
    return {};
  }
  int judge(const wire::LstMessage& request, const wire::LstMessage& reply, Bulk&) override {
    const auto& asked = std::get<LstPing>(request.body);
    const auto& said = std::get<LstPingReply>(reply.body);
    return said.magic == wire::kLstPingMagic && said.sequence == asked.sequence ? 0 : -EBADMSG;
  }

 private:
  Context& context_;
  std::uint32_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<Workload> make_ping_workload(Context& context, const wire::LstTest&) {
  return std::make_unique<PingWorkload>(context);
}

bool PingServer::serve(const Arrived& request) {
  const auto& ping = std::get<LstPing>(request.message.body);
  const std::uint32_t status = judge_test_request(request.message);
  if (status == 0 && ping.magic != wire::kLstPingMagic) {
    ++context_.rpc.dropped;
    return true;
  }
  Served* served = served_.take(request, context_.settings.ping_workitems);
  if (served == nullptr) return false;
  served->reply(
      test_reply(request.message, LstPingReply{status, wire::kLstPingMagic, ping.sequence}));
  return true;
}

void PingServer::freed(Served& served) {
  served_.give(served);
  buffers_.offer();
}

}  // namespace ulnet::svc::selftest
