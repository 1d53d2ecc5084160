#!/bin/sh
# Pushes the branch of one repository and opens a pull request. Put your own commands here.
echo "pushed $1"
