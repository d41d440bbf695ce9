// A node that carries out commands. Each line of standard input is a command as JSON; results and
// events are lines of standard output. The node takes the place of the upper layer of a captured
// session: it attaches the same MDs and sends the same messages. It uses only the public interface.
//
//   interop_actor NETWORKS [param=value ...]
//
// A match entry with a buffer for one use, and a match entry to be read from:
//   {"op": "attach", "id": 1, "portal": 51, "bits": 1, "put": true, "size": 160}
//   {"op": "attach", "id": 2, "portal": 52, "bits": 8, "put": false, "data": "00ff"}
// Requests and counters:
//   {"op": "put", "id": 3, "target": NID, "self": NID, "portal": 51, "bits": 1, "hdr_data": 0,
//    "offset": 0, "data": "00ff", "ack": true}
//   {"op": "get", "id": 4, "target": NID, "self": NID, "portal": 0, "bits": 1, "size": 272}
//   {"op": "ping", "id": 5, "target": NID, "self": NID, "timeout_ms": 1000}
//   {"op": "counters", "id": 6}     {"op": "quit"}
// The selftest in place of that upper layer (selftest_actor.h). The commands in order: serve; send
// a console's request; run a test client of its own that sends such requests; read the state of
// that test:
//   {"op": "selftest", "id": 7}
//   {"op": "rpc", "id": 8, "target": NID, "data": "0df0b0ee..."}
//   {"op": "test", "id": 9, "target": NID, "data": "0df0b0ee...", "loop": 3}
//   {"op": "result", "id": 10}
#include <cstdio>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/lnet/live/interop/selftest_actor.h"
#include "ulnet/node.hpp"

namespace {

using nlohmann::json;
using ulnet::interop::SelftestActor;

void say(const json& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << line.dump() << std::endl;
}

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string to_hex(const std::uint8_t* bytes, std::size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

ulnet::Nid nid_of(const json& command, const char* key) {
  if (!command.contains(key)) return ulnet::Nid::any();
  return ulnet::Nid::parse(command[key].get<std::string>()).value();
}

/// An MD with its memory. It prints its events as lines.
class Buffer : public ulnet::EventSink {
 public:
  Buffer(std::uint64_t id, std::vector<std::uint8_t> bytes) : id_(id), bytes_(std::move(bytes)) {
    fragment_ = {bytes_.data(), bytes_.size()};
  }
  ulnet::MdSpec spec(std::uint32_t options, std::int32_t threshold) {
    ulnet::MdSpec md;
    md.fragments = {&fragment_, bytes_.empty() ? 0U : 1U};
    md.options = options;
    md.threshold = threshold;
    md.sink = this;
    return md;
  }
  void on_event(const ulnet::Event& event) override {
    static constexpr const char* kNames[] = {"", "get", "put", "reply", "ack", "send", "unlink"};
    json line{{"id", id_},
              {"event", kNames[static_cast<int>(event.type)]},
              {"status", event.status},
              {"unlinked", event.unlinked},
              {"mlength", event.mlength},
              {"rlength", event.rlength},
              {"portal", event.portal.index},
              {"match_bits", event.match_bits.value},
              {"hdr_data", event.hdr_data},
              {"initiator", event.initiator.to_string()}};
    const bool landed =
        event.type == ulnet::EventType::kPut || event.type == ulnet::EventType::kReply;
    if (landed && event.status == 0)
      line["data"] = to_hex(bytes_.data() + event.offset, event.mlength);
    say(line);
  }

 private:
  std::uint64_t id_;
  std::vector<std::uint8_t> bytes_;
  iovec fragment_{};
};

class Actor {
 public:
  explicit Actor(ulnet::Lnet& lnet) : lnet_(lnet) {}
  ~Actor() {
    for (auto& thread : pings_) thread.join();
  }

  /// To be called before the node stops.
  void end() {
    if (selftest_ != nullptr) selftest_->stop();
  }

  void obey(const json& command) {
    const std::string op = command["op"];
    if (op == "attach") return attach(command);
    if (op == "put") return put(command);
    if (op == "get") return get(command);
    if (op == "ping") {
      pings_.emplace_back([this, command] { ping(command); });
      return;
    }
    if (op == "counters") return counters(command);
    if (op == "selftest") return selftest(command);
    if (selftest_ != nullptr) return selftest_->obey(command);
    say({{"error", "unknown op " + op}});
  }

 private:
  Buffer& buffer(const json& command) {
    auto bytes = command.contains("data") ? from_hex(command["data"])
                                          : std::vector<std::uint8_t>(command.value("size", 0U));
    return buffers_.emplace_back(command["id"], std::move(bytes));
  }
  template <class T>
  void answer(const json& command, const ulnet::Result<T>& result) {
    json line{
        {"id", command["id"]}, {"did", command["op"]}, {"rc", result ? 0 : result.error().code}};
    if (!result) line["reason"] = result.error().reason;
    say(line);
  }
  ulnet::ProcessId target(const json& command) {
    return {nid_of(command, "target"), ulnet::Pid{command.value("pid", 12345U)}};
  }

  void attach(const json& command) {
    const bool put = command["put"];
    auto me = lnet_.me_attach(
        ulnet::Portal{command["portal"]}, {ulnet::Nid::any(), ulnet::Pid::any()},
        ulnet::MatchBits{command["bits"]}, ulnet::MatchBits{command.value("ignore", 0ULL)},
        ulnet::UnlinkMode::kUnlink, ulnet::InsertPosition::kAfter);
    if (!me) return answer(command, me);
    const std::uint32_t options =
        (put ? ulnet::kOpPut : ulnet::kOpGet) | command.value("options", 0U);
    answer(command,
           lnet_.md_attach(*me, buffer(command).spec(options, command.value("threshold", 1)),
                           ulnet::UnlinkMode::kUnlink));
  }
  void put(const json& command) {
    const bool ack = command.value("ack", false);
    auto md = lnet_.md_bind(buffer(command).spec(0, ack ? 2 : 1), ulnet::UnlinkMode::kUnlink);
    if (!md) return answer(command, md);
    ulnet::PutRequest request;
    request.md = *md;
    request.target = target(command);
    request.portal = {command["portal"]};
    request.match_bits = {command["bits"]};
    request.offset = command.value("offset", 0U);
    request.hdr_data = command.value("hdr_data", 0ULL);
    request.ack = ack ? ulnet::AckRequest::kAck : ulnet::AckRequest::kNoAck;
    request.self = nid_of(command, "self");
    answer(command, lnet_.put(request));
  }
  void get(const json& command) {
    auto md = lnet_.md_bind(buffer(command).spec(0, 2), ulnet::UnlinkMode::kUnlink);
    if (!md) return answer(command, md);
    ulnet::GetRequest request;
    request.md = *md;
    request.target = target(command);
    request.portal = {command["portal"]};
    request.match_bits = {command["bits"]};
    request.self = nid_of(command, "self");
    answer(command, lnet_.get(request));
  }
  void ping(const json& command) {
    ulnet::PingRequest request;
    request.target = target(command);
    request.source = nid_of(command, "self");
    request.timeout = std::chrono::milliseconds(command.value("timeout_ms", 1000));
    answer(command, lnet_.ping(request));
  }
  void selftest(const json& command) {
    selftest_ = std::make_unique<SelftestActor>(lnet_, say);
    answer(command, selftest_->start());
  }
  void counters(const json& command) {
    const ulnet::Counters c = lnet_.counters();
    say({{"id", command["id"]},
         {"did", "counters"},
         {"rc", 0},
         {"drop_count", c.drop_count},
         {"errors", c.errors},
         {"recv_count", c.recv_count},
         {"send_count", c.send_count},
         {"msgs_alloc", c.msgs_alloc}});
  }

  ulnet::Lnet& lnet_;
  std::unique_ptr<SelftestActor> selftest_;  // lives until the node has stopped
  std::deque<Buffer> buffers_;               // lives until the node has stopped
  std::vector<std::thread> pings_;
};

int run(int argc, char** argv) {
  ulnet::NodeOptions options;
  options.networks = argv[1];
  options.log = [](void*, int level, const char* line) {
    std::fprintf(stderr, "%d %s\n", level, line);
  };
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return 2;
    options.params[word.substr(0, equals)] = word.substr(equals + 1);
  }
  auto node = ulnet::Node::start(options);
  if (!node) {
    say({{"ready", false}, {"rc", node.error().code}, {"reason", node.error().reason}});
    return 1;
  }
  std::vector<std::string> nids;
  for (unsigned i = 0;; ++i) {
    const auto id = (*node)->get_id(i, true);
    if (!id) break;
    nids.push_back(id->nid.to_string());
  }
  say({{"ready", true}, {"nids", nids}});
  Actor actor(**node);
  std::string line;
  while (std::getline(std::cin, line)) {
    const json command = json::parse(line);
    if (command["op"] == "quit") break;
    actor.obey(command);
  }
  actor.end();
  (*node)->stop(std::chrono::seconds(1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: interop_actor NETWORKS [param=value ...]\n");
    return 2;
  }
  return run(argc, argv);
}
