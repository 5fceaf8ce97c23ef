#!/bin/bash
# The manual page and the completions have all commands and options and no others, and the manual states the same defaults
# as --help.
# usage: manual.sh GUIRA SOURCE_DIR
source=$(realpath "$2")
. "$(dirname "$0")/common.sh"
man=$source/cli/man/guira.1.scd
mkdir bin
ln -s "$guira" bin/guira
PATH=$tmp/bin:$PATH

commands=$(guira --help | sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || fail "no commands in --help"
options_of() { guira "$1" --help | sed -n '/^options/,/^$/s/^ .*\(--[a-z-]*\).*/\1/p'; }

# Each option is in the section of its command or in the common one.
for c in $commands; do
    awk -v c="$c" '/^# / { on = /COMMON/ || ($0 ~ "guira.*[ ,]" c "(,|$)") } on' "$man" >section
    grep -q "^# guira.*$c" "$man" || fail "the manual has no section for $c"
    for o in $(options_of "$c"); do
        grep -q -- "\*$o\*" section || fail "the manual does not have $c $o"
    done
done
for c in $commands; do options_of "$c"; done | sort -u >known
grep -o -- '^\*-.*' "$man" | grep -o -- '--[a-z-]*' | sort -u | comm -23 - known >unknown
[ ! -s unknown ] || fail "the manual has options that do not exist: $(tr '\n' ' ' <unknown)"

# The manual states the defaults that --help prints.
for c in $commands; do
    awk -v c="$c" '/^# / { on = /COMMON/ || ($0 ~ "guira.*[ ,]" c "(,|$)") } on' "$man" | tr '\n\t' '  ' >section
    guira "$c" --help | sed -n 's/^ .*\(--[a-z-]*\) .*(default: \(.*\))$/\1 \2/p' >defaults
    while read -r option default; do
        grep -q -- "\*$option\* [^*]*Default: *\*$default\*" section || fail "the manual has another default of $c $option"
    done <defaults
done

# scdoc accepts the pages.
for section in 1 3; do
    scdoc <"$source/cli/man/guira.$section.scd" >guira.$section || fail "guira.$section: scdoc failed"
done

# offers_bash WORD WORDS...: checks that the completion of WORDS offers WORD.
offers_bash() {
    bash -c '. "$0"; COMP_WORDS=("${@:2}"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _guira; printf "%s\n" "${COMPREPLY[@]}" |
        grep -qxF -- "$1"' "$source/cli/completion/guira.bash" "$@" || fail "bash: no $1 after ${*:2}"
}
for c in $commands; do
    offers_bash "$c" guira "${c:0:1}"
    for o in $(options_of "$c"); do offers_bash "$o" guira "$c" "${o:0:3}"; done
done
offers_bash uniq guira help u
offers_bash cuckoo guira build --kind c
offers_bash pass guira uniq --on-full ''
offers_bash drop guira uniq --bad-time ''
touch file.gf
offers_bash file.gf guira test fi

# Completions of zsh cannot be run without a terminal; only the syntax is checked.
if command -v zsh >/dev/null; then zsh -n "$source/cli/completion/_guira" || fail "_guira: syntax error"; fi
echo "manual.sh: passed"
