// A driver touches only memory that is lent to LNet at that moment: memory of an MD whose last
// event its user has not handled, or of the shard itself. Memory that a driver may still touch is
// not given back: no user handles the last event of an MD before every Send and Land in its memory
// has ended. Source: spec/core-semantics.md 4.6, DESIGN.md 2.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "lnet/lnd/region.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class MemoryLent final : public Checker {
 public:
  MemoryLent() : Checker("memory lent", kAfterStep | kEvents | kMemory) {}

  void after_step(World&, const ShardStep& step) override {
    Record& record = records_.of(step.node);
    record.copies.clear();
    if (for_another_node(step) != nullptr)
      for (const core::CopyPayload& copy : actions_of<core::CopyPayload>(step))
        record.copies.push_back(copy.to);
    if (const auto* bind = answered<core::call::MdBind>(step.input))
      lend(record, bind->md, bind->spec);
    else if (const auto* attach = answered<core::call::MdAttach>(step.input))
      lend(record, attach->md, attach->spec);
    else if (const auto* done = std::get_if<core::SendDone>(&step.input))
      end(record, done->tx);
    else if (const auto* landed = std::get_if<core::PayloadLanded>(&step.input))
      end(record, landed->msg);
    for (const core::Action& action : step.actions) {
      if (const auto* send = std::get_if<core::Send>(&action))
        drive(record, send->tx, send->payload);
      if (const auto* land = std::get_if<core::Land>(&action)) drive(record, land->msg, land->sink);
    }
  }

  void on_event(World& world, SimNode& node, const core::Post& post) override {
    if (post.event.unlinked) give_back(world, node, records_.of(node), post.strand.cookie);
  }

  void on_memory(World& world, SimNode& node, const iovec& memory, bool written) override {
    if (node.shard_state() == nullptr || memory.iov_len == 0) return;
    Record& record = records_.of(node);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.iov_base);
    const std::uintptr_t end = begin + memory.iov_len;
    const auto still = [&](const Piece& piece) {
      const MdHandle md{piece.md};
      return record.loans[piece.md].has_handler || shard_with(node, md)->memory.find(md) != nullptr;
    };
    if (lent(record, begin, end, still) != nullptr) return;
    bool own = false;
    const auto holds = [&](const void* bytes, std::size_t size) {
      const auto from = reinterpret_cast<std::uintptr_t>(bytes);
      return from <= begin && end <= from + size;
    };
    // Owner shards ping their unhealthy peer NIs, so each shard has MDs of its own. A router has
    // buffers, each in use as long as its message is there. The message may have ended within the
    // step, because no route leads on; its buffer is still in use.
    for (const ByteSpan copy : record.copies)
      own = own || (written && holds(copy.data(), copy.size()));
    for_each_shard(node, [&](const core::ShardState& shard, std::uint32_t) {
      shard.portal0.mds.for_each([&](Handle, const core::Portal0Md& md) {
        own = own || holds(md.bytes.data(), md.bytes.size());
      });
      shard.messages.for_each([&](Handle, const core::Msg& msg) {
        own = own || (msg.buffer != nullptr &&
                      holds(msg.buffer->whole.iov_base, msg.buffer->whole.iov_len));
      });
    });
    if (!own)
      violation(world, &node, "{} bytes were {} where nothing is lent any more", memory.iov_len,
                written ? "written" : "read");
  }

  /// Looks for MDs without a handler that have ended: they end without an event.
  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      if (node.shard_state() == nullptr) continue;
      Record& record = records_.of(node);
      std::vector<std::uint64_t> gone;
      for (const auto& [md, loan] : record.loans)
        if (!loan.has_handler && shard_with(node, {md})->memory.find(MdHandle{md}) == nullptr)
          gone.push_back(md);
      for (const std::uint64_t md : gone) give_back(world, node, record, md);
    }
  }

 private:
  /// A fragment of an MD. The checker looks it up by address, and never iterates in that order,
  /// which differs from run to run.
  struct Piece {
    std::uintptr_t begin = 0, end = 0;
    std::uint64_t md = 0;
    auto operator<=>(const Piece&) const = default;
  };
  struct Loan {
    std::vector<Piece> pieces;
    bool has_handler = true;  ///< its MD has a handler, which gets an event at the end
  };
  struct Record {
    std::map<std::uint64_t, Loan> loans;  ///< by the cookie of the MD
    std::set<Piece> pieces;
    std::uintptr_t longest = 0;
    std::vector<ByteSpan> copies;            ///< the copies of this step into buffers of a router
    PerMessage<std::uintptr_t> with_driver;  ///< the first byte of the memory of a Send or Land
    std::multiset<std::uintptr_t> driven;    ///< the same bytes, by address
  };

  void lend(Record& record, MdHandle md, const MdSpec& spec) {
    Loan& loan = record.loans[md.cookie];
    loan.has_handler = spec.sink != nullptr;
    for (const iovec& fragment : spec.fragments) {
      const auto begin = reinterpret_cast<std::uintptr_t>(fragment.iov_base);
      loan.pieces.push_back({begin, begin + fragment.iov_len, md.cookie});
      record.pieces.insert(loan.pieces.back());
      record.longest = std::max<std::uintptr_t>(record.longest, fragment.iov_len);
    }
  }

  void give_back(World& world, const SimNode& node, Record& record, std::uint64_t md) {
    const auto found = record.loans.find(md);
    if (found == record.loans.end()) return;
    for (const Piece& piece : found->second.pieces) record.pieces.erase(piece);
    const auto any = [](const Piece&) { return true; };
    for (const Piece& piece : found->second.pieces) {
      const auto in_use = record.driven.lower_bound(piece.begin);
      // Another MD may also lend the same memory.
      if (in_use != record.driven.end() && *in_use < piece.end &&
          lent(record, *in_use, *in_use + 1, any) == nullptr)
        violation(world, &node, "memory was given back while a driver may touch it");
    }
    record.loans.erase(found);
  }

  /// A piece that contains all bytes from `begin` to `end` and for which `fits` is true.
  static const Piece* lent(const Record& record, std::uintptr_t begin, std::uintptr_t end,
                           const std::function<bool(const Piece&)>& fits) {
    for (auto at = record.pieces.upper_bound({begin, ~std::uintptr_t{0}, ~std::uint64_t{0}});
         at != record.pieces.begin();) {
      const Piece& piece = *--at;
      if (begin - piece.begin > record.longest) break;
      if (end <= piece.end && fits(piece)) return &piece;
    }
    return nullptr;
  }

  /// Notes that a driver may touch this memory from now on, until end().
  void drive(Record& record, core::MsgTicket msg, const core::Region& region) {
    const ByteSpan first = lnd::RegionCursor(region).front();
    if (first.empty()) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(first.data());
    record.with_driver.add(msg, begin);
    record.driven.insert(begin);
  }

  void end(Record& record, core::MsgTicket msg) {
    const std::uintptr_t* begin = record.with_driver.find(msg);
    if (begin == nullptr) return;
    record.driven.erase(record.driven.find(*begin));
    record.with_driver.erase(msg);
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> memory_lent_checker() { return std::make_unique<MemoryLent>(); }

}  // namespace ulnet::sim
