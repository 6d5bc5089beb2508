/*
 * A stand-in host for Claude Code mods: it loads one mod, fires the published events at it, checks its answers against the published rules, and writes down what
 * happened. It was written from the published pages and types alone, by somebody who had not seen our mod.
 *
 * Sources, as named below: [rules] and [ref] code.claude.com/docs/en/plugins/mods/reference (2.1.289), [events] .../mods/events, [api] .../mods/api,
 * [create] .../mods/create, [trouble] .../mods/troubleshoot, [types] anthropics/claude-code mods/types/claude-code.d.ts (2.1.277 with comments),
 * [types294] the same as of 2.1.294, [#95328] anthropics/claude-code issue 95328, [fjc#89] tamaratran/fast-jev-compaction issue 89, [own] an assumption.
 *
 * Assumed, since nothing is published: the threshold of auto compaction (0.8 of the window) and of a precompute; tokens as characters by four; that auto still
 * fires if a precompute is kept; that an unknown or repeated handle is refused; that handles stay the same within a process; what Claude Code's own
 * compaction keeps; that its compactions fire before a request; what a resume does to messages with handles (both ways, with the faults that authors report).
 */

import { createHash, webcrypto } from "node:crypto";
import * as fs from "node:fs";
import * as nodeModule from "node:module";
import * as path from "node:path";
import { performance } from "node:perf_hooks";
import * as vm from "node:vm";
// ---------------------------------------------------------------- published limits
export const LIMITS = {
  hookMs: 10_000, // [ref] Limits: "A hook's own execution time for one event"; [types] HookBudget.ms
  promptEditMs: 50, // [ref] Limits: prompt.edit
  catchMs: 1_000, // [ref] Limits: .catch handler; [types] HookBudget.catchMs
  lingerMs: 5_000, // [types] HookBudget.lingerMs
  sessionEndMs: 1_500, // [ref] Limits: all session.end hooks together
  storeBytes: 4 * 1024 * 1024, // [ref] Limits: $.store 4 MiB of JSON in total
  fileBytes: 4 * 1024 * 1024, // [ref] Limits: $.fs.read / $.fs.write
  sessionMessages: 4_096, // [ref] Limits: $.session.messages() newest 4,096
  processMs: 30_000,
  processMaxMs: 600_000, // [ref] Limits: $.process.run
  name: /^[A-Za-z0-9_-]{1,64}$/, // [ref] Limits: command, tool, subagent and pane names
};
export class VirtualClock {
  t;
  constructor(start = Date.UTC(2026, 10, 26, 9, 0, 0)) {
    this.t = start;
  }
  now() {
    return this.t;
  }
  advance(ms) {
    if (ms > 0) this.t += ms;
  }
}
const TELEMETRY = new Set(["telemetry.log", "telemetry.mark"]);
const STREAMS = new Set(["turn.step", "process.spawn"]);
class HookFail extends Error {
  kind;
  constructor(kind, m) {
    super(m);
    this.kind = kind;
  }
}
// ---------------------------------------------------------------- the mod's environment
// Runs inside the mod's own context. Only strings and numbers cross ([types] "only plain data crosses
// into a plugin's environment"), so no object of the host's realm is in the mod's reach through $ or next.
const BOOT = String.raw`(function (hostCall, hostSync, native) {
  'use strict';
  const J = JSON, O = Object;
  const freeze = v => { if (v && typeof v === 'object' && !O.isFrozen(v)) { O.freeze(v); for (const k of O.keys(v)) freeze(v[k]) } return v };
  // Plain data only: what would not cross a MessagePort, or would cross as something else, is refused.
  const plain = (v, at, seen, depth) => {
    if (v === null || v === undefined) return;
    const t = typeof v;
    if (t === 'function' || t === 'symbol' || t === 'bigint') throw new TypeError(at + ' is a ' + t + ', not plain data');
    if (t !== 'object') return;
    if (seen.has(v)) throw new TypeError(at + ' is a cycle');
    seen.add(v);
    if (typeof v.then === 'function') throw new TypeError(at + ' is a promise, not plain data');
    if (Array.isArray(v)) for (let i = 0; i < v.length; i++) plain(v[i], at + '[' + i + ']', seen, depth + 1);
    else for (const k of O.keys(v)) plain(v[k], at + '.' + k, seen, depth + 1);
    seen.delete(v);
  };
  const pack = (v, at) => { if (v === undefined) return undefined; plain(v, at, new Set(), 0); return J.stringify(v) };
  const unpack = s => s === undefined ? undefined : J.parse(s);
  const said = e => { try { return e && typeof e === 'object' && 'message' in e ? String((e.name || 'Error') + ': ' + e.message) : String(e) } catch (x) { return 'a thrown value that cannot be read' } };

  let seq = 0;
  const waits = new Map();
  const ask = (kind, frame, payload) => new Promise((yes, no) => { const id = ++seq; waits.set(id, [yes, no]); hostCall(id, kind, frame, payload) });

  // ---- the globals a hooks module has, and no others ([types] global block; [api]: no timers, no Node)
  const G = globalThis;
  for (const k of ['console', 'WebAssembly']) delete G[k];
  for (const k of O.keys(native)) if (k !== 'digest') G[k] = native[k];
  class AbortSignalImpl {
    #l = new Set(); #a = false; #r = undefined; onabort = null;
    get aborted() { return this.#a } get reason() { return this.#r }
    throwIfAborted() { if (this.#a) throw this.#r }
    addEventListener(t, f, o) { if (t === 'abort') this.#l.add({ f, once: !!(o && o.once) }) }
    removeEventListener(t, f) { for (const x of this.#l) if (x.f === f) this.#l.delete(x) }
    static _fire(s, r) { if (s.#a) return; s.#a = true; s.#r = r === undefined ? new Error('This operation was aborted') : r; for (const x of [...s.#l]) { try { typeof x.f === 'function' ? x.f({ type: 'abort', target: s }) : x.f.handleEvent({ type: 'abort', target: s }) } catch (e) {} } if (typeof s.onabort === 'function') try { s.onabort({ type: 'abort' }) } catch (e) {} }
    static abort(r) { const s = new AbortSignalImpl(); AbortSignalImpl._fire(s, r); return s }
    static any(list) { const s = new AbortSignalImpl(); for (const x of list) { if (x.aborted) AbortSignalImpl._fire(s, x.reason); else x.addEventListener('abort', () => AbortSignalImpl._fire(s, x.reason)) } return s }
    static timeout(ms) { const s = new AbortSignalImpl(); ask('clock.wait', 0, J.stringify({ ms, op: 'AbortSignal.timeout' })).then(() => AbortSignalImpl._fire(s, new Error('The operation timed out')), () => {}); return s }
  }
  const fireAbort = AbortSignalImpl._fire; delete AbortSignalImpl._fire;
  G.AbortSignal = AbortSignalImpl;
  G.AbortController = class AbortController { constructor() { this.signal = new AbortSignalImpl() } abort(r) { fireAbort(this.signal, r) } };
  G.performance = O.freeze({ now: () => hostSync('perf') });
  G.structuredClone = v => { const go = (x, m) => { if (typeof x === 'function' || typeof x === 'symbol') throw new Error('could not be cloned'); if (!x || typeof x !== 'object') return x; if (m.has(x)) return m.get(x); let c;
    if (Array.isArray(x)) { c = []; m.set(x, c); for (const y of x) c.push(go(y, m)); return c }
    if (x instanceof Date) return new Date(x); if (x instanceof RegExp) return new RegExp(x.source, x.flags);
    if (x instanceof Map) { c = new Map(); m.set(x, c); for (const [a, b] of x) c.set(go(a, m), go(b, m)); return c }
    if (x instanceof Set) { c = new Set(); m.set(x, c); for (const a of x) c.add(go(a, m)); return c }
    if (ArrayBuffer.isView(x) && !(x instanceof DataView)) return x.slice(); if (x instanceof ArrayBuffer) return x.slice(0);
    c = {}; m.set(x, c); for (const k of O.keys(x)) c[k] = go(x[k], m); return c }; return go(v, new Map()) };
  const hex = n => n.toString(16).padStart(2, '0');
  const random = a => { const s = hostSync('random', a.byteLength); const b = new Uint8Array(a.buffer, a.byteOffset, a.byteLength); for (let i = 0; i < b.length; i++) b[i] = parseInt(s.slice(i * 2, i * 2 + 2), 16); return a };
  G.crypto = O.freeze({ getRandomValues: random, randomUUID: () => hostSync('uuid'), subtle: O.freeze({ digest: async (alg, data) => {
    const b = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
    let s = ''; for (const x of b) s += hex(x);
    const out = hostSync('digest', String(alg && alg.name || alg), s); if (out[0] === '!') throw new Error(out.slice(1));
    const u = new Uint8Array(out.length / 2); for (let i = 0; i < u.length; i++) u[i] = parseInt(out.slice(i * 2, i * 2 + 2), 16); return u.buffer } }) });
  // TextEncoder and TextDecoder answer arrays of this realm.
  const TE = native.TextEncoder, TD = native.TextDecoder;
  G.TextEncoder = class TextEncoder { get encoding() { return 'utf-8' } encode(s) { return Uint8Array.from(new TE().encode(s === undefined ? '' : String(s))) } };
  G.TextDecoder = class TextDecoder { #d; constructor(l) { this.#d = new TD(l) } decode(x) { return x === undefined ? '' : this.#d.decode(x) } };
  G.h = (tag, props, ...children) => typeof tag === 'function' ? tag({ ...(props || {}), children }) : { type: String(tag), props: props || {}, children };
  G.Fragment = p => ({ type: 'Box', children: (p && p.children) || [] });

  // ---- $ : frozen, the same object at every invocation ([types] Events)
  const named = {}; // op -> how positional arguments become the event's argument ([types] OpEventOf)
  const one = k => a => ({ [k]: a });
  const self = a => a === undefined ? {} : a;
  const OPS = {
    ui: { notice: (tool_use_id, text) => ({ tool_use_id, text }), invalidate: one('event'), blit: self, log: (text, o) => ({ text: String(text), to: (o && o.to) || 'transcript' }), ask: (question, options) => ({ question, options }), toast: (text, o) => ({ text: String(text), timeoutMs: o && o.timeoutMs }), status: one('text'), open: self, close: self, panes: self, scroll: self, focus: self, copy: self, selection: self },
    model: { complete: self, fork: self, classify: (text, labels, options) => ({ text, labels, options }) },
    audio: { play: (clip, o) => ({ clip, shouldLoop: !!(o && o.shouldLoop) }), speak: (text, o) => ({ text, ...(o || {}) }) },
    mcp: { call: (server, tool, args) => ({ server, tool, args: args || {} }), connect: one('server') },
    session: { messages: self, cwd: self, root: self, model: self, turns: self, id: self, repo: self, surfaces: self, surface: self, usage: self, version: self, compact: self, send: self, append: self, authorize: self },
    turn: { abort: self },
    prompt: { submit: self, read: self, fill: self, suggest: self, compose: self },
    tool: { list: self, call: self, check: self, register: self },
    command: { list: self, run: self, register: self },
    config: { list: self, set: self },
    telemetry: { log: self, mark: self },
    agent: { spawn: self, list: self, register: self },
    fs: { read: (path, o) => ({ path, as: (o && o.as) || 'text' }), write: (path, text) => ({ path, text }), list: p => ({ path: p === undefined ? '.' : p }), exists: one('path'), stat: (path, o) => ({ path, resolve: !!(o && o.resolve) }), ancestors: self },
    store: { get: one('key'), set: (key, value) => ({ key, value }), delete: one('key'), keys: self },
    state: { get: self, set: (ref, value, o) => ({ ...ref, value, ...(o || {}) }) },
    http: { fetch: (url, init) => ({ url, init }) },
    process: { run: (argv, init) => ({ argv, init }) },
    settings: { read: self },
    env: { get: one('name'), set: (name, value) => ({ name, value }) },
  };
  const FIRE = { 'ui.notice': 1, 'ui.invalidate': 1, 'ui.log': 1, 'ui.toast': 1, 'ui.status': 1 }; // answer nothing ([types] CoreEngineInterface)
  let frames = []; // live hook frames, innermost last
  const top = () => frames.length ? frames[frames.length - 1] : 0;
  const call = (name, args) => {
    let packed;
    // $.store.set: a function or a cycle is rejected; a Date, Map or Set is not ([types] store.set)
    try { packed = name === 'store.set' ? storePack(args) : pack(args, '$.' + name) } catch (e) { return Promise.reject(e) }
    return ask('op:' + name, top(), packed).then(unpack);
  };
  const storePack = a => { const seen = new Set(); const walk = v => { if (typeof v === 'function') throw new TypeError('$.store.set: a function is not JSON data'); if (v && typeof v === 'object') { if (seen.has(v)) throw new TypeError('$.store.set: a cycle'); seen.add(v); for (const k of O.keys(v)) walk(v[k]); seen.delete(v) } }; walk(a.value); if (a.value === undefined) throw new TypeError('$.store.set: undefined is not JSON data'); return J.stringify(a) };
  const $ = { plugin: O.freeze({ name: native.pluginName, root: native.pluginRoot }) };
  for (const noun of O.keys(OPS)) {
    const table = {};
    for (const verb of O.keys(OPS[noun])) {
      const name = noun + '.' + verb, shape = OPS[noun][verb];
      table[verb] = FIRE[name] ? (...a) => { call(name, shape(...a)).catch(() => {}) } : (...a) => call(name, shape(...a));
    }
    $[noun] = table;
  }
  const timers = new Map();
  $.clock = {
    now: () => call('clock.now', {}),
    sleep: (ms, o) => new Promise((yes, no) => {
      const s = o && o.signal;
      if (s && s.aborted) return no(s.reason);
      let done = false;
      ask('clock.sleep', top(), J.stringify({ ms })).then(() => { if (!done) { done = true; yes() } }, no);
      if (s) s.addEventListener('abort', () => { if (!done) { done = true; no(s.reason) } }); // [types] clock.sleep: rejects at once when signal aborts
    }),
    after: (ms, fn) => { let off = false; ask('clock.wait', 0, J.stringify({ ms, op: 'clock.after' })).then(async () => { if (off) return; try { await fn() } catch (e) { hostSync('debug', 'clock.after: threw ' + said(e)) } }, () => {}); return O.freeze({ cancel() { off = true } }) },
    every: (ms, fn) => { let off = false; const go = () => ask('clock.wait', 0, J.stringify({ ms: Math.max(1, ms), op: 'clock.every' })).then(async () => { if (off) return; try { await fn() } catch (e) { hostSync('debug', 'clock.every: threw ' + said(e)) } if (!off) go() }, () => {}); go(); return O.freeze({ cancel() { off = true } }) },
  };
  $.process.spawn = () => { throw new Error('$.process.spawn is not made in this host') };
  $.ui.resolve = () => new Proxy({}, { get: (t, k) => props => ({ type: String(k), props: props || {} }) });
  for (const k of O.keys($)) O.freeze($[k]);
  O.freeze($);

  // ---- the runtime helpers of the module 'claude-code' ([types294] atom, read, update, derive, memberOf)
  const addr = x => x && x.ref ? x.ref : x;
  const helpers = {
    atom: (ref, initial, o) => freeze({ ref: { ...ref }, initial, ...(o && o.shape ? { shape: o.shape } : {}) }),
    derive: (sources, compute) => O.freeze({ sources, compute }),
    memberOf: (family, e) => family.ref ? { ...family, ref: { ...family.ref, id: e.requestId } } : { ...family, id: e.requestId },
    read: async ($$, s) => { if (s && s.compute) { const v = []; for (const x of s.sources) v.push(await helpers.read($$, x)); return s.compute(...v) } const r = await $.state.get(addr(s)); return r.value === undefined && s.ref ? s.initial : r.value },
    update: async ($$, s, change) => { for (;;) { const a = addr(s), r = await $.state.get(a); const v = change(r.value === undefined && s.ref ? s.initial : r.value); const w = await $.state.set(a, v, { ifVersion: r.version }); if (w.isSet) return v } },
  };

  // ---- on
  const hooks = new Map(); let hookSeq = 0; let open = false;
  const matcherData = (m, depth) => { if (depth > 8) throw new Error('a matcher deeper than 8'); if (m instanceof RegExp) return { __re: m.source, f: m.flags }; if (Array.isArray(m)) return m.map(x => matcherData(x, depth + 1)); if (m && typeof m === 'object') { const o = {}; for (const k of O.keys(m)) o[k] = matcherData(m[k], depth + 1); return { __obj: o } } return m };
  const on = (pattern, a, b) => {
    if (!open) throw new Error('on() is for register(): it was called later');
    const hook = b === undefined ? a : b, matcher = b === undefined ? undefined : a;
    if (typeof hook !== 'function') throw new TypeError('on(' + J.stringify(pattern) + '): the hook is not a function');
    const id = ++hookSeq;
    const why = hostSync('on', id, String(pattern), matcher === undefined ? '' : J.stringify(matcherData(matcher, 0)));
    if (why) throw new Error(why);
    const rec = { hook, handler: undefined }; hooks.set(id, rec);
    return O.freeze({ catch: f => { if (typeof f !== 'function') throw new TypeError('.catch: not a function'); rec.handler = f; hostSync('catch', id) } });
  };

  // ---- running one hook
  const running = new Map(); // frame -> { signal }
  const makeNext = (frame, info, extra) => {
    const stream = info.stream;
    const send = (e, tier) => { info.called = true; let p; try { if (e === undefined) throw new Error('next() was called with no argument by a hook on ' + info.event); p = pack(e, 'next(e)') } catch (x) { hostSync('nextbad', frame, said(x)); return Promise.reject(x) } return ask('next', frame, tier ? J.stringify({ tier, e: unpack(p) }) : p).then(s => { const v = freeze(unpack(s)); info.last = v; return v }) };
    const next = stream ? (e, tier) => { let resolveResult, rejectResult; const result = new Promise((y, n) => { resolveResult = y; rejectResult = n }); result.catch(() => {});
        const g = (async function* () { try { const v = await send(e, tier); for (const c of v.chunks || []) yield c; info.last = v.result; resolveResult(v.result); return v.result } catch (x) { rejectResult(x); throw x } })();
        g.result = result; return g } : (e, tier) => send(e, undefined);
    next.to = () => Promise.reject(new Error('next.to is for a mod in prependPlugins or appendPlugins')); // [ref] next.to
    next.signal = info.signal;
    next.event = info.event;
    next.origin = freeze(info.origin);
    O.defineProperty(next, 'trace', { get: () => freeze(J.parse(hostSync('trace', frame))) });
    O.defineProperty(next, 'budget', { get: () => freeze(J.parse(hostSync('budget', frame))) });
    next.is = (pattern, e) => hostSync('is', String(pattern), info.event) === 1;
    if (extra) { next.error = freeze(extra.error); next.called = extra.called }
    return O.freeze(next);
  };
  const start = (frame, hookId, isCatch, infoText, eText) => {
    const info = J.parse(infoText), e = freeze(J.parse(eText));
    info.signal = new AbortSignalImpl();
    running.set(frame, info); frames.push(frame);
    const rec = hooks.get(hookId), f = isCatch ? rec.handler : rec.hook;
    const next = makeNext(frame, info, isCatch ? info.extra : undefined);
    const body = async () => {
      const out = f($, e, next);
      if (info.stream && !isCatch) {
        if (!out || typeof out[Symbol.asyncIterator] !== 'function') throw new Error('a ' + info.event + ' hook is an async generator');
        const chunks = []; let r; while (!(r = await out.next()).done) chunks.push(r.value);
        return { chunks, result: r.value === undefined ? info.last : r.value };
      }
      return out;
    };
    const settle = (ok, v) => { frames = frames.filter(x => x !== frame); running.delete(frame); hostSync('settled', frame, ok ? 1 : 0, v) };
    // The hook's first stretch runs here and now, not in a microtask: there a guard can end it safely.
    const first = () => { try { return Promise.resolve(body()) } catch (x) { return Promise.reject(x) } };
    first().then(v => { let s; try { s = pack(v, 'the answer') } catch (x) { return settle(false, said(x)) } settle(true, s) }, x => settle(false, said(x)));
  };

  return {
    // The host's one way in: a list of things that happened, handed over as text.
    enter(text) {
      for (const m of J.parse(text)) {
        if (m.t === 'start') start(m.frame, m.hook, m.isCatch, m.info, m.e);
        else if (m.t === 'ok') { const w = waits.get(m.id); waits.delete(m.id); if (w) w[0](m.v) }
        else if (m.t === 'no') { const w = waits.get(m.id); waits.delete(m.id); if (w) w[1](new Error(m.v)) }
        else if (m.t === 'abort') { frames = frames.filter(x => x !== m.frame); const i = running.get(m.frame); if (i) fireAbort(i.signal, new Error(m.v)) }
      }
    },
    register(mod, optionsText) { open = true; const r = mod.register; if (typeof r !== 'function') throw new Error('the module exports no register function'); r(on, freeze(J.parse(optionsText))); open = false },
    helpers,
  };
})`;
/** ES module text into the body of a function: `import`/`export` at the top level only. Enough for one
 *  bundled file and for files that import each other; anything else is refused by name. */
export function moduleBody(source) {
  // A bundle's one export stands at its end.
  const bundled = /^export \{ register \};\s*$/m.exec(source);
  if (bundled !== null && !/^(import|export) (?!\{ register \})/m.test(source))
    return { body: `${source.slice(0, bundled.index)}\n__exports.register = register;`, imports: [] };

  const src = source.replace(/^#!.*/, "");
  const tops = [];
  let depth = 0,
    prev = "";
  const stack = [];
  let i = 0;
  const n = src.length;
  let wordBefore = "";
  while (i < n) {
    const c = src[i];
    if (c === "/" && src[i + 1] === "/") {
      i = src.indexOf("\n", i);
      if (i < 0) break;
      continue;
    }
    if (c === "/" && src[i + 1] === "*") {
      i = src.indexOf("*/", i + 2) + 2;
      if (i < 2) break;
      continue;
    }
    if (c === '"' || c === "'") {
      i++;
      while (i < n && src[i] !== c) i += src[i] === "\\" ? 2 : 1;
      i++;
      prev = "x";
      wordBefore = "";
      continue;
    }
    if (c === "`") {
      i = template(i + 1);
      prev = "x";
      wordBefore = "";
      continue;
    }
    if (c === "/") {
      const regexOk =
        prev === "" ||
        /[([{,;=:?!&|+\-*%^~<>]/.test(prev) ||
        (prev === "w" && /^(return|typeof|case|in|of|delete|void|throw|new|do|else|yield|await)$/.test(wordBefore)) ||
        prev === "}";
      if (regexOk) {
        i++;
        let cls = false;
        while (i < n && (cls || src[i] !== "/")) {
          if (src[i] === "\\") i++;
          else if (src[i] === "[") cls = true;
          else if (src[i] === "]") cls = false;
          else if (src[i] === "\n") break;
          i++;
        }
        i++;
        prev = "x";
        wordBefore = "";
        continue;
      }
    }
    if (/[A-Za-z_$]/.test(c)) {
      let j = i;
      while (j < n && /[\w$]/.test(src[j])) j++;
      const w = src.slice(i, j);
      if (depth === 0 && (w === "import" || w === "export") && prev !== ".") {
        const after = src.slice(j).match(/^\s*(\S)/)?.[1];
        if (w === "export" || (after !== "(" && after !== ".")) tops.push({ at: i, word: w });
      }
      prev = "w";
      wordBefore = w;
      i = j;
      continue;
    }
    if (/[0-9]/.test(c)) {
      while (i < n && /[\w.]/.test(src[i])) i++;
      prev = "x";
      wordBefore = "";
      continue;
    }
    if ("([{".includes(c)) {
      depth++;
      stack.push(c);
    } else if (")]}".includes(c)) {
      depth--;
      stack.pop();
    }
    if (!/\s/.test(c)) {
      prev = c === ")" || c === "]" ? "x" : c;
      wordBefore = "";
    }
    i++;
  }
  function template(k) {
    while (k < n && src[k] !== "`") {
      if (src[k] === "\\") {
        k += 2;
        continue;
      }
      if (src[k] === "$" && src[k + 1] === "{") {
        let d = 1;
        k += 2;
        while (k < n && d > 0) {
          if (src[k] === "`") {
            k = template(k + 1);
            continue;
          }
          if (src[k] === '"' || src[k] === "'") {
            const q = src[k];
            k++;
            while (k < n && src[k] !== q) k += src[k] === "\\" ? 2 : 1;
            k++;
            continue;
          }
          if (src[k] === "{") d++;
          else if (src[k] === "}") d--;
          k++;
        }
        continue;
      }
      k++;
    }
    return k + 1;
  }
  let out = "",
    last = 0;
  const imports = [],
    tail = [];
  for (const t of tops) {
    if (t.at < last) continue;
    out += src.slice(last, t.at);
    const rest = src.slice(t.at);
    let m;
    if (t.word === "import") {
      m = rest.match(/^import\s*(?:([\w$]+)\s*,?\s*)?(?:\{([^}]*)\}|\*\s*as\s+([\w$]+))?\s*(?:from\s*)?(['"])([^'"]+)\4\s*;?/);
      if (!m) throw new Error("an import this host cannot read: " + rest.slice(0, 60));
      imports.push(m[5]);
      const from = `__import(${JSON.stringify(m[5])})`;
      if (m[1]) out += `const ${m[1]} = ${from}.default;`;
      if (m[3]) out += `const ${m[3]} = ${from};`;
      else if (m[2] !== undefined)
        out += `const {${m[2]
          .split(",")
          .map((s) => s.trim())
          .filter(Boolean)
          .map((s) => s.replace(/\s+as\s+/, ": "))
          .join(", ")}} = ${from};`;
      else if (!m[1]) out += `${from};`;
    } else if ((m = rest.match(/^export\s*\{([^}]*)\}\s*(?:from\s*(['"])([^'"]+)\2)?\s*;?/))) {
      const from = m[3];
      if (from) imports.push(from);
      for (const s of m[1]
        .split(",")
        .map((x) => x.trim())
        .filter(Boolean)) {
        const [a, b] = s.split(/\s+as\s+/);
        tail.push(
          `__exports[${JSON.stringify(b ?? a)}] = ${from ? `__import(${JSON.stringify(from)})[${JSON.stringify(a)}]` : a};`,
        );
      }
    } else if ((m = rest.match(/^export\s*\*\s*from\s*(['"])([^'"]+)\1\s*;?/))) {
      imports.push(m[2]);
      tail.push(`Object.assign(__exports, __import(${JSON.stringify(m[2])}));`);
    } else if ((m = rest.match(/^export\s+default\s+(?=(?:async\s+)?function\s*\*?\s*([\w$]+)|class\s+([\w$]+))/)))
      tail.push(`__exports.default = ${m[1] ?? m[2]};`);
    else if ((m = rest.match(/^export\s+default\s+/))) {
      last = t.at + m[0].length;
      out += "__exports.default = ";
      continue;
    } else if (
      (m = rest.match(/^export\s+(?=(?:async\s+)?function\s*\*?\s*([\w$]+)|class\s+([\w$]+)|(?:const|let|var)\s+([\w$]+))/))
    )
      tail.push(`__exports.${m[1] ?? m[2] ?? m[3]} = ${m[1] ?? m[2] ?? m[3]};`);
    else throw new Error("an export this host cannot read: " + rest.slice(0, 60));
    last = t.at + m[0].length;
  }
  return { body: out + src.slice(last) + "\n;" + tail.join("\n"), imports };
}
class Refused extends Error {
  rule;
  constructor(reason, rule) {
    super(reason);
    this.rule = rule;
  }
}
const isObj = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
const MESSAGE_KEYS = new Set(["role", "text", "toolUses", "toolResults", "handle"]);
/** The shape of one SessionMessage ([types] SessionMessage, ToolUseSummary, ToolResultSummary). */
export function checkMessage(m, at) {
  const T = "[types] SessionMessage",
    warn = [];
  if (!isObj(m)) throw new Refused(`${at} is not an object`, T);
  if (m.role !== "user" && m.role !== "assistant")
    throw new Refused(`${at}.role is ${JSON.stringify(m.role)}, not user or assistant`, T);
  if (typeof m.text !== "string") throw new Refused(`${at}.text is not a string`, T);
  if (!Array.isArray(m.toolUses)) throw new Refused(`${at}.toolUses is not an array`, T);
  m.toolUses.forEach((u, i) => {
    const a = `${at}.toolUses[${i}]`;
    if (!isObj(u)) throw new Refused(`${a} is not an object`, "[types] ToolUseSummary");
    if (typeof u.tool_use_id !== "string" || u.tool_use_id === "")
      throw new Refused(`${a}.tool_use_id is not a string`, "[types] ToolUseSummary");
    if (typeof u.tool !== "string" || u.tool === "") throw new Refused(`${a}.tool is not a string`, "[types] ToolUseSummary");
    if (!isObj(u.input)) throw new Refused(`${a}.input is not an object`, "[types] ToolUseSummary");
    if (u.text !== undefined && typeof u.text !== "string")
      throw new Refused(`${a}.text is not a string`, "[types] ToolUseSummary");
    if (u.isError !== undefined && u.isError !== true)
      throw new Refused(`${a}.isError is true or left out`, "[types] ToolUseSummary");
  });
  if (m.toolResults !== undefined) {
    if (!Array.isArray(m.toolResults)) throw new Refused(`${at}.toolResults is not an array`, T);
    m.toolResults.forEach((r, i) => {
      const a = `${at}.toolResults[${i}]`;
      if (!isObj(r)) throw new Refused(`${a} is not an object`, "[types] ToolResultSummary");
      if (typeof r.tool_use_id !== "string" || r.tool_use_id === "")
        throw new Refused(`${a}.tool_use_id is not a string`, "[types] ToolResultSummary");
      if (typeof r.text !== "string") throw new Refused(`${a}.text is not a string`, "[types] ToolResultSummary");
      if (typeof r.isError !== "boolean") throw new Refused(`${a}.isError is not a boolean`, "[types] ToolResultSummary");
    });
  }
  if (m.handle !== undefined && typeof m.handle !== "string") throw new Refused(`${at}.handle is not a string`, T);
  for (const k of Object.keys(m)) if (!MESSAGE_KEYS.has(k)) warn.push(`${at}.${k} is no field of SessionMessage: dropped`);
  return warn;
}
/** A `session.compact` answer ([types] SessionCompacted, SessionCompactSkipped). `known` says whether the engine stamped a handle. */
export function checkCompactAnswer(v, known) {
  const T = "[types] SessionCompactResult",
    warnings = [];
  if (v === undefined || v === null)
    throw new Refused("nothing was returned", '[types] Next: "returning nothing is a failure"');
  if (!isObj(v)) throw new Refused("the answer is not an object", T);
  if (v.skip !== undefined) {
    if (typeof v.skip !== "string") throw new Refused("skip is not a string", T);
    if (v.messages !== undefined) throw new Refused("skip and messages together", T);
    if (v.skip === "") warnings.push("skip is empty: the notice would say nothing");
    return { warnings, kind: "skip" };
  }
  if (!Array.isArray(v.messages)) throw new Refused("neither messages nor skip", T);
  if (v.messages.length === 0) throw new Refused("messages is empty", "[own] the API takes no request without messages");
  for (const k of ["tokensBefore", "tokensAfter"])
    if (v[k] !== undefined && (typeof v[k] !== "number" || !Number.isFinite(v[k])))
      throw new Refused(`${k} is not a number`, T);
  const seen = new Set();
  v.messages.forEach((m, i) => {
    warnings.push(...checkMessage(m, `messages[${i}]`));
    const h = m.handle;
    if (h !== undefined) {
      if (!known(h))
        throw new Refused(
          `messages[${i}].handle is none the engine stamped for this compaction`,
          '[types] SessionMessage.handle ("the engine stamps"); that it is refused is [own]',
        );
      if (seen.has(h)) throw new Refused(`messages[${i}].handle is given twice`, "[own] one message of the engine stands once");
      seen.add(h);
    }
  });
  for (const k of Object.keys(v))
    if (!["messages", "tokensBefore", "tokensAfter", "usage", "skip"].includes(k))
      warnings.push(`${k} is no field of SessionCompacted: dropped`);
  return { warnings, kind: "messages" };
}
/** Reasons for which the next request would be refused (Anthropic Messages). Not a rule of mods. */
export function requestProblems(rows, midTurn) {
  const out = [];
  if (!rows.length) return ["no messages"];
  if (rows[0].role !== "user") out.push("the first message is not the user's");
  const open = new Map(),
    used = new Set();
  rows.forEach((r, i) => {
    if (!r.text && !r.toolUses.length && !(r.toolResults ?? []).length) out.push(`message ${i} is empty`);
    if (r.role === "user" && r.toolUses.length) out.push(`message ${i}: a user message with tool uses`);
    if (r.role === "assistant" && (r.toolResults ?? []).length)
      out.push(`message ${i}: an assistant message with tool results`);
    if (i && rows[i - 1].role === "assistant" && r.role === "assistant") {
      /* joined by the API; not an error */
    }
    if (open.size) {
      const here = new Set((r.toolResults ?? []).map((x) => x.tool_use_id));
      for (const [id, at] of open)
        if (!here.has(id)) out.push(`message ${at}: tool_use ${id} has no tool_result in the next message`);
    }
    for (const x of r.toolResults ?? [])
      if (!open.has(x.tool_use_id))
        out.push(`message ${i}: tool_result ${x.tool_use_id} has no tool_use in the message before`);
    open.clear();
    if (r.role === "assistant")
      for (const u of r.toolUses) {
        if (used.has(u.tool_use_id)) out.push(`message ${i}: tool_use id ${u.tool_use_id} twice`);
        used.add(u.tool_use_id);
        open.set(u.tool_use_id, i);
      }
  });
  for (const [id, at] of open) out.push(`message ${at}: tool_use ${id} has no tool_result after it`);
  if (midTurn && rows[rows.length - 1].role !== "user") out.push("the turn goes on and the last message is not the user's");
  return out;
}
/** The other events' answers ([types294] EngineResultOf, OpEventResult). Returns what is wrong, or nothing. */
function checkOther(event, v) {
  if (v === undefined || v === null) return "nothing was returned";
  if (!isObj(v)) return "the answer is not an object";
  const str = (k) => typeof v[k] === "string";
  const or = (...alts) => (alts.some(Boolean) ? undefined : "the answer has none of the published shapes");
  switch (event) {
    case "session.start":
      return or(str("cwd"));
    case "session.end":
      return or(str("sessionId"));
    case "session.measure":
      return or(Array.isArray(v.changed));
    case "session.append":
      return or(str("deny"), isObj(v.message) && str("uuid"));
    case "session.send":
      return or(v.isDelivered === true, v.isDelivered === false && str("reason"));
    case "session.receive":
      return or(str("text"), str("consumed"));
    case "turn.start":
      return or(str("turnId"));
    case "turn.complete":
      return or(str("text"));
    case "prompt.submit":
      return v.drop !== undefined
        ? or(str("drop"))
        : or(
            str("text") &&
              (v.context === undefined || (Array.isArray(v.context) && v.context.every((x) => typeof x === "string"))),
          );
    case "tool.call":
      return v.deny !== undefined ? or(str("deny")) : or("result" in v);
    case "tool.check":
      return or(["allow", "ask", "deny"].includes(v.decision));
    case "agent.spawn":
      return v.deny !== undefined ? or(str("deny")) : or(str("model"));
    case "command.run":
      return v.text === undefined || str("text") ? undefined : "text is not a string";
    case "turn.step":
      return isObj(v.result) ? undefined : "the generator returned no result";
    default:
      if (event.startsWith("classic.")) return v.block !== undefined && !str("block") ? "block is not a string" : undefined;
      return v.deny !== undefined ? or(str("deny")) : or("value" in v); // a call on $: { value } or { deny } ([ref] Mods API calls)
  }
}
/** Fields a hook may not change: left out they are put back, changed they fail the hook ([types]). */
const PINNED = {
  "session.compact": ["trigger", "agentId"], // [types] SessionCompactInput
  "tool.call": ["tool_use_id", "agentId"], // [types] AgentLoop.agentId; tool_use_id [own]
  "agent.spawn": ["tool_use_id", "name", "fork", "parentModel", "permissionMode", "parentAgentId", "provider"], // [types] AgentSpawnInput
  "turn.step": ["turnId", "index", "agentId"], // agentId [types]; the others [own]
  "prompt.submit": ["origin", "turnId"],
};
const selects = (pattern, event) =>
  pattern.startsWith("!")
    ? !selects(pattern.slice(1), event)
    : pattern === "*"
      ? !TELEMETRY.has(event) // [events] "'*' matches every event except the telemetry events"
      : pattern.endsWith(".*")
        ? event.startsWith(pattern.slice(0, -1))
        : pattern === event;
/** [events] Filter: a value, an array of allowed values, a regular expression; objects go deeper ([types] Narrowed). */
function matches(m, v) {
  if (Array.isArray(m)) return m.some((x) => matches(x, v));
  if (Array.isArray(v)) return v.some((x) => matches(m, x));
  if (isObj(m) && "__re" in m) return typeof v === "string" && new RegExp(m.__re, String(m.f).replace(/[gy]/g, "")).test(v);
  if (isObj(m) && "__obj" in m) return isObj(v) && Object.keys(m.__obj).every((k) => matches(m.__obj[k], v[k]));
  return m === v;
}
const clone = (v) => (v === undefined ? v : JSON.parse(JSON.stringify(v)));
const EMPTY_USAGE = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
export class ModHost {
  opt;
  clock;
  calls = [];
  accepted = [];
  refused = [];
  overBudget = [];
  compactions = [];
  notices = []; // lines the person would read
  debug = [];
  loadWarnings = [];
  ui = [];
  ops = [];
  fired = {};
  store;
  files;
  resumes = [];
  loaded = false;
  unloaded;
  isolated = false;
  pluginName = "mod";
  pluginRoot = "/plugin";
  sessionId;
  main;
  agents = [];
  #hooks = [];
  #frames = new Map();
  #live = [];
  #asks = [];
  #inbox = [];
  #timers = [];
  #external = 0;
  #seq = 0;
  #ctx;
  #boot;
  #enterKey = "";
  #enterScript;
  #state = new Map();
  #commands = new Map();
  #tools = new Map();
  #inTurn = false;
  #turns = 0;
  #turnId = "";
  #startedAt;
  #cost = 0;
  #step = -1;
  #sources = new Map();
  #entry = "";
  #handleEpoch = 0;
  #queuedPrompts = [];
  #counted = new WeakMap();
  constructor(options) {
    this.opt = {
      contextWindow: 200_000,
      autoCompactAt: 0.8,
      hiddenTokens: 15_000,
      cpu: "real",
      cpuScale: 1,
      syncGuardMs: 10_000,
      version: "2.1.294",
      cwd: "/home/me/project",
      precomputeAt: null,
      ...options,
    };
    this.clock = options.clock ?? new VirtualClock();
    this.store = options.store ?? new Map();
    this.files = options.files ?? new Map();
    this.sessionId = options.sessionId ?? "session-1";
    this.#startedAt = this.clock.now();
    this.main = this.#newLoop();
    if (options.name) this.pluginName = options.name;
  }
  #newLoop(agentId) {
    return { agentId, rows: [], log: [], handles: new Map(), live: true };
  }
  estimate(text) {
    return this.opt.estimate ? this.opt.estimate(text) : Math.ceil(text.length / 4);
  }
  // ------------------------------------------------------------ loading
  /** Reads the mod's files once; `load` may run again from them after a resume. */
  #read() {
    if (this.#sources.size) return;
    const m = this.opt.mod;
    if ("dir" in m) {
      // [ref] Files: .claude-plugin/plugin.json and hooks/hooks.json are required; `modules` is an array with one path.
      const root = path.resolve(m.dir);
      const manifest = JSON.parse(fs.readFileSync(path.join(root, ".claude-plugin/plugin.json"), "utf8"));
      if (typeof manifest.name === "string" && !this.opt.name) this.pluginName = manifest.name;
      const hooksFile = path.join(root, "hooks/hooks.json");
      const hooks = JSON.parse(fs.readFileSync(hooksFile, "utf8"));
      if (!Array.isArray(hooks.modules) || hooks.modules.length !== 1 || typeof hooks.modules[0] !== "string")
        throw new Error("hooks/hooks.json: `modules` is not an array with one path");
      this.pluginRoot = root;
      this.#entry = path.resolve(path.dirname(hooksFile), hooks.modules[0]);
      if (!this.#entry.startsWith(root + path.sep)) throw new Error("the hooks module lies outside the plugin");
    } else if ("file" in m) {
      this.#entry = path.resolve(m.file);
      this.pluginRoot = path.dirname(this.#entry);
    } else if ("text" in m) {
      this.#entry = "/plugin/hooks/" + (m.name ?? "register.js");
      this.#sources.set(this.#entry, m.text);
    }
  }
  #source(file) {
    let s = this.#sources.get(file);
    if (s === undefined) {
      s = fs.readFileSync(file, "utf8");
      this.#sources.set(file, s);
    }
    // [types] header: .ts, .tsx, .jsx, .js, .mjs, .cjs, .mts or .cts; "a file named otherwise is not loaded"
    if (!/\.(ts|tsx|jsx|js|mjs|cjs|mts|cts)$/.test(file)) throw new Error(`${file}: a file named so is not loaded`);
    if (/\.(ts|mts|cts)$/.test(file)) {
      const strip = nodeModule.stripTypeScriptTypes;
      if (typeof strip !== "function")
        throw new Error(`${file}: this Node has no stripTypeScriptTypes; give the mod as JavaScript`);
      s = strip(s);
    }
    if (/\.(tsx|jsx)$/.test(file)) throw new Error(`${file}: JSX is not read by this host`);
    return s;
  }
  /** Loads the module and calls its `register(on, options)`; a failure leaves the session without the mod ([trouble] "hooks module did not load"). */
  load() {
    this.#hooks = [];
    this.#inbox = [];
    this.#asks = [];
    this.#timers = [];
    this.#live = [];
    this.#frames.clear();
    this.loaded = false;
    this.unloaded = undefined;
    const m = this.opt.mod;
    this.isolated = !("exports" in m);
    try {
      this.#read();
      // All work of the mod ends inside the one call that entered it, so its own time is what that call took.
      this.#ctx = vm.createContext(Object.create(null), {
        name: "mod",
        ...(this.isolated ? { microtaskMode: "afterEvaluate" } : {}),
      });
      const native = Object.create(null);
      Object.assign(native, {
        URL,
        URLSearchParams,
        TextEncoder,
        TextDecoder,
        atob,
        btoa,
        pluginName: this.pluginName,
        pluginRoot: this.pluginRoot,
      });
      const boot = new vm.Script(BOOT, { filename: "host-boot.js" }).runInContext(this.#ctx);
      this.#boot = boot(
        (id, kind, frame, payload) => {
          this.#asks.push({ id, kind, frame, payload });
        },
        (kind, a, b, c) => this.#sync(kind, a, b, c),
        native,
      );
      for (const k of ["pluginName", "pluginRoot"]) delete this.#ctx[k];
      this.#enterKey = "__enter_" + Math.random().toString(36).slice(2);
      Object.defineProperty(this.#ctx, this.#enterKey, {
        value: undefined,
        writable: true,
        enumerable: false,
        configurable: true,
      });
      this.#enterScript = new vm.Script(`${this.#enterKey}()`, { filename: "host-enter.js" });
      const options = JSON.stringify(this.opt.options ?? {});
      if ("exports" in m) this.#boot.register(m.exports, options);
      else {
        const exportsOf = this.#evaluate(this.#entry);
        this.#lint(this.#source(this.#entry));
        this.#guarded(() => this.#boot.register(exportsOf, options));
      }
      this.loaded = true;
      this.debug.push(`hooks module ${this.pluginName} loaded; events: ${this.#hooks.map((h) => h.pattern).join(",")}`);
    } catch (e) {
      this.#hooks = [];
      this.notices.push(`${this.pluginName}: hooks module did not load: ${e?.message ?? String(e)}`);
    }
    return this.loaded;
  }
  #guarded(f) {
    let err;
    this.#ctx[this.#enterKey] = () => {
      try {
        f();
      } catch (e) {
        err = e;
      }
    };
    this.#enterScript.runInContext(this.#ctx, { timeout: this.opt.syncGuardMs });
    if (err) throw err;
  }
  #evaluate(file, cache = new Map()) {
    const had = cache.get(file);
    if (had) return had;
    const { body } = moduleBody(this.#source(file));
    const out = vm.runInContext("({})", this.#ctx);
    cache.set(file, out);
    const importer = (spec) => {
      // [types] header: a hooks module imports types from 'claude-code' and files of its own plugin; no `require`, no Node modules ([rules], [api]).
      if (spec === "claude-code") return this.#boot.helpers;
      if (!spec.startsWith("./") && !spec.startsWith("../"))
        throw new Error(`import ${JSON.stringify(spec)} is refused: a hooks module has no Node modules`);
      const to = path.resolve(path.dirname(file), spec);
      if (!("text" in this.opt.mod) && !to.startsWith(this.pluginRoot + path.sep))
        throw new Error(`import ${JSON.stringify(spec)} is refused: outside the plugin`);
      return this.#evaluate(to, cache);
    };
    const fn = new vm.Script(`(function (__exports, __import) { 'use strict'; ${body}\n})`, { filename: file }).runInContext(
      this.#ctx,
    );
    this.#guarded(() => fn(out, importer));
    return out;
  }
  /** Reads off the source as the engine does ([ref] "$ … Write each call in full"; [types] env: "a string literal"). Warnings only: the refusal's own rules are not published. */
  #lint(src) {
    for (const m of src.matchAll(/\benv\s*\.\s*(?:get|set)\(\s*([^'"`\s)])/g))
      this.loadWarnings.push(`$.env: the name is not a string literal near "${m[0]}"`);
    for (const m of src.matchAll(/(?<![\w.])\$\s*\.\s*([a-z]+)\b(?!\s*\??\.\s*[a-zA-Z])/g))
      this.loadWarnings.push(`$.${m[1]} is not written in full as a call`);
  }
  #sync(kind, a, b, c) {
    switch (kind) {
      case "on": {
        const matcher = c ? JSON.parse(c) : undefined;
        // [events]: registered twice without a matcher, the module fails to load
        if (this.#hooks.some((h) => h.pattern === b && JSON.stringify(h.matcher) === JSON.stringify(matcher)))
          return matcher === undefined
            ? `on(${JSON.stringify(b)}) is registered twice without a matcher`
            : `on(${JSON.stringify(b)}) is registered twice with one matcher`;
        if (!/^!?(\*|[a-z][\w]*(\.[\w]+)*(\.\*)?)$/i.test(b)) return `on(${JSON.stringify(b)}): no event has that name`;
        this.#hooks.push({ id: a, pattern: b, matcher: matcher && matcher.__obj ? matcher : matcher, hasCatch: false });
        return "";
      }
      case "catch": {
        const h = this.#hooks.find((x) => x.id === a);
        if (h) h.hasCatch = true;
        return 0;
      }
      case "perf":
        return performance.now();
      case "random":
        return Buffer.from(webcrypto.getRandomValues(new Uint8Array(a))).toString("hex");
      case "uuid":
        return webcrypto.randomUUID();
      case "digest": {
        const n = String(a).toLowerCase().replace("-", "");
        if (!["sha1", "sha256", "sha384", "sha512"].includes(n)) return "!Unrecognized algorithm";
        return createHash(n).update(Buffer.from(b, "hex")).digest("hex");
      }
      case "debug":
        this.debug.push(`${this.pluginName}: ${a}`);
        return 0;
      case "settled": {
        const f = this.#frames.get(a);
        if (!f) return 0;
        f.done = true;
        f.ok = b === 1;
        f.text = c;
        if (f.abandonedAt !== undefined && f.rec) {
          f.rec.late = true;
          this.debug.push(`${f.event}: an abandoned hook settled late`);
        }
        return 0;
      }
      case "budget": {
        const f = this.#frames.get(a);
        return JSON.stringify(
          f ? { ms: f.budgetMs, remainingMs: Math.max(0, f.budgetMs - f.ownMs) } : { ms: 0, remainingMs: 0 },
        );
      }
      case "trace":
        return JSON.stringify(this.#frames.get(a)?.trace ?? []);
      case "is":
        return selects(a, b) ? 1 : 0;
      case "nextbad": {
        const f = this.#frames.get(a);
        if (f) f.called++;
        return 0;
      }
    }
    return 0;
  }
  // ------------------------------------------------------------ time and entry
  /** Hands a list of happenings to the mod; returns when the mod has nothing more to do by itself. */
  #enter(list, owner) {
    if (this.unloaded || !this.#ctx) return;
    const text = JSON.stringify(list);
    const t0 = performance.now(),
      c0 = process.cpuUsage();
    this.#ctx[this.#enterKey] = () => this.#boot.enter(text);
    try {
      // A guard costs some 7 ms an entry on Node 20, so only what a compaction waits for has one, unless guardAll asks for more.
      this.#enterScript.runInContext(
        this.#ctx,
        this.opt.guardAll || owner?.event === "session.compact" ? { timeout: this.opt.syncGuardMs } : {},
      );
    } catch (e) {
      if (e?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
        this.#unload("it crashed the hooks worker"); // [trouble] "A hook that blocks the thread … is one cause"
      else this.debug.push("enter: " + String(e?.message ?? e));
    }
    const c = process.cpuUsage(c0);
    // Computing time, not waiting for a busy machine: the smaller of wall time and this process's processor time.
    const ms = Math.min(performance.now() - t0, (c.user + c.system) / 1000) * this.opt.cpuScale;
    if (this.opt.cpu === "real" && owner && owner.free === 0) owner.ownMs += ms;
  }
  #unload(why) {
    this.unloaded = why;
    this.#hooks = [];
    this.#timers = [];
    this.notices.push(`${this.pluginName} was unloaded: ${why}`);
    for (const f of this.#live) {
      f.done = true;
      f.ok = false;
      f.text = "the thread was blocked";
      f.forced = "blocked";
      this.overBudget.push({
        event: f.event,
        hook: f.hook.id,
        budgetMs: f.budgetMs,
        ownMs: Math.round(f.ownMs),
        kind: "blocked-thread",
      });
    }
  }
  /** Takes up what the mod asked for since the last entry. */
  #takeAsks() {
    const asks = this.#asks;
    this.#asks = [];
    for (const a of asks) {
      const args = a.payload === undefined ? {} : JSON.parse(a.payload);
      if (a.kind === "clock.sleep" || a.kind === "clock.wait") {
        // [types] HookBudget: "a $.clock wait excepted": sleeping is the hook's own time
        this.#timers.push({
          due: this.clock.now() + Math.max(0, Number(args.ms) || 0),
          id: a.id,
          frame: a.frame,
          sleep: a.kind === "clock.sleep",
          seq: ++this.#seq,
        });
        continue;
      }
      const f = this.#frames.get(a.frame);
      if (f) f.free++;
      const done = (m) => {
        if (f) f.free--;
        this.#inbox.push({ ...m, f: a.frame });
      };
      const run =
        a.kind === "next"
          ? f && f.abandonedAt === undefined
            ? f.onNext(a.payload === undefined ? undefined : args)
            : Promise.reject(new Error("next() of a hook that was abandoned"))
          : this.#op(a.kind.slice(3), args, f);
      if (run === DEFER) {
        if (f) f.deferred++;
        continue;
      }
      run.then(
        (v) => {
          let s;
          try {
            s = v === undefined ? undefined : JSON.stringify(v);
          } catch (e) {
            return done({ t: "no", id: a.id, v: String(e) });
          }
          done({ t: "ok", id: a.id, v: s });
        },
        (e) => done({ t: "no", id: a.id, v: String(e?.message ?? e) }),
      );
    }
  }
  #flush() {
    this.#takeAsks();
    if (!this.#inbox.length) return false;
    const list = this.#inbox;
    this.#inbox = [];
    for (let i = 0; i < list.length; ) {
      let j = i + 1;
      while (j < list.length && list[j].f === list[i].f) j++;
      this.#enter(list.slice(i, j), this.#frames.get(list[i].f));
      this.#takeAsks();
      i = j;
    }
    return true;
  }
  #tick() {
    return new Promise((r) => setImmediate(r));
  }
  #fireDue() {
    const now = this.clock.now();
    const due = this.#timers.filter((t) => t.due <= now).sort((x, y) => x.due - y.due || x.seq - y.seq);
    if (!due.length) return false;
    this.#timers = this.#timers.filter((t) => !due.includes(t));
    for (const t of due) this.#inbox.push({ t: "ok", id: t.id, v: undefined, f: t.frame });
    for (const f of this.#frames.values())
      if (f.abandonedAt !== undefined && !f.done && !f.lingered && now - f.abandonedAt > LIMITS.lingerMs) {
        f.lingered = true;
        if (f.rec) f.rec.lingered = true;
        this.debug.push(`${f.event}: a hook lingers past ${LIMITS.lingerMs} ms`);
      } // [types] HookBudget.lingerMs
    return true;
  }
  /** Lets time pass outside any hook: timers fire, background work goes on. */
  async advance(ms) {
    const end = this.clock.now() + ms;
    for (;;) {
      await this.settle();
      const next = this.#timers.filter((t) => t.due <= end).sort((a, b) => a.due - b.due)[0];
      if (!next) break;
      this.clock.advance(next.due - this.clock.now());
      this.#fireDue();
    }
    this.clock.advance(end - this.clock.now());
    this.#fireDue();
    await this.settle();
  }
  /** Background work of the mod that needs no time. */
  async settle() {
    for (let idle = 0; idle < 3; ) {
      if (this.#flush()) idle = 0;
      else if (this.#external) {
        await new Promise((r) => setTimeout(r, 1));
      } else {
        await this.#tick();
        idle++;
      }
    }
  }
  /** Runs one hook to its end or to the end of its budget. */
  async #runFrame(f, info, e) {
    this.#frames.set(f.id, f);
    this.#live.push(f);
    this.#enter(
      [{ t: "start", frame: f.id, hook: f.hook.id, isCatch: f.isCatch, info: JSON.stringify(info), e: JSON.stringify(e) }],
      f,
    );
    let idle = 0;
    let over = false,
      stuck = "";
    while (!f.done) {
      if (f.ownMs >= f.budgetMs) {
        over = true;
        break;
      }
      if (this.#flush()) {
        idle = 0;
        continue;
      }
      if (f.done) break;
      const t0 = performance.now(),
        c0 = process.cpuUsage();
      await this.#tick();
      if (!this.isolated && this.opt.cpu === "real" && f.free === 0) {
        const c = process.cpuUsage(c0);
        f.ownMs += Math.min(performance.now() - t0, (c.user + c.system) / 1000) * this.opt.cpuScale;
      }
      if (this.#inbox.length || this.#asks.length) {
        idle = 0;
        continue;
      }
      if (this.#live[this.#live.length - 1] !== f) continue; // a hook beneath is running
      if (this.#external) {
        await new Promise((r) => setTimeout(r, 1));
        continue;
      } // an answer from outside is awaited
      if (f.free > f.deferred) {
        if (++idle > 2000) {
          stuck = "the host lost an answer";
          break;
        }
        continue;
      }
      if (++idle < 3) continue;
      idle = 0;
      const left = f.budgetMs - f.ownMs;
      const next = this.#timers.slice().sort((a, b) => a.due - b.due || a.seq - b.seq)[0];
      const counts = f.free === 0;
      if (next && (!counts || next.due - this.clock.now() <= left)) {
        const d = Math.max(0, next.due - this.clock.now());
        this.clock.advance(d);
        if (counts) f.ownMs += d;
        this.#fireDue();
        continue;
      }
      if (!counts) {
        stuck = "it waits for a call that waits for this turn to end";
        break;
      } // [api] "don't await it in a handler that runs while Claude is working"
      // Nothing is left that could wake it: it hangs. The clock runs to the end of its budget.
      this.clock.advance(left);
      f.ownMs += left;
      this.#fireDue();
      over = true;
      break;
    }
    if (f.ownMs > f.budgetMs && f.done) over = true; // it came back, too late
    this.#live = this.#live.filter((x) => x !== f);
    if (!over && !stuck) this.#frames.delete(f.id);
    if (over || stuck) {
      f.forced = f.forced ?? (stuck ? "stuck: " + stuck : "timeout");
      f.abandonedAt = this.clock.now();
      if (over)
        this.overBudget.push({
          event: f.event,
          hook: f.hook.id,
          budgetMs: f.budgetMs,
          ownMs: Math.round(f.ownMs),
          kind: f.isCatch ? "catch" : "hook",
          agentId: info.agentId,
          trigger: info.trigger,
        });
      if (!f.done) this.#enter([{ t: "abort", frame: f.id, v: "the hook ran out of its time" }]); // [types] Next.signal
      this.#takeAsks();
    }
  }
  // ------------------------------------------------------------ dispatch
  /** Fires one event: the mod's hooks as a middleware chain, `core` at its end ([events] "The handlers for an event form a middleware chain"). */
  async dispatch(event, input, core, d = {}) {
    this.fired[event] = (this.fired[event] ?? 0) + 1;
    const shared = { left: event === "session.end" ? LIMITS.sessionEndMs : Infinity };
    return this.#chain(event, input, 0, core, d, shared);
  }
  async #chain(event, e, from, core, d, shared) {
    for (let i = from; i < this.#hooks.length; i++) {
      const h = this.#hooks[i];
      if (h.id === d.skipHook) continue; // [types] OpEventOf: "The calling hook alone is skipped"
      if (!selects(h.pattern, event)) continue;
      if (h.matcher !== undefined && !matches(h.matcher, e)) continue;
      return this.#runHook(h, event, e, i + 1, core, d, shared);
    }
    return core(e);
  }
  async #runHook(h, event, e, nextAt, core, d, shared) {
    const rec = {
      n: this.calls.length,
      event,
      hook: h.id,
      agentId: d.agentId,
      trigger: d.trigger,
      at: this.clock.now(),
      ownMs: 0,
      calledNext: 0,
      outcome: "returned",
    };
    this.calls.push(rec);
    const below = (x) => this.#chain(event, x, nextAt, core, d, shared);
    const frame = (isCatch, budgetMs) => ({
      id: ++this.#seq,
      event,
      hook: h,
      isCatch,
      budgetMs,
      ownMs: 0,
      free: 0,
      deferred: 0,
      done: false,
      ok: false,
      called: 0,
      nextOk: false,
      trace: [],
      rec,
      onNext: async () => undefined,
    });
    const budget = Math.min(event === "prompt.edit" ? LIMITS.promptEditMs : LIMITS.hookMs, shared.left);
    const f = frame(false, budget);
    f.onNext = async (x) => {
      f.called++;
      f.nextOk = false;
      f.nextErr = undefined;
      try {
        if (!isObj(x)) throw new Error(`next() was called with no event by a hook on ${event}`);
        const y = this.#rewrite(event, e, x, f, d);
        const v = await below(y);
        f.nextOk = true;
        f.nextValue = v;
        f.trace = [{ index: 0, plugin: "engine", tier: "core", event, outcome: "returned", ms: 0, received: y, returned: v }];
        return v;
      } catch (err) {
        f.nextErr = err;
        throw err;
      }
    };
    const info = {
      event,
      stream: STREAMS.has(event),
      origin: d.origin ?? { plugin: "engine", tier: "core" },
      agentId: d.agentId,
      trigger: d.trigger,
    };
    await this.#runFrame(f, info, e);
    rec.ownMs = Math.round(f.ownMs * 10) / 10;
    rec.calledNext = f.called;
    if (shared.left !== Infinity) shared.left = Math.max(0, shared.left - f.ownMs);
    const fail = (kind, reason, rule, answer) => ({ kind, reason, rule, answer });
    let bad;
    let value;
    if (f.forced === "timeout")
      bad = fail(
        "timeout",
        `ran over its ${f.budgetMs} ms (${Math.round(f.ownMs)} ms)`,
        "[ref] Limits; [rules] budget of ten seconds",
      );
    else if (f.forced)
      bad = fail(
        f.forced === "blocked" ? "timeout" : "throw",
        f.forced,
        f.forced.startsWith("pinned") ? "[types] pinned field" : "[trouble]",
      );
    else if (!f.ok) bad = fail("throw", "threw " + (f.text ?? ""), "[events] Handle a hook that fails");
    else {
      value = f.text === undefined ? undefined : JSON.parse(f.text);
      try {
        this.#check(event, value, h, d);
      } catch (err) {
        bad = fail("throw", err.message, err.rule ?? "[events] wrong shape", value);
      }
    }
    if (!bad) return value;
    this.refused.push({
      event,
      hook: h.id,
      agentId: d.agentId,
      trigger: d.trigger,
      reason: bad.reason,
      rule: bad.rule,
      answer: bad.answer === undefined ? undefined : clip(bad.answer),
    });
    rec.reason = bad.reason;
    // [events] .catch: asked with the same event; its next replays the failed hook's own call
    if (h.hasCatch && !this.unloaded) {
      const c = frame(true, LIMITS.catchMs);
      c.onNext = async (x) => {
        c.called++;
        if (f.called && f.nextOk) return f.nextValue;
        if (f.called && f.nextErr) throw f.nextErr;
        return below(isObj(x) ? this.#rewrite(event, e, x, c, d) : e);
      };
      await this.#runFrame(
        c,
        { ...info, extra: { error: { kind: bad.kind, message: bad.reason, budget: LIMITS.catchMs }, called: f.called > 0 } },
        e,
      );
      const v = c.ok && !c.forced && c.text !== undefined ? JSON.parse(c.text) : undefined;
      if (v !== undefined) {
        try {
          this.#check(event, v, h, d);
          rec.outcome = "caught";
          return v;
        } catch (err) {
          this.refused.push({
            event,
            hook: h.id,
            agentId: d.agentId,
            trigger: d.trigger,
            reason: ".catch: " + err.message,
            rule: err.rule ?? "",
            answer: clip(v),
          });
        }
      }
    }
    this.notices.push(`${this.pluginName}: ${event} hook skipped: ${bad.reason}`); // [trouble] "hook skipped"
    // [events] failed after next resolved: that result stands; failed before: the next handler runs in its place
    if (f.called && f.nextOk) {
      rec.outcome = "kept";
      return f.nextValue;
    }
    rec.outcome = "skipped";
    if (f.called && f.nextErr && !f.forced?.startsWith("pinned")) throw f.nextErr;
    return below(e);
  }
  #rewrite(event, e, x, f, d) {
    const y = { ...x };
    for (const k of PINNED[event] ?? []) {
      if (!(k in y) || y[k] === undefined) {
        if (e[k] !== undefined) y[k] = e[k];
      } // left out: put back
      else if (JSON.stringify(y[k]) !== JSON.stringify(e[k])) {
        f.forced = `pinned: next() changed ${k}`;
        throw new Error(f.forced);
      } // changed: it fails the hook
    }
    if (
      [
        "session.start",
        "session.end",
        "session.measure",
        "session.attach",
        "session.detach",
        "turn.start",
        "turn.complete",
      ].includes(event)
    )
      return e; // [types] "Every field is the engine's: a hook observes"
    if (event === "session.compact") {
      if (y.instructions !== undefined && typeof y.instructions !== "string")
        throw new Refused("next(): instructions is not a string", "[types] SessionCompactInput");
      if (!Array.isArray(y.messages)) throw new Refused("next(): messages is not an array", "[types] SessionCompactInput");
      checkCompactAnswer({ messages: y.messages }, d.known ?? (() => false));
    }
    return y;
  }
  #check(event, v, h, d) {
    if (event === "session.compact") {
      const c = checkCompactAnswer(v, d.known ?? (() => false));
      const a = { event, hook: h.id, agentId: d.agentId, trigger: d.trigger, kind: c.kind, warnings: c.warnings, answer: v };
      this.accepted.push({ ...a, answer: clip(v) });
      d.onAnswer?.(a);
      return;
    }
    const wrong = checkOther(event, v);
    if (wrong) throw new Refused(wrong, "[types] the result of " + event);
    this.accepted.push({ event, hook: h.id, agentId: d.agentId, kind: Object.keys(v).slice(0, 4).join(","), warnings: [] });
  }
  // ------------------------------------------------------------ calls on $
  #op(name, args, f) {
    this.ops.push({ op: name, args: clip(args), hook: f?.hook.id });
    const origin = { plugin: this.pluginName, tier: "user" };
    const skipHook = f?.hook.id;
    if (name === "session.compact") {
      // [types] $.session.compact: trigger `plugin`, between turns; rejects while a turn runs; every hook but the calling one
      if (this.#inTurn) return Promise.reject(new Error("session.compact: a turn is running"));
      return this.compact("plugin", { instructions: args.instructions, skipHook, origin });
    }
    if (name === "prompt.submit") {
      this.#queuedPrompts.push(String(args.text));
      return this.#inTurn ? DEFER : Promise.resolve({ text: String(args.text) });
    } // [api] waits until the session is idle
    if (name === "command.run")
      return this.#inTurn
        ? Promise.reject(new Error("command.run: refused inside a hook the turn is waiting on"))
        : this.runCommand(String(args.command), String(args.args ?? ""), { kind: "plugin", name: this.pluginName }, skipHook);
    return this.dispatch(name, args, async (a) => ({ value: await this.#core(name, a) }), { skipHook, origin }).then((r) => {
      if (r.deny !== undefined) throw new Error(`$.${name} was denied: ${r.deny}`);
      return r.value;
    });
  }
  async #core(name, a) {
    const given = this.opt.ops?.[name];
    if (given) {
      this.#external++;
      try {
        return await given(a);
      } finally {
        this.#external--;
      }
    }
    switch (name) {
      case "clock.now":
        return this.clock.now();
      case "store.get": {
        const s = this.store.get(String(a.key));
        return s === undefined ? undefined : JSON.parse(s);
      }
      case "store.set": {
        // [types] store.set: reads back JSON.parse(JSON.stringify(value)); rejects a store over 4 MiB of JSON text in all
        const next = new Map(this.store);
        next.set(String(a.key), JSON.stringify(a.value));
        const bytes = this.storeBytes(next);
        if (bytes > LIMITS.storeBytes)
          throw new Error(`$.store.set: the store would hold ${bytes} bytes of JSON, over ${LIMITS.storeBytes}`);
        this.store.set(String(a.key), JSON.stringify(a.value));
        return undefined;
      }
      case "store.delete":
        this.store.delete(String(a.key));
        return undefined;
      case "store.keys":
        return [...this.store.keys()]; // [types] insertion order
      case "state.get": {
        const s = this.#state.get(stateKey(a));
        return { value: clone(s?.value), version: s?.version ?? 0 };
      }
      case "state.set": {
        const k = stateKey(a),
          had = this.#state.get(k)?.version ?? 0;
        if (a.ifVersion !== undefined && a.ifVersion !== had) return { isSet: false, version: had };
        this.#state.set(k, { value: clone(a.value), version: had + 1 });
        return { isSet: true, version: had + 1 };
      }
      case "session.messages": {
        const loop = a.agentId ? this.agents.find((x) => x.id === a.agentId)?.loop : this.main;
        if (!loop) return { deny: `no agent ${a.agentId}` };
        if (a.as === "api") return loop.rows.slice(-LIMITS.sessionMessages).map(apiOf);
        return this.#view(loop.rows, undefined).slice(-LIMITS.sessionMessages); // [types] no handle on session.messages(); the newest 4,096
      }
      case "session.cwd":
      case "session.root":
        return this.opt.cwd;
      case "session.model":
        return "claude-opus-5-5";
      case "session.turns":
        return this.#turns;
      case "session.id":
        return this.sessionId;
      case "session.repo":
        return null;
      case "session.surfaces":
        return [];
      case "session.surface":
        return null;
      case "session.version":
        return { version: this.opt.version, base: this.opt.version };
      case "session.usage":
        return { startedAt: this.#startedAt, context: this.#contextOf(this.main), rateLimits: [], cost: { usd: this.#cost } };
      case "session.append":
        return { message: { type: a.message?.type, content: a.message?.content }, uuid: "row-" + ++this.#seq };
      case "session.authorize":
        return null;
      case "session.send":
        return { isDelivered: false, reason: "no other session here" };
      case "model.complete":
        return { isAnswered: false, reason: "api-error", status: null, error: "unknown", usage: EMPTY_USAGE }; // [types294] a failure does not reject
      case "model.fork":
        return { isAnswered: false, reason: "nothing-to-fork" };
      case "model.classify":
        throw new Error("model.classify: no model here");
      case "env.get":
        return this.opt.env?.[String(a.name)];
      case "env.set":
        if (this.opt.env) {
          if (a.value === undefined) delete this.opt.env[a.name];
          else this.opt.env[a.name] = a.value;
        }
        return undefined;
      case "settings.read":
        return this.opt.settings ?? {};
      case "fs.read": {
        const s = this.files.get(this.#path(a.path));
        if (s === undefined) throw new Error(`ENOENT: no such file, ${a.path}`);
        if (Buffer.byteLength(s) > LIMITS.fileBytes) throw new Error("fs.read: over 4 MiB");
        return a.as === "bytes" ? { base64: Buffer.from(s).toString("base64") } : s;
      }
      case "fs.write":
        if (Buffer.byteLength(String(a.text)) > LIMITS.fileBytes) throw new Error("fs.write: over 4 MiB");
        this.files.set(this.#path(a.path), String(a.text));
        return undefined;
      case "fs.exists":
        return this.files.has(this.#path(a.path));
      case "fs.list": {
        const d = this.#path(a.path) + "/";
        return [...this.files.keys()]
          .filter((k) => k.startsWith(d) && !k.slice(d.length).includes("/"))
          .sort()
          .map((k) => ({
            name: k.slice(d.length),
            kind: "file",
            size: Buffer.byteLength(this.files.get(k)),
            mtimeMs: this.clock.now(),
            isLink: false,
          }));
      }
      case "fs.stat": {
        const s = this.files.get(this.#path(a.path));
        if (s === undefined) throw new Error(`ENOENT: ${a.path}`);
        return {
          kind: "file",
          size: Buffer.byteLength(s),
          mtimeMs: this.clock.now(),
          isLink: false,
          ...(a.resolve ? { realPath: this.#path(a.path) } : {}),
        };
      }
      case "fs.ancestors":
        return [];
      case "tool.list":
        return [...this.#tools.values()].map((t) => ({ name: t.name, description: t.description, mcp: true }));
      case "tool.register":
        if (!LIMITS.name.test(String(a.name))) throw new Error("tool.register: the name");
        {
          const full = `mcp__${this.pluginName}__${a.name}`;
          this.#tools.set(full, { ...a, name: full });
          return { tool: full };
        }
      case "command.list":
        return [...this.#commands.values()].map((c) => ({
          name: c.name,
          description: c.description,
          source: "plugin",
          plugin: this.pluginName,
        }));
      case "command.register":
        if (!LIMITS.name.test(String(a.name))) throw new Error("command.register: the name");
        if (["compact", "clear", "resume", "context", "model", "help"].includes(a.name))
          throw new Error(`"/${a.name}" refused: it is the built-in /${a.name}`);
        this.#commands.set(a.name, a);
        return { command: a.name };
      case "agent.list":
        return this.agents.map((x) => ({ id: x.id, description: x.description, type: x.type, status: x.status }));
      case "agent.register":
        return { agent: `${this.pluginName}:${a.name}` };
      case "config.list":
        return [];
      case "prompt.read":
        return { text: "", cursor: 0 }; // [types] where the session draws no box
      case "prompt.fill":
        return { isFilled: false, refusal: "no_composer", text: "", cursor: 0 };
      case "prompt.suggest":
        return { isShown: false };
      case "ui.open":
        this.ui.push({ op: name, args: a });
        return { isPlaced: false, reason: "nothing draws here" };
      case "ui.ask":
        throw new Error("ui.ask: nobody to ask"); // [events] rejects in a claude -p run
      case "ui.log":
        this.ui.push({ op: name, args: a });
        if (a.to === "debug") this.debug.push(String(a.text));
        return undefined;
      case "ui.panes":
        return [];
      case "ui.copy":
        return { isCopied: false, reason: "no-surface" };
      case "ui.toast":
      case "ui.status":
      case "ui.notice":
      case "ui.invalidate":
      case "ui.close":
      case "ui.blit":
      case "ui.scroll":
      case "ui.focus":
        this.ui.push({ op: name, args: a });
        return name === "ui.blit" || name === "ui.scroll" || name === "ui.focus" ? {} : undefined;
      case "telemetry.log":
      case "telemetry.mark":
        return undefined;
    }
    throw new Error(`$.${name}: not made in this host (give it in options.ops)`);
  }
  storeBytes(m = this.store) {
    return Buffer.byteLength("{" + [...m].map(([k, v]) => JSON.stringify(k) + ":" + v).join(",") + "}");
  }
  #path(p) {
    return path.resolve(this.opt.cwd, String(p));
  }
  // ------------------------------------------------------------ the transcript
  #handleOf(loop, row) {
    for (const [h, id] of loop.handles) if (id === row.id) return h;
    const h = `h${this.#handleEpoch}-${createHash("sha256")
      .update(row.id + ":" + this.#handleEpoch)
      .digest("hex")
      .slice(0, 12)}`; // opaque
    loop.handles.set(h, row.id);
    return h;
  }
  /** Rows as a mod reads them ([types] SessionMessage): no thinking; an answered call carries its result's text. */
  #view(rows, stamp) {
    const results = new Map();
    for (const r of rows) for (const x of r.toolResults ?? []) results.set(x.tool_use_id, x);
    const known = stamp ? new Map([...stamp.handles].map(([h, id]) => [id, h])) : undefined;
    return rows.map((r) => {
      const m = {
        role: r.role,
        text: r.text,
        toolUses: r.toolUses.map((u) => {
          const x = results.get(u.tool_use_id);
          return {
            tool_use_id: u.tool_use_id,
            tool: u.tool,
            input: u.input,
            ...(x
              ? {
                  text: x.text,
                  ...(x.result !== undefined ? { result: x.result } : {}),
                  ...(x.isError ? { isError: true } : {}),
                }
              : {}),
          };
        }),
      };
      if (r.toolResults?.length) m.toolResults = r.toolResults.map((x) => ({ ...x }));
      if (stamp) {
        m.handle = known.get(r.id) ?? this.#handleOf(stamp, r);
      }
      return clone(m);
    });
  }
  tokensOf(rows) {
    let sum = this.opt.hiddenTokens;
    for (const r of rows) {
      let t = this.#counted.get(r);
      if (t === undefined) {
        t = 4 + this.estimate(r.text);
        for (const u of r.toolUses) t += 8 + this.estimate(u.tool + JSON.stringify(u.input));
        for (const x of r.toolResults ?? []) t += 6 + this.estimate(x.text);
        this.#counted.set(r, t);
      }
      sum += t;
    }
    return sum;
  }
  #contextOf(loop) {
    return loop.measured === undefined
      ? { window: this.opt.contextWindow }
      : {
          tokens: loop.measured,
          window: this.opt.contextWindow,
          percent: Math.round((100 * loop.measured) / this.opt.contextWindow),
        };
  } // [types] SessionContextUsage: absent until the first response of the live window
  async #append(loop, row, door, origin) {
    // [ref] session.append: once for each row the conversation keeps, before it is stored; a hook may rewrite its content
    const content = apiOf(row).content;
    const input = { message: { type: row.role, role: row.role, content }, door, origin, uuid: row.id };
    if (loop.agentId) input.agentId = loop.agentId;
    const r = await this.dispatch("session.append", input, (e) => ({ message: e.message, uuid: e.uuid }), {
      agentId: loop.agentId,
    });
    if (r.deny !== undefined) return;
    if (JSON.stringify(r.message?.content) !== JSON.stringify(content)) fromApi(row, r.message.content);
    loop.rows.push(row);
    loop.log.push({ row });
  }
  #row(role, text, toolUses = [], toolResults) {
    return {
      id: "m" + ++this.#seq,
      role,
      text,
      toolUses,
      ...(toolResults ? { toolResults } : {}),
      from: "engine",
      ...(role === "assistant" ? { thinking: "thinking of " + text.slice(0, 40) } : {}),
    };
  }
  // ------------------------------------------------------------ compaction
  /** Gives what the agent's own compaction makes of a list, without firing anything. */
  ownOf(messages, instructions) {
    const r = this.opt.ownCompaction
      ? this.opt.ownCompaction(messages, instructions, this)
      : defaultOwn(messages, instructions, this);
    return { summary: r.summary, kept: messages.slice(r.keepFrom) };
  }
  /** Fires `session.compact` and, but for `precompute`, puts its answer in the transcript's place. */
  async compact(trigger, o = {}) {
    const loop = o.agentId ? this.agents.find((a) => a.id === o.agentId).loop : this.main;
    if (!loop.rows.length) return { skip: "nothing to compact" };
    const messages = this.#view(loop.rows, loop); // each message carries the engine's handle; a sub-agent's own under agentId ([types] SessionCompactInput.messages)
    const byId = new Map(loop.rows.map((r) => [r.id, r]));
    const input = {
      trigger,
      ...(o.agentId ? { agentId: o.agentId } : {}),
      ...(o.instructions !== undefined ? { instructions: o.instructions } : {}),
      messages,
    };
    const before = this.tokensOf(loop.rows);
    const would = this.ownOf(messages, o.instructions);
    const wouldList = [{ role: "user", text: would.summary, toolUses: [] }, ...would.kept];
    const rec = {
      n: this.compactions.length,
      trigger,
      agentId: o.agentId,
      at: this.clock.now(),
      instructions: o.instructions,
      step: this.#step,
      messagesBefore: messages.length,
      tokensBefore: before,
      by: "own",
      installed: false,
      warnings: [],
      problems: [],
      own: { messagesAfter: wouldList.length, tokensAfter: this.tokensOf(wouldList), summary: would.summary.slice(0, 200) },
      input: messages,
    };
    this.compactions.push(rec);
    let coreRan = false,
      coreText = "",
      keptUsed = false;
    const answers = [];
    const core = async (e) => {
      coreRan = true;
      // [types] SessionCompactSkipped: "Core answers it too, when a classic PreCompact hook blocks"
      const pre = await this.dispatch(
        "classic.PreCompact",
        {
          hook_event_name: "PreCompact",
          ...this.#base(o.agentId),
          trigger: trigger === "manual" || trigger === "plugin" ? "manual" : "auto",
          custom_instructions: e.instructions ?? null,
        },
        () => ({}),
        { agentId: o.agentId },
      );
      if (typeof pre.block === "string") return { skip: pre.block };
      let list;
      if (trigger !== "precompute" && loop.kept && loop.kept.sourceIds.every((id, i) => loop.rows[i]?.id === id)) {
        // [types] precompute: "its result is kept for the compaction that comes, if the conversation it ran over still leads"
        keptUsed = true;
        const rows = [...loop.kept.rows, ...loop.rows.slice(loop.kept.sourceIds.length)];
        for (const r of rows) byId.set(r.id, r);
        list = this.#view(rows, loop);
      } else {
        const made = this.ownOf(e.messages, e.instructions);
        const row = this.#row("user", made.summary);
        row.isSummary = true;
        byId.set(row.id, row);
        coreText = made.summary;
        list = [...this.#view([row], loop), ...made.kept];
      }
      const after = this.tokensOf(list);
      return { messages: list, tokensBefore: before, ...(trigger === "precompute" ? {} : { tokensAfter: after }) }; // [types] tokensAfter: absent on precompute
    };
    let result;
    try {
      result = await this.dispatch("session.compact", input, core, {
        agentId: o.agentId,
        trigger,
        skipHook: o.skipHook,
        origin: o.origin,
        known: (h) => byId.has(loop.handles.get(h) ?? ""),
        onAnswer: (a) => answers.push(a),
      });
    } catch (e) {
      rec.by = "failed";
      rec.problems.push(String(e.message));
      return { skip: "the compaction failed: " + e.message };
    }
    const modAnswered = answers.length > 0;
    for (const a of answers) rec.warnings.push(...a.warnings);
    if (result.skip !== undefined) {
      rec.by = "skip";
      rec.skip = result.skip;
      if (trigger !== "precompute") this.notices.push(`compaction skipped: ${result.skip}`); // [types] "one line says why"
      return result;
    }
    rec.by = keptUsed ? "kept-precompute" : modAnswered ? (coreRan ? "mod-over-own" : "mod") : "own";
    rec.reported = { tokensBefore: result.tokensBefore, tokensAfter: result.tokensAfter };
    rec.handled = 0;
    rec.built = 0;
    rec.editsIgnored = 0;
    const viewOf = new Map(messages.map((m) => [m.handle, m]));
    const rows = result.messages.map((m) => {
      const id = m.handle !== undefined ? loop.handles.get(m.handle) : undefined;
      const own = id !== undefined ? byId.get(id) : undefined;
      if (own) {
        // [rules] "With a handle a message stands whole and edits are ignored"; [types] SessionCompacted.messages
        rec.handled++;
        const was = viewOf.get(m.handle);
        if (
          was &&
          (was.role !== m.role ||
            was.text !== m.text ||
            JSON.stringify(was.toolResults ?? []) !== JSON.stringify(m.toolResults ?? []) ||
            JSON.stringify(was.toolUses.map((u) => [u.tool_use_id, u.tool, u.input])) !==
              JSON.stringify(m.toolUses.map((u) => [u.tool_use_id, u.tool, u.input])))
        ) {
          rec.editsIgnored++;
        }
        return own;
      }
      rec.built++;
      // without one it is built from its role, text and tool blocks: its thinking is gone
      return {
        id: "m" + ++this.#seq,
        role: m.role,
        text: m.text,
        toolUses: m.toolUses.map((u) => ({ tool_use_id: u.tool_use_id, tool: u.tool, input: u.input })),
        ...(m.toolResults ? { toolResults: m.toolResults.map((x) => ({ ...x })) } : {}),
        from: "mod",
      };
    });
    if (rec.editsIgnored)
      rec.warnings.push(`${rec.editsIgnored} message(s) were edited and kept their handle: the edits are ignored`);
    rec.messagesAfter = rows.length;
    rec.tokensAfter = this.tokensOf(rows);
    if (rec.tokensAfter >= before) rec.warnings.push("the compaction made nothing smaller");
    if (result.tokensAfter !== undefined && modAnswered && Math.abs(result.tokensAfter - rec.tokensAfter) > rec.tokensAfter)
      rec.warnings.push(`tokensAfter says ${result.tokensAfter}, the host counts ${rec.tokensAfter}`);
    rec.problems = requestProblems(rows, !!o.midTurn);
    rec.after = this.#view(rows, undefined);
    if (trigger === "precompute") {
      loop.kept = { sourceIds: loop.rows.map((r) => r.id), rows };
      return result;
    } // installs nothing
    rec.installed = true;
    loop.log.push({
      boundary: { by: modAnswered ? "mod" : "own", keptIds: rows.filter((r) => byId.has(r.id)).map((r) => r.id) },
    });
    for (const row of rows) loop.log.push({ row });
    loop.rows = rows;
    loop.kept = undefined;
    loop.measured = undefined;
    await this.dispatch(
      "classic.PostCompact",
      {
        hook_event_name: "PostCompact",
        ...this.#base(o.agentId),
        trigger: trigger === "auto" ? "auto" : "manual",
        compact_summary:
          coreText ||
          rows
            .map((r) => r.text)
            .join("\n")
            .slice(0, 2000),
      },
      () => ({}),
      { agentId: o.agentId },
    );
    if (!o.agentId)
      await this.dispatch(
        "classic.SessionStart",
        { hook_event_name: "SessionStart", ...this.#base(), source: "compact" },
        () => ({}),
      );
    return result;
  }
  #base(agentId) {
    return {
      session_id: this.sessionId,
      transcript_path: `/transcripts/${this.sessionId}.jsonl`,
      cwd: this.opt.cwd,
      ...(agentId ? { agent_id: agentId } : {}),
    };
  }
  /** Before a request: a precompute, an auto compaction at the threshold, another on a prompt too long ([types] SessionCompactTrigger `auto`). */
  async #beforeRequest(loop) {
    const w = this.opt.contextWindow;
    const at = this.opt.precomputeAt;
    if (at != null && !loop.kept && this.tokensOf(loop.rows) >= at * w)
      await this.compact("precompute", { agentId: loop.agentId, midTurn: true });
    if (this.tokensOf(loop.rows) >= this.opt.autoCompactAt * w) {
      await this.compact("auto", { agentId: loop.agentId, midTurn: true });
      if (this.tokensOf(loop.rows) > w) {
        await this.compact("auto", { agentId: loop.agentId, midTurn: true });
        if (this.tokensOf(loop.rows) > w) {
          this.notices.push(
            `prompt too long: ${this.tokensOf(loop.rows)} tokens in a window of ${w}${loop.agentId ? " (" + loop.agentId + ")" : ""}`,
          );
          this.compactions[this.compactions.length - 1].problems.push("the prompt is still too long");
        }
      }
    }
  }
  // ------------------------------------------------------------ the session
  async start() {
    if (!this.loaded) this.load();
    // [ref] session.start: once for each loaded mod, before the first prompt
    await this.dispatch(
      "session.start",
      { cwd: this.opt.cwd, surface: null, isInteractive: !!this.opt.isInteractive },
      (e) => ({ cwd: e.cwd }),
    );
    await this.dispatch(
      "classic.SessionStart",
      { hook_event_name: "SessionStart", ...this.#base(), source: "startup" },
      () => ({}),
    );
    await this.settle();
  }
  async end(reason = "prompt_input_exit") {
    await this.dispatch("session.end", { reason, sessionId: this.sessionId, resume: { id: this.sessionId } }, (e) => ({
      sessionId: e.sessionId,
    }));
    await this.settle();
  }
  /** Resumes the session: from the last boundary on, the store kept, `$.state` emptied ([ref] session.end, session.start; [trouble] "A value resets").
   *  `handles`: whether a message has the handle it had before. `fault`: what authors report ([#95328], [fjc#89], [rules]). */
  async resume(o = {}) {
    const handles = o.handles ?? "anew",
      inProcess = !!o.inProcess,
      fault = o.fault ?? "none";
    const before = this.main.rows.length,
      tokensBefore = this.tokensOf(this.main.rows);
    await this.end("resume");
    const log = this.main.log;
    let last = -1;
    log.forEach((x, i) => {
      if ("boundary" in x) last = i;
    });
    const b = last >= 0 ? log[last].boundary : undefined;
    let rows = log.slice(last + 1).flatMap((x) => ("row" in x ? [x.row] : []));
    const keptByHandle = !!b && b.by === "mod" && b.keptIds.length > 0;
    if (keptByHandle && fault !== "none") {
      let prev = -1;
      for (let i = 0; i < last; i++) if ("boundary" in log[i]) prev = i;
      const old = log.slice(prev + 1, last).flatMap((x) => ("row" in x ? [x.row] : []));
      if (fault === "dropped-return") {
        const have = new Set(old.map((r) => r.id));
        rows = [...old, ...rows.filter((r) => !have.has(r.id))];
      } // the whole old history is back
      else {
        const kept = new Set(b.keptIds);
        rows = [...old.filter((r) => kept.has(r.id)).map((r) => ({ ...r, id: r.id + "d" })), ...rows];
      } // the kept ones stand twice
    }
    if (handles === "anew") {
      this.#handleEpoch++;
      this.main.handles.clear();
    }
    this.main.rows = rows;
    this.main.kept = undefined;
    this.main.measured = undefined;
    this.main.log = [...log, { boundary: { by: "own", keptIds: [] } }, ...rows.map((row) => ({ row }))];
    this.#state.clear();
    this.resumes.push({
      at: this.clock.now(),
      handles,
      inProcess,
      fault,
      before,
      after: rows.length,
      tokensBefore,
      tokensAfter: this.tokensOf(rows),
      problems: requestProblems(rows, false),
    });
    if (!inProcess) {
      // a new process: the module is loaded anew, its variables are gone
      this.#commands.clear();
      this.#tools.clear();
      this.load();
      await this.dispatch(
        "session.start",
        { cwd: this.opt.cwd, surface: null, isInteractive: !!this.opt.isInteractive },
        (e) => ({ cwd: e.cwd }),
      );
    } // [ref] session.start: "Not after /clear, /resume, or /branch"
    await this.dispatch(
      "classic.SessionStart",
      { hook_event_name: "SessionStart", ...this.#base(), source: "resume" },
      () => ({}),
    );
    await this.settle();
  }
  async clear() {
    await this.end("clear");
    this.#state.clear();
    this.main = this.#newLoop();
    this.sessionId += "c";
    await this.dispatch(
      "classic.SessionStart",
      { hook_event_name: "SessionStart", ...this.#base(), source: "clear" },
      () => ({}),
    );
  }
  async runCommand(command, args = "", origin = { kind: "composer" }, skipHook) {
    return this.dispatch(
      "command.run",
      { command, args, origin, presentation: { isFullscreen: false, columns: 120 } },
      async (e) => {
        if (e.command === "compact") {
          const r = await this.compact("manual", { instructions: e.args.trim() || undefined });
          return { text: r.skip !== undefined ? r.skip : "Compacted" };
        }
        if (this.#commands.has(e.command))
          return { text: `${this.pluginName} registered /${e.command} but no command.run hook answered it` }; // [trouble]
        return { text: `Unknown command: /${e.command}` };
      },
      { skipHook },
    );
  }
  /** Plays steps; every user step begins a turn that lasts to the next user step, /compact, resume, clear or the end. */
  async play(steps) {
    if (!this.loaded && !this.notices.length) await this.start();
    let open = false;
    const close = async () => {
      if (!open) return;
      open = false;
      await this.#completeTurn(this.main, "done");
      for (const q of this.#queuedPrompts.splice(0)) {
        await this.#beginTurn(q, { kind: "plugin", name: this.pluginName });
        await this.#request(this.main, "answer to a prompt of a mod", []);
        await this.#completeTurn(this.main, "answer");
      }
    };
    for (let i = 0; i < steps.length; i++) {
      const s = steps[i];
      this.#step = i;
      switch (s.kind) {
        case "user":
          await close();
          open = await this.#beginTurn(s.text, { kind: "composer" });
          break;
        case "assistant":
          if (open) await this.#request(this.main, s.text, []);
          break;
        case "tools":
          if (open) await this.#toolStep(this.main, s);
          break;
        case "agent":
          if (open) await this.#agentStep(s);
          break;
        case "compact":
          await close();
          await this.runCommand("compact", s.instructions ?? "");
          break;
        case "precompute":
          await this.compact("precompute", { midTurn: open });
          break;
        case "plugin-compact":
          await close();
          await this.compact("plugin", { instructions: s.instructions, origin: { plugin: "another", tier: "user" } });
          break;
        case "command":
          await close();
          await this.runCommand(s.command, s.args ?? "");
          break;
        case "idle":
          await close();
          await this.advance(s.ms);
          break;
        case "resume":
          await close();
          await this.resume(s);
          break;
        case "clear":
          await close();
          await this.clear();
          break;
      }
      await this.advance(s.kind === "user" ? 1_000 : 2_000);
    }
    await close();
    return this.report();
  }
  async #beginTurn(text, origin) {
    this.#turnId = "t" + ++this.#seq;
    const r = await this.dispatch("prompt.submit", { text, wait: false, origin, turnId: this.#turnId }, (e) => ({
      text: e.text,
      ...(e.context ? { context: e.context } : {}),
    }));
    if (r.drop !== undefined) {
      this.notices.push("Prompt dropped by a hook: " + r.drop);
      return false;
    }
    this.#turns++;
    this.#inTurn = true;
    await this.dispatch("turn.start", { text: r.text, turnId: this.#turnId }, (e) => ({ turnId: e.turnId }));
    await this.#append(this.main, this.#row("user", [r.text, ...(r.context ?? [])].join("\n\n")), "prompt", origin);
    return true;
  }
  async #completeTurn(loop, answer) {
    const last = [...loop.rows].reverse().find((r) => r.role === "assistant");
    await this.dispatch(
      "turn.complete",
      {
        answer: last?.text ?? answer,
        durationMs: 1000,
        isAborted: false,
        turnId: this.#turnId,
        reason: "answer",
        ...(loop.agentId ? { agentId: loop.agentId } : {}),
      },
      (e) => ({ text: e.answer }),
      { agentId: loop.agentId },
    );
    if (loop.agentId) return;
    this.#inTurn = false;
    // [ref] session.measure: after each turn; it only observes ([rules])
    const context = this.#contextOf(loop);
    const now = { context, cost: { usd: Math.round(this.#cost * 1e6) / 1e6 } };
    const changed = ["context", "cost"].filter((k) => JSON.stringify(now[k]) !== JSON.stringify(loop.lastMeasure?.[k]));
    loop.lastMeasure = now;
    if (changed.length)
      await this.dispatch("session.measure", { context, rateLimits: [], cost: now.cost, changed }, (e) => ({
        changed: e.changed,
      }));
    await this.settle();
  }
  /** One request to the model and its answer. */
  async #request(loop, text, uses) {
    await this.#beforeRequest(loop);
    const usage = {
      ...EMPTY_USAGE,
      input_tokens: this.tokensOf(loop.rows),
      output_tokens: this.estimate(text) + 20,
      model: "claude-opus-5-5",
    };
    const index = loop.rows.length;
    const step = await this.dispatch(
      "turn.step",
      {
        turnId: this.#turnId,
        index,
        model: "claude-opus-5-5",
        messageCount: loop.rows.length,
        ...(loop.agentId ? { agentId: loop.agentId } : {}),
      },
      (e) => ({
        chunks: [
          { kind: "text", index: 0, text },
          { kind: "stop", stopReason: uses.length ? "tool_use" : "end_turn", usage },
        ],
        result: {
          turnId: e.turnId,
          index: e.index,
          answer: text,
          toolUses: uses.map((u) => ({ name: u.tool, input: u.input })),
          stopReason: uses.length ? "tool_use" : "end_turn",
          usage,
        },
      }),
      { agentId: loop.agentId },
    );
    loop.measured = usage.input_tokens;
    this.#cost += (usage.input_tokens * 1 + usage.output_tokens * 5) / 1e6;
    await this.#append(
      loop,
      this.#row("assistant", typeof step.result?.answer === "string" ? step.result.answer : text, uses),
      "response",
      { kind: "model", model: "claude-opus-5-5" },
    );
  }
  async #toolStep(loop, s) {
    const uses = s.calls.map((c) => ({ tool_use_id: "toolu_" + ++this.#seq, tool: c.tool, input: c.input }));
    await this.#request(loop, s.text ?? "", uses);
    const results = [];
    for (let i = 0; i < uses.length; i++)
      results.push(await this.#callTool(loop, uses[i], s.calls[i].result, !!s.calls[i].isError));
    await this.#append(loop, this.#row("user", "", [], results), "tool-result", { kind: "tool", tool: uses[0].tool });
  }
  async #callTool(loop, u, text, isError) {
    const r = await this.dispatch(
      "tool.call",
      { ...u.input, tool: u.tool, tool_use_id: u.tool_use_id, ...(loop.agentId ? { agentId: loop.agentId } : {}) },
      async (e) => {
        const c = await this.dispatch(
          "tool.check",
          { tool: u.tool, input: u.input, tool_use_id: u.tool_use_id, ...(loop.agentId ? { agentId: loop.agentId } : {}) },
          () => ({ decision: "allow" }),
          { agentId: loop.agentId },
        );
        if (c.decision === "deny") return { deny: c.reason ?? "denied" };
        void e;
        return isError ? { isError: true, result: text, text } : { result: text, text };
      },
      { agentId: loop.agentId },
    );
    if (r.deny !== undefined) return { tool_use_id: u.tool_use_id, text: r.deny, isError: true };
    const out =
      typeof r.text === "string" && r.result === text
        ? r.text
        : typeof r.result === "string"
          ? r.result
          : JSON.stringify(r.result);
    return { tool_use_id: u.tool_use_id, text: out, isError: r.isError === true };
  }
  async #agentStep(s) {
    const use = {
      tool_use_id: "toolu_" + ++this.#seq,
      tool: "Agent",
      input: { prompt: s.prompt, description: s.prompt.slice(0, 30), subagent_type: s.agentType ?? "general-purpose" },
    };
    await this.#request(this.main, "I ask a sub-agent.", [use]);
    const id = "agent-" + ++this.#seq;
    const spawn = await this.dispatch(
      "agent.spawn",
      {
        tool_use_id: use.tool_use_id,
        prompt: s.prompt,
        description: s.prompt.slice(0, 30),
        subagentType: s.agentType ?? "general-purpose",
        provider: { plugin: "engine", tier: "core" },
        parentModel: "claude-opus-5-5",
        background: false,
        fork: false,
      },
      (e) => ({ model: e.model ?? "claude-opus-5-5", agentId: id }),
    );
    let text = spawn.deny ?? "";
    if (spawn.deny === undefined) {
      const loop = this.#newLoop(id);
      const a = { id, description: s.prompt.slice(0, 30), type: s.agentType ?? "general-purpose", status: "running", loop };
      this.agents.push(a);
      await this.#append(loop, this.#row("user", s.prompt), "prompt", { kind: "coordinator" });
      for (const t of s.steps) {
        if (t.kind === "tools") await this.#toolStep(loop, t);
        else if (t.kind === "assistant") await this.#request(loop, t.text, []);
        else if (t.kind === "precompute") await this.compact("precompute", { agentId: id, midTurn: true });
      }
      await this.#request(loop, "The sub-agent is done: " + s.prompt.slice(0, 60), []);
      await this.#completeTurn(loop, "done");
      a.status = "completed";
      loop.live = false;
      text = loop.rows[loop.rows.length - 1].text + `\nagentId: ${id}`;
    }
    await this.#append(
      this.main,
      this.#row("user", "", [], [{ tool_use_id: use.tool_use_id, text, isError: spawn.deny !== undefined }]),
      "tool-result",
      { kind: "tool", tool: "Agent" },
    );
  }
  /** The conversation as `$.session.messages()` reads it; with handles, as a compaction would hand it. */
  transcript(agentId) {
    const l = agentId ? this.agents.find((a) => a.id === agentId)?.loop : this.main;
    return l ? this.#view(l.rows, undefined) : [];
  }
  report() {
    return {
      loaded: this.loaded,
      isolated: this.isolated,
      unloaded: this.unloaded,
      events: this.#hooks.map((h) => h.pattern),
      loadWarnings: this.loadWarnings,
      fired: this.fired,
      calls: this.calls,
      accepted: this.accepted,
      refused: this.refused,
      overBudget: this.overBudget,
      compactions: this.compactions,
      resumes: this.resumes,
      notices: this.notices,
      debug: this.debug,
      ui: this.ui,
      ops: this.ops.length,
      storeBytes: this.storeBytes(),
      transcript: this.transcript(),
      tokens: this.tokensOf(this.main.rows),
      problems: requestProblems(this.main.rows, false),
      agents: this.agents.map((a) => ({
        id: a.id,
        status: a.status,
        messages: a.loop.rows.length,
        tokens: this.tokensOf(a.loop.rows),
      })),
    };
  }
}
const DEFER = Symbol("deferred");
const stateKey = (a) => [a.plugin, a.key, a.id ?? ""].join("\u0000");
function clip(v) {
  const s = JSON.stringify(v);
  return s === undefined ? undefined : s.length > 4_000 ? s.slice(0, 4_000) + `… (${s.length} characters)` : JSON.parse(s);
}
function apiOf(r) {
  return {
    role: r.role,
    content: [
      ...(r.toolResults ?? []).map((x) => ({
        type: "tool_result",
        tool_use_id: x.tool_use_id,
        content: x.text,
        is_error: x.isError,
      })),
      ...(r.text ? [{ type: "text", text: r.text }] : []),
      ...r.toolUses.map((u) => ({ type: "tool_use", id: u.tool_use_id, name: u.tool, input: u.input })),
    ],
  };
}
function fromApi(row, content) {
  row.text = content
    .filter((c) => c.type === "text")
    .map((c) => String(c.text))
    .join("\n");
  for (const x of row.toolResults ?? []) {
    const c = content.find((y) => y.type === "tool_result" && y.tool_use_id === x.tool_use_id);
    if (c) x.text = typeof c.content === "string" ? c.content : JSON.stringify(c.content);
  }
}
/** A stand-in for the agent's own compaction: a made summary and the newest whole exchanges up to a tenth of the window [own]. */
function defaultOwn(messages, instructions, host) {
  const room = host.opt.contextWindow / 10;
  let keepFrom = messages.length,
    sum = 0;
  for (let i = messages.length - 1; i >= 1; i--) {
    sum += host.tokensOf([messages[i]]) - host.opt.hiddenTokens;
    if (sum > room) break;
    if (!(messages[i].toolResults ?? []).length && messages[i].role === "user") keepFrom = i;
    else if (messages[i].role === "assistant" && messages[i].toolUses.length) keepFrom = i;
  }
  if (keepFrom < messages.length && messages[keepFrom].role === "user") {
    /* summary and user message: the engine's matter */
  }
  const prompts = messages
    .filter((m) => m.role === "user" && m.text && !(m.toolResults ?? []).length)
    .map((m) => "- " + m.text.slice(0, 200))
    .slice(-40);
  const summary = `This session is being continued from a previous conversation that ran out of context.${instructions ? " Kept in view: " + instructions : ""}\nThe user asked:\n${prompts.join("\n")}`;
  return { summary, keepFrom };
}
// ---------------------------------------------------------------- made sessions
/** `count` steps of made work, the same for one seed. */
export function makeSteps(o = {}) {
  const count = o.count ?? 200,
    max = o.maxResult ?? 20_000;
  let x = (o.seed ?? 1) >>> 0 || 1;
  const rnd = () => {
    x ^= x << 13;
    x >>>= 0;
    x ^= x >>> 17;
    x ^= x << 5;
    x >>>= 0;
    return x / 4294967296;
  };
  const pick = (a) => a[Math.floor(rnd() * a.length)];
  const word = () =>
    pick([
      "router",
      "session",
      "handle",
      "budget",
      "cache",
      "parser",
      "token",
      "ledger",
      "queue",
      "index",
      "branch",
      "fixture",
      "socket",
      "schema",
      "worker",
    ]);
  const text = (chars) => {
    const lines = [];
    let n = 0;
    while (n < chars) {
      const l = `${Math.floor(rnd() * 9000) + 1000}: const ${word()}${Math.floor(rnd() * 99)} = ${word()}.${word()}(${Math.floor(rnd() * 1e6)}) // ${word()} ${word()}`;
      lines.push(l);
      n += l.length + 1;
    }
    return lines.join("\n").slice(0, Math.max(1, chars));
  };
  const size = () => {
    const r = rnd();
    return Math.floor(r < 0.5 ? 100 + rnd() * 1_500 : r < 0.85 ? 1_500 + rnd() * 6_500 : 8_000 + rnd() * (max - 8_000));
  };
  const tool = () => {
    const k = pick(["Read", "Bash", "Grep", "Edit", "Write"]),
      file = `src/${word()}/${word()}.ts`;
    const input =
      k === "Read"
        ? { file_path: "/home/me/project/" + file }
        : k === "Bash"
          ? { command: pick(["npm test", "git status", "npm run build", "ls -la src"]), description: "run" }
          : k === "Grep"
            ? { pattern: word(), path: "src" }
            : k === "Edit"
              ? { file_path: "/home/me/project/" + file, old_string: word(), new_string: word() + "2" }
              : { file_path: "/home/me/project/" + file, content: text(400) };
    const isError = rnd() < 0.07;
    return {
      tool: k,
      input,
      result: isError ? `Error: ENOENT ${file}` : text(Math.min(max, size())),
      ...(isError ? { isError: true } : {}),
    };
  };
  const asks = [
    "Please add a retry to the %1 and write a test for it.",
    "From now on never touch src/%1, it is generated.",
    "Always run npm test before you say that you are done.",
    "Why does the %1 drop the %2?",
    "Forget what I said about src/%1: you may edit it now.",
    "Rename %1 to %2 everywhere.",
    "Do not add any dependency in this project.",
    "Look at the failing build and tell me the cause.",
    "Answer in short sentences, please.",
    "Continue.",
  ];
  const steps = [];
  while (steps.length < count) {
    steps.push({ kind: "user", text: pick(asks).replace("%1", word()).replace("%2", word()) });
    const n = 2 + Math.floor(rnd() * 7);
    for (let i = 0; i < n && steps.length < count; i++) {
      const r = rnd();
      if (o.agents !== false && r < 0.06)
        steps.push({
          kind: "agent",
          prompt: `Find where ${word()} meets ${word()}.`,
          steps: Array.from({ length: 3 + Math.floor(rnd() * 10) }, () => ({
            kind: "tools",
            text: "I look.",
            calls: [tool()],
          })),
        });
      else if (r < 0.2)
        steps.push({ kind: "tools", text: "I read several files.", calls: [tool(), tool(), ...(rnd() < 0.4 ? [tool()] : [])] });
      else steps.push({ kind: "tools", text: rnd() < 0.6 ? `I look at the ${word()}.` : "", calls: [tool()] });
    }
    if (steps.length < count)
      steps.push({ kind: "assistant", text: `Done: the ${word()} now uses the ${word()}. ${text(200)}` });
    if (o.manual && rnd() < 0.05 && steps.length < count)
      steps.push({ kind: "compact", instructions: rnd() < 0.5 ? "the file names" : undefined });
  }
  return steps;
}
