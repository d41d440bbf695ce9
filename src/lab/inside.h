// Programs that run at a node of a laboratory: with its control socket, and in its namespace.
#pragma once

#include <string>
#include <vector>

#include "lab/live/laboratory.h"

namespace ulnet::tools::lab {

/// Replaces this process by the program. Returns only when the program cannot be started: prints
/// why, and returns a code for the shell.
int become(const std::vector<std::string>& words);
/// Does the same at a node: ULNET_CONTROL, ULNET_LAB and ULNET_LAB_NODE name it, and the folder of
/// ulnet's programs is the first in PATH.
int become_at(const Laboratory& lab, NodeNumber node, std::vector<std::string> words);

/// Returns the words that run a program in a namespace: those of `ip netns exec`, and then `words`.
std::vector<std::string> in_space_words(const std::string& space, std::vector<std::string> words);

/// Returns the only node that the word names. -EINVAL: the word names several nodes.
Result<NodeNumber> one_node(const Topology& topology, const std::string& word);

}  // namespace ulnet::tools::lab
