// Reads files a chunk at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

inline constexpr std::size_t kChunk = 1 << 20;

/// Passes the bytes of the file to `take`, at most kChunk at a time, until the end or until `take`
/// returns false. "-" is standard input. Negative errno with the system's reason.
Result<void> read_chunks(const std::string& file,
                         const std::function<bool(std::string_view chunk)>& take);

/// Returns the whole file; -EFBIG for a file of more than `most` bytes.
Result<std::string> read_whole(const std::string& file, std::size_t most);

/// Returns the size of a file; 0 if it is not known beforehand: for a pipe, for "-".
std::uint64_t size_of_file(const std::string& file);

}  // namespace ulnet::tools::fgr
