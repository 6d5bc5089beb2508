"""Two headline figures of the evidence once more, from the raw data and the words of protocol.md alone.

python3 second.py answers FOLDER   git folder of profff/lost-in-compaction
python3 second.py windows FOLDER   git folder of nus-apr/auto-code-rover

It was written before the first implementation was read; `explained` came after. Prints figures and no text of the data.
"""

import collections
import json
import random
import re
import subprocess
import sys

DRAWS = 4_000


def files(folder):
    """A reader of the newest commit, and its paths."""
    git = ["git", "-C", folder]
    listed = subprocess.run([*git, "ls-tree", "-r", "--name-only", "HEAD"], capture_output=True, text=True, check=True)
    process = subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def read(path):
        process.stdin.write(f"HEAD:{path}\n".encode())
        process.stdin.flush()
        size = int(process.stdout.readline().split()[2])
        text = process.stdout.read(size)
        process.stdout.read(1)
        return json.loads(text)

    return read, listed.stdout.splitlines()


def with_interval(name, units, figure):
    """A figure over units, with a percentile bootstrap over whole units."""
    names = list(units)
    chance = random.Random(7)
    value = figure([item for each in names for item in units[each]])
    drawn = (figure([item for each in chance.choices(names, k=len(names)) for item in units[each]]) for _ in range(DRAWS))
    known = sorted(each for each in drawn if each is not None)
    low, high = known[int(0.025 * len(known))], known[int(0.975 * len(known))]
    print(f"{name}: {value:.3f} [{low:.3f}, {high:.3f}] over {len(names)} units")


def answers(folder):
    read, paths = files(folder)
    judged = [path for path in paths if path.startswith("compaction_v5_R4_") and re.search(r"/judgments/\w+_bs5\.json$", path)]
    units = collections.defaultdict(list)
    for run in sorted({path.split("/")[0] for path in judged}):
        names = [path.split("/")[2][: -len("_bs5.json")] for path in judged if path.startswith(f"{run}/")]
        texts = {name: [message["content"] for message in read(f"{run}/contexts/{name}.json")] for name in names}
        facts = {name: read(f"{run}/contexts/{name}_meta.json")["facts"] for name in names}
        passages = {}
        for name in names:
            for fact in facts[name]:
                if fact["compacted"] or fact["fact_id"] in passages:
                    continue
                found = passage_of(texts[name][fact["message_start"] : fact["message_end"] + 1], fact["keywords"])
                if found is not None:
                    passages[fact["fact_id"]] = found
        for name in names:
            whole = "\n".join(texts[name])
            verdicts = {v["fact_id"]: v["accurate"] for b in read(f"{run}/judgments/{name}_bs5.json")["batches"] for v in b["verdicts"]}
            for fact in facts[name]:
                known = fact["fact_id"]
                if known in verdicts and known in passages:
                    words = all(word.lower() in whole.lower() for word in fact["keywords"])
                    units[known].append((verdicts[known] is True, passages[known] in whole, words, not fact["compacted"]))
    for place, name in ((1, "passage stands"), (2, "keywords anywhere"), (3, "own messages not compacted")):
        with_interval(f"area, {name}", units, lambda rows, at=place: area(rows, at))
        right = collections.Counter((row[place], row[0]) for rows in units.values() for row in rows)
        print(f"  right {right[True, True]} of {right[True, True] + right[True, False]} with, {right[False, True]} of {right[False, True] + right[False, False]} without")


def passage_of(messages, keywords):
    """The last line that has all keywords, with three lines on each side."""
    found = None
    for message in messages:
        lines = message.split("\n")
        for at, line in enumerate(lines):
            if all(word.lower() in line.lower() for word in keywords):
                found = "\n".join(lines[max(0, at - 3) : at + 4])
    return found


def area(rows, at):
    """Of a measure that says yes or no."""
    right, wrong = [row[at] for row in rows if row[0]], [row[at] for row in rows if not row[0]]
    return 0.5 + (sum(right) / len(right) - sum(wrong) / len(wrong)) / 2 if right and wrong else None


FETCHES = {"open", "goto", "scroll_up", "scroll_down"}
CHANGES = {"edit", "create"}
SHOWN = re.compile(r"^\[File: (.+) \(\d+ lines total\)\]\n")


def windows(folder):
    read, paths = files(folder)
    runs = collections.defaultdict(list)
    for path in paths:
        if "swe-agent-results/cost_2_" in path and path.endswith(".traj"):
            steps = [((step["action"].split() or [""])[0], window(step["observation"])) for step in read(path)["trajectory"]]
            runs[path.split("/")[-1]].append(steps)
    for name, options in (
        ("as the protocol says", {}),
        ("views after edits are windows too", {"views": True}),
        ("explained: an edit that was refused ends what was shown", {"refused": True}),
    ):
        units = {task: [followed(steps, **options) for steps in own] for task, own in runs.items()}
        with_interval(f"ages 6 to 8 by 3 to 5, {name}", units, rates)
        print("  again and exposed:", [sum(row[at] for rows in units.values() for row in rows) for at in range(4)])


def window(observation):
    """The file that an observation shows, and its numbered lines."""
    head = SHOWN.match(observation or "")
    lines = {line for line in (observation or "").split("\n")[1:] if re.match(r"\d+:", line)}
    return (head[1], lines) if head and lines else None


def followed(steps, views=False, refused=False):
    """Windows fetched again and windows exposed, before the line (ages 3 to 5) and behind it (6 to 8)."""
    counts, alive, current = [0, 0, 0, 0], [], None

    def count(step, place):
        side = {3: 0, 4: 0, 5: 0, 6: 2, 7: 2, 8: 2}.get(step)
        if side is not None:
            counts[side + place] += 1

    for at, (verb, shown) in enumerate(steps):
        for since, _, _ in alive:
            count(at - since, 1)
        current = shown[0] if shown else current
        if verb in CHANGES and (shown or refused):
            alive = [old for old in alive if old[1] != current]
        if not shown or (verb not in FETCHES and not views):
            continue
        path, lines = shown
        if verb in FETCHES:
            same = [old for old in alive if old[1] == path and 2 * len(lines & old[2]) >= len(lines)]
            if same:
                count(at - same[-1][0], 0)
            alive = [old for old in alive if old not in same]
        alive.append((at, path, lines))
    return counts


def rates(rows):
    before, exposed, behind, exposed_behind = (sum(row[at] for row in rows) for at in range(4))
    return (behind / exposed_behind) / (before / exposed) if before and exposed_behind else None


{"answers": answers, "windows": windows}[sys.argv[1]](sys.argv[2])
