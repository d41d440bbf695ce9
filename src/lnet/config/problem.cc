#include "lnet/config/problem.h"

namespace ulnet::conf {

std::string with_place(Place place, std::string_view what) {
  if (place.line == 0) return std::string(what);
  return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + ": " +
         std::string(what);
}

}  // namespace ulnet::conf
