#include "ulnetd/last_words.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace ulnet::tools {

namespace {

/// Where and how the log is written. It is stored here because no memory for a path may be left
/// when it is needed.
struct Place {
  std::array<char, 256> node{};
  std::array<char, 4096> file{};  ///< empty: stderr
  bool json = false;
};
Place place;

template <std::size_t size>
void keep(std::array<char, size>& to, std::string_view text) {
  to.fill('\0');
  text.copy(to.data(), size - 1);
}

/// A text on the stack; text that does not fit is left out.
class Line {
 public:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    const std::size_t space = text_.size() - size_;
    const auto put =
        fmt::format_to_n(text_.data() + size_, space, format,  // it allocates no memory
                         std::forward<Values>(values)...);
    size_ += std::min(put.size, space);
  }
  void add_time() {
    using namespace std::chrono;
    const auto now = floor<milliseconds>(system_clock::now());
    const auto day = floor<days>(now);
    const year_month_day date(day);
    const hh_mm_ss time(now - day);
    add("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        time.hours().count(), time.minutes().count(), time.seconds().count(),
        time.subseconds().count());
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 1024> text_{};
  std::size_t size_ = 0;
};

/// Why the process ends, in words for the log; for an exception, its message.
void add_reason(Line& line) {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) return line.add("ending: std::terminate() was called");
  if (*type == typeid(std::bad_alloc))
    return line.add("out of memory, and the reserve is used up: ending");
  try {
    throw;
  } catch (const std::exception& unexpected) {
    Line what;  // its text must not break the line
    for (const char* at = unexpected.what(); *at != '\0'; ++at)
      what.add("{}", *at < ' ' || *at == '"' || *at == '\\' ? ' ' : *at);
    line.add("ending: unexpected: {}", what.text());
  } catch (...) {
    line.add("ending: unexpected exception {}", type->name());
  }
}

[[noreturn]] void say_and_abort() {
  Line line;
  if (place.json) {
    line.add(R"({{"time":")");
    line.add_time();
    line.add(R"(","level":"error","node":"{}","message":")", place.node.data());
  } else {
    line.add_time();
    line.add(" {}: error: ", place.node.data());
  }
  add_reason(line);
  line.add("{}", place.json ? "\"}\n" : "\n");
  // Opens the file by its name, because a rotation may have changed the file.
  const int file =
      place.file[0] == '\0'
          ? -1
          : ::open(place.file.data(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
  [[maybe_unused]] const auto said =
      ::write(file >= 0 ? file : STDERR_FILENO, line.text().data(), line.text().size());
  std::abort();
}

}  // namespace

void set_last_words(const std::string& node, const conf::DaemonSettings& settings) {
  keep(place.node, node);
  keep(place.file, settings.log_file.value_or(""));
  place.json = settings.log_format == "json";
  std::set_terminate(&say_and_abort);
}

}  // namespace ulnet::tools
