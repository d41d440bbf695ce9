#include "sim/checkers/one_source.h"

#include <optional>

#include "core/flow/step.h"
#include "sim/kernel/world.h"

namespace ulnet::sim {
namespace {

/// A request for which the shard itself has to choose the NI.
struct Begun {
  Nid target;
  MdHandle md{};          ///< of this shard, or
  core::MsgTicket msg{};  ///< a message of another shard
};

/// The request that the step begins to transmit; nothing if it begins none, or its NI is given.
std::optional<Begun> begun_in(const core::Input& input) {
  if (const auto* in = letter_in<core::letter::Transmit>(input))
    return in->internal || in->path.ni.value != 0
               ? std::nullopt
               : std::optional(Begun{in->path.hop.nid, {}, in->msg});
  const auto own = own_request(input);
  return own ? std::optional(Begun{own->target, own->md, {}}) : std::nullopt;
}

bool is_that(const core::Msg& msg, const Begun& begun) {
  if (begun.msg) return msg.remote.msg == begun.msg;
  return msg.md != nullptr && msg.md->handle == begun.md && msg.tries == 0;
}

}  // namespace

void OneSource::before_step(World&, const ShardStep& step) {
  before_ = {};
  const auto begun = begun_in(step.input);
  const core::PeerNi* peer = begun ? step.state.peers.find_ni(begun->target) : nullptr;
  if (peer == nullptr) return;
  const core::LocalNi* ni = step.state.nis.find(peer->fixed_source);
  if (ni != nullptr && ni->phase == core::NiPhase::kUp) before_ = peer->fixed_source;
}

void OneSource::after_step(World& world, const ShardStep& step) {
  const auto begun = begun_in(step.input);
  if (!begun || begun->target.is_loopback()) return;
  for (const core::Action& action : step.actions) {
    const auto* send = std::get_if<core::Send>(&action);
    const core::Msg* msg = send == nullptr ? nullptr : step.state.find(send->tx);
    if (msg == nullptr || !is_that(*msg, *begun)) continue;
    if (msg->peer->multi_rail()) return;
    const bool kept = before_.value == 0 || before_ == send->ni;
    if (!kept || msg->peer->fixed_source != send->ni)
      violation(world, &step.node,
                send->hop.nid.to_string() + " sees " + send->header.src_nid.to_string() +
                    (kept ? ", which is not kept" : ", and another NI before"));
  }
}

}  // namespace ulnet::sim
