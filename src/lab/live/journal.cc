#include "lab/live/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <utility>

namespace ulnet::tools::lab {

namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t blank = line.find(' ');
    words.push_back(line.substr(0, blank));
    line.remove_prefix(blank == std::string_view::npos ? line.size() : blank + 1);
  }
  return words;
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && rest == end && out > 0;
}

}  // namespace

Noted read_journal(std::string_view text) {
  Noted noted;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1)) {
    const auto words = words_of(text.substr(0, end));
    if (words.size() == 2 && words[0] == "space") noted.spaces.emplace_back(words[1]);
    Noted::Process process;
    if (words.size() == 4 && words[0] == "process" && read_number(words[2], process.id.pid) &&
        read_number(words[3], process.id.start)) {
      process.node = words[1];
      noted.processes.push_back(std::move(process));
    }
  }
  return noted;
}

Result<Journal> Journal::open(const std::string& path) {
  const int file =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return fail(-errno, path + ": " + std::strerror(errno));
  return Journal(path, file);
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

Result<void> Journal::note_space(std::string_view name) {
  return append(fmt::format("space {}\n", name));
}
Result<void> Journal::note_process(std::string_view node, ProcessId id) {
  return append(fmt::format("process {} {} {}\n", node, id.pid, id.start));
}

Result<void> Journal::append(const std::string& line) {
  // A single call, so that the line is in the file as a whole or not at all.
  if (::write(file_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return {};
  return fail(-errno, path_ + ": " + std::strerror(errno));
}

}  // namespace ulnet::tools::lab
