// An MD accepts what its user allowed and no more: its length, truncation, max_size, the threshold.
// Source: spec/core-semantics.md 4.2, 4.5, 18.7 to 18.9.
#include <map>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class MdLimits final : public Checker {
 public:
  MdLimits() : Checker("MD limits", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node);
    const auto made = [&](MdHandle md, const MdSpec& spec) {
      MdRecord& noted = record[md.cookie];
      noted = {spec.options, spec.max_size, 0, spec.threshold, 0};
      for (const iovec& fragment : spec.fragments) noted.length += fragment.iov_len;
    };
    if (const auto* bind = answered<core::call::MdBind>(step.input)) {
      if (bind->spec.sink != nullptr) made(bind->md, bind->spec);
    } else if (const auto* attach = answered<core::call::MdAttach>(step.input)) {
      if (attach->spec.sink != nullptr) made(attach->md, attach->spec);
    }
    for (const core::Post& post : actions_of<core::Post>(step)) posted(world, step, record, post);
  }

 private:
  struct MdRecord {
    std::uint32_t options = 0, max_size = 0;
    std::uint64_t length = 0;
    std::int64_t threshold = 0;
    std::int64_t operations = 0;  ///< operations that ended
  };
  using Record = std::map<std::uint64_t, MdRecord>;

  void posted(World& world, const ShardStep& step, Record& record, const core::Post& post) {
    const auto found = record.find(post.strand.cookie);
    if (found == record.end()) return;
    MdRecord& md = found->second;
    const Event& event = post.event;
    const auto wrong = [&](const char* what) { violation(world, &step.node, what); };
    if (event.type != EventType::kUnlink && md.threshold != kThresholdInfinite &&
        ++md.operations > md.threshold)
      wrong("more operations than the threshold");
    const bool asked = event.type == EventType::kPut || event.type == EventType::kGet;
    if (event.status == 0 && (asked || event.type == EventType::kReply)) {
      if (event.mlength > event.rlength) wrong("more moved than was asked for");
      if (event.mlength < event.rlength && !(md.options & kTruncate) &&
          event.type != EventType::kReply)
        wrong("cut though its MD does not allow it");
      if (event.type == EventType::kReply && event.rlength > md.length && !(md.options & kTruncate))
        wrong("a REPLY longer than its MD was taken");
    }
    if (asked && event.status == 0) {
      if (event.mlength != 0 && std::uint64_t{event.offset} + event.mlength > md.length)
        wrong("past the end of its MD");
      if ((md.options & kMaxSize) && event.mlength > md.max_size) wrong("longer than max_size");
      const bool ring = (md.options & (kManageRemote | kMaxSize)) == kMaxSize;
      if (ring && event.type == EventType::kPut &&
          std::uint64_t{event.offset} + md.max_size > md.length)
        wrong("a ring took a message though less than max_size was left");
    }
    if (event.unlinked) record.erase(found);
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> md_limits_checker() { return std::make_unique<MdLimits>(); }

}  // namespace ulnet::sim
