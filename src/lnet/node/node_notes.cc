// Passes the notes of the shards to those who watch the node, and to its log.
#include "lnet/node/node_impl.h"

namespace ulnet::node {

namespace {

bool of_discovery(const core::Note& note) {
  using A = core::Note::About;
  return note.about == A::kDiscovery || note.about == A::kDiscovered;
}

/// Among notes that are not logged, the steps of a discovery are routine; the others report a
/// change.
core::Note::Level level_of(const core::Note& note) {
  using L = core::Note::Level;
  if (note.level != L::kUnlogged) return note.level;
  return of_discovery(note) ? L::kDebug : L::kInfo;
}

}  // namespace

std::vector<Nid> NodeImpl::nids_of_peer(const Nid& nid) {
  std::vector<Nid> nids;
  for_each_peer(nid, [&](const core::PeerShow& peer) {
    for (const core::PeerNiShow& ni : peer.nis) nids.push_back(ni.nid);
    return true;
  });
  return nids;
}

void NodeImpl::write_note(void* self, const core::Note& note) {
  auto& node = *static_cast<NodeImpl*>(self);
  const bool discovered = note.about == core::Note::About::kDiscovered;
  const std::string text = to_string(note);
  node.events_->add({.type = discovered ? core::Note::About::kPeer : note.about,
                     .level = static_cast<std::uint8_t>(level_of(note)),
                     .of_discovery = of_discovery(note),
                     .nid = note.nid,
                     .detail = note.detail,
                     .text = text,
                     .nids = discovered ? node.nids_of_peer(note.nid) : std::vector<Nid>()});
  if (note.level == core::Note::Level::kUnlogged) return;
  const bool about_nid = !note.nid.is_any() && !names_its_nid(note);
  node.say(static_cast<int>(note.level), about_nid ? note.nid.to_string() + ": " + text : text);
}

}  // namespace ulnet::node
