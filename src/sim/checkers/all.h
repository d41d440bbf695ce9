// All checkers that hold in every world.
#pragma once

namespace ulnet::sim {

class World;

/// Call it before the first node is added: a checker misses what happened before.
void add_all_checkers(World& world);

}  // namespace ulnet::sim
