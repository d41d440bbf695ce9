// Reads a YAML mapping key by key. A key that the reader takes is known; every other key is a
// mistake. The reader records each mistake with its place, and a user gets all mistakes of a file
// at once.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "text/quantity.h"
#include "text/yaml_node.h"

namespace ulnet::text {

/// Reads a file of one document and calls `read` with its root. `what` names the document in
/// reasons ("scenario"). Text that is not YAML, a tag, a missing document and a second document are
/// mistakes. At the end all mistakes are in the order of the text.
void read_document(std::string_view text, std::string_view what, conf::Problems& mistakes,
                   const std::function<void(const conf::YamlNode& root)>& read);

class Fields {
 public:
  /// `what` names the mapping in reasons, such as "node". All arguments must outlive this object.
  Fields(const conf::YamlNode& map, std::string_view what, conf::Problems& mistakes);
  /// Records a mistake for each key that was not taken, with the key that was probably meant.
  ~Fields();
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  /// Returns the value of the key; null when the key is absent.
  const conf::YamlNode* take(std::string_view key);
  /// Does the same as take(); an absent key is a mistake.
  const conf::YamlNode* need(std::string_view key);

  // Each function sets `out` and returns true; if the key is absent or its value wrong, it leaves
  // `out` unchanged and returns false.
  bool text(std::string_view key, std::string& out);
  bool duration(std::string_view key, Duration& out);
  bool truth(std::string_view key, bool& out);
  bool chance(std::string_view key, std::uint32_t& out);
  bool rate(std::string_view key, std::uint64_t& out);
  bool number(std::string_view key, std::uint64_t& out, std::uint64_t least = 0,
              std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  bool number(std::string_view key, std::uint32_t& out, std::uint32_t least, std::uint32_t most);
  bool number(std::string_view key, std::int32_t& out, std::int64_t least, std::int64_t most);

  const conf::YamlNode& map() const { return map_; }
  void wrong(const conf::YamlNode& value, std::string reason) const;

 private:
  std::string nearest_to(std::string_view key) const;
  template <class Out, class Parse>
  bool parsed(std::string_view key, Out& out, Parse&& parse);

  const conf::YamlNode& map_;
  const std::string what_;
  conf::Problems& mistakes_;
  std::vector<bool> taken_;
  std::vector<std::string> known_;  ///< the keys that were requested
};

/// Returns the place of the key of `value`, or of `value` itself if it has no key.
conf::Place place_of(const conf::YamlNode& value);

}  // namespace ulnet::text
