# Completion of corten for fish: corten completion fish | source
function __corten_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    $words[1] __complete -- $words[2..-1] "$current" 2>/dev/null
    # The word to come is a file, which fish knows best.
    if test $status -eq 3
        __fish_complete_path "$current"
    end
end
complete -c corten -f -a '(__corten_complete)'
