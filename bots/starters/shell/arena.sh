# Reads messages, asks the bot for its moves, answers. Leave this file alone.
# shellcheck shell=sh disable=SC2034 # the bot uses variables

newline='
'

# Prints a line to standard error; standard output belongs to the arena.
log() {
    printf '%s\n' "$*" >&2
}

# json_members OBJECT KEY...: sets a variable of the name of each KEY to the text of
# that member, to nothing where it is absent.
json_members() {
    json_object=$1
    shift
    for json_key; do
        eval "$json_key="
    done
    json_scan "$json_object" json_keep_member "$@"
}

json_keep_member() {
    eval "$1=\$2"
}

# json_elements ARRAY: sets `elements` to the texts of its elements, each on a line.
json_elements() {
    elements=
    json_scan "$1" json_keep_element
}

json_keep_element() {
    elements=$elements$2$newline
}

# word INDEX WORD...: sets `item` to one of the words, to nothing where there is none.
word() {
    if [ "$1" -lt "$(($# - 1))" ]; then
        shift "$(($1 + 1))"
        item=$1
    else
        item=
    fi
}

# json_element ARRAY INDEX: sets `item` to the text of that element, to nothing where
# there is none.
json_element() {
    item='' json_index=$2
    json_scan "$1" json_pick_element
}

json_pick_element() {
    [ "$json_index" -ne 0 ] || item=$2
    json_index=$((json_index - 1))
}

# json_scan TEXT FUNCTION KEY...: calls FUNCTION KEY VALUE for these members of an
# object, or FUNCTION '' VALUE for all elements of an array. FUNCTION must not scan.
# The arena sends no blanks outside of strings, so none are looked for.
json_scan() {
    json_rest=$1 json_function=$2
    shift 2
    json_keys=" $* " json_wanted=$#
    json_depth=0 json_key='' json_value='' json_string='' json_inside=false
    # Whether what is read now is a key, and whether it is a value that is asked for.
    case $json_rest in
    '['*) json_at_key=false json_keep=true json_wanted=-1 ;;
    *) json_at_key=true json_keep=false ;;
    esac
    # Between the quotation marks are pieces outside and inside of strings, by turns.
    IFS='"'
    set -f
    # shellcheck disable=SC2086 # it is to be split
    set -- $json_rest
    set +f
    unset IFS
    for json_piece; do
        if $json_inside; then
            json_scan_string "$json_piece"
        else
            json_scan_marks "$json_piece"
            json_inside=true
        fi
        [ "$json_wanted" -ne 0 ] || return 0
    done
}

json_scan_string() {
    if $json_at_key || $json_keep; then
        json_string=$json_string$1
    fi
    json_backslashes=${1##*[!\\]}
    if [ "$((${#json_backslashes} % 2))" -eq 1 ]; then
        # The quotation mark behind this piece is one in the string.
        if $json_at_key || $json_keep; then
            json_string=$json_string\"
        fi
        return 0
    fi
    if $json_at_key; then
        json_key=$json_string
    elif $json_keep; then
        json_value=$json_value\"$json_string\"
    fi
    json_string=
    json_inside=false
}

json_scan_marks() {
    json_rest=$1
    while :; do
        # Inside of items only the brackets matter.
        case $json_depth in
        [01]) json_text=${json_rest%%[][{\},:]*} ;;
        *) json_text=${json_rest%%[][{\}]*} ;;
        esac
        ! $json_keep || json_value=$json_value$json_text
        [ "$json_text" != "$json_rest" ] || return 0
        json_rest=${json_rest#"$json_text"}
        json_text=${json_rest#?}
        json_mark=${json_rest%"$json_text"}
        json_rest=$json_text
        case $json_depth$json_mark in
        0*) json_depth=1 ;;
        1:)
            json_at_key=false
            case $json_keys in *" $json_key "*) json_keep=true ;; esac
            ;;
        1[],\}]) json_end_item ;;
        *)
            case $json_mark in
            '[' | '{') json_depth=$((json_depth + 1)) ;;
            *) json_depth=$((json_depth - 1)) ;;
            esac
            ! $json_keep || json_value=$json_value$json_mark
            ;;
        esac
    done
}

json_end_item() {
    # Only an empty array or object ends without an item.
    if $json_keep && [ -n "$json_value" ]; then
        "$json_function" "$json_key" "$json_value"
        json_wanted=$((json_wanted - 1))
    fi
    json_value=
    # An array has elements only, without keys.
    if [ "$json_wanted" -ge 0 ]; then
        json_at_key=true json_keep=false json_key=
    fi
}

# Plays match after match, until the arena says `quit` or closes the input.
run() {
    game='' options='' seats='' seed=''
    while IFS= read -r line; do
        json_members "$line" type
        # shellcheck disable=SC2154 # json_members sets it
        case $type in
        '"hello"') echo '{"type":"hello","protocol":1}' ;;
        '"start"') json_members "$line" game options seats seed ;;
        '"turn"')
            json_members "$line" ply seat position legal \
                move_ms_max bank_ms increment_ms last_ms
            json_elements "$legal"
            answer
            ;;
        '"quit"') return ;;
        *) ;; # `end`, `error`, or of a later release: needs no answer
        esac
    done
}

answer() {
    IFS=$newline
    set -f
    # shellcheck disable=SC2086 # it is to be split
    set -- $elements
    set +f
    unset IFS
    choose_move "$@"
    # shellcheck disable=SC2154 # choose_move sets it
    printf '{"type":"move","move":%s,"ply":%s}\n' "$chosen" "$ply"
}
