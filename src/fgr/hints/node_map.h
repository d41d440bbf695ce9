// Where nodes are in the network of a client system, and how many hops are between them: a torus
// with coordinates, or any graph with its links. Source: design document 004, section IV.A.
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

namespace ulnet::plan {

struct MapMistake {
  std::size_t line = 0, column = 0;  ///< from 1
  std::string reason;
};

class NodeMap {
 public:
  static constexpr std::size_t kMostNames = 1'000'000;
  static constexpr std::size_t kMostLinks = 10'000'000;
  static constexpr std::uint32_t kMostWeight = 1000;
  static constexpr std::size_t kMostDimensions = 6;
  static constexpr std::uint32_t kUnreachable = UINT32_MAX;

  /// Text of lines, with a byte order mark before them or not; '#' begins a comment. The first line
  /// is "torus 24x24x24", and each other one "HOST 0 3 23" (several hosts may be at one place). Or
  /// it is "graph", and each other one a link "A B" or "A B WEIGHT", which counts both ways, with a
  /// weight from 1, else 1. The names of a graph are hosts and switches; no name has control
  /// characters. At most 20 mistakes, in the order of the text.
  static tl::expected<NodeMap, std::vector<MapMistake>> read(std::string_view text);

  bool is_torus() const { return !sizes_.empty(); }
  /// In the order in which the text first has them.
  const std::vector<std::string>& names() const { return names_; }
  std::optional<std::size_t> find(std::string_view name) const;
  /// Of a torus: how many places each dimension has; of a graph empty.
  const std::vector<std::uint32_t>& sizes() const { return sizes_; }
  /// Of a torus: the coordinates of a name, as many as sizes().
  std::span<const std::uint16_t> place_of(std::size_t name) const {
    return std::span(places_).subspan(name * sizes_.size(), sizes_.size());
  }

  /// From one to all, by their places in names(): hops, or in a graph the least sum of weights. The
  /// cost grows with the nodes of a torus, with the nodes and links of a graph.
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
  std::vector<std::uint32_t> sizes_;      ///< of a torus
  std::vector<std::uint16_t> places_;     ///< of a torus: of each name as many as sizes_
  std::vector<std::size_t> first_links_;  ///< of a graph: of each name, and the end
  std::vector<Link> links_;               ///< in both directions
  std::uint32_t heaviest_ = 1;
};

}  // namespace ulnet::plan
