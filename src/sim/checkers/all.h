// All checkers that hold in every world.
#pragma once

namespace ulnet::sim {

class World;

/// To be called before the first node is added: a checker knows what it was told.
void add_all_checkers(World& world);

}  // namespace ulnet::sim
