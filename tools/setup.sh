#!/bin/sh
# Installs the Debian packages that a make target needs; silent when nothing is missing.
#
#   tools/setup.sh run     to build the library and the command
#   tools/setup.sh figures and to draw figures (rigor run --plots, rigor reproduce)
#   tools/setup.sh test    and to run the tests
#   tools/setup.sh check   and to format and check the sources
#   tools/setup.sh fuzz    and to run the fuzzers
#   tools/setup.sh viewer  to build the command with its page, and to run the page's tests in a browser
#   tools/setup.sh rollouts and to measure rollouts beside MuJoCo's
#   tools/setup.sh peers   and to measure beside other engines, as far as they can be had
#
# Uses apt-get, with sudo where the user is not root. Where there is no apt it looks for the programs and
# libraries themselves, and names what is missing.
set -eu
goal=${1:-run}

packages="gcc libc6-dev make cmake ninja-build pkg-config libexpat1-dev libqhull-dev libyaml-dev"
packages="$packages zlib1g-dev liblz4-dev libjansson-dev"
packages="$packages libwebsockets-dev libnlopt-dev"
programs="gcc cmake ninja pkg-config"
modules="expat qhull_r zlib liblz4 jansson yaml-0.1"
wished=
if [ "$goal" = viewer ]; then
    packages="$packages chromium fonts-dejavu-core"
    programs="$programs chromium node npm"
    # A Node that is already there stays: Debian's npm would bring its own.
    { command -v node && command -v npm; } >/dev/null || packages="$packages nodejs npm"
elif [ "$goal" = figures ]; then
    packages="$packages gnuplot-nox"
    programs="$programs gnuplot"
elif [ "$goal" != run ]; then
    packages="$packages g++ clang libomp-dev procps libcriterion-dev libfcl-dev libccd-dev python3 python3-numpy python3-scipy gnuplot-nox"
    programs="$programs g++ clang python3 ps"
    modules="$modules criterion"
    # Tests of the modules for MPI, and those beside ODE, are skipped where there is none.
    wished="mpich libmpich-dev openmpi-bin libopenmpi-dev libode-dev"
fi
if [ "$goal" = check ]; then
    packages="$packages clang-format clang-tidy"
    programs="$programs clang-format clang-tidy"
fi
if [ "$goal" = peers ]; then
    wished="$wished libmujoco-dev libbullet-dev libdart-dev libsimbody-dev libsiconos-numerics-dev"
fi
if [ "$goal" = rollouts ]; then
    wished=libmujoco-dev
fi
if [ "$goal" = fuzz ]; then
    # The package of the fuzzer's run-time library carries clang's major version in its name.
    command -v clang >/dev/null || "$0" test
    packages="$packages libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
fi

# Elsewhere than on Debian: look, name, stop.
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    missing=
    for program in $programs; do
        command -v "$program" >/dev/null || missing="$missing $program"
    done
    for module in $modules; do
        pkg-config --exists "$module" 2>/dev/null || missing="$missing $module"
    done
    [ -n "$missing" ] || exit 0
    echo "setup: missing:$missing" >&2
    echo "setup: there is no apt-get here; please install what corresponds to Debian's $packages" >&2
    exit 1
fi

# One query tells all; a package that was never known is simply absent from the answer.
# shellcheck disable=SC2086
installed=$(dpkg-query -W -f '${db:Status-Status}:${Package} ' $packages $wished 2>/dev/null || true)
absent() {
    for package in "$@"; do
        case " $installed" in
        *" installed:$package "*) ;;
        *) printf ' %s' "$package" ;;
        esac
    done
}
# shellcheck disable=SC2086
missing=$(absent $packages) wished=$(absent $wished)
[ -n "$missing$wished" ] || exit 0

# Install what is missing; show apt's own words only when it fails.
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: not root and no sudo; please install:$missing$wished" >&2
        [ -z "$missing" ] || exit 1
        exit 0
    fi
    as_root=sudo
fi
echo "setup: installing$missing$wished"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
get() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends "$@"
}
# shellcheck disable=SC2086
if ! { $as_root apt-get -q update && { [ -z "$missing" ] || get $missing; }; } >"$log" 2>&1; then
    [ -n "$missing" ] || { echo "setup: apt-get update failed; without$wished" >&2 && exit 0; }
    tail -n 30 "$log" >&2
    echo "setup: apt-get failed" >&2
    exit 1
fi

# What is only wished for comes one by one: one that cannot be had takes no other with it.
for package in $wished; do
    get "$package" >"$log" 2>&1 || echo "setup: $package cannot be had; going on without" >&2
done
