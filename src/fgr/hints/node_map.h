// The places of nodes in the network of a client system, and the number of hops between them: a
// torus with coordinates, or any graph with its links. Source: design document 004, section IV.A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "lnet/config/problem.h"

namespace ulnet::plan {

class NodeMap {
 public:
  static constexpr std::size_t kMaxNames = 1'000'000;
  static constexpr std::size_t kMaxLinks = 10'000'000;
  static constexpr std::uint32_t kMaxWeight = 1000;
  static constexpr std::size_t kMaxDimensions = 6;
  static constexpr std::uint32_t kUnreachable = UINT32_MAX;

  /// Reads text in lines, with or without a byte order mark; '#' begins a comment. If the first
  /// line is "torus 24x24x24", each other line is "HOST 0 3 23" (several hosts may be at one
  /// place). If it is "graph", each other line is a link "A B" or "A B WEIGHT", which counts in
  /// both directions; the weight is at least 1, and 1 if it is left out. The names of a graph are
  /// hosts and switches; names have no control characters. Reports at most 20 mistakes, in the
  /// order of the text.
  static tl::expected<NodeMap, conf::Problems> read(std::string_view text);

  bool is_torus() const { return !sizes_.empty(); }
  /// In the order of their first appearance in the text.
  const std::vector<std::string>& names() const { return names_; }
  std::optional<std::size_t> find(std::string_view name) const;
  /// For a torus: the size of each dimension; for a graph empty.
  const std::vector<std::uint32_t>& sizes() const { return sizes_; }
  /// For a torus: the coordinates of a name, one for each dimension.
  std::span<const std::uint16_t> place_of(std::size_t name) const {
    return std::span(places_).subspan(name * sizes_.size(), sizes_.size());
  }

  /// Returns the distances from one name to all, in the order of names(): hops, or in a graph the
  /// least sum of weights. The time grows with the nodes of a torus, with the nodes and links of a
  /// graph.
  std::vector<std::uint32_t> distances_from(std::size_t from) const;

 private:
  friend class NodeMapReading;
  struct Link {
    std::uint32_t to = 0, weight = 1;
  };
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::vector<std::uint32_t> torus_distances(std::size_t from) const;
  std::vector<std::uint32_t> graph_distances(std::size_t from) const;

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> numbers_;
  std::vector<std::uint32_t> sizes_;  ///< for a torus
  /// for a torus: for each name one coordinate per dimension
  std::vector<std::uint16_t> places_;
  std::vector<std::size_t> first_links_;  ///< for a graph: by name, and the end
  std::vector<Link> links_;               ///< in both directions
  std::uint32_t heaviest_ = 1;
};

}  // namespace ulnet::plan
