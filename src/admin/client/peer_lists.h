// The `peers:` of LNet's Multi-Rail design document: lists of all the NIDs of a peer, which are
// numbered. What an import of such a list changes, given the peers that the node has. Pure.
// Source: spec/design-vs-today.md 2.3.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "admin/client/door.h"
#include "ulnet/nid.hpp"

namespace ulnet::ctl {

/// One change, and the number of the NID in the list that it is made for.
struct PeerListChange {
  std::size_t number = 0;
  std::optional<Error> refused = {};  ///< nothing is to be done: this is wrong with the NID
  bool del = false;                   ///< NIDs go, or all of the peer when `nids` is empty
  Nid primary = {};
  std::vector<Nid> nids = {};
};

/// The reason of an error with the number of the NID.
Error about_nid(std::size_t number, const Error& error);

/// Each word as one NID. -EINVAL with the number of one that is none; -E2BIG.
Result<std::vector<Nid>> listed_nids(std::span<const std::string> words);

/// The peer that has the first of the NIDs that a peer has (`known`: `{"peer": [...]}`) gets these
/// NIDs and loses its others. One that was not configured, or that goes on without its primary NID,
/// is made anew; so is one that is not known. Each NID is a change of its own, so that one that is
/// refused is left out and named.
std::vector<PeerListChange> replacing(const Tree& known, std::span<const Nid> nids);
/// The NIDs of the list go from that peer; it goes with its last one, its primary NID not before.
std::vector<PeerListChange> deleting(const Tree& known, std::span<const Nid> nids);

}  // namespace ulnet::ctl
