# bash completion for guira. Commands and options come from its own --help, so they are always the right ones.

_guira() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "--help --version help
            $(guira --help 2>/dev/null | sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p')" -- "$word")
        return
    fi
    case $previous in
    --kind) mapfile -t COMPREPLY < <(compgen -W "tidal cuckoo dynamic elastic consistent" -- "$word") && return ;;
    --on-full) mapfile -t COMPREPLY < <(compgen -W "stop pass" -- "$word") && return ;;
    help)
        mapfile -t COMPREPLY < <(compgen -W \
            "$(guira --help 2>/dev/null | sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p')" -- "$word")
        return
        ;;
    esac
    case $word in
    -*)
        mapfile -t COMPREPLY < <(compgen -W \
            "$(guira "$command" --help 2>/dev/null | sed -n '/^options/,/^$/s/^ .*\(--[a-z-]*\).*/\1/p')" -- "$word")
        ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    esac
}
complete -o filenames -F _guira guira
