#include "lab/live/programs.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace ulnet::tools::lab {

namespace {

/// A file in memory: programs can read or write it without another process at its other end.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : file_(::memfd_create("ulnet-lab", MFD_CLOEXEC)) {
    if (file_ < 0) return;
    [[maybe_unused]] const auto wrote = ::pwrite(file_, content.data(), content.size(), 0);
  }
  ~MemoryFile() {
    if (file_ >= 0) ::close(file_);
  }
  MemoryFile(MemoryFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  MemoryFile& operator=(MemoryFile&&) = delete;
  int file() const { return file_; }
  std::string content() const {
    std::string text;
    char part[4096];
    for (ssize_t got = 0;
         (got = ::pread(file_, part, sizeof part, static_cast<off_t>(text.size()))) > 0;)
      text.append(part, static_cast<std::size_t>(got));
    return text;
  }

 private:
  int file_;
};

struct Running {
  explicit Running(const Program& started) : program(&started), input(started.input) {}
  const Program* program;
  MemoryFile input, errors{""};
  pid_t pid = -1;
};

std::string missing(const std::string& name) {
  if (name == "ip" || name == "tc")
    return name + " is not installed: install iproute2, as with 'apt-get install iproute2'";
  return name + " is not installed";
}

Result<void> start(Running& run) {
  const auto& words = run.program->words;
  const auto pid =
      start_program(words, {run.input.file(), kDevNull, run.errors.file()}, CtrlC::kDoesNotReach);
  if (!pid)
    return fail(pid.error().code, pid.error().code == -ENOENT
                                      ? missing(words[0])
                                      : words[0] + ": " + pid.error().reason);
  run.pid = *pid;
  return {};
}

/// Returns the line of the input that the message "Command failed -:12" refers to.
std::string failed_line(const std::string& said, const std::string& input) {
  const std::size_t at = said.find("Command failed -:");
  if (at == std::string::npos) return {};
  long line = std::strtol(said.c_str() + at + std::strlen("Command failed -:"), nullptr, 10);
  std::size_t begin = 0;
  for (; line > 1 && begin != std::string::npos; --line) begin = input.find('\n', begin + 1);
  if (line != 1 || begin == std::string::npos) return {};
  begin = input.find_first_not_of('\n', begin);
  return begin == std::string::npos ? "" : input.substr(begin, input.find('\n', begin) - begin);
}

Result<void> end(Running& run) {
  int status = 0;
  while (::waitpid(run.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  std::string what;
  for (const std::string& word : run.program->words) what += (what.empty() ? "" : " ") + word;
  const std::string errors = run.errors.content();
  const std::string line = failed_line(errors, run.program->input);
  std::string said = errors.substr(0, errors.find_last_not_of('\n') + 1);
  std::replace(said.begin(), said.end(), '\n', ' ');
  return fail(-EIO, what + (line.empty() ? "" : " ('" + line + "')") + ": " +
                        (said.empty() ? "it failed" : said));
}

Result<void> run_group(std::span<const Program> programs) {
  std::vector<Running> group;
  group.reserve(programs.size());
  Result<void> done;
  for (const Program& program : programs) {
    group.emplace_back(program);
    if (const auto started = start(group.back()); !started && done)
      done = tl::unexpected(started.error());
  }
  for (Running& one : group) {
    if (one.pid < 0) continue;
    const auto ended = end(one);
    if (done) done = ended;
  }
  return done;
}

}  // namespace

Program ip_batch(std::string lines) { return {{"ip", "-batch", "-"}, std::move(lines)}; }

Program batch_in(const std::string& program, const std::string& space, std::string lines) {
  return {{program, "-n", space, "-batch", "-"}, std::move(lines)};
}

Result<void> run_programs(std::span<const Program> programs, std::size_t width) {
  Result<void> done;
  for (; !programs.empty(); programs = programs.subspan(std::min(width, programs.size()))) {
    const auto group = run_group(programs.first(std::min(width, programs.size())));
    if (done) done = group;
  }
  return done;
}

Result<void> run_program(const Program& program) { return run_programs({&program, 1}); }

Result<pid_t> start_program(const std::vector<std::string>& words, const std::array<int, 3>& files,
                            CtrlC ctrl_c) {
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));  // posix_spawnp does not change the words
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int file = 0; file < 3; ++file)
    if (const int from = files[static_cast<std::size_t>(file)]; from == kDevNull)
      posix_spawn_file_actions_addopen(&actions, file, "/dev/null",
                                       file == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
    else
      posix_spawn_file_actions_adddup2(&actions, from, file);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (ctrl_c == CtrlC::kDoesNotReach) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int code =
      ::posix_spawnp(&pid, arguments.front(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return fail(-code, std::strerror(code));
  return pid;
}

std::string own_folder() {
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : own.parent_path().string();
}

std::string find_program(const std::string& name) {
  for (const char* beside : {"/", "/../sbin/"})  // in an installed copy, ulnetd is in sbin
    if (const std::string file = own_folder() + beside + name; ::access(file.c_str(), X_OK) == 0)
      return file;
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/sbin:/usr/bin:/sbin:/bin" : path;
  while (!folders.empty()) {
    const std::size_t colon = std::min(folders.find(':'), folders.size());
    const std::string file = std::string(folders.substr(0, colon)) + "/" + name;
    if (colon > 0 && ::access(file.c_str(), X_OK) == 0) return file;
    folders.remove_prefix(std::min(colon + 1, folders.size()));
  }
  return {};
}

}  // namespace ulnet::tools::lab
