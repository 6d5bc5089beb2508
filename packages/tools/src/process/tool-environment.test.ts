import { isCredentialName } from "@plimsoll/core";
import { expect, test } from "vitest";
import { toolEnvironment } from "./run-process.ts";

test.each([
  ..."ANTHROPIC_API_KEY OPENAI_API_KEY AZURE_OPENAI_KEY apikey GITHUB_TOKEN npm_config_//r/:_authToken AWS_SECRET_ACCESS_KEY".split(
    " ",
  ),
  ..."AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN GOOGLE_APPLICATION_CREDENTIALS PGPASSWORD MYSQL_PWD DB_PASS GITHUB_PAT".split(" "),
  ..."SSH_PRIVATE_KEY SESSION_COOKIE NPM_CONFIG__AUTH SECRET_KEY_BASE CI_JOB_TOKEN TOKEN Token_File VAULT_PASSPHRASE".split(
    " ",
  ),
])("%s looks like a credential", (name) => {
  expect(isCredentialName(name)).toBe(true);
});

test.each([
  ..."PATH HOME PWD OLDPWD TERM LANG SSH_AUTH_SOCK GPG_TTY KEYBOARD MONKEY MAX_OUTPUT_TOKENS COMPASS".split(" "),
  ..."TOKENIZERS_PARALLELISM AUTHOR GIT_AUTHOR_NAME XDG_SESSION_ID NODE_OPTIONS PATTERN BYPASS_HOOKS COOKIECUTTER_CONFIG".split(
    " ",
  ),
])("%s does not", (name) => {
  expect(isCredentialName(name)).toBe(false);
});

test("a program sees the rest, and what was let through by name", () => {
  const env = { PATH: "/bin", ONE_TOKEN: "1", TWO_TOKEN: "2", GONE: undefined };
  expect(toolEnvironment(env)).toEqual({ PATH: "/bin", GONE: undefined });
  expect(toolEnvironment(env, ["TWO_TOKEN", "NOT_SET_TOKEN"])).toEqual({ PATH: "/bin", TWO_TOKEN: "2", GONE: undefined });
});
