// raw_loop LOOP serve|drive [key=value ...]: one side of a raw TCP run. The server prints "ready
// PORT". Each side ends with one line of JSON (messages, bytes, seconds, cpu_seconds).
#include <algorithm>
#include <map>

#include "tcp.h"

namespace {

const std::map<std::string, raw::Wait> kWaits{{"recv", raw::Wait::kRecv},
                                              {"epoll", raw::Wait::kEpoll},
                                              {"spin", raw::Wait::kSpin},
                                              {"adaptive", raw::Wait::kAdaptive}};

bool assign(raw::Options& options, const std::string& key, const std::string& value) {
  if (key == "host")
    options.host = value;
  else if (key == "port")
    options.port = static_cast<std::uint16_t>(std::stoul(value));
  else if (key == "size")
    options.size = std::stoul(value);
  else if (key == "seconds")
    options.seconds = std::stod(value);
  else if (key == "count")
    options.count = std::stoull(value);
  else if (key == "cpu")
    options.cpu = std::stoi(value);
  else if (key == "outstanding")
    options.outstanding = static_cast<unsigned>(std::stoul(value));
  else if (key == "request")
    options.request = std::stoul(value);
  else if (key == "answer")
    options.answer = std::stoul(value);
  else if (key == "check")
    options.check = value == "full";
  else if (key == "buffers")
    options.buffers = std::max(1UL, std::stoul(value));
  else if (key == "gather")
    options.gather = std::max(1UL, std::stoul(value));
  else if (key == "to")
    options.to = value;
  else if (key == "to_port")
    options.to_port = static_cast<std::uint16_t>(std::stoul(value));
  else if (key == "to_space")
    options.to_space = value;
  else if (key == "frame")
    options.frame = std::stoul(value);
  else if (key == "wait" && kWaits.contains(value))
    options.wait = kWaits.at(value);
  else if (key == "congestion")
    options.congestion = value;
  else
    return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, int (*)(const raw::Options&)> loops{
      {"bandwidth", raw::bandwidth}, {"latency", raw::latency}, {"rate", raw::rate},
      {"exchange", raw::exchange},   {"checked", raw::checked}, {"relay", raw::relay}};
  raw::Options options;
  bool ok = argc >= 3;
  if (ok) {
    options.loop = argv[1];
    options.serve = std::string(argv[2]) == "serve";
  }
  for (int i = 3; ok && i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    ok = equals != std::string::npos &&
         assign(options, word.substr(0, equals), word.substr(equals + 1));
  }
  const auto loop = loops.find(options.loop);
  if (!ok || loop == loops.end()) {
    std::fprintf(
        stderr,
        "usage: raw_loop bandwidth|latency|rate|exchange|checked|relay serve|drive [host= port= "
        "size= seconds= count= cpu= outstanding= request= answer= check=none|full "
        "buffers= gather= to= to_port= to_space= frame= wait=recv|epoll|spin|adaptive "
        "congestion=]\n");
    return 2;
  }
  raw::pin(options.cpu);
  return loop->second(options);
}
