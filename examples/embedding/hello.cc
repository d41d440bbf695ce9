// Two LNet nodes in one program: one PUT with its ACK, then a GET that reads the same buffer back.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <ulnet/handles.hpp>
#include <ulnet/node.hpp>

namespace {

std::unique_ptr<ulnet::Node> start(const char* networks) {
  ulnet::NodeOptions options;
  options.networks = networks;
  options.params = {{"accept", "trust"},
                    {"accept_port", "11988"}};  // for tests without root: accept any source port
  auto node = ulnet::Node::start(options);
  if (node) return std::move(*node);
  std::fprintf(stderr, "%s: %s\n", networks, node.error().reason.c_str());
  std::exit(1);
}

template <class Flag>
void wait_for(const Flag& flag) {
  while (!flag) std::this_thread::yield();
}

}  // namespace

int main() {
  const auto alice = start("tcp(127.0.77.1)");
  const auto bob = start("tcp(127.0.77.2)");
  const ulnet::ProcessId bob_id = {*ulnet::Nid::parse("127.0.77.2@tcp"), ulnet::Pid::lustre()};

  // Bob attaches a buffer at portal 4, match bits 7, that others may write and read.
  std::array<std::byte, 64> shelf{};
  std::atomic<bool> written = false;
  auto target = ulnet::MemoryDescriptor::attach(
      *bob, {.portal = {4}, .match = {7}}, shelf,
      {.options = ulnet::kOpPut | ulnet::kOpGet | ulnet::kManageRemote | ulnet::kTruncate},
      [&](const ulnet::Event& event) {
        if (event.type == ulnet::EventType::kPut) written = true;
      });

  // Alice sends a PUT that asks for an ACK.
  std::array<std::byte, 64> letter{};
  std::memcpy(letter.data(), "hello, LNet", 12);
  std::atomic<bool> acknowledged = false;
  auto source = ulnet::MemoryDescriptor::bind(*alice, letter, {}, [&](const ulnet::Event& event) {
    if (event.type == ulnet::EventType::kAck) acknowledged = true;
  });
  if (!target || !source) return 1;
  ulnet::PutRequest put{.md = source->handle(), .target = bob_id, .portal = {4}, .match_bits = {7}};
  put.ack = ulnet::AckRequest::kAck;
  if (!alice->put(put)) return 1;
  wait_for(acknowledged);
  wait_for(written);
  std::printf("bob's shelf: %s\n", reinterpret_cast<const char*>(shelf.data()));

  // Alice sends a GET for the same buffer.
  std::array<std::byte, 64> copy{};
  std::atomic<bool> arrived = false;
  auto sink = ulnet::MemoryDescriptor::bind(*alice, copy, {}, [&](const ulnet::Event& event) {
    if (event.type == ulnet::EventType::kReply) arrived = true;
  });
  if (!sink ||
      !alice->get({.md = sink->handle(), .target = bob_id, .portal = {4}, .match_bits = {7}}))
    return 1;
  wait_for(arrived);
  std::printf("alice reads: %s\n", reinterpret_cast<const char*>(copy.data()));
  return copy == letter ? 0 : 1;
}
