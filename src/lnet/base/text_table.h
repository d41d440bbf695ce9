// Tables of text for terminals.
#pragma once

#include <string>
#include <vector>

namespace ulnet::text {

/// Columns as wide as their widest field, with two blanks between them, and one line for each row.
/// A row may have fewer fields than the first one.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace ulnet::text
