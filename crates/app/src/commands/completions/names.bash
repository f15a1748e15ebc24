
# Names that only Gatepost or the folder of profiles knows. Without one, the words above complete.
_gatepost_names() {
    local word note
    local -a words=() notes=()
    while IFS=$'\t' read -r word note; do
        words+=("$word")
        notes+=("$word  ($note)")
    done < <("$1" completions -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case "${#words[@]}:$COMP_TYPE" in
        0:*) _gatepost "$@" ;;
        1:*) COMPREPLY=("${words[@]}") ;;
        # The list that a second TAB shows; it is not put into the command line.
        *:33 | *:63 | *:64) COMPREPLY=("${notes[@]}") ;;
        *) COMPREPLY=("${words[@]}") ;;
    esac
}
complete -F _gatepost_names -o nosort -o bashdefault -o default gatepost 2>/dev/null ||
    complete -F _gatepost_names -o bashdefault -o default gatepost
