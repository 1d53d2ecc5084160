#!/bin/sh
# What an escalation of a chaos run is: says of which file, and which step the error is about, that somebody was told.
# escalate.sh FILE
node=$(sed -n 's/.*"errors":\[{[^]]*"node_id":"\([^"]*\)".*/\1/p' | head -n 1)
printf 'escalate.%s.%s\n' "$1" "$node" >>"$CHAOS_LOG"
