// The parts of a load with a node of other software. Only old_node.cc and old_node_op.cc include
// this.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sim/load/old_node.h"
#include "sim/world/world.h"

namespace ulnet::sim {

/// What the message of the operation with this key contains: random bytes.
std::vector<std::byte> contents_of(std::uint64_t key, std::uint32_t bytes);

/// An operation of a node with the old one, or of that with a node. It stays when it has ended.
struct OldNode::Op final : EventSink, PingSink {
  enum class What : std::uint8_t {
    // At the node.
    kPut,
    kPutAck,
    kGet,
    kPing,
    kDiscover,
    // At the old node.
    kItsPut,
    kItsPutAck,
    kItsGet,
    kItsPing,
    kItsPush,
    kCount
  };

  Op(OldNode& owner, const Pair& between, What kind, std::uint64_t number, std::uint32_t bytes)
      : load(owner), pair(between), what(kind), key(number), length(bytes) {}

  bool of_node() const { return what <= What::kDiscover; }
  bool begin();
  bool begin_at_node();
  bool post();
  void begin_at_old(ForeignNode& old);
  bool right() const {
    return std::ranges::equal(contents_of(key, length), ByteView(memory).first(length));
  }
  MdSpec spec();
  void on_event(const Event& event) override;
  void arrived(const Event& event);
  void on_ping(std::uint64_t which, int status, const PingReply& reply) override;
  void check_features(const PingReply& reply);
  void check_nids(const PingReply& reply);
  void forget();
  void take_back();

  OldNode& load;
  const Pair pair;
  const What what;
  const std::uint64_t key;
  const std::uint32_t length;
  std::size_t life = 0;            ///< of the old node, when it began
  std::optional<std::size_t> met;  ///< the life in which messages were exchanged
  std::vector<std::byte> memory;
  iovec fragment{};
  MdHandle md;
  std::uint64_t ticket = 0;
  std::uint64_t cookie = 0;  ///< of the handle of what the old node asks for
  bool under_way = false;    ///< at the node
  bool answered = false;     ///< ... with success
  bool handled = false;      ///< the node's event has told of the old node's PUT
};

/// Pushes what the old node owes, after the acknowledgement of what made it owe that.
struct OldNode::Pusher final : sim::Task {
  explicit Pusher(OldNode& owner) : load(owner) {}
  void run() override {
    if (load.node_ == nullptr) return load.owed_.clear();
    for (const auto& [from, to] : std::exchange(load.owed_, {}))
      load.node_->push(from, to, load.node_->info);
  }
  OldNode& load;
};

}  // namespace ulnet::sim
