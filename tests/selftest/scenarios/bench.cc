#include "bench.h"

#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "selftest/api/lst_api.h"

namespace ulnet::tools::lst::test {

namespace {

/// Redirects both outputs of this process to one file while it exists.
class Capture {
 public:
  Capture() {
    std::fflush(nullptr);
    for (const int fd : {1, 2}) {
      saved_[fd - 1] = ::dup(fd);
      ::dup2(::fileno(file_), fd);
    }
  }
  ~Capture() {
    restore();
    std::fclose(file_);
  }
  std::string text() {
    restore();
    std::string all;
    std::rewind(file_);
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) all += static_cast<char>(c);
    return all;
  }

 private:
  void restore() {
    std::fflush(nullptr);
    for (const int fd : {1, 2}) {
      if (saved_[fd - 1] < 0) continue;
      ::dup2(saved_[fd - 1], fd);
      ::close(saved_[fd - 1]);
      saved_[fd - 1] = -1;
    }
  }
  std::FILE* file_ = std::tmpfile();
  int saved_[2] = {-1, -1};
};

}  // namespace

Result<Tree> DeskConsole::call(const std::string& command, const Tree& arguments,
                               std::chrono::seconds patience) {
  ++calls;
  std::optional<Result<Tree>> answer;
  // Arguments travel as text, so that numbers lose their C++ types.
  const Tree sent = Tree::parse(arguments.dump());
  node::control::console_command(console_, command, sent,
                                 [&](Result<Tree> result) { answer = std::move(result); });
  const Instant begun = nodes_.now();
  if (!nodes_.pass_until([&] { return answer.has_value(); })) return fail(-ETIME, "never ended");
  EXPECT_LE(nodes_.now() - begun, patience) << command << ": the client would have given up";
  return *answer;
}

Said say(Tool& tool, const std::string& line) {
  Words words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  Said said;
  Capture capture;
  said.code = run_command(tool, std::move(words));
  said.all = capture.text();
  return said;
}

Said Bench::lst(const std::string& line) {
  Tool tool("lst", key, console, watch);
  return say(tool, line);
}

std::string Bench::good(const std::string& line) {
  const Said said = lst(line);
  EXPECT_EQ(said.code, 0) << line << "\n" << said.all;
  return said.all;
}

std::string Bench::bad(const std::string& line) {
  const Said said = lst(line);
  EXPECT_NE(said.code, 0) << line << "\n" << said.all;
  return said.all;
}

}  // namespace ulnet::tools::lst::test
