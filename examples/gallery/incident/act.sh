#!/bin/sh
# Restarts or rolls back a service. Put your own commands here.
echo "$2 of $1 done"
