// The table of a picture that explains each LNet group.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fgr/picture/group_marks.h"
#include "fgr/picture/paper.h"
#include "fgr/plan/plan.h"
#include "text/chart/svg.h"

namespace ulnet::tools::fgr {

/// A row for each group and each client system that reaches it. A column is left out if its texts
/// are all equal, or repeat what the tags show.
class GroupTable {
 public:
  static constexpr double kGap = 36;  ///< gap between two parts side by side

  GroupTable(const plan::Plan& plan, const GroupMarks& marks);

  double width() const { return width_; }   ///< width of one part
  std::size_t parts_in(double most) const;  ///< parts that fit side by side; at least 1
  /// Returns the number of parts side by side, at most `most`, that keeps the table from being a
  /// long strip.
  std::size_t good_parts(std::size_t most) const;
  double height(std::size_t parts) const;  ///< with this many parts side by side

  /// Puts the whole table on one sheet.
  void place(std::size_t sheet, chart::Spot corner, std::size_t parts);
  /// Puts the table on sheets of its own; returns how many sheets it takes.
  std::size_t place_on_sheets(std::size_t first, const Paper& paper);

  void draw(chart::Svg& svg, const Paper& paper) const;

 private:
  using Texts = std::vector<std::string>;
  struct Entry {
    std::size_t group = 0;
    Texts texts;
  };
  struct Part {
    std::size_t sheet = 0;
    chart::Spot corner;
    std::size_t first = 0, end = 0;  ///< entries
  };

  void add(const plan::Plan& plan, std::size_t group);
  void leave_out_columns();
  void row(chart::Svg& svg, chart::Spot corner, const Texts& texts, bool head) const;

  const GroupMarks& marks_;
  Texts head_;
  std::size_t figures_ = 0;  ///< the last columns, which contain figures
  std::vector<Entry> entries_;
  std::vector<double> widths_;
  double width_ = 0;
  std::vector<Part> parts_;
};

}  // namespace ulnet::tools::fgr
