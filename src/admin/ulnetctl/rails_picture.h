// Draws a peer's rails from what the node shows.
#pragma once

#include <string>

#include "admin/client/control_api.h"

namespace ulnet::tools {

/// As SVG. `peer`: an item of `peer:`; `nets`: `{"net": [...]}`, both complete.
std::string rails_picture(const ctl::Tree& peer, const ctl::Tree& nets);

}  // namespace ulnet::tools
