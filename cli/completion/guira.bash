# bash completion for guira. Commands, options and choices are taken from --help, so they are always up to date.

# The choices of an option of a command: "--on-full ACTION  what to do at that limit: stop (default), pass" -> stop pass
_guira_choices() {
    guira "$1" --help 2>/dev/null | sed -n "s/^ .*$2 .*: \\(.*\\)/\\1/p" | sed 's/ (default)//; s/,//g'
}

_guira() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "--help --version help
            $(guira --help 2>/dev/null | sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p')" -- "$word")
        return
    fi
    case $previous in
    --kind | --on-full | --policy | --bad-time) mapfile -t COMPREPLY < <(compgen -W "$(_guira_choices "$command" "$previous")" -- "$word") && return ;;
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
