"""Makes one HTML page from the output of the experiments: texts, plots, tables, and verdicts computed from the checks."""
import csv
import html
import re

BADGES = {  # text and colour
    "reproduced": ("reproduced", "good"),
    "partly": ("reproduced in part", "fair"),
    "differs": ("not reproduced", "fair"),
    "refuted": ("wrong as printed", "note"),
    "unrefuted": ("not refuted", "bad"),
    "holds": ("holds", "good"),
    "broken": ("OUR STATEMENT DOES NOT HOLD", "bad"),
}

DOCUMENTS = ("All", "CCF", "ECF", "Guide", "Tutorial")  # as in the line "document:" of each text.txt, in the order of the page
GROUPS = {
    "All": "Comparison of all filters",
    "CCF": "The consistent cuckoo filter",
    "ECF": "The elastic cuckoo filter",
    "Guide": "The guide",
    "Tutorial": "The tutorial",
}


# ---------------------------------------------------------------------------------------------------------------- reading

def read_text(path):
    """Reads lines of 'name: value' with indented continuation lines."""
    fields, name = {}, None
    for line in path.read_text(encoding="utf-8").splitlines():
        found = re.match(r"(\w+): ?(.*)", line)
        if found:
            name = found.group(1)
            fields[name] = found.group(2)
        elif name:
            fields[name] += "\n" + line.strip()
    return fields


def order_of(name, folder):
    """Sorts what is about all filters first, then figures by document, then errata by document."""
    fields = read_text(folder / "text.txt")
    numbers = [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
    return (fields["document"] != "All" and is_erratum(folder), DOCUMENTS.index(fields["document"]), name != "summary", numbers)


def is_erratum(folder):
    return folder.parent.name == "errata"


def read_checks(path):
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def of_kind(checks, kind, outcome=None):
    return [c for c in checks if c["kind"] == kind and outcome in (None, c["outcome"])]


# --------------------------------------------------------------------------------------------------------------- verdicts

def badge_of(checks):
    if of_kind(checks, "hold", "broken"):
        return "broken"
    if of_kind(checks, "refute", "not refuted"):
        return "unrefuted"
    if of_kind(checks, "refute"):
        return "refuted"
    compared, same = of_kind(checks, "compare"), of_kind(checks, "compare", "reproduced")
    if not compared:
        return "holds"
    return "reproduced" if len(same) == len(compared) else "partly" if same else "differs"


def joined(items, limit=4):
    more = f"; and {len(items) - limit} more" if len(items) > limit else ""
    return "; ".join(items[:limit]) + more


def with_tolerance(check):
    """What is printed, and what agrees with it: "0.9481 ± 0.01", "a little higher, read as 1.01 to 1.25"."""
    tolerance = check["tolerance"] if check["tolerance"] not in ("exact", "a limit") else ""
    return check["printed"] + ("" if not tolerance else " " if tolerance.startswith("±") else ", ") + tolerance


def compared_sentence(checks):
    compared, other = of_kind(checks, "compare"), of_kind(checks, "compare", "differs")
    if not compared:
        return ""
    if not other:
        one = len(compared) == 1
        return f"Reproduced: {'the statement' if one else f'all {len(compared)} statements'}."
    detail = [f"{c['what']} (printed {with_tolerance(c)}; measured {c['measured']}"
              + (f", {c['difference']}" if c["difference"] else "") + ")" for c in other]
    return f"{len(compared) - len(other)} of {len(compared)} reproduced. Not reproduced: {joined(detail)}."


def refuted_sentence(checks):
    wrong, not_wrong = of_kind(checks, "refute", "refuted"), of_kind(checks, "refute", "not refuted")
    parts = []
    if wrong:
        parts.append("Wrong as printed: " + joined([f"{c['what']} ({c['printed']}; measured: {c['measured']})" for c in wrong]) + ".")
    if not_wrong:
        parts.append("We expected an error and found none: "
                     + joined([f"{c['what']} ({c['printed']}; measured: {c['measured']})" for c in not_wrong]) + ".")
    return " ".join(parts)


def held_sentence(checks):
    held, broken = of_kind(checks, "hold"), of_kind(checks, "hold", "broken")
    if broken:
        return "DOES NOT HOLD: " + joined([f"{c['what']} ({c['measured']})" for c in broken]) + "."
    if not held:
        return ""
    return "Holds: " + joined([f"{c['what']} ({c['measured']})" for c in held], 3) + "."


def verdict_of(checks):
    return " ".join(filter(None, (compared_sentence(checks), refuted_sentence(checks), held_sentence(checks))))


# ------------------------------------------------------------------------------------------------------------------- HTML

def prose(text):
    """Text as escaped HTML. `code` is marked up, [name] links to a section, and blank lines separate paragraphs."""
    parts = [html.escape(p.strip(), quote=False) for p in re.split(r"\n\s*\n", text) if p.strip()]
    parts = [re.sub(r"`([^`]+)`", r"<code>\1</code>", p) for p in parts]
    return "".join("<p>" + re.sub(r"\[([a-z0-9]+(?:-[a-z0-9]+)+)\]", r'<a href="#\1">\1</a>', p) + "</p>" for p in parts)


def badge(kind):
    words, colour = BADGES[kind]
    return f'<span class="badge {colour}">{words}</span>'


def inline_svg(path, name):
    """The plot without prologue and with unique ids (gnuplot gives all plots the same ids)."""
    svg = path.read_text(encoding="utf-8")
    svg = svg[svg.index("<svg"):]
    prefix = re.sub(r"\W", "_", f"{name}_{path.stem}_")
    svg = re.sub(r"\bid=([\"'])", rf"id=\1{prefix}", svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}", svg)
    svg = re.sub(r"href=([\"'])#", rf"href=\1#{prefix}", svg)
    svg = re.sub(r"<title>.*?</title>", "", svg, flags=re.S)
    return f'<div class="plot">{svg}</div>'


OUTCOMES = {"reproduced": "good", "differs": "fair", "refuted": "note", "not refuted": "bad", "holds": "good", "broken": "bad",
            "as before": "soft", "changed": "fair"}


def checks_table(checks):
    """A table without empty columns. The labels are for narrow screens, where cells are stacked."""
    columns = [k for k in ("what", "printed", "tolerance", "measured", "difference") if any(c[k] for c in checks)]
    rows = []
    for c in checks:
        cells = "".join(f'<td data-label="{k}">{html.escape(c[k])}</td>' if c[k] else "<td></td>" for k in columns)
        outcome = f'<span class="{OUTCOMES[c["outcome"]]}">{c["outcome"]}</span>' if c["outcome"] else ""
        rows.append(f"<tr>{cells}<td>{outcome}</td></tr>")
    head = "".join(f"<th>{'statement' if k == 'what' else k}</th>" for k in columns)
    table = f'<table class="checks"><tr>{head}<th></th></tr>{"".join(rows)}</table>'
    return table if len(rows) <= 8 else f"<details><summary>all {len(rows)} checks</summary>{table}</details>"


def cell(text):
    return f"<td{' class=long' if len(text) > 30 else ''}>{html.escape(text)}</td>"


def data_table(path):
    """A table that an experiment wrote: table-*.csv, with a caption in its line "# caption:"."""
    lines = path.read_text(encoding="utf-8").splitlines()
    caption = next((line[len("# caption:"):].strip() for line in lines if line.startswith("# caption:")), "")
    head, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    cells = [f"<tr>{''.join(cell(c) for c in row)}</tr>" for row in rows]
    return (f'<p class="caption">{html.escape(caption)}</p><div class="wide"><table class="data">'
            f'<tr>{"".join(f"<th>{html.escape(c)}</th>" for c in head)}</tr>{"".join(cells)}</table></div>')


def links(new, name):
    """Links to the CSV files of a section. A data.csv that has only its header is left out."""
    files = [p.name for p in sorted((new / name).glob("*.csv"))
             if any(not line.startswith("#") for line in p.read_text(encoding="utf-8").splitlines())]
    return " · ".join(f'<a href="{name}/{file}">{file}</a>' for file in files)


def section(new, name, folder):
    fields = read_text(folder / "text.txt")
    checks = read_checks(new / name / "checks.csv")
    plots = "".join(inline_svg(p, name) for p in sorted((new / name).glob("*.svg")))
    plots = f'<div class="plots">{plots}</div>' if plots else ""
    tables = "".join(data_table(p) for p in sorted((new / name).glob("table*.csv")))
    kind = badge_of(checks)
    first, then = (tables + plots, "") if fields["document"] == "All" else ("", tables + plots)
    body = (
        f'<section id="{name}"><h2>{html.escape(fields["title"])} {badge(kind)}</h2>'
        f'<p class="where">{html.escape(fields["where"])} · <code>{name}</code> · {links(new, name)}</p>'
        f'{first}<h3>What it says</h3>{prose(fields["claim"])}<h3>What we did</h3>{prose(fields["ours"])}{then}'
        f'<p class="verdict"><b>Verdict.</b> {html.escape(verdict_of(checks))}</p>{checks_table(checks)}'
        '<p class="top"><a href="#contents">contents</a></p></section>')
    return {"name": name, "title": fields["title"], "where": fields["where"], "badge": kind, "html": body, "checks": checks,
            "document": fields["document"], "erratum": is_erratum(folder)}


def contents(sections):
    rows, last = [], None
    for s in sections:
        group = GROUPS[s["document"]] + (": errors" if s["erratum"] else "")
        if group != last:
            rows.append(f'<tr><th colspan="3">{group}</th></tr>')
        last = group
        rows.append(f'<tr><td><a href="#{s["name"]}">{html.escape(s["title"])}</a></td>'
                    f'<td class="where">{html.escape(s["where"])}</td><td>{badge(s["badge"])}</td></tr>')
    return '<table class="contents">' + "".join(rows) + "</table>"


def counts(sections):
    """One sentence that counts the outcomes of all checks."""
    checks = [c for s in sections for c in s["checks"]]
    compared, same = len(of_kind(checks, "compare")), len(of_kind(checks, "compare", "reproduced"))
    refuted, expected = len(of_kind(checks, "refute", "refuted")), len(of_kind(checks, "refute"))
    held, all_held = len(of_kind(checks, "hold", "holds")), len(of_kind(checks, "hold"))
    earlier = len(of_kind(checks, "earlier"))
    return (f"{same} of {compared} printed numbers and statements reproduced; {refuted} of {expected} statements "
            f"that we consider wrong were refuted; {held} of {all_held} corrected statements hold. "
            f"{earlier} more numbers are from earlier simulations of ours and are not counted.")


def write(new, folders, options, commit, template):
    sections = [section(new, *item) for item in folders.items()]
    first = [s for s in sections if s["document"] == "All"]
    others = [s for s in sections if s["document"] != "All"]
    trace = html.escape(options.trace.name) if options.trace else "generated, with " + (
        "an eighth of the paper's totals" if options.quick else "the paper's totals")
    values = {
        "counts": counts(sections),
        "run": f"Commit {html.escape(commit)}, seed {options.seed}, "
               f"{'quick run with smaller sizes and fewer probes; use a full run (make lab) for reliable numbers' if options.quick else 'full run'}; flow trace: {trace}.",
        "first": "".join(s["html"] for s in first),
        "contents": contents(sections),
        "sections": "".join(s["html"] for s in others),
    }
    text = template.read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace("{{" + key + "}}", value)
    (new / "index.html").write_text(text, encoding="utf-8")
