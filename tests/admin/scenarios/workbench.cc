#include "workbench.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "admin/client/yaml_tree.h"
#include "text/yaml_node.h"

namespace ulnet::ctl::test {

namespace {

std::string new_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "ulnetctl_test.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) std::abort();
  return pattern;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Workbench::Workbench(const char* machine)
    : folder_(new_folder()), node(folder_ + "/door.sock", network, machine) {
  std::filesystem::create_directory(folder_ + "/bin");
  std::filesystem::create_symlink(ULNETCTL_PATH, folder_ + "/bin/ulnetctl");
  std::filesystem::create_symlink(ULNETCTL_PATH, folder_ + "/bin/lnetctl");
  std::filesystem::create_symlink(ULNETCTL_PATH, folder_ + "/bin/lctl");
  std::filesystem::create_symlink(ULST_PATH, folder_ + "/bin/ulst");
  std::filesystem::create_directory(folder_ + "/desk");
}

Workbench::~Workbench() { std::filesystem::remove_all(folder_); }

Outcome Workbench::sh(const std::string& command, const std::string& input) {
  write_file("../input", input);
  write_file("../script", "PATH=" + folder_ + "/bin:$PATH ULNET_CONTROL=" + node.socket() +
                              "\nexport PATH ULNET_CONTROL\ncd " + folder_ + "/desk || exit 99\n" +
                              command + "\n");
  const std::string run = "sh " + folder_ + "/script < " + folder_ + "/input > " + folder_ +
                          "/out 2> " + folder_ + "/err";
  const int status = std::system(run.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status, text_of_file(folder_ + "/out"),
          text_of_file(folder_ + "/err")};
}

Outcome Workbench::sh_merged(const std::string& command) { return sh("exec 2>&1\n" + command); }

std::future<Outcome> Workbench::sh_until(const std::string& command,
                                         const std::function<bool(const std::string& out)>& begun) {
  std::filesystem::remove(folder_ + "/out");
  auto outcome = std::async(std::launch::async, [this, command] { return sh(command); });
  while (!begun(text_of_file(folder_ + "/out"))) {
    if (outcome.wait_for(std::chrono::milliseconds(5)) != std::future_status::timeout) {
      ADD_FAILURE() << command << " has ended before";
      break;
    }
  }
  return outcome;
}

void Workbench::write_file(const std::string& name, const std::string& text) {
  std::ofstream(folder_ + "/desk/" + name, std::ios::binary) << text;
}
std::string Workbench::read_file(const std::string& name) {
  return text_of_file(folder_ + "/desk/" + name);
}

std::string without_hints(const std::string& text) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("# ")) kept += line + "\n";
  }
  return kept;
}

std::string recorded_text(const std::string& file) {
  const std::string path = std::string(ULNET_SOURCE_DIR) + "/tests/data/text/" + file;
  std::string text = text_of_file(path);
  EXPECT_FALSE(text.empty()) << path;
  return text;
}

std::vector<Recorded> recorded_commands(const std::string& file) {
  std::vector<Recorded> all;
  bool open = false;
  std::istringstream lines(recorded_text(file));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t prompt = line.find("$ ");
    // The prompt may follow the node's name: "g5$ ".
    if (prompt == 0 || (prompt == 2 && line.starts_with('g'))) {
      all.push_back({line.substr(prompt + 2), "", 0});
      open = true;
    } else if ((line.starts_with("[rc=") || line.starts_with("[exit ")) && open) {
      all.back().code = std::stoi(line.substr(line.find_first_of("0123456789")));
      open = false;
    } else if (open && line != "[stderr]" && !line.starts_with("sh: /usr/sbin/ksocklnd-config")) {
      all.back().output += line + "\n";
    }
  }
  return all;
}

Tree tree_of_yaml(const std::string& text) {
  const auto documents = conf::load_yaml(text);
  if (!documents || documents->empty()) return Tree::object();
  return tree_of(documents->front());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace ulnet::ctl::test
