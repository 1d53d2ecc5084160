#!/bin/sh
# Pushes what the agent changed in one clone ($1) as a branch, with the agent's words ($2). Open a pull request here, too.
set -e
cd "$1"
git checkout -q -B migration
git add --all
git diff --cached --quiet || git commit -q -m "$2"
if ! git push -q origin migration; then
  echo '{"kind": "push.refused", "message": "the host refused the branch"}' > "$SEGNO_ERROR_OUT"
  exit 1
fi
