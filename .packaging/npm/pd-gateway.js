#!/usr/bin/env node
// Starts the program of this platform, and ends as the program ends. The program is in a package of
// `optionalDependencies`, of which npm installs the one that fits this machine.
"use strict";

const { spawn } = require("node:child_process");
const { optionalDependencies, version } = require("../package.json");

const suffix = `${process.platform}-${process.arch}`;
const name = `@pd-runtime/pd-gateway-${suffix}`;
const program = process.platform === "win32" ? "pd-gateway.exe" : "pd-gateway";

function fail(message) {
  console.error(`pd-gateway: ${message}`);
  process.exit(1);
}

/** Whether this is a Linux with another C library, such as Alpine with musl. */
function lacksGlibc() {
  if (process.platform !== "linux" || !process.report) return false;
  process.report.excludeNetwork = true; // looking up host names may take seconds
  return !process.report.getReport().header.glibcVersionRuntime;
}

function missing() {
  if (!(name in optionalDependencies)) {
    const known = Object.keys(optionalDependencies).map((one) => one.replace("@pd-runtime/pd-gateway-", ""));
    return `no program is built for ${suffix}; the platforms are ${known.join(", ")}. `
      + "With a Rust compiler, `cargo install pd-gateway` builds one.";
  }
  if (lacksGlibc()) {
    return "the program needs glibc 2.17 or later, and this system has another C library (musl, as on Alpine). "
      + "With a Rust compiler, `cargo install pd-gateway` builds one.";
  }
  return `the package ${name} is not installed. npm leaves it out with --omit=optional, and with a lockfile that was `
    + `written on another platform. Install it: npm install ${name}@${version}`;
}

function locate() {
  try {
    return require.resolve(`${name}/bin/${program}`);
  } catch {
    return fail(missing());
  }
}

const child = spawn(locate(), process.argv.slice(2), { stdio: "inherit", windowsHide: true });
child.on("error", (error) => fail(`cannot start the program: ${error.message}`));

// A terminal sends SIGINT to the program, too. A second SIGINT would end it before it has finished its calls.
const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !terminal) child.kill(signal);
  });
}

// npx starts this script by a shell, and SIGTERM ends npx and the shell alone. The program would keep running.
if (process.env.npm_command === "exec") {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) child.kill("SIGTERM");
  }, 500).unref();
}

child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
