#!/usr/bin/env bash
# Installs libulnet into a temporary folder. Builds and runs the embedding examples with that copy, once through the CMake package and
# once through pkg-config. Checks that only the public interface is visible.
# usage: installed.sh BUILD_FOLDER SOURCE_FOLDER
set -euo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { printf '== %s\n' "$*"; }

say install
cmake --install "$build" --prefix "$work/prefix" --component embedding >/dev/null
cmake --install "$build" --prefix "$work/prefix" --component documents >/dev/null
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name ulnet.pc)")
lib=$(dirname "$PKG_CONFIG_PATH")
export LD_LIBRARY_PATH=$lib

say "visible symbols"
foreign=$(nm -DC --defined-only "$lib/libulnet.so" | awk '{$1=""; print}' |
  grep -vE '^ (A ULNET_0|. LNet|. LNET_ANY_NID|. ulnet_|. ulnet::(Nid|NetId|ProcessId|Node)::|. (typeinfo|typeinfo name|vtable) for ulnet::)' || true)
[ -z "$foreign" ] || { echo "libulnet.so shows what is not its public interface:"; echo "$foreign"; exit 1; }
foreign=$(nm -D --defined-only "$lib/libulnetconfig.so" | awk '{print $3}' |
  grep -vE '^(ULNETCONFIG_0|cYAML_|lustre_|yaml_lnet_|ulnet_lnetconfig_)' || true)
[ -z "$foreign" ] || { echo "libulnetconfig.so shows what is not its public interface:"; echo "$foreign"; exit 1; }
readelf -d "$lib/libulnetconfig.so" | grep -q 'SONAME.*libulnetconfig.so.0' || { echo "no SONAME"; exit 1; }
readelf -d "$lib/libulnet.so" | grep -q 'SONAME.*libulnet.so.0' || { echo "no SONAME"; exit 1; }

say "the headers alone are C99"
for header in lnet.h cyaml.h lnetconfig.h lnetconfig_hld.h; do
  printf '#include <ulnet/%s>\n' "$header" >"$work/c99.c"
  cc -std=c99 -pedantic -Wall -Wextra -Werror $(pkg-config --cflags ulnet) -fsyntax-only "$work/c99.c"
  c++ -std=c++20 -Wall -Wextra -Werror $(pkg-config --cflags ulnet) -x c++ -fsyntax-only "$work/c99.c"
done
for header in nid.hpp result.hpp lifetime.hpp lnet.hpp node.hpp event_queue.hpp handles.hpp; do
  printf '#include <ulnet/%s>\n' "$header" | c++ -std=c++20 -Wall -Wextra -Werror $(pkg-config --cflags ulnet) -x c++ -fsyntax-only -
done

say "an older C++ is told what is missing"
for header in nid.hpp result.hpp lifetime.hpp lnet.hpp node.hpp event_queue.hpp handles.hpp; do
  printf '#include <ulnet/%s>\n' "$header" >"$work/old.cc"
  c++ -std=c++17 $(pkg-config --cflags ulnet) -fsyntax-only "$work/old.cc" 2>"$work/said" && { echo "$header is accepted in C++17"; exit 1; }
  grep -m 1 'error' "$work/said" | grep -q 'needs C++20' || { head -3 "$work/said"; exit 1; }
done

say "the pages that headers cite"
for page in $(grep -rhoE 'spec/[a-z-]+\.md' "$work/prefix/include" | sort -u); do
  [ -f "$work/prefix/share/doc/ulnet/$page" ] || { echo "headers cite $page, which is not installed"; exit 1; }
done

say "CMake package"
cmake -S "$source/examples/embedding" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Debug >/dev/null
cmake --build "$work/cmake" >/dev/null
for example in hello request_ring event_loop poll; do say "$example"; timeout 60 "$work/cmake/$example"; done

say "pkg-config"
c++ -std=c++20 $(pkg-config --cflags ulnet) "$source/examples/embedding/hello.cc" -o "$work/hello" $(pkg-config --libs ulnet)
timeout 60 "$work/hello"

say "the DLC library, through both"
cmake -S "$source/examples/configuring" -B "$work/dlc" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/dlc" >/dev/null
cc -std=c99 $(pkg-config --cflags ulnetconfig) "$source/examples/configuring/shape.c" -o "$work/shape" $(pkg-config --libs ulnetconfig)
for program in "$work/dlc/shape" "$work/shape"; do
  ULNET_CONTROL="$work/nobody.sock" "$program" tcp lo 2>"$work/said" && { echo "configured a node that is not there"; exit 1; }
  grep -q 'no node' "$work/said" || { cat "$work/said"; exit 1; }
done
echo "embedding: ok"
