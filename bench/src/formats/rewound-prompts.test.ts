import { expect, test } from "vitest";
import { rewoundPrompts, type TreeNode } from "./rewound-prompts.ts";

const node = (id: string, parentId: string | null, role: TreeNode["role"] = "other"): TreeNode => ({ id, parentId, role });

test.each<[string, TreeNode[], string[], string[]]>([
  ["a chain", [node("a", null, "prompt"), node("b", "a", "reply"), node("c", "b", "prompt")], [], []],
  [
    "typed again before an answer",
    [node("r", null), node("a", "r", "prompt"), node("b", "r", "prompt"), node("c", "b", "reply")],
    ["a"],
    [],
  ],
  [
    "typed again after an answer",
    [node("r", null), node("a", "r", "prompt"), node("b", "a", "reply"), node("c", "r", "prompt")],
    [],
    ["a"],
  ],
  ["results beside each other are no prompts", [node("r", null, "reply"), node("a", "r"), node("b", "r")], [], []],
  ["roots are not taken back", [node("a", null, "prompt"), node("b", null, "prompt")], [], []],
  ["a cycle of parents ends", [node("a", "b", "reply"), node("b", "a", "prompt")], [], []],
])("%s", (_, nodes, unanswered, answered) => {
  const rewound = rewoundPrompts(nodes);
  expect([[...rewound.unanswered], [...rewound.answered.keys()]]).toEqual([unanswered, answered]);
});
