// Where a process is: its rank in one of the communicators that the driver has.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace ulnet::lnd::mpi {

struct Place {
  std::uint32_t comm = 0;  ///< the driver's number of the communicator
  std::int32_t rank = 0;   ///< in it; of an inter-communicator: in its remote group
  auto operator<=>(const Place&) const = default;
};

struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    return std::size_t{place.comm} << 32 | static_cast<std::uint32_t>(place.rank);
  }
};

}  // namespace ulnet::lnd::mpi
