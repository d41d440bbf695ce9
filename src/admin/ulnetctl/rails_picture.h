// Draws a peer's rails from what the node shows.
#pragma once

#include <string>

#include "admin/client/control_api.h"

namespace ulnet::tools {

/// Returns the picture as SVG. `peer` is an item of `peer:`; `nets` is `{"net": [...]}`, both
/// complete.
std::string rails_picture(const ctl::Tree& peer, const ctl::Tree& nets);

}  // namespace ulnet::tools
