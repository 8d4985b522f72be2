# Completion of corten for bash: source <(corten completion bash)
_corten() {
    local IFS=$'\n' found status
    found=$("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    status=$?
    COMPREPLY=($found)
    # The word to come is a file, which bash knows best.
    if [ "$status" -eq 3 ]; then
        compopt -o default 2>/dev/null
    fi
}
complete -F _corten corten
