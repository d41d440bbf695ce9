// What a node tells about itself is so. After every step its ping info has its NIs in their order,
// each with its status, and its features; its sequence number is 1 at first and grows by one with
// each change, and with nothing else; the ping target holds that info, where it can be found.
// What is answered to a ping, and what is pushed, is an info that was in force since the ping came
// or the push began. What a peer keeps as the NIDs of a node was told by that node, and while no
// letter is under way every partition keeps the same; a node takes nothing as acknowledged that it
// has not told. That peers are told of a change awaits discovery: today a node pushes only to who
// pushes to it. Source: spec/core-semantics.md 14, spec/wire-lnet.md 4.2, 4.3, 5.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "base/bytes.h"
#include "sim/checkers/books.h"
#include "wire/ping_info.h"

namespace ulnet::sim {

class PingInfoTrue final : public Checker {
 public:
  PingInfoTrue() : Checker("ping info true", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// An info that was in force.
  struct Told {
    wire::PingInfo info;
    std::vector<std::byte> bytes;
    Instant until = Instant::max();
  };
  /// Why an NI may be down, as the control shard has heard.
  struct NiNews {
    bool fatal = false;
    core::ShardSet ill;  ///< shards where its health fell to 0 and is not back
  };
  struct Book {
    std::map<core::NiId, NiNews> nis;
    std::vector<Told> told;  ///< oldest first
  };
  static void hear(const ShardStep& step, Book& book);
  void look_at_info(World& world, const ShardStep& step, Book& book);
  void take_down(World& world, const ShardStep& step, Book& book);
  void look_at_target(World& world, const SimNode& node, const core::ShardState& state,
                      const Told& told) const;
  void look_at_loan(World& world, const ShardStep& step, Book& book,
                    const core::letter::Matched& lent) const;
  void look_at_send(World& world, const ShardStep& step, Book& book, const core::Send& send) const;
  void look_at_peers(World& world, const SimNode& node, const core::ShardState& state);
  void look_at_shards(World& world, const SimNode& node, const core::ShardState& control);

  Books<Book> books_;
  std::map<std::uint32_t, std::set<std::vector<Nid>>> ever_;  ///< the NIDs that nodes told, sorted
};

}  // namespace ulnet::sim
