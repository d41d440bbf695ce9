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

/// The contents of the message of the operation with this key: random bytes.
std::vector<std::byte> contents_of(std::uint64_t key, std::uint32_t bytes);

/// An operation of a node with the old node, or of the old node with a node. The object remains
/// when the operation has ended.
struct OldNode::Op final : EventSink, PingSink {
  enum class What : std::uint8_t {
    // Operations that a node begins.
    kPut,
    kPutAck,
    kGet,
    kPing,
    kDiscover,
    // Operations that the old node begins.
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
  std::size_t incarnation = 0;     ///< the old node's start in which the operation began
  std::optional<std::size_t> met;  ///< the old node's start in which messages were exchanged
  std::vector<std::byte> memory;
  iovec fragment{};
  MdHandle md;
  std::uint64_t ticket = 0;
  std::uint64_t cookie = 0;  ///< the cookie in the handle of the old node's request
  bool under_way = false;    ///< at the node
  bool answered = false;     ///< an answer has arrived, with success
  bool handled = false;      ///< the node's event has reported the old node's PUT
};

/// Sends the old node's due pushes, after it has acknowledged the message that made them due.
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
