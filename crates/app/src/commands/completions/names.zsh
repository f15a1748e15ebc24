
# Names that only Gatepost or the folder of profiles knows. Without one, the words above complete.
_gatepost() {
    local line
    local -a names
    for line in "${(@f)$("$words[1]" completions -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && names+=("${line/$'\t'/:}")
    done
    if (( $#names )); then
        _describe -V name names
    else
        _gatepost_words "$@"
    fi
}
