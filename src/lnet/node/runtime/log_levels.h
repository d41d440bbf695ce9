// The levels of the lines in a node's log (NodeOptions::log).
#pragma once

namespace ulnet::node {

inline constexpr int kInfo = 1;
inline constexpr int kWarning = 2;
inline constexpr int kNothing = 4;  ///< above the level of every line

}  // namespace ulnet::node
