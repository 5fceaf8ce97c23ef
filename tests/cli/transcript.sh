#!/bin/bash
# Runs a transcript: a file with commands and their expected output.
#
#     Text that is not indented is a comment.
#
#         $ printf 'a\nb\na\n' | guira uniq        a command after a prompt, indented by four blanks
#         a                                        its output on stdout and stderr, up to the next command
#         b
#         [2]                                      its exit status, unless it is 0
#
# The commands of a transcript run in one bash, in an empty directory. If a number varies between runs, the command has to
# remove it (sed, cut).
#
# usage: transcript.sh GUIRA [--update] [--files DIR] FILE...
#     --update: writes the actual output into the files
#     --files:  the commands find copies of the files in DIR, and the programs in DIR/bin
set -u

guira=$(realpath "$1")
shift
update=
if [ "${1-}" = --update ]; then
    update=yes
    shift
fi
files=
if [ "${1-}" = --files ]; then
    files=$2
    shift 2
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Converts a transcript into a script that prints it with the actual output: comments are copied, commands are run.
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
    if [ -n "$files" ]; then
        cp "$files"/* "$tmp/work" 2>/dev/null
        cp "$files"/bin/* "$tmp/bin"
    fi
    {
        cat <<'EOF'
transcript_run() {
    eval "$1" >"$transcript_out" 2>&1 </dev/null
    transcript_status=$?
    awk '{ print "    " $0 }' "$transcript_out" # also ends the last line with a newline
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
        echo "transcript: $file: wrong output (-: expected, +: actual)" >&2
        failed=1
    fi
done
exit $failed
