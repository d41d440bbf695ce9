// Columns of text for people.
#pragma once

#include <string>
#include <vector>

namespace ulnet::text {

/// Columns as wide as their widest field, two blanks between them; each row a line. A row may have
/// fewer fields than the first one.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace ulnet::text
