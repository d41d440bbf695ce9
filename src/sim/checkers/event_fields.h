// An event repeats the values of its message and its MD: the parties, the portal, match bits,
// lengths and hdr_data of the header that arrived or was given to a driver. An event that another
// partition reports by an inter-shard message reaches the user unchanged. right_entry.h and
// md_limits.h check which MD is used, and which part of it. Source: spec/core-semantics.md 5.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class EventFields final : public Checker {
 public:
  EventFields() : Checker("event fields", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

 private:
  /// A message as it arrived, or as it was given to a driver.
  struct Seen {
    wire::LnetHeader header;
    Nid hop;
  };
  struct Lent {
    const void* start = nullptr;
    void* user_ptr = nullptr;
    std::uint32_t options = 0;
  };
  /// The handle by which an initiator names the MD of a GET: the cookies of its start and of the
  /// MD.
  using Handle = std::pair<std::uint64_t, std::uint64_t>;
  struct Record {
    std::map<Rx, Seen> arrived;      ///< no verdict yet
    PerMessage<Seen> landing, sent;  ///< `sent`: as began_as() names them
    /// All GETs of a handle. The REPLY may go to another NID of the initiator than the GET came
    /// from, and by other NIs (decision 127).
    std::map<Handle, std::vector<Seen>> gets;
    std::map<std::uint64_t, Lent> mds;  ///< by cookie
  };
  void note_input(const ShardStep& step, Record& record);
  void note_actions(const ShardStep& step, Record& record);
  void landed(World& world, const ShardStep& step, const Record& record, const Seen& seen);
  void sent(World& world, const ShardStep& step, Record& record, core::MsgTicket tx);
  void acknowledged(World& world, const ShardStep& step, const Seen& ack, const Nid& primary);
  void ended_elsewhere(World& world, const ShardStep& step, const core::shard_msg::Ended& ended);
  void md_part(World& world, const ShardStep& step, Record& record, const Event& event);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
