/** An environment: the process's own, or a stand-in for it. */
export type Environment = { readonly [name: string]: string | undefined };

/**
 * Names under which people and vendors keep what opens something: long words wherever they stand, and short ones if they are a word of their
 * own, since TOKENS counts, TOKENIZERS names a library, and PWD is a folder. Chosen from what the providers' SDKs, cloud tools, package
 * managers and code hosts read.
 */
const CREDENTIAL_NAMES: readonly RegExp[] = [
  /PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIAL|(API|ACCESS|PRIVATE|SIGNING)_?KEY/i,
  /TOKEN(_|$)/i,
  /(^|_)(KEY|PAT|PASS|AUTH|JWT|COOKIE)$/i,
  /_PWD$/i,
];

/** True for a variable that looks as if its value opened something. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL_NAMES.some((pattern) => pattern.test(name));
}

/**
 * What a program that a tool starts sees of an environment: all but the variables whose names look like credentials. Those in `passEnv` are let
 * through. It keeps keys out of outputs and logs; it is no wall against a program that wants them, which may read what its user may read.
 */
export function toolEnvironment(env: Environment, passEnv: readonly string[] = []): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => passEnv.includes(name) || !isCredentialName(name)));
}
