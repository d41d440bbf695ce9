// Draws the rails between this node and a peer: for each net the interfaces of both nodes on it,
// joined by a bar, with their health as colours and their traffic as the width of lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ulnet::tools::chart {

/// An interface of this node or of the peer.
struct RailEnd {
  std::string nid;
  std::string net;
  bool down = false;
  int health = 1000;                     ///< 0 to 1000
  std::uint64_t sent = 0, received = 0;  ///< messages
};

struct Rails {
  std::string title;
  std::string note;  ///< below the title; may be empty
  std::vector<RailEnd> local, peer;
};

/// Draws this node on the left and the peer on the right. Leaves out NIs of this node on nets where
/// the peer has no NID. The interface with the most traffic has the widest line.
std::string draw_rails(const Rails& rails);

}  // namespace ulnet::tools::chart
