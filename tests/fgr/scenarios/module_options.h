// Module parameters as modprobe reads them, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "admin/conf/modprobe.h"

namespace ulnet::plan {

/// The value of a parameter in the text of a modprobe file, as modprobe hands it to the module;
/// empty: the text does not set it.
inline std::string param_of(const std::string& options, std::string_view name) {
  const conf::PlainText text(options);
  conf::Problems notes;
  const auto params = conf::read_modprobe(text, notes);
  EXPECT_TRUE(params) << params.error().reason;
  if (params)
    for (const conf::ModuleParam& param : *params)
      if (param.name == name) return std::string(param.value);
  return {};
}

}  // namespace ulnet::plan
