#!/bin/sh
# Installs a build into a temporary DESTDIR and builds outside.c against it: test/install/run.sh BUILD
# Four ways: CMake package and pkg-config, each with the shared and with the static library.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

DESTDIR=$root cmake --install "$build" --prefix /opt/rigor >/dev/null
prefix=$root/opt/rigor
for kind in shared static; do
    cmake -S "$here" -B "$root/$kind" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DRIGOR_KIND=$kind >"$root/log" ||
        { cat "$root/log"; exit 1; }
    ninja -C "$root/$kind" --quiet
    "$root/$kind/outside"
    "$root/$kind/outside_cpp"
done

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name rigor.pc)")
export PKG_CONFIG_PATH
libraries=$(pkg-config --variable=libdir rigor)
# shellcheck disable=SC2046
gcc -std=c17 "$here/outside.c" -o "$root/by_pkg_shared" $(pkg-config --cflags --libs rigor)
LD_LIBRARY_PATH=$libraries "$root/by_pkg_shared"
# OpenMP's library of a build by clang has no archive: then all but it is static.
static=-static
case $(pkg-config --static --libs rigor) in
*libomp.so*) static="$libraries/librigor.a" ;;
esac
# shellcheck disable=SC2046
gcc -std=c17 "$here/outside.c" $static -o "$root/by_pkg_static" $(pkg-config --static --cflags --libs rigor)
LD_LIBRARY_PATH=$libraries "$root/by_pkg_static"

# The shared library has a soname and each kind was really used; the command starts from where it lies.
readelf -d "$libraries/librigor.so" | grep -q 'soname: \[librigor\.so\.[0-9]'
readelf -d "$root/shared/outside" | grep -q 'NEEDED.*librigor'
if readelf -d "$root/static/outside" | grep -q 'NEEDED.*librigor'; then
    echo "the static kind uses the shared library"
    exit 1
fi
for module in "$build"/rigor_*.so; do
    [ ! -f "$module" ] || cmp "$module" "$libraries/rigor/${module##*/}"
done
if [ -x "$build/rigor" ]; then
    "$prefix/bin/rigor" --version
    test -f "$prefix/share/rigor/models/default.yaml"
    "$prefix/bin/rigor" reproduce 004-a --quick --demand 100 >/dev/null
fi
echo "install: outside projects build four ways"
