#!/bin/bash
# Runs a transcript: a file that shows what somebody types and what comes back, and has to be true.
#
#     Words like these are for the reader.
#
#         $ printf 'a\nb\na\n' | guira uniq        a command, with the prompt, indented by four
#         a                                        what it prints on stdout and stderr, until the next command
#         b
#         [2]                                      its exit status, unless it is 0
#
# The commands of one transcript run in one bash, in an empty directory. Where a figure is not the same every time, the
# command itself has to take it out (sed, cut).
#
# usage: transcript.sh GUIRA [--update] FILE...      (--update: writes what came back into the files)
set -u

guira=$(realpath "$1")
shift
update=
if [ "${1-}" = --update ]; then
    update=yes
    shift
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# From a transcript to a script that writes the transcript that really was: words are copied, commands are run.
script_of() {
    awk -v q="'" '
        function quoted(s) { gsub(q, q "\\" q q, s); return q s q }
        function finish() {
            if (command != "") print "transcript_run " quoted(command)
            command = ""
        }
        /^    \$ / { finish(); print "printf \"%s\\n\" " quoted($0); command = substr($0, 7); next }
        /^    > / && command != "" { print "printf \"%s\\n\" " quoted($0); command = command "\n" substr($0, 7); next }
        /^    / && command != "" { next }
        { finish(); print "printf \"%s\\n\" " quoted($0) }
        END { finish() }
    ' "$1"
}

run() {
    mkdir "$tmp/work" "$tmp/bin"
    ln -s "$guira" "$tmp/bin/guira"
    {
        cat <<'EOF'
transcript_run() {
    eval "$1" >"$transcript_out" 2>&1 </dev/null
    transcript_status=$?
    awk '{ print "    " $0 }' "$transcript_out" # which ends the last line, too
    if [ "$transcript_status" != 0 ]; then echo "    [$transcript_status]"; fi
}
EOF
        script_of "$1"
    } >"$tmp/script"
    (cd "$tmp/work" && env -u GUIRA_SEED PATH="$tmp/bin:$PATH" LC_ALL=C.UTF-8 transcript_out="$tmp/out" \
        timeout 600 bash "$tmp/script") >"$tmp/actual" || echo "(took more than 600 seconds)" >>"$tmp/actual"
    rm -rf "$tmp/work" "$tmp/bin"
}

failed=0
for file in "$@"; do
    run "$file"
    if [ -n "$update" ]; then
        cp "$tmp/actual" "$file"
    elif ! diff -u "$file" "$tmp/actual"; then
        echo "transcript: $file: not what came back (-: the file, +: what came)" >&2
        failed=1
    fi
done
exit $failed
