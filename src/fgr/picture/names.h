// Names as texts of pictures: many of them short, and long ones on several lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ulnet::tools::fgr {

/// Names as a site file may have them: "nid[00750-00753]", "oss[4-14/2]". Those that differ in the
/// numbers at their ends only are one word, unless the numbers have zeros before them and not
/// equally many digits. The words are in the order in which their first names come.
std::vector<std::string> short_names(const std::vector<std::string>& names);

/// Lines of at most `letters` letters, broken behind blanks, commas and slashes, else between any
/// two letters. No line is empty, unless the text is: then it is one line.
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t letters);

/// The room that a label takes in pixels; more than chart::width_of(), so that fonts with wide
/// digits have enough as well, and unless it says otherwise bold ones.
double room_of(std::string_view text, int size, bool bold = true);

}  // namespace ulnet::tools::fgr
