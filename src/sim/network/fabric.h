// Switches, and the links between them. A piece that travels from a place at one switch to a place
// at another crosses links. At a port of each switch on its way it waits for the pieces that came
// before it, and so shares the bandwidth with them. Its way is the one with the fewest links; among
// several such ways, the one whose links were made first. Ways never change: no piece takes a way
// around a cut link. Source: DESIGN.md 6.
//
//   Fabric& fabric = world.wire().fabric();
//   const SwitchId left = fabric.add_switch("left"), right = fabric.add_switch("right");
//   fabric.join(left, right, {.bytes_per_second = 1'000'000'000});
//   world.add_node({.nis = {{.nid = nid, .at_switch = left}}});
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lnet/base/slab.h"
#include "sim/kernel/event_queue.h"
#include "sim/network/switch_port.h"

namespace ulnet::sim {

/// A switch, and a link between two switches; numbered in the order in which they were made.
struct SwitchId {
  std::uint32_t value = 0;
  auto operator<=>(const SwitchId&) const = default;
};
struct SwitchLinkId {
  std::uint32_t value = 0;
  auto operator<=>(const SwitchLinkId&) const = default;
};

/// The owner of pieces that cross links. The fabric calls it as an event of its own.
class Crosser {
 public:
  virtual ~Crosser() = default;
  /// The piece has come to the last switch of its way; or a cut lost it (`lost`).
  virtual void crossed(Handle whose, std::uint64_t piece, bool lost) = 0;
};

class Fabric {
 public:
  /// The ports that send a piece, in order.
  using Way = std::vector<SwitchPort*>;

  /// `queue` must outlive the fabric.
  explicit Fabric(EventQueue& queue) : queue_(queue) {}
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  SwitchId add_switch(std::string name);
  /// No link may join the two switches yet, and way() may not have been called yet.
  SwitchLinkId join(SwitchId a, SwitchId b, const SwitchLinkModel& model);

  std::size_t switches() const { return switches_.size(); }
  const std::string& name(SwitchId id) const { return switches_[id.value].name; }
  std::size_t links() const { return links_.size(); }
  /// The two switches that the link joins, in the order in which join() was given them.
  std::pair<SwitchId, SwitchId> ends(SwitchLinkId id) const {
    return {links_[id.value]->a, links_[id.value]->b};
  }
  /// The link's port at one of its two switches.
  const SwitchPort& port(SwitchLinkId id, SwitchId at) const;
  /// True: the way crosses the link, in either direction.
  bool leads_over(const Way& way, SwitchLinkId id) const;

  /// The way from one switch to another, the same in both directions; empty when both are one
  /// switch. Null: no links lead there. Its address is stable.
  const Way* way(SwitchId from, SwitchId to);

  /// Cuts both directions. Wire::cut_switch_link() also notifies the links whose way crosses this
  /// one.
  void cut(SwitchLinkId id, bool cut);
  bool is_cut(SwitchLinkId id) const { return links_[id.value]->ports[0].is_cut(); }
  /// Sets the bandwidth for pieces that come to the link from now on.
  void set_rate(SwitchLinkId id, std::uint64_t bytes_per_second);

  /// A piece comes to the first switch at `enters`, and crosses. `whose` and `piece` belong to the
  /// crosser; the crosser must live as long as the world runs.
  void cross(Crosser& crosser, Handle whose, std::uint64_t piece, const Way& way,
             std::uint32_t bytes, Instant enters);
  /// How long a piece takes from the first switch to the last if no piece is before it.
  static Duration unhindered(const Way& way, std::uint32_t bytes);

 private:
  struct Neighbour {
    SwitchId to;
    SwitchLinkId link;
  };
  struct Switch {
    std::string name;
    std::vector<Neighbour> neighbours;  ///< in the order in which the links were made
  };
  struct SwitchLink {
    SwitchLink(SwitchId first, SwitchId second, const SwitchLinkModel& model);
    SwitchId a, b;
    SwitchPort ports[2];  ///< of a, of b
  };
  struct Crossing final : Task {
    void run() override { fabric->step(*this); }
    Fabric* fabric = nullptr;
    Handle self;
    Crosser* crosser = nullptr;
    Handle whose;
    std::uint64_t piece = 0;
    const Way* way = nullptr;
    std::size_t at = 0;  ///< ports that have sent the piece
    /// How often the last of the ports that have sent the piece had been cut when it sent the
    /// piece. If the port has been cut again since, the piece is lost.
    std::uint64_t cuts = 0;
    std::uint32_t bytes = 0;
  };

  std::vector<SwitchLinkId> links_between(SwitchId from, SwitchId to) const;
  void step(Crossing& crossing);
  void over(Crossing& crossing, bool lost);

  EventQueue& queue_;
  std::vector<Switch> switches_;
  std::vector<std::unique_ptr<SwitchLink>> links_;
  std::map<std::pair<SwitchId, SwitchId>, std::optional<Way>> ways_;
  Slab<Crossing> crossings_;
};

}  // namespace ulnet::sim
