"""The null of outcomes once more, from the raw runs and the words of protocol.md and docs/evidence.md.

python3 outcomes.py FOLDER   git folder of nus-apr/auto-code-rover

What counts as a reference was written here from the words "path, identifier, number, hash, URL, flag, quoted error". Prints figures and no text of the data.
"""

import collections
import json
import random
import re
import subprocess
import sys

DRAWS = 4_000
KEPT = 5
LITE = "results/swe-agent-results"
LONG, AROUND, SIDE = 320, 160, 3

REFERENCE = re.compile(
    r"""https?://[^\s"'<>)\]]+            # URL
    | (?<![\w/.])(?:[\w.-]+/)+[\w.-]+\w   # path
    | (?<![\w.])[\w-]+\.(?:py|rst|txt|cfg|toml|md|ini|c|h|js|html|json|yml|yaml)\b
    | (?<!\w)--[a-z][\w-]+                # flag
    | \b[0-9a-f]{7,40}\b                  # hash
    | \b\w+Error\b | \b\w+Exception\b     # error
    | \b[A-Za-z]+_\w+\b | \b_\w{3,}\b     # identifiers
    | \b[a-z]+[A-Z]\w*\b | \b[A-Z][a-z0-9]+(?:[A-Z]\w*)+\b
    | \b\w+(?:\.\w+)+\b
    | \b\w+(?=\(\))
    | \b\d{3,}\b                          # number""",
    re.VERBOSE,
)
NUMBERED = re.compile(r"^\d+(?:→|[\t|:] ?)", re.MULTILINE)


def plain(text):
    """Without the numbers that tools put before lines, and without white space at their ends."""
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    if sum(bool(NUMBERED.match(line)) for line in filled) >= max(2, 0.75 * len(filled)):
        lines = [NUMBERED.sub("", line) for line in lines]
    else:
        lines = [re.sub(r"^\d+:", "", line) if at and re.match(r"\d+:", lines[at - 1]) else line for at, line in enumerate(lines)]
    return "\n".join(line.rstrip() for line in lines)


def passage(lines, at, reference):
    """The line with three neighbours on each side; neighbours end at a long line, and a long line is cut around the reference."""
    if len(lines[at]) > LONG:
        start = max(0, lines[at].find(reference) - AROUND // 2)
        return lines[at][start : start + AROUND].strip()
    first = last = at
    while first > max(0, at - SIDE) and len(lines[first - 1]) <= LONG:
        first -= 1
    while last < min(len(lines) - 1, at + SIDE) and len(lines[last + 1]) <= LONG:
        last += 1
    return "\n".join(lines[first : last + 1]).strip()


def measured(history):
    """Passages that the replies of one run needed, and those that its masked context lacked; and its replies."""
    replies = needed = missing = 0
    stated = {}
    task, seen, own = None, [], []
    for entry in history:
        text = plain(entry["content"] or "")
        if entry["role"] == "assistant":
            replies += 1
            context = [task or "", *seen[-KEPT:], *own]
            for reference in set(REFERENCE.findall(text)):
                if reference in stated:
                    needed += 1
                    source, at = stated[reference]
                    wanted = passage(source, at, reference)
                    missing += not any(wanted in each for each in context)
            own.append(text)
        elif entry["role"] == "user" and not entry.get("is_demo"):
            if task is None:
                task = text
            else:
                seen.append(text)
            lines = text.split("\n")
            for at, line in enumerate(lines):
                for reference in REFERENCE.findall(line):
                    stated[reference] = (lines, at)
    return replies, needed, missing


def runs(folder):
    """A row for each graded run: its repetition, task, repository, failure, replies and share of missing passages."""
    git = ["git", "-C", folder]
    listed = subprocess.run([*git, "ls-tree", "-r", "--name-only", "HEAD", LITE], capture_output=True, text=True, check=True)
    process = subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def read(path):
        process.stdin.write(f"HEAD:{path}\n".encode())
        process.stdin.flush()
        text = process.stdout.read(int(process.stdout.readline().split()[2]))
        process.stdout.read(1)
        return json.loads(text)

    paths = [path for path in listed.stdout.splitlines() if path.endswith(".traj")]
    reports = {}
    for path in paths:
        agent, file = path.split("/")[-2:]
        task = file[: -len(".traj")]
        if agent not in reports:
            reports[agent] = set(read(f"{LITE}/{agent}/final_report.json")["resolved"])
        replies, needed, missing = measured(read(path)["history"])
        share = missing / needed if needed else 0
        yield {"agent": agent, "task": task, "repository": task.rsplit("-", 1)[0], "failed": task not in reports[agent],
               "replies": replies, "needed": needed, "missing": missing, "passages": share}


def area(rows, score, stratum, unit="task"):
    """Pairs of a failed and another run of one stratum that the score orders right; whole units are drawn."""
    names = sorted({row[unit] for row in rows})
    place = {name: at for at, name in enumerate(names)}
    strata = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        strata[stratum(row)][row[score]].append((place[row[unit]], row["failed"]))
    ordered = [[own[value] for value in sorted(own)] for own in strata.values()]

    def figure(weight):
        right = total = 0
        for groups in ordered:
            below = failures = 0
            for group in groups:
                failed = sum(weight[at] for at, is_failed in group if is_failed)
                others = sum(weight[at] for at, is_failed in group if not is_failed)
                right += failed * (below + others / 2)
                below += others
                failures += failed
            total += failures * below
        return right / total if total else None

    chance = random.Random(11)

    def draw():
        weight = [0] * len(names)
        for at in chance.choices(range(len(names)), k=len(names)):
            weight[at] += 1
        return figure(weight)

    drawn = sorted(each for each in (draw() for _ in range(DRAWS)) if each is not None)
    value = figure([1] * len(names))
    return f"{value:.3f} [{drawn[int(0.025 * len(drawn))]:.3f}, {drawn[int(0.975 * len(drawn))]:.3f}]"


def thirds(rows):
    """A run's third by replies among those of its repetition; equal lengths are in one."""
    bounds = {}
    for agent in {row["agent"] for row in rows}:
        lengths = sorted(row["replies"] for row in rows if row["agent"] == agent)
        bounds[agent] = [lengths[len(lengths) * third // 3] for third in (1, 2)]
    return lambda row: (row["agent"], sum(row["replies"] >= bound for bound in bounds[row["agent"]]))


if __name__ == "__main__":
    rows = list(runs(sys.argv[1]))
    needed, missing = (sum(row[key] for row in rows) for key in ("needed", "missing"))
    print(f"{len(rows)} runs, {sum(row['failed'] for row in rows)} failed; passages missing {missing} of {needed}")
    for score in ("passages", "replies"):
        print(f"{score}: all pairs {area(rows, score, lambda row: 0)}, within thirds {area(rows, score, thirds(rows))}, "
              f"by repository {area(rows, score, thirds(rows), 'repository')}, within tasks {area(rows, score, lambda row: row['task'])}")
