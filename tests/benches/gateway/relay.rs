//! The limit of a gateway over stdio: a program that copies lines between its client and one server, and
//! reads nothing of them.
//!
//! ```text
//! rustc -O tests/benches/gateway/relay.rs -o target/relay
//! target/relay COMMAND [ARGUMENT]…
//! ```
#![forbid(unsafe_code)]

use std::{
    env,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Command, Stdio},
    thread,
};

fn copy_lines(from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        to.flush()?;
        line.clear();
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let command = arguments
        .next()
        .ok_or_else(|| io::Error::other("no command"))?;
    let mut server = Command::new(command)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (requests, answers) = (server.stdin.take(), server.stdout.take());
    let (Some(requests), Some(answers)) = (requests, answers) else {
        return Err(io::Error::other("no pipes"));
    };
    // Ends with the client's input, which ends the server.
    thread::spawn(move || copy_lines(io::stdin(), requests));
    copy_lines(answers, io::stdout())?;
    server.wait().map(drop)
}
