// Makes the globals of a program: `tools`, `console` and `ToolFailed`. Removes what would make a run
// depend on anything but its code and its calls. The sandbox is the process, not this file: a program
// that tampers with these objects harms its own run only.
(post, finish, now, logBytes, args) => {
  'use strict';
  const { stringify, parse } = JSON;
  const pending = new Map();
  let sent = 0;

  class ToolFailed extends Error {
    constructor(failure) {
      super(failure.message);
      this.name = 'ToolFailed';
      this.code = failure.code;
      this.tool = failure.tool;
      if (failure.issues !== undefined) this.issues = failure.issues;
    }
  }

  const request = (operation, path, value) => {
    const text = stringify(value);
    if (text === undefined) throw new TypeError('an argument is not JSON');
    // Taken now: when the answer arrives, no line of the program is on the stack.
    const { stack } = new Error();
    sent += 1;
    const id = sent;
    const refusal = post(id, operation, stringify(path), text);
    if (refusal !== undefined) throw new TypeError(refusal);
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject, stack });
    });
  };

  const isArguments = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const call = (path, values) => {
    const [value = {}, ...more] = values;
    if (!isArguments(value) || more.length > 0) {
      throw new TypeError(`tools.${path.join('.')} takes one object: tools.${path.join('.')}({ name: value })`);
    }
    return request('call', path, value);
  };
  const text = (name, value) => {
    if (typeof value !== 'string') throw new TypeError(`tools.${name} takes a string`);
    return value;
  };
  const own = {
    call: (name, value = {}) => {
      if (!isArguments(value)) throw new TypeError('tools.call takes a name and an object');
      return request('call', [text('call', name)], value);
    },
    find: (query) => request('find', [], text('find', query)),
    describe: (name) => request('describe', [], text('describe', name)),
  };

  // `await` reads `then` of what it gets, and a name is no promise.
  const isName = (key) => typeof key === 'string' && key !== 'then' && key !== 'toJSON';
  const locked = {
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  };
  const node = (path) =>
    new Proxy(() => {}, {
      ...locked,
      get: (_, key) => {
        // A name that is shown is no call.
        if (key === Symbol.toPrimitive || key === 'toString' || key === 'valueOf') return () => `tools.${path.join('.')}`;
        return isName(key) ? node([...path, key]) : undefined;
      },
      apply: (_, __, values) => call(path, values),
    });
  const tools = new Proxy(Object.create(null), {
    ...locked,
    get: (_, key) => (Object.hasOwn(own, key) ? own[key] : isName(key) ? node([key]) : undefined),
  });

  let logs = '';
  const shown = (value) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'function') return String(value);
    try {
      return stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  const log = (...values) => {
    if (logs.length < logBytes) logs += `${values.map(shown).join(' ')}\n`.slice(0, logBytes - logs.length);
  };

  const noText = function () {
    throw new TypeError('a program cannot make code from text: write the function itself');
  };
  noText.prototype = Function.prototype;
  for (const kind of [function () {}, async function () {}, function* () {}, async function* () {}]) {
    Object.defineProperty(Object.getPrototypeOf(kind), 'constructor', { value: noText, writable: false });
  }

  const RealDate = Date;
  function FrozenDate(...values) {
    if (new.target === undefined) return new RealDate(now).toString();
    return Reflect.construct(RealDate, values.length > 0 ? values : [now], new.target);
  }
  FrozenDate.prototype = RealDate.prototype;
  FrozenDate.prototype.constructor = FrozenDate;
  Object.assign(FrozenDate, { now: () => now, parse: RealDate.parse, UTC: RealDate.UTC });
  Math.random = () => {
    throw new Error('a program has no random numbers: the same code gives the same answer');
  };

  for (const name of ['eval', 'Atomics', 'SharedArrayBuffer', 'performance', 'WeakRef', 'FinalizationRegistry']) {
    delete globalThis[name];
  }
  Object.assign(globalThis, {
    Function: noText,
    Date: FrozenDate,
    console: { log, info: log, warn: log, error: log, debug: log },
    ToolFailed,
  });
  // A program that declares its own `tools` would no longer reach them.
  Object.defineProperty(globalThis, 'tools', { value: tools, writable: false, configurable: false });

  // The arguments of a tool whose program this is.
  if (typeof args === 'string') globalThis.args = parse(args);

  // Half of a surrogate pair is no text in UTF-8.
  const wellFormed = (value) => String(value).toWellFormed();
  const lineOf = (stack) => Number(/program\.js:(\d+)/.exec(stack)?.[1]) || undefined;
  const failed = (error) => {
    const isError = error instanceof Error;
    const failure = {
      name: isError ? wellFormed(error.name) : 'thrown',
      message: isError ? wellFormed(error.message) : wellFormed(shown(error)),
      line: isError ? lineOf(String(error.stack)) : undefined,
      code: error instanceof ToolFailed ? wellFormed(error.code) : undefined,
      tool: error instanceof ToolFailed ? wellFormed(error.tool) : undefined,
    };
    finish(false, stringify(failure), wellFormed(logs));
  };
  const done = (value) => {
    let answer;
    try {
      answer = stringify(value);
    } catch (error) {
      return failed(error);
    }
    // `undefined`, functions and symbols have no JSON.
    finish(true, answer ?? '', wellFormed(logs));
  };

  return {
    run: (program) => {
      program().then(done, failed);
    },
    pending: () => pending.size,
    logs: () => wellFormed(logs),
    settle: (id, isValue, answer) => {
      const waiting = pending.get(id);
      if (waiting === undefined) return;
      pending.delete(id);
      try {
        if (isValue) return waiting.resolve(parse(answer));
        const failure = new ToolFailed(parse(answer));
        failure.stack = waiting.stack;
        waiting.reject(failure);
      } catch (error) {
        // A value that does not fit the memory of the run, or is nested too deep.
        waiting.reject(error);
      }
    },
  };
};
