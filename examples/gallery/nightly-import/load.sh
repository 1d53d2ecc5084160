#!/bin/sh
# Loads the orders of one shop; exit code 65 says that they are malformed. Put your own import here.
echo "{\"shop\": \"$1\", \"orders\": 0}"
