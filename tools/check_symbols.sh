#!/bin/sh
# What the built library may contain: tools/check_symbols.sh BUILD
#   - it calls nothing that prints to the terminal, exits or aborts;
#   - of libm it calls only what is exact, and atan2: the last bit of others differs from libm to libm;
#   - only base/alloc.c calls the C library's memory functions;
#   - it has no writable data, hence no global mutable state;
#   - the shared library exports rg_ names only.
set -eu
build=$1
archive=$build/librigor.a
failed=0
if [ ! -f "$archive" ] || [ ! -f "$build/librigor.so" ]; then
    echo "no library in $build" >&2
    exit 1
fi

# nm prints "archive:object: symbol" for each undefined symbol.
undefined=$(nm -A -u "$archive" | awk '{ split($1, place, ":"); print place[2], $NF }')
bad=$(echo "$undefined" | grep -E ' (_*v?printf(_chk)?|puts|putchar|perror|exit|_exit|quick_exit|abort|stdout|stderr)$' || true)
[ -z "$bad" ] || { echo "the library must not print or end the program:"; echo "$bad"; failed=1; }
bad=$(echo "$undefined" | grep -E ' (malloc|calloc|realloc|free|strdup|aligned_alloc|posix_memalign)$' |
    grep -v '^alloc\.c\.o ' || true)
[ -z "$bad" ] || { echo "memory must come through base/alloc.h:"; echo "$bad"; failed=1; }

bad=$(echo "$undefined" | grep -E ' (sin|cos|sincos|tan|asin|acos|atan|sinh|cosh|tanh|asinh|acosh|atanh|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|hypot|cbrt|erf|erfc|tgamma|lgamma)[fl]?$' || true)
[ -z "$bad" ] || { echo "libm functions whose last bit differs between libms (math/trig.h has sine and cosine):"; echo "$bad"; failed=1; }

# Constant tables of pointers are in .data.rel.ro, which the loader makes read-only.
bad=$(objdump -h "$archive" | awk '/file format/ { object = $1 }
    $2 ~ /^\.(data|bss|tdata|tbss)$/ && $3 !~ /^0+$/ { print object, $2, "0x" $3, "bytes" }')
[ -z "$bad" ] || { echo "global mutable state:"; echo "$bad"; failed=1; }

bad=$(nm -D --defined-only "$build/librigor.so" | awk '{ print $NF }' | grep -v '^rg_' || true)
[ -z "$bad" ] || { echo "exported without rg_:"; echo "$bad"; failed=1; }
[ "$failed" -ne 0 ] || echo "symbols: all well"
exit "$failed"
