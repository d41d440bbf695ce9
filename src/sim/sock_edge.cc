#include "sim/sock_edge.h"

#include "sim/world.h"

namespace ulnet::sim {

SockEdge::SockEdge(World& world, SimNode& node, lnd::Inlet& inlet)
    : world_(world),
      node_(node),
      inlet_(inlet),
      tunables_(node.setup().sock),
      engine_(0, tunables_, *this) {}
SockEdge::~SockEdge() = default;

Result<lnd::NiStarted> SockEdge::start_ni(const lnd::NiSpec&) { return fail(-ENOSYS, "not yet"); }
void SockEdge::stop_ni(core::NiId) {}
void SockEdge::flush() {}
void SockEdge::pause(bool paused) { paused_ = paused; }
void SockEdge::crash(bool) {}
void SockEdge::deliver(const core::Input& input) { inlet_.deliver(input); }
void SockEdge::dial(Handle, const lnd::sock::DialOrder&) {}
void SockEdge::close(Handle) {}
void SockEdge::pause(Handle, bool) {}
void SockEdge::opened(Handle, wire::ConnType, std::int32_t) {}
std::uint32_t SockEdge::unacknowledged(Handle) { return 0; }
std::uint32_t SockEdge::number() const { return node_.number(); }
void SockEdge::on_dialled(Handle, int) {}
void SockEdge::on_accepted(Handle, const Endpoint&, const Endpoint&) {}
void SockEdge::on_readable(Handle) {}
void SockEdge::on_writable(Handle) {}

}  // namespace ulnet::sim
