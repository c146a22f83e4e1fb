#!/bin/sh
# Runs a command, shows what it prints and keeps that in FILE: tools/keep_output.sh FILE COMMAND...
file=$1
shift
"$@" >"$file" 2>&1
status=$?
cat "$file"
exit "$status"
