#include "tests/lnet/live/interop/selftest_actor.h"

namespace ulnet::interop {
namespace {

using nlohmann::json;
using namespace wire;

// The session and batch of the test client; nothing else uses them.
constexpr std::int64_t kStamp = 1;
constexpr std::uint64_t kBatch = 1;

LstMessage message_of(const json& command) {
  const std::string hex = command["data"];
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return decode_lst_message(bytes).value();
}

ProcessId target_of(const json& command) {
  return {Nid::parse(command["target"].get<std::string>()).value(), Pid::lustre()};
}

/// The test whose client sends requests of this kind.
LstTest test_of(const LstMessage& request) {
  LstTest test;
  test.service = request.service();
  test.parameters = LstPingParameters{};
  if (const auto* brw = std::get_if<LstBrw>(&request.body))
    test.parameters = LstBrwBytes{brw->op, brw->check, brw->length, 0};
  return test;
}

}  // namespace

SelftestActor::SelftestActor(Lnet& lnet, Say say)
    : lnet_(lnet), say_(std::move(say)), host_(lnet) {}

void SelftestActor::obey(const json& command) {
  host_.run([this, command](Selftest& selftest) {
    const std::string op = command["op"];
    if (op == "rpc") return rpc(command, selftest);
    if (op == "test") return test(command, selftest);
    if (op == "result") return result(command, selftest);
    say_({{"error", "unknown op " + op}});
  });
}

void SelftestActor::rpc(const json& command, Selftest& selftest) {
  selftest.caller().call(
      target_of(command), message_of(command), {}, std::chrono::seconds(20),
      [this, id = command["id"]](const svc::selftest::RpcReply& reply) {
        say_(
            {{"id", id}, {"did", "rpc"}, {"rc", reply.status}, {"status", reply.message.status()}});
      });
}

void SelftestActor::ask_self(Selftest& selftest, LstBody body, std::vector<std::byte> offered,
                             std::function<void()> then) {
  LstMessage request;
  request.body = std::move(body);
  selftest.caller().call(
      lnet_.get_id(1, false).value(), request, std::move(offered), std::chrono::seconds(20),
      [this, then = std::move(then)](const svc::selftest::RpcReply& reply) {
        if (reply.status == 0 && reply.message.status() == 0) return then();
        say_({{"error", "own session"}, {"rc", reply.status}, {"status", reply.message.status()}});
      });
}

void SelftestActor::test(const json& command, Selftest& selftest) {
  const LstSessionId session{lnet_.get_id(1, false).value().nid, kStamp};
  LstTest test = test_of(message_of(command));
  test.session = session;
  test.batch = kBatch;
  test.loop = command["loop"];
  test.concurrency = 1;
  test.is_client = test.stop_on_error = true;
  test.destinations = 1;
  std::vector<std::byte> list(lst_destinations_bytes(1, kLstFeatures));
  encode_lst_destinations(std::vector<ProcessId>{target_of(command)}, list);
  ask_self(selftest, LstMakeSession{0, session, 0, LstName("replay")}, {}, [=, this, &selftest] {
    ask_self(selftest, test, list, [=, this, &selftest] {
      ask_self(selftest, LstBatch{0, session, kBatch, LstBatchOp::kRun, 0, 0}, {}, [] {});
    });
  });
}

void SelftestActor::result(const json& command, const Selftest& selftest) {
  json line{{"id", command["id"]}, {"did", "result"}, {"running", 1}};
  if (const auto* session = selftest.framework().session()) {
    const auto batch = session->batches.find(kBatch);
    if (batch != session->batches.end()) {
      line["running"] = batch->second.running();
      line["errors"] = session->brw_errors + session->ping_errors;
      line["well"] = batch->second.tests().at(0)->latency().count();
    }
  }
  say_(line);
}

}  // namespace ulnet::interop
