#include "tools/demo/target.h"

#include "tools/demo/pattern.h"

namespace ulnet::demo {

Result<MdHandle> offer(Lnet& lnet, Portal portal, MatchBits match, std::span<std::byte> memory,
                       const MdSpec& md, UnlinkMode unlink) {
  auto me =
      lnet.me_attach(portal, {Nid::any(), Pid::any()}, match, {0}, unlink, InsertPosition::kAfter);
  if (!me) return tl::unexpected(me.error());
  const iovec fragment{memory.data(), memory.size()};
  MdSpec spec = md;
  spec.fragments = {&fragment, 1};
  return lnet.md_attach(*me, spec, unlink);
}

Result<std::unique_ptr<Target>> Target::post(Lnet& lnet, bool spoil) {
  std::unique_ptr<Target> target(new Target(lnet));
  if (auto done = target->post_all(); !done) return tl::unexpected(done.error());
  if (spoil) target->source_[kMaxSize / 2] ^= std::byte{1};
  return target;
}

Result<void> Target::post_all() {
  if (auto done = lnet_.set_lazy_portal(kCheckedPortal); !done) return done;
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
    checked_[slot].target = this;
    checked_[slot].slot = {slot};
    checked_[slot].memory.resize(kMaxSize);
    if (auto done = checked_[slot].post(); !done) return done;
  }

  const auto stays = [this](Portal portal, std::uint64_t match, std::span<std::byte> memory,
                            std::uint32_t options, EventSink* sink) -> Result<void> {
    MdSpec md;
    md.options = options | kManageRemote;
    md.sink = sink;
    auto offered = offer(lnet_, portal, {match}, memory, md, UnlinkMode::kRetain);
    if (!offered) return tl::unexpected(offered.error());
    return {};
  };
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
    sinks_[slot].resize(kMaxSize);
    auto done = stays(kSinkPortal, slot, sinks_[slot], kOpPut | kOpGet | kTruncate, nullptr);
    if (!done) return done;
  }
  source_.resize(kMaxSize);
  fill(source_, kSourceSeed);
  if (auto done = stays(kSourcePortal, 0, source_, kOpGet, nullptr); !done) return done;
  echo_.target = this;
  echo_.memory.resize(kMaxSize);
  if (auto done = stays(kEchoPortal, 0, echo_.memory, kOpPut, &echo_); !done) return done;
  const std::span report(reinterpret_cast<std::byte*>(&report_), sizeof report_);
  return stays(kReportPortal, 0, report, kOpGet, nullptr);
}

Result<void> Target::CheckedSink::post() {
  MdSpec md;
  md.options = kOpPut | kManageRemote;
  md.threshold = 1;
  md.sink = this;
  auto offered = offer(target->lnet_, kCheckedPortal, slot, memory, md, UnlinkMode::kUnlink);
  if (!offered) return tl::unexpected(offered.error());
  return {};
}

void Target::CheckedSink::on_event(const Event& event) {
  auto& report = target->report_;
  if (event.type == EventType::kPut) {
    if (event.status != 0) ++report.failures;
    const std::span got(memory.data() + event.offset, event.mlength);
    report.wrong_bytes += count_wrong(got, event.hdr_data) + (event.rlength - event.mlength);
    report.bytes += event.mlength;
    ++report.messages;
    fill(got, ~event.hdr_data);  // what the next message does not write is wrong
  }
  const bool stopping = event.type == EventType::kUnlink;
  if (event.unlinked && !stopping && !post()) ++report.failures;
}

Result<MdHandle> Target::Echo::md_of(std::uint32_t size) {
  if (auto known = md_by_size.find(size); known != md_by_size.end()) return known->second;
  const iovec fragment{memory.data(), size};
  MdSpec md;
  md.fragments = {&fragment, 1};
  auto bound = target->lnet_.md_bind(md, UnlinkMode::kRetain);
  if (bound) md_by_size.emplace(size, *bound);
  return bound;
}

void Target::Echo::on_event(const Event& event) {
  if (event.type != EventType::kPut) return;
  PutRequest back;
  back.target = event.initiator;
  back.portal = kReturnPortal;
  back.hdr_data = event.hdr_data;
  auto md = md_of(event.mlength);
  if (event.status != 0 || !md) {
    ++target->report_.failures;
    return;
  }
  back.md = *md;
  if (!target->lnet_.put(back)) ++target->report_.failures;
}

}  // namespace ulnet::demo
