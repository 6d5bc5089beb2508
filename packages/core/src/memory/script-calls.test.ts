import { expect, test } from "vitest";
import { callShape, toolShapeOf } from "./call-shape.ts";
import { scriptCalls } from "./script-calls.ts";

test.each<[string, string, readonly (readonly [string, unknown])[]]>([
  [
    "an object of literals",
    'const r = await tools.exec_command({cmd: "ls -la", yield_time_ms: 1_000});',
    [["exec_command", { cmd: "ls -la", yield_time_ms: 1000 }]],
  ],
  [
    "a text",
    "text(await tools.apply_patch('*** Begin Patch\\n*** End Patch'));",
    [["apply_patch", "*** Begin Patch\n*** End Patch"]],
  ],
  ["a name that a text was given", 'const p = "a" +\n  "b";\ntext(await tools.apply_patch(p));', [["apply_patch", "ab"]]],
  [
    "a name in an object, short and long",
    "const cmd = 'ls'; tools.exec_command({ cmd, workdir: cmd })",
    [["exec_command", { cmd: "ls", workdir: "ls" }]],
  ],
  ["a text in back quotes over lines", "tools.apply_patch(`one\ntwo \\` \\n`)", [["apply_patch", "one\ntwo ` \n"]]],
  ["a raw text", "tools.apply_patch(String.raw`a\\nb`)", [["apply_patch", "a\\nb"]]],
  ["lines that are joined", 'tools.apply_patch(["a", "b",].join("\\n"))', [["apply_patch", "a\nb"]]],
  [
    "several at once, in their order",
    "await Promise.all([tools.a({x: [1, -2.5, {y: null}]}), tools.b({z: true})]);",
    [
      ["a", { x: [1, -2.5, { y: null }] }],
      ["b", { z: true }],
    ],
  ],
  [
    "a name in brackets, optional, without arguments",
    "tools['mcp__fs__read'](); tools?.wait({})",
    [
      ["mcp__fs__read", {}],
      ["wait", {}],
    ],
  ],
  ["comments between", "tools /* the */ .a( // one\n { /* two */ x: 1 } )", []],
  ["comments in arguments", "tools.a( // one\n { /* two */ x: 1 } )", [["a", { x: 1 }]]],
  ["escapes", "tools.a('\\u0041\\x42\\u{43}\\'')", [["a", "ABC'"]]],
  ["a text with a piece made while it runs", ["tools.a(`x$", "{y}`)"].join(""), [["a", null]]],
  ["an argument made while it runs", "for (const f of files) tools.a({path: f})", [["a", null]]],
  [
    "a value that goes on behind its literal",
    "tools.a('x'.repeat(3)); tools.b(1 * 2)",
    [
      ["a", null],
      ["b", null],
    ],
  ],
  ["a name that is given two values", "let p = 'a'; let p = 'b'; tools.a(p)", [["a", null]]],
  ["what a string or comment quotes calls nothing", "text('tools.a(1)'); // tools.b(2)\n/* tools.c(3) */ `tools.d(4)`", []],
  ["a text that is no script", "all tools (every one)", []],
  ["a string that is not closed", "tools.a('x", [["a", null]]],
])("%s", (_, script, expected) => {
  expect(scriptCalls(script).map(({ name, args }) => [name, args])).toEqual(expected);
});

const DOUBLED = `const a0 = "${"x".repeat(50)}";\n${Array.from({ length: 40 }, (_, at) => `const a${at + 1} = a${at} + a${at};`).join("\n")}\ntools.a(a40)`;
const NESTED = `const a0 = ["x"];\n${Array.from({ length: 40 }, (_, at) => `const a${at + 1} = [a${at}, a${at}];`).join("\n")}\ntools.a(a40)`;

test.each([
  ["names of names that double", DOUBLED],
  ["lists of lists that double", NESTED],
  ["brackets without end", `tools.a(${"[".repeat(100_000)}`],
  ["commas without end", `tools.a([${"1,".repeat(100_000)}`],
])("takes no more than its length: %s", (_, script) => {
  expect(scriptCalls(script)).toEqual([{ name: "a", args: null }]);
});

test.each([
  [
    "a patch in a script changes its files",
    'const p = "*** Begin Patch\\n*** Update File: /p/a.ts\\n@@\\n-x\\n+y\\n*** End Patch";\ntext(await tools.apply_patch(p));',
    ["modify /p/a.ts"],
  ],
  [
    "a command in a script shows its file",
    'text(await tools.exec_command({"cmd":"sed -n 1,20p src/b.ts","workdir":"/p"}));',
    ["read src/b.ts"],
  ],
  [
    "two calls, each file once",
    'tools.exec_command({cmd:"cat a.ts"}); tools.exec_command({cmd:"cat a.ts b.ts"})',
    ["read a.ts", "read b.ts"],
  ],
  ["a patch as it is", "*** Begin Patch\n*** Add File: n.ts\n+x\n*** End Patch", ["modify n.ts"]],
  ["a list of files", '{"files":[{"path":"a"},{"path":"b"}]}', ["read a", "read b"]],
  ["a list of paths", '{"paths":["a","b","a"]}', ["read a", "read b"]],
  ["a call one level deeper", '{"action":{"type":"exec","command":["bash","-lc","cat a.ts"]}}', ["read a.ts"]],
  ["an edit one level deeper", '{"operation":{"type":"update_file","path":"a.ts","diff":"@@"}}', ["modify a.ts"]],
  ["arguments that were cut off", '{"path":"a', []],
  ["a text that names nothing", "hello", []],
])("the paths of a call: %s", (_, argumentsJson, expected) => {
  expect(callShape("any", argumentsJson).paths.map(({ path, access }) => `${access} ${path}`)).toEqual(expected);
});

test("the only call of a script gives the category of its result", () => {
  expect(toolShapeOf({}, "exec", { input: 'text(await tools.exec_command({cmd: "npm test"}))' }).category).toBe("head-tail");
});
