// A node that announces the memory of MDs announces each MD once when it begins and once when it
// ends: before the first action that names memory of the MD, and before the event that gives the
// memory back to the user. A driver that registers memory relies on it. Source: DESIGN.md 2,
// lnet/core/contract/ports.h.
#include <algorithm>
#include <map>
#include <vector>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class MemoryAnnounced final : public Checker {
 public:
  MemoryAnnounced() : Checker("memory announced", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    if (!step.node.setup().announces_memory) return;
    Record& record = records_.of(step.node);
    for (const core::Action& action : step.actions) {
      if (const auto* attach = std::get_if<core::AttachMemory>(&action))
        this->attach(world, step, record, *attach);
      else if (const auto* detach = std::get_if<core::DetachMemory>(&action))
        this->detach(world, step, record, *detach);
      else if (const auto* send = std::get_if<core::Send>(&action))
        use(world, step, record, send->tx, std::max(send->payload.length, send->sink.length));
      else if (const auto* land = std::get_if<core::Land>(&action))
        use(world, step, record, land->msg, land->sink.length);
      else if (const auto* copy = std::get_if<core::CopyPayload>(&action))
        this->copy(world, step, record, copy->to);
      else if (const auto* post = std::get_if<core::Post>(&action))
        if (post->event.unlinked && record.contains(post->strand.cookie))
          violation(world, &step.node, "an MD's last event comes while its memory is attached");
    }
  }

  /// Every MD that exists is announced, and no other.
  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      if (node.shard_state() == nullptr || !node.setup().announces_memory) continue;
      const Record& record = records_.of(node);
      std::size_t exist = 0;
      bool all = true;
      for_each_shard(node, [&](const core::ShardState& shard, std::uint32_t) {
        exist += shard.memory.size();
        shard.memory.for_each(
            [&](const core::Md& md) { all = all && record.contains(md.handle.cookie); });
      });
      if (!all || exist != record.size())
        violation(world, &node, "{} MDs exist, the memory of {} is attached, or of others", exist,
                  record.size());
    }
  }

 private:
  using Pieces = std::vector<ByteSpan>;
  using Record = std::map<std::uint64_t, Pieces>;  ///< the attached memory, by the MD's cookie

  void attach(World& world, const ShardStep& step, Record& record, const core::AttachMemory& what) {
    const auto [at, fresh] = record.try_emplace(what.md.cookie);
    if (!fresh) violation(world, &step.node, "the memory of an MD is attached twice");
    for (std::uint32_t i = 0; i < what.count; ++i)
      at->second.emplace_back(static_cast<std::byte*>(what.fragments[i].iov_base),
                              what.fragments[i].iov_len);
  }

  void detach(World& world, const ShardStep& step, Record& record, const core::DetachMemory& what) {
    if (record.erase(what.md.cookie) == 0)
      violation(world, &step.node, "memory is detached that is not attached");
  }

  /// A driver gets a message that has `length` bytes in memory of its MD, if it has one.
  void use(World& world, const ShardStep& step, const Record& record, core::MsgTicket ticket,
           std::uint32_t length) {
    const core::Msg* msg = step.state.find(ticket);
    if (msg == nullptr || length == 0) return;
    const MdHandle md = msg->md != nullptr          ? msg->md->handle
                        : msg->remote_md != nullptr ? msg->remote_md->md
                                                    : MdHandle{};
    if (md && !record.contains(md.cookie))
      violation(world, &step.node, "a driver gets memory of an MD that is not attached");
  }

  /// Payload is copied, except into a buffer of a router, into memory of an MD.
  void copy(World& world, const ShardStep& step, const Record& record, ByteSpan to) {
    if (to.empty() || for_another_node(step) != nullptr) return;
    const auto has = [&](ByteSpan piece) {
      return piece.data() <= to.data() && to.data() + to.size() <= piece.data() + piece.size();
    };
    const bool attached = std::ranges::any_of(
        record, [&](const auto& md) { return std::ranges::any_of(md.second, has); });
    if (!attached) violation(world, &step.node, "payload is copied to memory that is not attached");
  }

  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> memory_announced_checker() { return std::make_unique<MemoryAnnounced>(); }

}  // namespace ulnet::sim
