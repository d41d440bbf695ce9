// The MDs that a verified load attaches at a node: rings for PUTs, a source for GETs.
#include <cstring>

#include "sim/load/loads_impl.h"

namespace ulnet::sim {

void VerifiedLoad::Ring::post() {
  if (load.withdrawn_ || !node.up()) return;
  if (memory == nullptr) memory = load.take(bytes);
  const auto me =
      node.me_attach(portal, {}, {}, {kOnceBit - 1}, UnlinkMode::kUnlink, InsertPosition::kLocal);
  if (!me) return;
  const iovec fragment{memory.get(), bytes};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.options = kOpPut | kMaxSize;
  spec.max_size = load.setup_.max_bytes;
  spec.sink = this;
  // PUTs that waited on a lazy portal may have filled and unlinked the MD before md_attach()
  // returns.
  const auto posted = node.md_attach(*me, spec, UnlinkMode::kUnlink);
  if (posted && *posted != last) md = *posted;
}

void VerifiedLoad::Ring::on_event(const Event& event) {
  if (event.type == EventType::kPut && event.status == 0) {
    ++load.counts_.arrived;
    const std::uint64_t key = event.hdr_data;
    if (key >= load.arrived_.size()) return load.wrong(node, "a PUT that nobody sent");
    if (event.mlength != event.rlength || event.match_bits.value != key)
      load.wrong(node, "a PUT was cut or came under wrong match bits");
    if (std::memcmp(memory.get() + event.offset, pattern(key), event.mlength) != 0)
      load.wrong(node, "a PUT has wrong contents");
    const SimNode* from = load.world_->find(event.source);
    const bool streams = node.setup().driver == DriverKind::kSock && from != nullptr &&
                         from->setup().driver == DriverKind::kSock;
    if (load.arrived_[key] && streams) load.wrong(node, "a PUT came twice");
    load.arrived_[key] = true;
    blot(memory.get() + event.offset, event.mlength);
  }
  if (!event.unlinked) return;
  md = {};
  last = event.md;
  if (lazy) return load.world_->queue().in(load.draw(load.setup_.lazy_pause), *this);
  post();
}

void VerifiedLoad::Source::post() {
  if (load.withdrawn_ || !node.up()) return;
  if (memory == nullptr) {
    memory = load.take(load.setup_.max_bytes + 1);
    std::memcpy(memory.get(), pattern(key()), load.setup_.max_bytes);
  }
  const auto me =
      node.me_attach(portal, {}, {}, {kOnceBit - 1}, UnlinkMode::kUnlink, InsertPosition::kLocal);
  if (!me) return;
  const iovec fragment{memory.get(), load.setup_.max_bytes};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.options = kOpGet | kManageRemote;
  spec.sink = this;
  md = node.md_attach(*me, spec, UnlinkMode::kUnlink).value_or(MdHandle{});
}

}  // namespace ulnet::sim
