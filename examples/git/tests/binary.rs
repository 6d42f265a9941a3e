//! The binary: what it does where there is no repository, and whom it lets in.

#[path = "../../guard.rs"]
mod guard;
#[expect(dead_code, reason = "`main` itself stays in the binary")]
#[path = "../main.rs"]
mod main;

use clap::Parser;
use std::process::ExitCode;

async fn run(arguments: &[&str]) -> bool {
    let line = main::Line::try_parse_from(["git"].iter().chain(arguments)).unwrap();
    // The code of a process can be compared by its `Debug` alone.
    format!("{:?}", main::run(line).await) == format!("{:?}", ExitCode::SUCCESS)
}

#[tokio::test]
async fn a_repository_is_needed_to_run_tools_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (nowhere, out) = (folder.path().to_str().unwrap(), folder.path().join("out"));
    std::fs::write(folder.path().join("audit.jsonl"), "").unwrap();
    let audit = folder.path().join("audit.jsonl");
    let commands: [&[&str]; 6] = [
        &["list"],
        &["describe", "log"],
        &["tokens"],
        &["check"],
        &["audit", audit.to_str().unwrap()],
        &["export", "--format", "skills", out.to_str().unwrap()],
    ];
    for command in commands {
        assert!(
            run(&[&["--repo", nowhere], command].concat()).await,
            "{command:?}"
        );
    }
    for command in [&["serve"][..], &["call", "status"], &["tour"]] {
        assert!(
            !run(&[&["--repo", nowhere], command].concat()).await,
            "{command:?}"
        );
    }
}

#[tokio::test]
async fn nobody_gets_in_without_a_token() {
    let repo = env!("CARGO_MANIFEST_DIR");
    guard::lets_nobody_in(|arguments| async move {
        let fixed = ["git", "--repo", repo].into_iter().map(str::to_owned);
        main::run(main::Line::try_parse_from(fixed.chain(arguments)).unwrap()).await
    })
    .await;
}

#[test]
fn the_image_runs_a_command_that_there_is() {
    let (_, command) = include_str!("../../Dockerfile")
        .split_once("\nCMD ")
        .unwrap();
    let words: Vec<String> = serde_json::from_str(command.trim()).unwrap();
    main::Line::try_parse_from(["git".to_owned()].into_iter().chain(words)).unwrap();
}
