// All checkers that hold in every world.
#pragma once

#include <cstdint>

namespace ulnet::sim {

class World;

/// Whether the routes of a world's nodes may form loops. Where they do, messages go round until the
/// routers have detected the loop.
enum class Loops : std::uint8_t { kNone, kExpected };

/// Call it before the first node is added: a checker misses what happened before it was added.
void add_all_checkers(World& world, Loops loops = Loops::kNone);

}  // namespace ulnet::sim
