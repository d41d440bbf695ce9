// Names as texts of pictures: shortens many of them, and divides long ones into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ulnet::tools::fgr {

/// Shortens names to words as a site file may have them: "nid[00750-00753]", "oss[4-14/2]". Names
/// that differ only in the numbers at their ends become one word, unless the numbers have leading
/// zeros and unequal numbers of digits. The words are in the order of their first names.
std::vector<std::string> short_names(const std::vector<std::string>& names);

/// Breaks the text into lines of at most `letters` letters, after blanks, commas and slashes, else
/// between any two letters. No line is empty, except for an empty text, which is one line.
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t letters);

/// Returns the width of a label in pixels. It is more than chart::width_of(), so that it is enough
/// for fonts with wide digits. `bold`: for bold text.
double padded_width(std::string_view text, int size, bool bold = true);

}  // namespace ulnet::tools::fgr
