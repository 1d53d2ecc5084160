#!/bin/sh
# What every script of a chaos run is: says once that it ran, waits a little, and fails as its rule says. The rule looks
# at the idempotency key alone, never at the time, so that the same attempt always ends the same way.
# step.sh SECONDS RULE KIND [ITEM]
key=${SEGNO_IDEMPOTENCY_KEY#*:}
printf '%s\n' "$key" >>"$CHAOS_LOG"
[ "$1" = 0 ] || sleep "$1"
place=${key%:*}
ordinal=${key##*:}
last=${place##*/}
visit=1
case $last in *'#'*) visit=${last##*'#'} visit=${visit%%[!0-9]*} ;; esac
generation=1
case $place in *'~'*) generation=${place##*'~'} generation=${generation%%[!0-9]*} ;; esac
bound=${2#*:}
fails=no
case $2 in
  always) fails=yes ;;
  ordinal:*) [ "$ordinal" -le "$bound" ] && fails=yes ;;
  visit:*) [ "$visit" -le "$bound" ] && fails=yes ;;
  generation:*) [ "$generation" -le "$bound" ] && fails=yes ;;
  items:*) case ",$bound," in *",$4,"*) fails=yes ;; esac ;;
esac
# Once somebody has mended what was wrong, nothing fails any more.
[ -e "$CHAOS_LOG.up" ] && fails=no
printf '{"mark":"%s","visit":%s}' "$place" "$visit"
[ $fails = no ] && exit 0
printf '{"kind":"%s","message":"as the rule says"}' "$3" >"$CONDUCTOR_ERROR_OUT"
exit 1
