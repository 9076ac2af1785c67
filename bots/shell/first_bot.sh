#!/bin/sh
# The smallest bot: it plays the first legal move, cut out of the text of the turn.
while IFS= read -r line; do
    case $line in
    *'"type":"hello"'*) echo '{"type":"hello","protocol":1}' ;;
    *'"type":"turn"'*)
        legal=${line#*'"legal":['}
        legal=${legal%%]*}
        echo "{\"move\":${legal%%,*}}" ;;
    *'"type":"quit"'*) exit ;;
    esac
done
