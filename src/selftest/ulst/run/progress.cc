#include "selftest/ulst/run/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "selftest/ulst/run/figures.h"
#include "text/shell/speak.h"

namespace ulnet::tools::lst::run {

namespace {

constexpr std::size_t kNodeColumn = 24;

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

/// Cuts a line to the width of the terminal. A wider line would wrap, and the cursor could not go
/// back over it.
std::string cut(std::string line, std::size_t width) {
  if (line.size() > width) line.resize(width);
  return line + "\n";
}

/// Returns "test 2 of 3: write 1M" and the time.
std::string head_of(const Live& live) {
  const std::string place = live.of > 1 ? fmt::format("test {} of {}: ", live.number, live.of) : "";
  return fmt::format("{}{}{}  {:.1f} of {}", live.place, place, title_of(live.step),
                     seconds(live.elapsed), seconds_text(seconds(live.total)));
}

std::string row_text(const Live& live, const Flow& flow) {
  const bool read = live.step.operation == Operation::kRead;
  const bool write = live.step.operation == Operation::kWrite;
  std::string line =
      fmt::format("{:<{}} {} {:>10.0f} {:>10} {:>10} {:>8}", flow.node, kNodeColumn,
                  to_string(flow.role), flow.rpcs_per_s, read ? mib_text(flow.bytes_per_s) : "-",
                  write ? mib_text(flow.bytes_per_s) : "-", flow.errors);
  for (const std::string& words : {flow.note, flow.lost})
    if (!words.empty()) line += "  " + words;
  return line;
}

/// Returns a line "  10.0.0.3@tcp silent for 12.0 s" for each node that has a note, once.
std::string notes_of(const std::vector<Flow>& rows) {
  constexpr std::size_t kMax = 3;
  std::vector<std::string> notes;
  for (const Flow& flow : rows) {
    const std::string note = flow.node + " " + flow.note;
    if (!flow.note.empty() && std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(notes.size(), kMax); ++i) text += "  " + notes[i];
  if (notes.size() > kMax) text += fmt::format("  and {} more", notes.size() - kMax);
  return text;
}

class Screen final : public Progress {
 public:
  explicit Screen(std::FILE* to) : to_(to) {}
  ~Screen() override { close(); }
  void begin(std::size_t nodes) override {
    put(fmt::format("making a session of {} node{} ...\n", nodes, nodes == 1 ? "" : "s"));
  }
  void show(const Live& live) override {
    winsize size{};
    const bool known = ::ioctl(::fileno(to_), TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
    put(live_table(live, known ? size.ws_col : 80, known ? size.ws_row : 24));
  }
  /// Clears the table; the summary follows in its place.
  void close() override {
    if (lines_ == 0) return;
    std::fputs(fmt::format("\x1b[{}A\x1b[J", lines_).c_str(), to_);
    std::fflush(to_);
    lines_ = 0;
  }

 private:
  /// Overwrites the table.
  void put(const std::string& lines) {
    std::string text;
    if (lines_ != 0) text = fmt::format("\x1b[{}A", lines_);
    // Clears the rest of each line, and the lines of a longer table.
    for (const char c : lines) text += c == '\n' ? "\x1b[K\n" : std::string(1, c);
    std::fputs((text + "\x1b[J").c_str(), to_);
    std::fflush(to_);
    lines_ = static_cast<std::size_t>(std::ranges::count(lines, '\n'));
  }

  std::FILE* const to_;
  std::size_t lines_ = 0;  ///< lines of the table on the terminal
};

class Lines final : public Progress {
 public:
  void begin(std::size_t) override {}
  void show(const Live& live) override {
    out(live_line(live));
    std::fflush(stdout);
  }
};

class Silence final : public Progress {
 public:
  void begin(std::size_t) override {}
  void show(const Live&) override {}
};

}  // namespace

std::string live_table(const Live& live, std::size_t width, std::size_t height) {
  // The cursor stays below the last line.
  const std::size_t max_rows = height > 4 ? height - 3 : 1;
  std::string text = cut(head_of(live), width);
  text += cut(fmt::format("{:<{}} ROLE   {:>10} {:>10} {:>10} {:>8}", "NODE", kNodeColumn, "RPC/s",
                          "READ MiB/s", "WRIT MiB/s", "ERRORS"),
              width);
  const bool all = live.rows.size() <= max_rows;
  const std::size_t shown = all ? live.rows.size() : max_rows - 1;
  for (std::size_t i = 0; i < shown; ++i) text += cut(row_text(live, live.rows[i]), width);
  if (!all) text += cut(fmt::format("and {} more", live.rows.size() - shown), width);
  return text;
}

std::string live_line(const Live& live) {
  std::vector<Flow> clients;
  std::ranges::copy_if(live.rows, std::back_inserter(clients),
                       [](const Flow& flow) { return flow.role == Role::kClient; });
  const Flow all = sum_of(clients);
  std::string line = fmt::format("{}  {:.0f} RPC/s", head_of(live), all.rpcs_per_s);
  if (live.step.size != 0) line += fmt::format("  {} MiB/s", mib_text(all.bytes_per_s));
  return line + fmt::format("  {} errors", all.errors) + notes_of(live.rows) + "\n";
}

std::unique_ptr<Progress> progress_for(Format format) {
  std::FILE* const to = format == Format::kTable ? stdout : stderr;
  if (::isatty(::fileno(to)) != 0) return std::make_unique<Screen>(to);
  if (format == Format::kTable) return std::make_unique<Lines>();
  return std::make_unique<Silence>();
}

}  // namespace ulnet::tools::lst::run
