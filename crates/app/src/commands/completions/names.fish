
# Names that only Gatepost or the folder of profiles knows.
function __gatepost_names
    set -l words (commandline -opc) (commandline -ct)
    $words[1] completions -- $words[2..-1] 2>/dev/null
end
complete -c gatepost -n 'count (__gatepost_names) >/dev/null' -f -a '(__gatepost_names)'
complete -c gatepost -l profile -d 'The profile of `gatepost login` to use' -x -a '(__gatepost_names)'
complete -c gatepost -n '__fish_seen_subcommand_from deliveries failures outcomes' -l subscription -x -a '(__gatepost_names)'
