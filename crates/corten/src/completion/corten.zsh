#compdef corten
# Completion of corten for zsh: source <(corten completion zsh)
_corten() {
    local found
    found=$("${words[1]}" __complete -- "${(@)words[2,$CURRENT]}" 2>/dev/null)
    # The word to come is a file, which zsh knows best.
    if (( $? == 3 )); then
        _files
        return
    fi
    compadd -- ${(f)found}
}
if [ "${funcstack[1]}" = "_corten" ]; then
    _corten "$@"
else
    compdef _corten corten
fi
